/*
 * archive - an archive context in the form that PCP's pmdumplog reads: structures that are filled
 * in once from the metadata of the archive.
 *
 * They are made of the records of the .meta file, and stay until the context's number is used for
 * another archive: the program has no call that gives them back.
 */
#include <stdbool.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libpcp/archive_ops.h"
#include "libpcp/compat/compat.h"
#include "libpcp/context.h"
#include "libstore/archive.h"
#include "libstore/archive_set.h"
#include "libstore/member.h"

_Static_assert(sizeof(__pmLogInDom) == 80 && sizeof(__pmLogLabel) == 56 &&
		   sizeof(__pmLogTI) == 40 && sizeof(__pmLogCtl) == 408 &&
		   sizeof(__pmArchCtl) == 136 && sizeof(__pmContext) == 168,
	       "docs/spec/pmapi.md 24");

struct shadow {
	__pmContext context;
	__pmArchCtl control;
	__pmLogCtl log;
	__pmFILE meta;
	__pmFILE index;     /* priv is NULL: there is none */
	__pmFILE data;      /* the first volume */
	const void *source; /* the context's, which it was made of */
	struct shadow *next;
};

static struct {
	pthread_mutex_t lock;
	struct shadow *first;
} shadows = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Tables --------------------------------------------------------------------------------- */

/* PCP's number of chains after n: pmdumplog prints metrics in the order of its table, which depends
 * on this number and on how the table grows. */
static int more_chains(int n)
{
	if (n == 0)
		return 1;
	n *= 2;
	if (n % 3 != 0)
		n += 2;
	if (n % 5 != 0)
		n += 2;
	return n;
}

static void push(__pmHashCtl *table, __pmHashNode *node)
{
	__pmHashNode **chain = &table->hash[node->key % (unsigned int)table->hsize];

	node->next = *chain;
	*chain = node;
}

static int grow(__pmHashCtl *table)
{
	__pmHashCtl old = *table;
	int hsize = more_chains(old.hsize);
	__pmHashNode **hash = calloc((size_t)hsize, sizeof(hash[0]));

	if (hash == NULL)
		return -ENOMEM;
	table->hash = hash;
	table->hsize = hsize;
	for (int i = old.hsize - 1; i >= 0; i--) {
		for (__pmHashNode *node = old.hash[i], *next; node != NULL; node = next) {
			next = node->next;
			push(table, node);
		}
	}
	free(old.hash);
	return 0;
}

/* __pmHashAdd for a new key, with the order that PCP's tables have. */
static int table_add(unsigned int key, void *data, __pmHashCtl *table)
{
	__pmHashNode *node = malloc(sizeof(*node));

	if (node == NULL)
		return -ENOMEM;
	table->nodes++;
	if ((table->hsize == 0 || table->nodes / 4 > table->hsize) && grow(table) < 0) {
		table->nodes--;
		free(node);
		return -ENOMEM;
	}
	*node = (__pmHashNode){.key = key, .data = data};
	push(table, node);
	return 0;
}

/* ---- Metadata ------------------------------------------------------------------------------- */

/* The table of a type in a table of tables. NULL: -ENOMEM. */
static __pmHashCtl *table_of(__pmHashCtl *tables, int type)
{
	__pmHashNode *node = __pmHashSearch((unsigned int)type, tables);
	__pmHashCtl *table;

	if (node != NULL)
		return node->data;
	table = calloc(1, sizeof(*table));
	if (table != NULL && table_add((unsigned int)type, table, tables) < 0) {
		free(table);
		return NULL;
	}
	return table;
}

static int add_desc(__pmLogCtl *log, const struct meta_desc *record)
{
	pmDesc *desc;

	if (__pmHashSearch(record->desc.pmid, &log->hashpmid) != NULL)
		return 0;
	desc = malloc(sizeof(*desc));
	if (desc == NULL)
		return -ENOMEM;
	*desc = record->desc;
	return table_add(desc->pmid, desc, &log->hashpmid);
}

struct instance {
	int inst;
	char *name;
};

static int by_number(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

/* The program prints them in ascending order, whatever their order in the record. */
static int sort_instances(__pmLogInDom *indom)
{
	size_t n = (size_t)indom->numinst;
	AUTO_FREE struct instance *list = calloc(n + 1, sizeof(list[0]));

	if (list == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		list[i] = (struct instance){indom->instlist[i], indom->namelist[i]};
	qsort(list, n, sizeof(list[0]), by_number);
	for (size_t i = 0; i < n; i++) {
		indom->instlist[i] = list[i].inst;
		indom->namelist[i] = list[i].name;
	}
	return 0;
}

/* The list of a domain begins with its newest observation. */
static int add_indom(__pmLogCtl *log, const struct meta_indom *record, bool delta)
{
	__pmLogInDom *indom = compat_indom_new(record, delta);
	__pmHashNode *node;

	if (indom == NULL || sort_instances(indom) < 0)
		return -ENOMEM;
	node = __pmHashSearch(record->indom, &log->hashindom);
	if (node == NULL)
		return table_add(record->indom, indom, &log->hashindom);
	indom->next = node->data;
	indom->next->prior = indom;
	node->data = indom;
	return 0;
}

static int copy_set(const struct wire_labelset *from, pmLabelSet *to)
{
	size_t n = from->nlabels > 0 ? (size_t)from->nlabels : 0;

	to->inst = (unsigned int)from->inst;
	to->nlabels = from->nlabels;
	to->jsonlen = from->json.len;
	to->json = calloc(1, (size_t)from->json.len + 1);
	to->labels = calloc(n + 1, sizeof(to->labels[0]));
	if (to->json == NULL || to->labels == NULL)
		return -ENOMEM;
	memcpy(to->json, from->json.s, from->json.len);
	memcpy(to->labels, from->labels, n * sizeof(to->labels[0]));
	return 0;
}

static int add_label(__pmLogCtl *log, const struct meta_label *record)
{
	__pmHashCtl *table = table_of(&log->hashlabels, record->type);
	__pmLogLabelSet *sets = calloc(1, sizeof(*sets));
	__pmHashNode *node;
	int r = 0;

	if (table == NULL || sets == NULL) {
		free(sets);
		return -ENOMEM;
	}
	sets->stamp = compat_stamp(&record->stamp);
	sets->type = record->type;
	sets->ident = (int)record->ident;
	sets->nsets = (int)record->numset;
	sets->labelsets = calloc((size_t)record->numset + 1, sizeof(sets->labelsets[0]));
	if (sets->labelsets == NULL)
		r = -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < record->numset; i++)
		r = copy_set(&record->sets[i], &sets->labelsets[i]);
	node = __pmHashSearch(record->ident, table);
	if (node == NULL)
		return table_add(record->ident, sets, table) < 0 ? -ENOMEM : r;
	sets->next = node->data;
	node->data = sets;
	return r;
}

static int add_text(__pmLogCtl *log, const struct meta_text *record)
{
	__pmHashCtl *table = table_of(&log->hashtext, record->type);
	char *text;

	if (table == NULL)
		return -ENOMEM;
	if (__pmHashSearch(record->ident, table) != NULL)
		return 0;
	text = strndup(record->text.s, record->text.len);
	return text == NULL ? -ENOMEM : table_add(record->ident, text, table);
}

static int add_record(__pmLogCtl *log, enum meta_type type, const union meta_body *body)
{
	switch (type) {
	case META_DESC:
		return add_desc(log, &body->desc);
	case META_INDOM_V2:
	case META_INDOM:
	case META_INDOM_DELTA:
		return add_indom(log, &body->indom, type == META_INDOM_DELTA);
	case META_LABEL_V2:
	case META_LABEL:
		return add_label(log, &body->label);
	default:
		return add_text(log, &body->text);
	}
}

/* Takes all whole records of a .meta file, from offset on. */
static int load_meta(struct member *m, uint64_t offset, __pmLogCtl *log)
{
	struct arena mem = ARENA_INIT;
	union meta_body body;
	enum meta_type type;
	uint32_t len;
	size_t left;
	int r = 0;

	while (r >= 0 && member_u32(m, offset, &len) > 0) {
		const uint8_t *record = member_at(m, offset, len, &left);

		if (record == NULL || left < len)
			break;
		r = meta_decode(record, len, &mem, &type, &body);
		if (r >= 0)
			r = add_record(log, type, &body);
		arena_reset(&mem);
		offset += len;
	}
	arena_done(&mem);
	return r;
}

static int load_index(struct archive *archive, __pmLogCtl *log)
{
	const struct index_entry *entries;
	size_t n;
	int r = archive_index(archive, &entries, &n);

	if (r < 0)
		return r;
	log->ti = calloc(n + 1, sizeof(log->ti[0]));
	if (log->ti == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		log->ti[i] = (__pmLogTI){
		    .stamp = compat_stamp(&entries[i].stamp),
		    .vol = entries[i].volume,
		    .off_meta = entries[i].meta_offset,
		    .off_data = entries[i].data_offset,
		};
	log->numti = (int)n;
	return 0;
}

static int load_label(const struct log_label *label, __pmLogLabel *to)
{
	*to = (__pmLogLabel){
	    .magic = LOG_LABEL_MAGIC | label->version,
	    .pid = label->pid,
	    .start = compat_stamp(&label->start),
	    .vol = label->volume,
	    .features = label->features,
	    .hostname = strdup(label->host),
	    .timezone = strdup(label->timezone),
	    .zoneinfo = label->zoneinfo[0] == '\0' ? NULL : strdup(label->zoneinfo),
	};
	return to->hostname == NULL || to->timezone == NULL ? -ENOMEM : 0;
}

int __pmLogLoadLabel(__pmFILE *f, __pmLogLabel *label)
{
	struct log_label read;
	size_t left = 0;
	const uint8_t *bytes;
	int r;

	if (f == NULL)
		return PM_ERR_LABEL;
	bytes = member_at(f->priv, 0, LOG_LABEL_LEN_V3, &left);
	if (bytes == NULL) /* the whole file may be shorter */
		bytes = member_at(f->priv, 0, LOG_LABEL_LEN_V2, &left);
	if (bytes == NULL)
		return PM_ERR_LABEL;
	r = log_label_decode(bytes, left, &read);
	if (r < 0)
		return r;
	f->position = (off_t)log_label_len(read.version);
	return load_label(&read, label);
}

/* ---- Contexts ------------------------------------------------------------------------------- */

/* A file of the archive; NULL where it cannot be opened. */
static __pmFILE *open_file(__pmFILE *f, const char *path)
{
	struct member *m = NULL;

	if (path == NULL || member_open(path, &m) < 0)
		return NULL;
	f->priv = m;
	return f;
}

static void fill_files(struct shadow *s, struct archive *archive)
{
	const struct archive_files *files = archive_files(archive);

	s->meta.priv = archive_meta_member(archive);
	s->log.mdfp = &s->meta;
	s->log.tifp = open_file(&s->index, files->index);
	s->control.ac_mfp = open_file(&s->data, files->volumes[0].path);
	s->control.ac_curvol = files->volumes[0].number;
	s->log.name = strdup(files->base);
	s->log.minvol = files->volumes[0].number;
	s->log.maxvol = files->volumes[files->nvolumes - 1].number;
}

static int fill(struct shadow *s, struct context *ctx)
{
	struct archive_source *source = archive_source_of(ctx);
	struct archive *archive = archive_set_current(source->set);
	struct timespec end = {0};
	int r;

	s->context.c_type = ctx->type;
	s->context.c_mode = source->mode;
	s->context.c_handle = ctx->handle;
	s->context.c_archctl = &s->control;
	s->context.c_origin = compat_stamp(&source->origin);
	s->control.ac_log = &s->log;
	s->control.ac_num_logs = 1;
	s->log.refcnt = 1;
	fill_files(s, archive);
	if (archive_end_of(ctx, &end) >= 0)
		s->log.endtime = compat_stamp(&end);
	r = load_label(archive_label(archive), &s->log.label);
	if (r == 0)
		r = load_index(archive, &s->log);
	if (r == 0)
		r = load_meta(s->meta.priv, log_label_len(archive_label(archive)->version),
			      &s->log);
	return s->log.name == NULL ? -ENOMEM : r;
}

static struct shadow *find(const struct context *ctx)
{
	for (struct shadow *s = shadows.first; s != NULL; s = s->next) {
		if (s->context.c_handle == ctx->handle && s->source == ctx->source)
			return s;
	}
	return NULL;
}

/* After an error the parts that were read remain: the program finds the rest missing. */
static struct shadow *make(struct context *ctx)
{
	struct shadow *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	fill(s, ctx);
	s->source = ctx->source;
	s->next = shadows.first;
	shadows.first = s;
	return s;
}

__pmContext *__pmHandleToPtr(int handle)
{
	struct context *ctx = context_hold(handle);
	struct shadow *s = NULL;

	if (ctx == NULL)
		return NULL;
	if (archive_is_source(ctx)) {
		pthread_mutex_lock(&shadows.lock);
		s = find(ctx);
		if (s == NULL)
			s = make(ctx);
		pthread_mutex_unlock(&shadows.lock);
	}
	context_release(ctx);
	return s == NULL ? NULL : &s->context;
}

int __pmUnlock(void *lock, const char *file, int line)
{
	(void)lock;
	(void)file;
	(void)line;
	return 0;
}

int __pmGetArchiveEnd(__pmArchCtl *control, __pmTimestamp *end)
{
	const struct shadow *s = CONTAINER_OF(control, struct shadow, control);
	struct context *ctx = context_hold(s->context.c_handle);
	struct timespec ts;
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_end_of(ctx, &ts);
	context_release(ctx);
	if (r >= 0)
		*end = compat_stamp(&ts);
	return r;
}

int __pmLogFetch(__pmContext *context, int n, pmID *pmids, __pmResult **result)
{
	struct context *ctx = context_hold(context->c_handle);
	pmHighResResult *highres;
	struct timespec stamp;
	int r;

	(void)n;
	(void)pmids;
	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	r = archive_fetch_record(ctx, &highres);
	context_release(ctx);
	if (r < 0)
		return r;
	stamp = highres->timestamp;
	*result = (__pmResult *)highres;
	(*result)->timestamp = compat_stamp(&stamp);
	return r;
}

size_t __pmLogLabelSize(const __pmLogCtl *log)
{
	return log_label_len(log->label.magic & 0xff);
}

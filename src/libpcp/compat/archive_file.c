/*
 * archive_file - files of archives and their records, as PCP's tools read them one by one.
 */
#include <stdbool.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libpcp/compat/compat.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"

enum {
	RECORD_HEAD = 8, /* length and type of a record of .meta */
	RECORD_TAIL = 4, /* its length again */
};

/* ---- Files ---------------------------------------------------------------------------------- */

size_t __pmFread(void *buf, size_t size, size_t n, __pmFILE *f)
{
	int64_t got = size == 0 ? 0 : member_read(f->priv, (uint64_t)f->position, buf, size * n);

	if (got <= 0)
		return 0;
	f->position += got;
	return (size_t)got / size;
}

int __pmFseek(__pmFILE *f, long offset, int whence)
{
	off_t from = whence == SEEK_SET   ? 0
		     : whence == SEEK_CUR ? f->position
					  : (off_t)member_size(f->priv);

	if (from + offset < 0) {
		errno = EINVAL;
		return -1;
	}
	f->position = from + offset;
	return 0;
}

int __pmFeof(__pmFILE *f)
{
	return (uint64_t)f->position >= member_size(f->priv);
}

int __pmFerror(__pmFILE *f)
{
	return member_fault(f->priv) < 0;
}

/* The size of a compressed file is not known. */
int __pmStat(const char *path, struct stat *st)
{
	static const char *const suffixes[] = {".xz", ".lzma", ".bz2", ".bz", ".gz", ".Z", ".z"};
	int r = stat(path, st);

	if (r == 0) {
		if (archive_files_suffix(path) > 0)
			st->st_size = -1;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		char name[MAXPATHLEN];

		pmsprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		if (stat(name, st) == 0) {
			st->st_size = -1;
			return 0;
		}
	}
	return r;
}

/* ---- Times and features --------------------------------------------------------------------- */

int __pmTimestampCmp(const __pmTimestamp *a, const __pmTimestamp *b)
{
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	return (a->nsec > b->nsec) - (a->nsec < b->nsec);
}

double __pmTimestampSub(const __pmTimestamp *a, const __pmTimestamp *b)
{
	return (double)(a->sec - b->sec) + (double)(a->nsec - b->nsec) / 1e9;
}

char *__pmLogFeaturesStr(uint32_t features)
{
	struct buffer text = BUFFER_INIT;
	char *copy;

	for (int bit = 31; bit >= 0; bit--) {
		if ((features >> bit & 1) == 0)
			continue;
		if (text.len > 0)
			buffer_printf(&text, " ");
		if (1u << bit == LOG_LABEL_FEATURE_QA)
			buffer_printf(&text, "QA");
		else
			buffer_printf(&text, "bit_%02d", bit);
	}
	copy = strdup(buffer_str(&text));
	buffer_done(&text);
	return copy;
}

/* ---- Instance domains ----------------------------------------------------------------------- */

void __pmFreeLogInDom(__pmLogInDom *indom)
{
	if ((indom->alloc & COMPAT_NAMES) != 0 && indom->namelist != NULL) {
		for (int i = 0; i < indom->numinst; i++)
			free(indom->namelist[i]);
	}
	if ((indom->alloc & COMPAT_NAMELIST) != 0)
		free(indom->namelist);
	if ((indom->alloc & COMPAT_INSTLIST) != 0)
		free(indom->instlist);
	free(indom->buf);
	if ((indom->alloc & COMPAT_SELF) != 0)
		free(indom);
}

__pmLogInDom *compat_indom_new(const struct meta_indom *record, bool delta)
{
	__pmLogInDom *indom = calloc(1, sizeof(*indom));

	if (indom == NULL)
		return NULL;
	indom->alloc = COMPAT_SELF | COMPAT_INSTLIST | COMPAT_NAMELIST | COMPAT_NAMES;
	indom->indom = record->indom;
	indom->stamp = compat_stamp(&record->stamp);
	indom->isdelta = delta;
	indom->instlist = calloc((size_t)record->numinst + 1, sizeof(indom->instlist[0]));
	indom->namelist = calloc((size_t)record->numinst + 1, sizeof(indom->namelist[0]));
	for (uint32_t i = 0;
	     indom->instlist != NULL && indom->namelist != NULL && i < record->numinst; i++) {
		const struct wire_str *name = &record->insts[i].name;

		indom->instlist[i] = record->insts[i].inst;
		indom->namelist[i] = name->s == NULL ? NULL : strndup(name->s, name->len);
		if (name->s != NULL && indom->namelist[i] == NULL)
			break;
		indom->numinst++;
	}
	if ((uint32_t)indom->numinst < record->numinst) {
		__pmFreeLogInDom(indom);
		return NULL;
	}
	return indom;
}

/* The header of the record has been read: it begins before the position. */
int __pmLogLoadInDom(__pmArchCtl *control, int length, int type, __pmLogInDom *indom, int32_t **buf)
{
	__pmFILE *f = control->ac_log->mdfp;
	struct arena mem = ARENA_INIT;
	uint64_t start = (uint64_t)f->position - RECORD_HEAD;
	__pmLogInDom *made = NULL;
	union meta_body body;
	enum meta_type kind;
	const uint8_t *record = NULL;
	uint32_t len;
	size_t left = 0;
	int r = PM_ERR_LOGREC;

	(void)length;
	(void)type;
	(void)buf;
	if (member_u32(f->priv, start, &len) > 0)
		record = member_at(f->priv, start, len, &left);
	if (record != NULL && left >= len)
		r = meta_decode(record, len, &mem, &kind, &body);
	if (r == 0)
		made = compat_indom_new(&body.indom, kind == META_INDOM_DELTA);
	arena_done(&mem);
	if (made == NULL)
		return r < 0 ? r : -ENOMEM;
	*indom = *made;
	indom->alloc &= ~COMPAT_SELF;
	free(made);
	f->position = (off_t)(start + len - RECORD_TAIL);
	return 0;
}

/* The place of an instance in an observation; -1: it is not there. */
static int place_of(const __pmLogInDom *indom, int inst)
{
	for (int i = 0; i < indom->numinst; i++) {
		if (indom->instlist[i] == inst)
			return i;
	}
	return -1;
}

static void put_inst(__pmLogInDom *to, int inst, const char *name)
{
	int at = to->numinst++;

	while (at > 0 && to->instlist[at - 1] > inst) {
		to->instlist[at] = to->instlist[at - 1];
		to->namelist[at] = to->namelist[at - 1];
		at--;
	}
	to->instlist[at] = inst;
	to->namelist[at] = strdup(name);
}

/* The older instances that a delta leaves, and those that it adds. */
static void merge(const __pmLogInDom *older, const __pmLogInDom *delta, __pmLogInDom *to)
{
	for (int i = 0; i < older->numinst; i++) {
		if (place_of(delta, older->instlist[i]) < 0)
			put_inst(to, older->instlist[i], older->namelist[i]);
	}
	for (int i = 0; i < delta->numinst; i++) {
		if (delta->namelist[i] != NULL)
			put_inst(to, delta->instlist[i], delta->namelist[i]);
	}
}

void __pmLogUndeltaInDom(pmInDom indom, __pmLogInDom *last)
{
	__pmLogInDom *older = last->next;
	__pmLogInDom whole = *last;
	size_t room;

	if (!last->isdelta || older == NULL)
		return;
	__pmLogUndeltaInDom(indom, older);
	room = (size_t)older->numinst + (size_t)last->numinst + 1;
	whole.isdelta = 0;
	whole.numinst = 0;
	whole.alloc =
	    (last->alloc & COMPAT_SELF) | COMPAT_INSTLIST | COMPAT_NAMELIST | COMPAT_NAMES;
	whole.buf = NULL;
	whole.instlist = calloc(room, sizeof(whole.instlist[0]));
	whole.namelist = calloc(room, sizeof(whole.namelist[0]));
	if (whole.instlist == NULL || whole.namelist == NULL) {
		free(whole.instlist);
		free(whole.namelist);
		return;
	}
	merge(older, last, &whole);
	last->alloc &= ~COMPAT_SELF;
	__pmFreeLogInDom(last);
	*last = whole;
}

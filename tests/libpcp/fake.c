/* fake - see fake.h. */
#include "fake.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libwire/result.h"

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			fprintf(stderr, "fake: %s: %s\n", #x, strerror(errno));                    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct metric {
	const char *name;
	pmDesc desc;
};

/* clang-format off */
static const struct metric metrics[] = {
	{ "fake.count", { FAKE_COUNT, PM_TYPE_U32,    PM_INDOM_NULL, PM_SEM_COUNTER,  {0} } },
	{ "fake.name",  { FAKE_NAME,  PM_TYPE_STRING, PM_INDOM_NULL, PM_SEM_DISCRETE, {0} } },
	{ "fake.load",  { FAKE_LOAD,  PM_TYPE_DOUBLE, FAKE_INDOM,    PM_SEM_INSTANT,  {0} } },
};
/* clang-format on */

static const struct wire_inst insts[] = {{1, {"one", 3}}, {2, {"two", 3}}, {3, {"three men", 9}}};

enum { NMETRIC = ARRAY_SIZE(metrics), NINST = ARRAY_SIZE(insts) };

static struct wire_str str_of(const char *s)
{
	return (struct wire_str){s, (uint32_t)strlen(s)};
}

static bool same(const struct wire_str *a, const char *b)
{
	return a->len == strlen(b) && memcmp(a->s, b, a->len) == 0;
}

static const struct metric *by_pmid(pmID pmid)
{
	for (int i = 0; i < NMETRIC; i++) {
		if (metrics[i].desc.pmid == pmid)
			return &metrics[i];
	}
	return NULL;
}

static void reply(struct buffer *out, enum pdu_type type, const union pdu_body *body)
{
	CHECK(pdu_encode(out, type, 0, body) == 0);
}

static void error(struct buffer *out, int code)
{
	CHECK(pdu_encode_error(out, 0, code) == 0);
}

/* A metric's value set with its blocks, in memory of the thread. */
static const pmValueSet *values(pmID pmid)
{
	static __thread struct {
		union {
			pmValueSet set;
			char room[sizeof(pmValueSet) + NINST * sizeof(pmValue)];
		} u;
		union {
			pmValueBlock block;
			char room[16];
		} blocks[NINST];
	} memory[NMETRIC];
	pmValueSet *set = &memory[pmid - FAKE_COUNT].u.set;
	pmValue *vlist = set->vlist;

	set->pmid = pmid;
	set->numval = pmid == FAKE_LOAD ? NINST : 1;
	set->valfmt = pmid == FAKE_COUNT ? PM_VAL_INSITU : PM_VAL_DPTR;
	for (int i = 0; i < set->numval; i++) {
		pmValueBlock *block = &memory[pmid - FAKE_COUNT].blocks[i].block;
		double d = i + 0.5;

		vlist[i].inst = pmid == FAKE_LOAD ? insts[i].inst : (int)PM_IN_NULL;
		block->vtype = pmid == FAKE_LOAD ? PM_TYPE_DOUBLE : PM_TYPE_STRING;
		block->vlen = pmid == FAKE_LOAD ? 12 : 10;
		if (pmid == FAKE_LOAD)
			memcpy((char *)block + PM_VAL_HDR_SIZE, &d, sizeof(d));
		else
			memcpy((char *)block + PM_VAL_HDR_SIZE, "seven", 6);
		vlist[i].value.pval = block;
	}
	if (pmid == FAKE_COUNT)
		vlist[0].value.lval = 7;
	return set;
}

static void answer_fetch(const struct pdu_header *h, const union pdu_body *q, struct buffer *out)
{
	struct result_source *sources = calloc(q->fetch.numpmid, sizeof(sources[0]));
	enum pdu_type type = h->type == PDU_FETCH ? PDU_RESULT : PDU_HIGHRES_RESULT;

	for (uint32_t i = 0; i < q->fetch.numpmid; i++) {
		pmID pmid = q->fetch.pmids[i];

		if (by_pmid(pmid) == NULL)
			sources[i] = (struct result_source){
			    .kind = RESULT_ERROR, .pmid = pmid, .error = PM_ERR_PMID};
		else
			sources[i] = (struct result_source){
			    .kind = RESULT_HOST, .pmid = pmid, .host = values(pmid)};
	}
	CHECK(result_encode(out, type, 0, 1000, type == PDU_RESULT ? 5 : 5000, sources,
			    q->fetch.numpmid) == 0);
	free(sources);
}

static void answer_names(const union pdu_body *q, struct buffer *out)
{
	uint32_t n = q->pmns_names.numname;
	pmID *pmids = calloc(n, sizeof(pmids[0]));
	union pdu_body body = {.pmns_ids = {.numpmid = n, .pmids = pmids}};

	for (uint32_t i = 0; i < n; i++) {
		pmids[i] = PM_ID_NULL;
		for (int j = 0; j < NMETRIC; j++) {
			if (same(&q->pmns_names.names[i], metrics[j].name)) {
				pmids[i] = metrics[j].desc.pmid;
				body.pmns_ids.status++;
			}
		}
	}
	if (n == 1 && body.pmns_ids.status == 0)
		error(out, PM_ERR_NAME);
	else
		reply(out, PDU_PMNS_IDS, &body);
	free(pmids);
}

static void answer_name_list(const struct pdu_header *h, const union pdu_body *q,
			     struct buffer *out)
{
	struct wire_str names[NMETRIC];
	int32_t status[NMETRIC] = {PMNS_LEAF_STATUS, PMNS_LEAF_STATUS, PMNS_LEAF_STATUS};
	union pdu_body body = {.pmns_names = {.numname = NMETRIC, .names = names}};

	for (int i = 0; i < NMETRIC; i++)
		names[i] = str_of(metrics[i].name);
	if (h->type == PDU_PMNS_IDS) {
		const struct metric *m = by_pmid(q->pmns_ids.pmids[0]);

		if (m == NULL) {
			error(out, PM_ERR_PMID);
			return;
		}
		names[0] = str_of(m->name);
		body.pmns_names.numname = 1;
	} else if (h->type == PDU_PMNS_CHILD && q->pmns_child.name.len == 0) {
		names[0] = str_of("fake");
		status[0] = PMNS_NONLEAF_STATUS;
		body.pmns_names.numname = 1;
	} else if (q->pmns_child.name.len > 0 && !same(&q->pmns_child.name, "fake")) {
		error(out, PM_ERR_NAME);
		return;
	} else if (h->type == PDU_PMNS_CHILD) {
		for (int i = 0; i < NMETRIC; i++)
			names[i] = str_of(strchr(metrics[i].name, '.') + 1);
	}
	if (h->type == PDU_PMNS_CHILD && q->pmns_child.subtype == 1)
		body.pmns_names.status = status;
	reply(out, PDU_PMNS_NAMES, &body);
}

static void answer_desc(const union pdu_body *q, struct buffer *out)
{
	const struct metric *m = by_pmid(q->desc_req.pmid);
	union pdu_body body;

	if (m == NULL) {
		error(out, PM_ERR_PMID);
		return;
	}
	body.desc.desc = m->desc;
	reply(out, PDU_DESC, &body);
}

static void answer_descs(const union pdu_body *q, struct buffer *out)
{
	uint32_t n = q->desc_ids.numpmid;
	pmDesc *descs = calloc(n, sizeof(descs[0]));
	union pdu_body body = {.descs = {.numdesc = n, .descs = descs}};

	for (uint32_t i = 0; i < n; i++) {
		const struct metric *m = by_pmid(q->desc_ids.pmids[i]);

		descs[i] = m == NULL ? (pmDesc){.pmid = PM_ID_NULL} : m->desc;
	}
	if (n == 1 && descs[0].pmid == PM_ID_NULL)
		error(out, PM_ERR_PMID);
	else
		reply(out, PDU_DESCS, &body);
	free(descs);
}

static void answer_instances(const union pdu_body *q, struct buffer *out)
{
	const struct pdu_instance_req *req = &q->instance_req;
	union pdu_body body = {.instance = {.numinst = NINST, .insts = insts}};
	struct wire_inst one;

	if (req->indom != FAKE_INDOM) {
		error(out, PM_ERR_INDOM);
		return;
	}
	if (req->inst == (int)PM_IN_NULL && req->name.len == 0) {
		reply(out, PDU_INSTANCE, &body);
		return;
	}
	for (int i = 0; i < NINST; i++) {
		if (insts[i].inst != req->inst && !same(&req->name, insts[i].name.s))
			continue;
		one = insts[i];
		body.instance = (struct pdu_instance){.numinst = 1, .insts = &one};
		reply(out, PDU_INSTANCE, &body);
		return;
	}
	error(out, PM_ERR_INST);
}

/* Help of the first metric alone; an empty text for the second. */
static void answer_text(const union pdu_body *q, struct buffer *out)
{
	bool help = (q->text_req.type & PM_TEXT_HELP) != 0;
	union pdu_body body = {.text = {.ident = q->text_req.ident}};

	if (by_pmid(q->text_req.ident) == NULL) {
		error(out, PM_ERR_PMID);
		return;
	}
	if (help && q->text_req.ident != FAKE_COUNT && q->text_req.ident != FAKE_NAME) {
		error(out, PM_ERR_TEXT);
		return;
	}
	body.text.text = str_of(!help ? "a line" : q->text_req.ident == FAKE_COUNT ? "a help" : "");
	reply(out, PDU_TEXT, &body);
}

static void answer_labels(const union pdu_body *q, struct buffer *out)
{
	static const pmLabel label = {
	    .name = 2, .namelen = 1, .flags = PM_LABEL_CONTEXT, .value = 5, .valuelen = 1};
	struct wire_labelset sets[NINST];
	union pdu_body body = {
	    .label = {
		.ident = q->label_req.ident, .type = q->label_req.type, .numset = 1, .sets = sets}};

	for (int i = 0; i < NINST; i++)
		sets[i] = (struct wire_labelset){
		    .inst = -1, .nlabels = 1, .json = str_of("{\"a\":1}"), .labels = &label};
	if (q->label_req.type == PM_LABEL_INSTANCES) {
		body.label.numset = NINST;
		for (int i = 0; i < NINST; i++)
			sets[i].inst = insts[i].inst;
		sets[1].nlabels = 0;
		sets[1].json = str_of("");
		sets[2].nlabels = PM_ERR_AGAIN;
		sets[2].json = str_of("");
	} else if (q->label_req.type != PM_LABEL_CONTEXT && q->label_req.type != PM_LABEL_ITEM) {
		body.label.numset = 0;
	}
	reply(out, PDU_LABEL, &body);
}

void fake_answer(struct fake *f, const struct pdu_header *h, const union pdu_body *q,
		 struct buffer *out)
{
	switch (h->type) {
	case PDU_FETCH:
	case PDU_HIGHRES_FETCH:
		answer_fetch(h, q, out);
		break;
	case PDU_PMNS_NAMES:
		answer_names(q, out);
		break;
	case PDU_PMNS_IDS:
	case PDU_PMNS_CHILD:
	case PDU_PMNS_TRAVERSE:
		answer_name_list(h, q, out);
		break;
	case PDU_DESC_REQ:
		answer_desc(q, out);
		break;
	case PDU_DESC_IDS:
		answer_descs(q, out);
		break;
	case PDU_INSTANCE_REQ:
		answer_instances(q, out);
		break;
	case PDU_TEXT_REQ:
		answer_text(q, out);
		break;
	case PDU_LABEL_REQ:
		answer_labels(q, out);
		break;
	case PDU_RESULT:
		error(out, 0);
		break;
	default:
		error(out, PM_ERR_IPC);
	}
}

/* Records PDUs that need no answer. True for such a PDU. */
static bool note(struct fake *f, const struct pdu_header *h, const union pdu_body *q)
{
	pthread_mutex_lock(&f->lock);
	if (h->type == PDU_CREDS)
		f->cred = q->creds.creds[0];
	else if (h->type == PDU_ATTR)
		snprintf(f->container, sizeof(f->container), "%.*s", (int)q->attr.value.len,
			 q->attr.value.s);
	else
		f->requests++;
	if (h->type == PDU_PROFILE) {
		f->profiles++;
		f->state = q->profile.profile.state;
		f->entries = q->profile.profile.profile_len;
	}
	if (h->type != PDU_CREDS && h->type != PDU_ATTR)
		f->from = h->from;
	pthread_mutex_unlock(&f->lock);
	return h->type == PDU_CREDS || h->type == PDU_ATTR || h->type == PDU_PROFILE;
}

static bool serve_one(struct fake *f, int fd, struct arena *mem, struct buffer *out)
{
	uint8_t head[PDU_HEADER_LEN];
	AUTO_FREE uint8_t *pdu = NULL;
	enum fake_verdict verdict = FAKE_USUAL;
	struct pdu_header h;
	union pdu_body q;
	char byte;

	if (file_read_full(fd, head, sizeof(head)) < 0)
		return false;
	CHECK(pdu_header_get(head, &h) == 0);
	pdu = malloc(h.len);
	memcpy(pdu, head, sizeof(head));
	if (file_read_full(fd, pdu + sizeof(head), h.len - sizeof(head)) < 0)
		return false;
	arena_reset(mem);
	CHECK(pdu_decode(pdu, h.len, mem, &q) == 0);
	buffer_reset(out);
	if (note(f, &h, &q))
		verdict = f->hook == NULL ? FAKE_SEND : f->hook(f, &h, &q, out);
	else if (f->hook != NULL)
		verdict = f->hook(f, &h, &q, out);
	if (verdict == FAKE_USUAL && h.type != PDU_CREDS && h.type != PDU_ATTR &&
	    h.type != PDU_PROFILE)
		fake_answer(f, &h, &q, out);
	if (buffer_pending(out) > 0 &&
	    send(fd, buffer_head(out), buffer_pending(out), MSG_NOSIGNAL) < 0)
		return false;
	if (verdict == FAKE_SILENCE) {
		/* Until the client gives up. */
		while (recv(fd, &byte, 1, 0) > 0)
			;
		return false;
	}
	return verdict != FAKE_HANG_UP;
}

struct conn_args {
	struct fake *f;
	int slot;
	int fd;
};

static void *serve(void *arg)
{
	struct conn_args *a = arg;
	struct fake *f = a->f;
	struct arena mem = ARENA_INIT;
	struct buffer out = BUFFER_INIT;
	union pdu_body challenge = {
	    .error = {.code = f->refuse, .extended = true, .datum = pdu_challenge(f->features)},
	};

	reply(&out, PDU_ERROR, &challenge);
	if (send(a->fd, buffer_head(&out), buffer_pending(&out), MSG_NOSIGNAL) > 0 &&
	    f->refuse == 0)
		while (serve_one(f, a->fd, &mem, &out))
			;
	pthread_mutex_lock(&f->lock);
	f->fds[a->slot] = -1;
	close(a->fd);
	pthread_mutex_unlock(&f->lock);
	arena_done(&mem);
	buffer_done(&out);
	free(a);
	return NULL;
}

/* Each connection has a slot for good, so that fake_stop can join its thread. */
static void *accept_all(void *arg)
{
	struct fake *f = arg;

	for (;;) {
		int fd = accept(f->listen_fd, NULL, NULL);
		struct conn_args *a;

		if (fd < 0)
			return NULL;
		a = malloc(sizeof(*a));
		*a = (struct conn_args){.f = f, .fd = fd};
		pthread_mutex_lock(&f->lock);
		if (f->stopping || f->nconns == FAKE_CONNS) {
			close(fd);
			free(a);
		} else {
			a->slot = f->nconns++;
			f->fds[a->slot] = fd;
			CHECK(pthread_create(&f->threads[a->slot], NULL, serve, a) == 0);
		}
		pthread_mutex_unlock(&f->lock);
	}
}

void fake_restart(struct fake *f)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	f->stopping = false;
	f->nconns = 0;
	f->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	strcpy(addr.sun_path, f->path);
	unlink(f->path);
	CHECK(bind(f->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	CHECK(listen(f->listen_fd, 64) == 0);
	CHECK(pthread_create(&f->thread, NULL, accept_all, f) == 0);
}

void fake_start(struct fake *f)
{
	const char *tmp = getenv("TMPDIR");
	static unsigned int serial;

	pthread_mutex_init(&f->lock, NULL);
	if (f->features == 0)
		f->features = FAKE_FEATURES;
	snprintf(f->path, sizeof(f->path), "%s/fake.%d.%u", tmp == NULL ? "/tmp" : tmp,
		 (int)getpid(), serial++);
	snprintf(f->spec, sizeof(f->spec), "unix:%s", f->path);
	fake_restart(f);
}

void fake_stop(struct fake *f)
{
	pthread_mutex_lock(&f->lock);
	f->stopping = true;
	pthread_mutex_unlock(&f->lock);
	shutdown(f->listen_fd, SHUT_RDWR);
	CHECK(pthread_join(f->thread, NULL) == 0);
	close(f->listen_fd);
	pthread_mutex_lock(&f->lock);
	for (int i = 0; i < f->nconns; i++) {
		if (f->fds[i] >= 0)
			shutdown(f->fds[i], SHUT_RDWR);
	}
	pthread_mutex_unlock(&f->lock);
	for (int i = 0; i < f->nconns; i++)
		CHECK(pthread_join(f->threads[i], NULL) == 0);
	unlink(f->path);
}

int fake_context(struct fake *f)
{
	int handle = pmNewContext(PM_CONTEXT_HOST, f->spec);

	CHECK(handle >= 0);
	return handle;
}

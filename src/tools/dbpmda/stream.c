/*
 * stream - whole PDUs to and from an agent, ^C during the waiting, and PDUs as questions and
 * answers.
 */
#include "tools/dbpmda/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libbase/arena.h"
#include "libwire/pdu.h"
#include "libwire/result.h"

/*
 * ^C
 */

static volatile sig_atomic_t seen;

static void on_interrupt(int sig)
{
	if (seen) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	seen = 1;
}

void interrupt_begin(void)
{
	struct sigaction action = {.sa_handler =
				       on_interrupt}; /* without SA_RESTART: system calls end */

	seen = 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

void interrupt_end(void)
{
	signal(SIGINT, SIG_DFL);
}

void interrupt_sleep(long seconds)
{
	struct timespec left = {.tv_sec = seconds};
	sigset_t held, before;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigprocmask(SIG_BLOCK, &held, &before);
	if (!seen)
		ppoll(NULL, 0, &left, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* True if ^C was pressed since interrupt_begin. */
static bool interrupt_seen(void)
{
	return seen != 0;
}

/*
 * PDUs
 */

enum { STREAM_READ = 64 << 10 };

void stream_init(struct stream *s, int in, int out)
{
	*s = (struct stream){.in = in, .out = out};
	fcntl(out, F_SETFL,
	      fcntl(out, F_GETFL) | O_NONBLOCK); /* so that ^C can end a wait for writing, too */
}

void stream_done(struct stream *s)
{
	close(s->in);
	if (s->out != s->in)
		close(s->out);
	buffer_done(&s->sending);
	buffer_done(&s->received);
}

/* Waits for a descriptor. Returns 0, PM_ERR_TIMEOUT, -EINTR, -errno. */
static int stream_wait(int fd, short events, int timeout_ms)
{
	struct pollfd wait = {.fd = fd, .events = events};
	int n;

	do {
		if (interrupt_seen())
			return -EINTR;
		n = poll(&wait, 1, timeout_ms);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == 0 ? PM_ERR_TIMEOUT : 0;
}

static int stream_write(struct stream *s)
{
	while (buffer_pending(&s->sending) > 0) {
		ssize_t n = write(s->out, buffer_head(&s->sending), buffer_pending(&s->sending));
		int r = n < 0 ? -errno : 0;

		if (r == -EAGAIN || r == -EINTR)
			r = stream_wait(s->out, POLLOUT, STREAM_FOREVER);
		if (r < 0)
			return r;
		if (n > 0) {
			buffer_consume(&s->sending, (size_t)n);
			s->broken = true;
		}
	}
	s->broken = false;
	return 0;
}

int stream_flush(struct stream *s)
{
	int r = s->sending.err;

	if (r == 0)
		r = s->broken ? PM_ERR_IPC : stream_write(s);
	buffer_reset(&s->sending);
	return r;
}

int stream_send(struct stream *s, enum pdu_type type, const union pdu_body *body)
{
	int r = pdu_encode(&s->sending, type, 0, body);

	return r < 0 ? r : stream_flush(s);
}

/*
 * Adds the available bytes to the received ones. Returns their number, 0 at the end, or an error.
 */
static int stream_read(struct stream *s, int timeout_ms)
{
	uint8_t *room = buffer_reserve(&s->received, STREAM_READ);
	ssize_t n;
	int r;

	if (room == NULL)
		return -ENOMEM;
	do {
		r = stream_wait(s->in, POLLIN, timeout_ms);
		n = r == 0 ? read(s->in, room, STREAM_READ) : 0;
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	if (r < 0)
		return r;
	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	buffer_commit(&s->received, (size_t)n);
	return (int)n;
}

/* Waits until `need` bytes have been received. Returns 1, 0 at the end, or an error. */
static int stream_fill(struct stream *s, size_t need, int timeout_ms)
{
	while (buffer_pending(&s->received) < need) {
		int r = stream_read(s, timeout_ms);

		if (r <= 0)
			return r;
	}
	return 1;
}

int stream_receive(struct stream *s, int timeout_ms, struct pdu_header *ret_header,
		   const uint8_t **ret_pdu)
{
	struct pdu_header h = {0};
	int r;

	buffer_consume(&s->received, s->given);
	s->given = 0;
	r = stream_fill(s, PDU_HEADER_LEN, timeout_ms);
	if (r <= 0)
		return r;
	r = pdu_header_get(buffer_head(&s->received), &h);
	if (r == 0 && (h.len < PDU_HEADER_LEN || h.len > PDU_PEER_MAX))
		r = PM_ERR_IPC;
	if (r < 0)
		return r;
	r = stream_fill(s, h.len, timeout_ms);
	if (r <= 0)
		return r;
	s->given = h.len;
	*ret_header = h;
	*ret_pdu = buffer_head(&s->received);
	return 1;
}

/*
 * Questions as PDUs
 */

static struct wire_str wire_str_of(const char *s)
{
	return (struct wire_str){.s = s, .len = s != NULL ? (uint32_t)strlen(s) : 0};
}

static int send_result(struct stream *s, const pmResult *result)
{
	struct result_source *sources = calloc((size_t)result->numpmid, sizeof(*sources));
	int r;

	if (sources == NULL)
		return -ENOMEM;
	for (int i = 0; i < result->numpmid; i++)
		sources[i] = (struct result_source){
		    .kind = RESULT_HOST, .pmid = result->vset[i]->pmid, .host = result->vset[i]};
	r = result_encode(&s->sending, PDU_RESULT, 0, result->timestamp.tv_sec,
			  result->timestamp.tv_usec, sources, (size_t)result->numpmid);
	free(sources);
	return r < 0 ? r : stream_flush(s);
}

static int send_name(struct stream *s, const struct question *q)
{
	const struct wire_str name = wire_str_of(q->name);
	union pdu_body body = {.pmns_names = {.numname = 1, .names = &name}};

	return stream_send(s, PDU_PMNS_NAMES, &body);
}

int stream_ask(struct stream *s, const struct question *q)
{
	union pdu_body body;

	memset(&body, 0, sizeof(body));
	switch (q->kind) {
	case ASK_DESC:
		body.desc_req.pmid = q->pmid;
		return stream_send(s, PDU_DESC_REQ, &body);
	case ASK_FETCH:
		body.fetch = (struct pdu_fetch){.numpmid = (uint32_t)q->n, .pmids = q->pmids};
		return stream_send(s, PDU_FETCH, &body);
	case ASK_INSTANCE:
		body.instance_req = (struct pdu_instance_req){
		    .indom = q->ident, .inst = q->inst, .name = wire_str_of(q->name)};
		return stream_send(s, PDU_INSTANCE_REQ, &body);
	case ASK_TEXT:
		body.text_req = (struct pdu_text_req){.ident = q->ident, .type = q->type};
		return stream_send(s, PDU_TEXT_REQ, &body);
	case ASK_STORE:
		return send_result(s, q->result);
	case ASK_PMID:
		return send_name(s, q);
	case ASK_NAME:
		body.pmns_ids = (struct pdu_pmns_ids){.numpmid = 1, .pmids = &q->pmid};
		return stream_send(s, PDU_PMNS_IDS, &body);
	case ASK_CHILDREN:
	case ASK_TRAVERSE:
		body.pmns_child.subtype = q->kind == ASK_CHILDREN;
		body.pmns_child.name = wire_str_of(q->name);
		return stream_send(s, q->kind == ASK_CHILDREN ? PDU_PMNS_CHILD : PDU_PMNS_TRAVERSE,
				   &body);
	case ASK_ATTRIBUTE:
		/* An agent gets the value with its terminating NUL. */
		body.attr = (struct pdu_attr){.key = q->type, .value = wire_str_of(q->name)};
		body.attr.value.len++;
		return stream_send(s, PDU_ATTR, &body);
	case ASK_LABEL:
		body.label_req = (struct pdu_label_req){.ident = q->ident, .type = q->type};
		return stream_send(s, PDU_LABEL_REQ, &body);
	case ASK_PROFILE:
		body.profile.profile = *q->profile;
		return stream_send(s, PDU_PROFILE, &body);
	default:
		return -EINVAL;
	}
}

/*
 * PDUs as answers
 */

static int take_instances(const union pdu_body *b, const struct question *q, struct answer *a)
{
	size_t n = b->instance.numinst;
	int *insts = arena_calloc(&a->mem, n + 1, sizeof(*insts));
	char **names = arena_calloc(&a->mem, n + 1, sizeof(*names));

	if (insts == NULL || names == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct wire_inst *inst = &b->instance.insts[i];

		insts[i] = inst->inst;
		names[i] = arena_strndup(&a->mem, inst->name.s, inst->name.len);
		if (names[i] == NULL)
			return -ENOMEM;
	}
	a->n = (int)n;
	/* A question with a name is answered with the number, one with a number with the name. */
	a->insts = q->inst == (int)PM_IN_NULL ? insts : NULL;
	a->names = q->name == NULL ? names : NULL;
	return 0;
}

static int take_text(const union pdu_body *b, const struct question *q, struct answer *a)
{
	a->text = arena_strndup(&a->mem, b->text.text.s, b->text.text.len);
	return a->text == NULL ? -ENOMEM : 0;
}

static int take_desc(const union pdu_body *b, const struct question *q, struct answer *a)
{
	a->desc = b->desc.desc;
	return 0;
}

static int take_pmid(const union pdu_body *b, const struct question *q, struct answer *a)
{
	if (b->pmns_ids.status < 0)
		return b->pmns_ids.status;
	if (b->pmns_ids.numpmid != 1)
		return PM_ERR_IPC;
	a->pmid = b->pmns_ids.pmids[0];
	return 0;
}

static int take_names(const union pdu_body *b, const struct question *q, struct answer *a)
{
	size_t n = b->pmns_names.numname;
	char **names = arena_calloc(&a->mem, n + 1, sizeof(*names));

	if (names == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct wire_str *name = &b->pmns_names.names[i];

		names[i] = arena_strndup(&a->mem, name->s, name->len);
		if (names[i] == NULL)
			return -ENOMEM;
	}
	a->n = (int)n;
	a->names = names;
	a->status = b->pmns_names.status;
	return 0;
}

static int take_labels(const union pdu_body *b, const struct question *q, struct answer *a)
{
	size_t n = b->label.numset;
	pmLabelSet *sets = arena_calloc(&a->mem, n + 1, sizeof(*sets));

	if (sets == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct wire_labelset *from = &b->label.sets[i];

		sets[i].inst = (unsigned int)from->inst;
		sets[i].nlabels = from->nlabels;
		sets[i].json = (char *)from->json.s;
		sets[i].jsonlen = from->json.len;
		sets[i].labels = (pmLabel *)from->labels;
	}
	a->n = (int)n;
	a->sets = sets;
	return 0;
}

struct take {
	enum pdu_type type; /* the PDU type of the answer; 0: there is none */
	int (*fill)(const union pdu_body *b, const struct question *q, struct answer *a);
};

/* clang-format off */
static const struct take takes[ASK_NKIND] = {
	[ASK_DESC]	= { PDU_DESC,	    take_desc },
	[ASK_FETCH]	= { PDU_RESULT,	    NULL },
	[ASK_INSTANCE]	= { PDU_INSTANCE,   take_instances },
	[ASK_TEXT]	= { PDU_TEXT,	    take_text },
	[ASK_STORE]	= { PDU_ERROR,	    NULL },
	[ASK_PMID]	= { PDU_PMNS_IDS,   take_pmid },
	[ASK_NAME]	= { PDU_PMNS_NAMES, take_names },
	[ASK_CHILDREN]	= { PDU_PMNS_NAMES, take_names },
	[ASK_TRAVERSE]	= { PDU_PMNS_NAMES, take_names },
	[ASK_LABEL]	= { PDU_LABEL,	    take_labels },
	[ASK_ATTRIBUTE]	= { 0, NULL },
	[ASK_PROFILE]	= { 0, NULL },
};
/* clang-format on */

enum pdu_type stream_answer_type(enum question_kind kind)
{
	return takes[kind].type;
}

int stream_answer(const struct question *q, const struct pdu_header *h, const uint8_t *pdu,
		  struct answer *a)
{
	const struct take *take = &takes[q->kind];
	union pdu_body body;
	int r;

	if (h->type == PDU_RESULT && take->type == PDU_RESULT)
		return result_decode(pdu, h->len, (pmHighResResult **)&a->result);
	r = pdu_decode(pdu, h->len, &a->mem, &body);
	if (r < 0)
		return r;
	if (h->type == PDU_ERROR)
		return body.error.code;
	return h->type == take->type && take->fill != NULL ? take->fill(&body, q, a) : PM_ERR_IPC;
}

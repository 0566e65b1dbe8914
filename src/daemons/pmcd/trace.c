/* trace - see trace.h. */
#include "daemons/pmcd/trace.h"

#include <errno.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "daemons/pmcd/log.h"
#include "libbase/buffer.h"
#include "libwire/pdu.h"

int trace_init(struct trace *t, unsigned int mask)
{
	*t = (struct trace){.mask = mask};
	return trace_resize(t, TRACE_EVENTS_DEFAULT);
}

void trace_done(struct trace *t)
{
	free(t->ring);
	*t = (struct trace){0};
}

int trace_resize(struct trace *t, int size)
{
	struct trace_event *ring;

	if (size < 1 || size > TRACE_EVENTS_MAX)
		return PM_ERR_BADSTORE;
	ring = calloc((size_t)size, sizeof(*ring));
	if (ring == NULL)
		return -ENOMEM;
	free(t->ring);
	t->ring = ring;
	t->size = (unsigned int)size;
	t->next = 0;
	t->count = 0;
	return 0;
}

/*
 * Text: as 6.0.3 writes it, "->" in front of every line, and the time where it is another second
 * than in the line before.
 */

static void trace_put_time(struct buffer *out, time_t when, bool show)
{
	char text[16] = "";
	struct tm tm;

	if (show && localtime_r(&when, &tm) != NULL)
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
	buffer_printf(out, "->%-8s ", text);
}

static void put_pdu(struct buffer *out, const struct trace_event *e)
{
	const char *name = pdu_name(e->type);

	if (name != NULL)
		buffer_printf(out, "%s: %s PDU, fd=%d", e->kind == TRACE_RECV ? "Recv" : "Xmit",
			      name, e->fd);
	else
		buffer_printf(out, "%s: TYPE-%#x PDU, fd=%d",
			      e->kind == TRACE_RECV ? "Recv" : "Xmit", e->type, e->fd);
	if (e->type == PDU_ERROR)
		buffer_printf(out, ", err=%d: %s", e->detail,
			      e->detail < 0 ? pmErrStr(e->detail) : "No error");
}

static void trace_put_event(struct buffer *out, const struct trace_event *e)
{
	switch (e->kind) {
	case TRACE_NEW_CLIENT:
		buffer_printf(out, "New client: [%d] fd=%d", e->detail, e->fd);
		break;
	case TRACE_END_CLIENT:
		buffer_printf(out, "End client: [%d] fd=%d", e->detail, e->fd);
		break;
	case TRACE_NEW_AGENT:
		buffer_printf(out, "Add PMDA: domain=%d", e->detail);
		break;
	case TRACE_END_AGENT:
		buffer_printf(out, "Drop PMDA: domain=%d", e->detail);
		break;
	default:
		put_pdu(out, e);
	}
	buffer_printf(out, "\n");
}

static void log_and_free(struct buffer *out)
{
	log_text(buffer_str(out));
	buffer_done(out);
}

void trace_add(struct trace *t, enum trace_kind kind, int fd, uint32_t type, int detail)
{
	struct trace_event e = {
	    .when = time(NULL), .kind = kind, .fd = fd, .type = type, .detail = detail};
	struct buffer out = BUFFER_INIT;

	if ((t->mask & TRACE_UNBUFFERED) != 0) {
		trace_put_time(&out, e.when, true);
		trace_put_event(&out, &e);
		log_and_free(&out);
		return;
	}
	t->ring[t->next] = e;
	t->next = (t->next + 1) % t->size;
	t->count += t->count < t->size;
}

void trace_dump(struct trace *t)
{
	struct buffer out = BUFFER_INIT;
	unsigned int at = (t->next + t->size - t->count) % t->size;
	time_t last = t->count > 0 ? t->ring[at].when : 0;
	char when[32] = "";

	if (t->count == 0) {
		log_text("\n->PMCD event trace: <empty>\n");
		return;
	}
	ctime_r(&last, when);
	buffer_printf(&out, "\n->PMCD event trace: starting at %s", when);
	for (; t->count > 0; t->count--) {
		const struct trace_event *e = &t->ring[at];

		trace_put_time(&out, e->when, e->when != last);
		trace_put_event(&out, e);
		last = e->when;
		at = (at + 1) % t->size;
	}
	buffer_printf(&out, "\n");
	log_and_free(&out);
}

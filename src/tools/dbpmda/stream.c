/*
 * stream - whole PDUs to and from an agent, and ^C during the waiting.
 */
#include "tools/dbpmda/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "libwire/pdu.h"

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

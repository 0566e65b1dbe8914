/*
 * trace_record - the cost of an event for the thread that records it; see trace_loop.h.
 *
 *     bench-trace-record THREADS BYTES EVENTS [MODE]
 *
 * The mode selects the stream: a row of modes below. Counts are printed on standard error, so that
 * a figure with losses is recognised.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/wait.h>

#include <trace_np.h>

#include "trace_loop.h"

static trace_event_id_t id;
static size_t length;

struct stream {
	trace_attr_t attr;
	trace_id_t trid;
	pid_t controller; /* 0: this process */
	int hold;         /* closed: the controller ends */
};

static void must(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "trace_record: %s: %s\n", what, strerror(error));
	exit(1);
}

__attribute__((noinline)) static void record(const unsigned char *data)
{
	posix_trace_event(id, data, length);
}

/* The minimum cost of a trace point: the same call, to a function that does nothing. */
static void do_nothing(trace_event_id_t type, const void *data, size_t len)
{
	__asm__ volatile("" : : "r"(data) : "memory");
}

static void (*volatile nothing)(trace_event_id_t, const void *, size_t) = do_nothing;

__attribute__((noinline)) static void call(const unsigned char *data)
{
	nothing(id, data, length);
}

static void create(struct stream *s)
{
	must(posix_trace_create(0, &s->attr, &s->trid), "posix_trace_create");
}

static void open_none(struct stream *s, size_t bytes)
{
}

static void open_stopped(struct stream *s, size_t bytes)
{
	create(s);
}

static void open_loop(struct stream *s, size_t bytes)
{
	create(s);
	must(posix_trace_start(s->trid), "posix_trace_start");
}

static void open_strict(struct stream *s, size_t bytes)
{
	must(posix_trace_attr_setclock_np(&s->attr, POSIX_TRACE_CLOCK_STRICT_NP), "setclock");
	open_loop(s, bytes);
}

static void open_filtered(struct stream *s, size_t bytes)
{
	trace_event_set_t set;

	open_loop(s, bytes);
	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(id, &set);
	must(posix_trace_set_filter(s->trid, &set, POSIX_TRACE_SET_EVENTSET), "set_filter");
}

/*
 * The stream has space for all events, because events cost nothing when it is full. It is filled
 * and cleared once, so that recording is measured and not the first touch of the memory.
 */
static void open_until_full(struct stream *s, size_t bytes)
{
	struct posix_trace_status_info status;
	unsigned char data[LOOP_BYTES_MAX] = {0};

	must(posix_trace_attr_setstreamsize(&s->attr, bytes), "setstreamsize");
	must(posix_trace_attr_setstreamfullpolicy(&s->attr, POSIX_TRACE_UNTIL_FULL), "policy");
	open_loop(s, bytes);
	do {
		for (int i = 0; i < 1000; i++)
			posix_trace_event(id, data, length);
		must(posix_trace_get_status(s->trid, &status), "posix_trace_get_status");
	} while (status.posix_stream_status == POSIX_TRACE_RUNNING);
	must(posix_trace_clear(s->trid), "posix_trace_clear");
	must(posix_trace_start(s->trid), "posix_trace_start");
}

static void open_log(struct stream *s, size_t bytes)
{
	char path[] = "/tmp/bench-trace-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	must(posix_trace_attr_setstreamsize(&s->attr, 8 << 20), "setstreamsize");
	must(posix_trace_attr_setlogfullpolicy(&s->attr, POSIX_TRACE_LOOP), "log policy");
	must(posix_trace_attr_setlogsize(&s->attr, 64 << 20), "log size");
	must(posix_trace_create_withlog(0, &s->attr, fd, &s->trid), "posix_trace_create_withlog");
	must(posix_trace_start(s->trid), "posix_trace_start");
}

/* Another process is the controller, as with pitot trace. */
static void open_other(struct stream *s, size_t bytes)
{
	int ready[2], hold[2];
	char c;

	if (pipe(ready) < 0 || pipe(hold) < 0)
		must(errno, "pipe");
	s->controller = fork();
	if (s->controller == 0) {
		close(hold[1]);
		must(posix_trace_create(getppid(), &s->attr, &s->trid), "posix_trace_create");
		must(posix_trace_start(s->trid), "posix_trace_start");
		c = 1;
		if (write(ready[1], &c, 1) != 1 || read(hold[0], &c, 1) != 0)
			_exit(1);
		exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		must(ECHILD, "the controller");
	s->hold = hold[1];
}

/* clang-format off */
static const struct {
	const char *name;
	void (*open)(struct stream *s, size_t bytes);
} modes[] = {
	{ "loop",       open_loop },       /* LOOP of 1 MiB */
	{ "strict",     open_strict },     /* the same with the strict clock */
	{ "until-full", open_until_full }, /* nothing is lost */
	{ "log",        open_log },        /* FLUSH, LOOP log of 64 MiB */
	{ "other",      open_other },      /* loop, made by another process */
	{ "none",       open_none },       /* no stream at all */
	{ "stopped",    open_stopped },    /* a stream that was not started */
	{ "filtered",   open_filtered },   /* one that filters the event */
};
/* clang-format on */

static void finish(struct stream *s)
{
	struct posix_trace_counts_np n;

	if (s->trid != 0 && posix_trace_get_counts_np(s->trid, &n) == 0)
		fprintf(stderr,
			"recorded %" PRIu64 ", lost full %" PRIu64 ", overwritten %" PRIu64
			", log %" PRIu64 "\n",
			n.recorded, n.lost_full, n.lost_overwritten, n.lost_log);
	if (s->controller > 0) {
		close(s->hold);
		waitpid(s->controller, NULL, 0);
	}
	if (s->trid != 0)
		posix_trace_shutdown(s->trid);
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	long events = argc > 3 ? atol(argv[3]) : 1000000;
	const char *mode = argc > 4 ? argv[4] : "loop";
	struct stream s = {0};

	length = argc > 2 ? (size_t)atoi(argv[2]) : 16;
	if (threads < 1 || threads > LOOP_THREADS_MAX || length > LOOP_BYTES_MAX || events < 10)
		return 2;
	must(posix_trace_eventid_open("bench", &id), "posix_trace_eventid_open");
	must(posix_trace_attr_init(&s.attr), "posix_trace_attr_init");
	must(posix_trace_attr_setstreamsize(&s.attr, 1 << 20), "setstreamsize");
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].name, mode) != 0)
			continue;
		modes[i].open(&s, (size_t)threads * (size_t)events * (length + 64) * 11 / 10);
		printf("event %.2f\n", loop_measure(record, threads, events));
		finish(&s);
		printf("call %.2f\n", loop_measure(call, 1, events));
		loop_print_floors(events);
		return 0;
	}
	fprintf(stderr, "trace_record: unknown mode %s\n", mode);
	return 2;
}

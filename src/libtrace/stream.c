/* stream - see stream.h. */
#include "libtrace/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "libtrace/family.h"
#include "libtrace/host.h"
#include "libtrace/log_writer.h"
#include "libtrace/registry.h"

/* ---- sleeping readers ---- */

void stream_wake_init(struct stream_wake *wake)
{
	*wake = (struct stream_wake){.fd = {-1, -1}};
}

static bool is_ours(const struct stream_wake *wake)
{
	return host_fd_is(wake->fd[0], wake->mark[0]) && host_fd_is(wake->fd[1], wake->mark[1]);
}

void stream_wake_done(struct stream_wake *wake)
{
	host_fd_close(wake->fd[0], wake->mark[0]);
	host_fd_close(wake->fd[1], wake->mark[1]);
	stream_wake_init(wake);
}

static void stream_wake_make(struct stream_wake *wake)
{
	if (pipe2(wake->fd, O_CLOEXEC | O_NONBLOCK) != 0)
		wake->fd[0] = wake->fd[1] = -1;
	for (int i = 0; i < 2; i++)
		wake->mark[i] = host_fd_mark(wake->fd[i]);
}

void stream_wake_enter(struct stream_wake *wake)
{
	if (wake->sleepers++ == 0 && !is_ours(wake))
		stream_wake_make(wake);
}

void stream_wake_leave(struct stream_wake *wake)
{
	char bytes[8];

	if (--wake->sleepers > 0 || !wake->called)
		return;
	wake->called = false;
	while (is_ours(wake) && read(wake->fd[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
		;
}

int stream_wake_nap(const struct stream_wake *wake, uint64_t ns, const sigset_t *mask)
{
	struct pollfd poll = {.fd = is_ours(wake) ? wake->fd[0] : -1, .events = POLLIN};
	struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	if (ppoll(&poll, 1, &ts, mask) < 0 && errno == EINTR)
		return -EINTR;
	return 0;
}

void stream_wake_all(struct stream_wake *wake)
{
	if (wake->sleepers == 0 || wake->called || !is_ours(wake))
		return;
	wake->called = write(wake->fd[1], "", 1) == 1;
}

/* ---- streams ---- */

enum {
	SLOTS = 4096, /* opened logs count too; used in turn, so that a trid is not reused soon */
};

/* The lock guards all of it. */
static struct table {
	pthread_mutex_t lock;
	pthread_cond_t idle;    /* signalled when a stream has lost its last reference */
	bool used;              /* a stream has been registered */
	_Atomic uint32_t *ours; /* 1; 0 in a child: a fork wipes the page. NULL: compare pids */
	pid_t owner;            /* the process that owns the streams */
	unsigned next;          /* where the search for a free slot starts */
	bool ending;            /* in exit(): the calling frame never continues */
	struct slot {
		struct stream *stream;
		uint16_t generation;
	} slots[SLOTS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static __thread int cancel_state;
static __thread struct stream *held; /* between stream_get() and stream_put() */

int stream_cancel_state(void)
{
	return cancel_state;
}

struct stream *stream_new(enum stream_kind kind)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (stream == NULL)
		return NULL;
	stream->kind = kind;
	stream->seg_fd = stream->ctl_fd = -1;
	pthread_mutex_init(&stream->lock, NULL);
	stream_wake_init(&stream->wake);
	return stream;
}

/* Releases what a child of a fork may release too, in whatever state its parent's threads were:
 * the descriptors. The child does not have the mappings. */
static void release(struct stream *stream)
{
	host_fd_close(stream->seg_fd, stream->seg_mark);
	host_fd_close(stream->ctl_fd, stream->ctl_mark);
	stream_wake_done(&stream->wake);
}

void stream_free(struct stream *stream)
{
	if (stream == NULL)
		return;
	release(stream);
	reader_done(&stream->reader);
	segment_unmap(&stream->seg);
	control_unmap(stream->ctl);
	if (stream->target != NULL)
		registry_close(stream->target);
	if (stream->family != NULL && stream->family != family_self())
		family_close(stream->family);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

/* ---- fork ---- */

static void stream_before_fork(void)
{
	pthread_mutex_lock(&table.lock);
}

static void stream_after_fork_parent(void)
{
	pthread_mutex_unlock(&table.lock);
}

/* The child has no streams and releases its copies of the parent's. Their locks may be held by
 * threads that do not exist here, so it does not touch them. Generations continue. */
static void empty(void)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (table.slots[i].stream == NULL)
			continue;
		release(table.slots[i].stream);
		log_writer_close(table.slots[i].stream->writer); /* its descriptor and buffer */
		free(table.slots[i].stream->flusher); /* its thread does not exist here */
		free(table.slots[i].stream);
		table.slots[i].stream = NULL;
		table.slots[i].generation++;
	}
	table.used = false;
}

static void stream_after_fork_child(void)
{
	pthread_mutex_init(&table.lock, NULL);
	pthread_cond_init(&table.idle, NULL);
	empty();
}

__attribute__((constructor)) static void stream_watch_forks(void)
{
	pthread_atfork(stream_before_fork, stream_after_fork_parent, stream_after_fork_child);
}

/* ---- the table ---- */

/* From now on the streams belong to this process. The mark has a page of its own that a fork
 * wipes: reading an event checks it each time, and a system call would cost more than all the
 * rest. */
static void own(void)
{
	if (table.ours == NULL) {
		void *page = mmap(NULL, sizeof(*table.ours), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page != MAP_FAILED && madvise(page, sizeof(*table.ours), MADV_WIPEONFORK) == 0)
			table.ours = page;
		else if (page != MAP_FAILED)
			munmap(page, sizeof(*table.ours));
	}
	if (table.ours != NULL)
		*table.ours = 1;
	table.owner = getpid();
	table.used = true;
}

static bool owned(void)
{
	return table.ours != NULL ? *table.ours != 0 : table.owner == getpid();
}

/* Locks the table. If a fork ran no handlers, the child's table is emptied first. */
static void stream_table_enter(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	pthread_mutex_lock(&table.lock);
	if (table.used && !owned())
		empty();
}

static void stream_table_leave(void)
{
	int old;

	pthread_mutex_unlock(&table.lock);
	pthread_setcancelstate(cancel_state, &old);
}

static trace_id_t trid_of(unsigned slot)
{
	return (trace_id_t)table.slots[slot].generation << 16 | (slot + 1);
}

static struct stream *stream_find(trace_id_t trid, unsigned kinds)
{
	unsigned slot = (trid & 0xffff) - 1;

	if (slot >= SLOTS || table.slots[slot].stream == NULL || trid_of(slot) != trid)
		return NULL;
	return table.slots[slot].stream->kind & kinds ? table.slots[slot].stream : NULL;
}

void stream_lock(struct stream *stream)
{
	if (pthread_mutex_trylock(&stream->lock) == 0)
		return;
	atomic_fetch_add(&stream->waiting, 1);
	pthread_mutex_lock(&stream->lock);
	atomic_fetch_add(&stream->served, 1);
	atomic_fetch_sub(&stream->waiting, 1);
}

void stream_unlock(struct stream *stream)
{
	pthread_mutex_unlock(&stream->lock);
}

struct stream *stream_get(trace_id_t trid, unsigned kinds)
{
	struct stream *stream;

	stream_table_enter();
	stream = stream_find(trid, kinds);
	if (stream == NULL) {
		stream_table_leave();
		return NULL;
	}
	stream->refs++;
	held = stream;
	pthread_mutex_unlock(&table.lock);
	return stream;
}

void stream_put(struct stream *stream)
{
	pthread_mutex_lock(&table.lock);
	held = NULL;
	if (--stream->refs == 0 && atomic_load_explicit(&stream->closing, memory_order_relaxed))
		pthread_cond_broadcast(&table.idle);
	stream_table_leave();
}

int stream_register(struct stream *stream, trace_id_t *ret_trid)
{
	int r = -EAGAIN;

	stream_table_enter();
	for (unsigned i = 0; i < SLOTS && r != 0; i++) {
		unsigned slot = (table.next + i) % SLOTS;

		if (table.slots[slot].stream != NULL)
			continue;
		table.slots[slot].stream = stream;
		own();
		table.next = (slot + 1) % SLOTS;
		*ret_trid = trid_of(slot);
		r = 0;
	}
	stream_table_leave();
	return r;
}

struct stream *stream_unregister(trace_id_t trid, unsigned kinds)
{
	struct stream *stream;

	stream_table_enter();
	stream = stream_find(trid, kinds);
	if (stream == NULL) {
		stream_table_leave();
		return NULL;
	}
	table.slots[(trid & 0xffff) - 1].stream = NULL;
	table.slots[(trid & 0xffff) - 1].generation++;
	stream->closing = true;
	pthread_mutex_unlock(&table.lock);

	stream_lock(stream);
	stream_wake_all(&stream->wake);
	stream_unlock(stream);

	pthread_mutex_lock(&table.lock);
	/* Otherwise a handler that interrupted this thread's sleep in a reader, and called
	 * exit(), would wait for itself. */
	while (stream->refs > (table.ending && held == stream ? 1 : 0))
		pthread_cond_wait(&table.idle, &table.lock);
	stream_table_leave();
	return stream;
}

/* The trid of the first such stream from a slot on; moves *slot past it. 0: there is none. */
static trace_id_t next_of(unsigned kinds, unsigned *slot)
{
	trace_id_t trid = 0;

	stream_table_enter();
	for (; *slot < SLOTS && trid == 0; (*slot)++)
		if (table.slots[*slot].stream != NULL && (table.slots[*slot].stream->kind & kinds))
			trid = trid_of(*slot);
	stream_table_leave();
	return trid;
}

void stream_each(unsigned kinds, void (*call)(trace_id_t trid))
{
	unsigned slot = 0;
	trace_id_t trid;

	stream_table_enter();
	table.ending = true;
	stream_table_leave();
	while ((trid = next_of(kinds, &slot)) != 0)
		call(trid);
}

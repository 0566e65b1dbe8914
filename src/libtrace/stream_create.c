/*
 * stream_create - make, publish and destroy streams: posix_trace_create(), posix_trace_shutdown(),
 * and the end of the process, which shuts down the streams that it has created
 * (docs/spec/posix-trace.md 10.2, 10.5, 11). Controller side.
 */
#include "libtrace/stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <trace.h>

#include "libtrace/attach.h"
#include "libtrace/attr.h"
#include "libtrace/family.h"
#include "libtrace/host.h"
#include "libtrace/inherit.h"
#include "libtrace/keeper.h"
#include "libtrace/log_writer.h"
#include "libtrace/proc.h"
#include "libtrace/registry.h"
#include "libtrace/run.h"
#include "libtrace/stream_log.h"

/* ---- making and publishing ---- */

/* A new stream identifier: unique, not 0; bit 63 is reserved for the registry. */
static uint64_t fresh_id(void)
{
	uint64_t id = 0;

	while (id == 0) {
		if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
			id = clock_mono() << 20 ^ (uint64_t)getpid() << 40 ^ (uintptr_t)&id;
		id &= ~((uint64_t)1 << 63);
	}
	return id;
}

static struct layout_id stream_describe(const trace_attr_t *attr, const struct proc_id *target)
{
	enum clock_kind kind = clock_kind();
	struct clock_pair pair = clock_pair(kind);

	return (struct layout_id){
	    .stream_id = fresh_id(),
	    .clock_kind = kind,
	    .clock_mode = (uint32_t)attr->__clock,
	    .inherited = (uint32_t)attr->__inherited,
	    .tick0 = pair.tick,
	    .mono0 = pair.mono_ns,
	    .real_offset = (int64_t)(clock_real() - clock_mono()),
	    .target = *target,
	    .controller = proc_self(),
	};
}

/* Makes segment, control memory and reader. */
static int make_memory(struct stream *stream, struct layout_id *id, const struct geometry *g,
		       const trace_attr_t *attr)
{
	uint64_t now = clock_real();

	stream->seg_fd = segment_create(id, g, &stream->seg);
	if (stream->seg_fd < 0)
		return stream->seg_fd;
	stream->seg_mark = host_fd_mark(stream->seg_fd);
	segment_dont_fork(&stream->seg);
	stream->ctl_fd = control_create(id, g, stream->kind == STREAM_LOGGED, &stream->ctl);
	if (stream->ctl_fd < 0)
		return stream->ctl_fd;
	stream->ctl_mark = host_fd_mark(stream->ctl_fd);
	stream->ctl->attr = *attr;
	stream->ctl->attr.__stream_size = g->stream_size;
	stream->ctl->attr.__creation_time =
	    (struct timespec){(time_t)(now / 1000000000), (long)(now % 1000000000)};
	return reader_init(&stream->reader, &stream->seg, stream->ctl);
}

/* Finds the target's registry and family; reports a target that has ended with its own error. */
static int find_target(struct stream *stream, struct layout_id *id)
{
	int r;

	inherit_ensure();
	r = registry_open(&id->target, stream->uid, true, &stream->target);
	if (r < 0)
		return r == -ESRCH || r == -EPERM ? r : -ENOMEM;
	id->family = atomic_load(&stream->target->family);
	r = family_open(id->family, stream->uid, true, &stream->family);
	return r < 0 ? -ENOMEM : 0;
}

int stream_make(pid_t pid, const trace_attr_t *attr, enum stream_kind kind,
		struct stream **ret_stream)
{
	struct stream *stream;
	struct proc_id target;
	struct layout_id id;
	struct geometry g;
	uid_t uid;
	int r, memory;

	memory =
	    geometry_make(attr->__stream_size,
			  attr->__data_size < UINT32_MAX ? (uint32_t)attr->__data_size : UINT32_MAX,
			  (uint32_t)attr->__stream_policy, &g);
	if (memory == -EINVAL)
		return memory;
	r = proc_identify(pid, &target);
	if (r < 0)
		return r;
	r = proc_may_trace(target.pid, &uid);
	if (r < 0)
		return r;
	/* Processes of other users receive the segment over a handoff socket, and accept only
	 * root there. */
	if (uid != geteuid() && geteuid() != 0)
		return -EPERM;
	if (registry_streams(uid) >= TRACE_SYS_MAX)
		return -EAGAIN;
	stream = memory == 0 ? stream_new(kind) : NULL;
	if (stream == NULL)
		return -ENOMEM;
	stream->uid = uid;
	id = stream_describe(attr, &target);
	r = find_target(stream, &id);
	if (r == 0)
		r = make_memory(stream, &id, &g, attr);
	if (r < 0) {
		stream_free(stream);
		return r;
	}
	*ret_stream = stream;
	return 0;
}

/* Is the target unable to open the holder's descriptor? Another user's process cannot open what
 * root holds; and no process can open the descriptors of a non-dumpable program, such as one that
 * has changed its user. */
static bool needs_handoff(const struct stream *stream)
{
	return stream->uid != geteuid() || (geteuid() != 0 && prctl(PR_GET_DUMPABLE) != 1);
}

int stream_publish(struct stream *stream, trace_id_t *ret_trid)
{
	const struct layout_id *id = &stream->ctl->id;
	struct registry_slot slot = {
	    .stream_id = id->stream_id,
	    .flags = SLOT_LIVE | (id->inherited == POSIX_TRACE_INHERITED ? SLOT_INHERITED : 0),
	    .fd = stream->seg_fd,
	    .holder = id->controller,
	    .controller = id->controller,
	    .handoff = needs_handoff(stream) ? fresh_id() : 0};
	struct stat st;
	int r;

	if (fstat(stream->seg_fd, &st) != 0)
		return -ENOMEM;
	slot.inode = st.st_ino;
	r = keeper_add(stream, &slot);
	if (r < 0 && stream->uid == geteuid()) { /* enough to trace the own process */
		slot.handoff = 0;
		r = 0;
	}
	if (r == 0)
		r = registry_publish(stream->target, &slot);
	if (r >= 0)
		r = stream_register(stream, ret_trid);
	if (r < 0)
		registry_withdraw(id->stream_id, stream->uid);
	return r < 0 ? r : 0;
}

void stream_unmake(struct stream *stream)
{
	uint64_t id = stream->ctl->id.stream_id;

	atomic_store(&stream->seg.state->ctl, 0);
	registry_withdraw(id, stream->uid);
	keeper_remove(stream);
	segment_empty(&stream->seg);
	stream_free(stream);
	attach_refresh();
}

/* ---- the interface ---- */

static int stream_create(pid_t pid, const trace_attr_t *attr, trace_id_t *ret_trid)
{
	struct stream *stream;
	trace_attr_t resolved;
	int r;

	r = attr_resolve(attr, false, &resolved);
	if (r < 0)
		return r;
	attach_refresh();
	r = stream_make(pid, &resolved, STREAM_ACTIVE, &stream);
	if (r < 0)
		return r;
	r = stream_publish(stream, ret_trid);
	if (r < 0)
		stream_unmake(stream);
	return r;
}

int posix_trace_create(pid_t pid, const trace_attr_t *restrict attr, trace_id_t *restrict trid)
{
	int cancel, r;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	r = stream_create(pid, attr, trid);
	pthread_setcancelstate(cancel, NULL);
	return -r;
}

static int stream_create_logged(pid_t pid, const trace_attr_t *attr, int fd, trace_id_t *ret_trid)
{
	struct stream *stream;
	trace_attr_t resolved;
	int r;

	r = attr_resolve(attr, true, &resolved);
	if (r == 0)
		r = log_writer_check(fd, &resolved);
	if (r < 0)
		return r;
	attach_refresh();
	r = stream_make(pid, &resolved, STREAM_LOGGED, &stream);
	if (r < 0)
		return r;
	r = stream_log_open(stream, fd);
	if (r == 0)
		r = stream_publish(stream, ret_trid);
	if (r < 0) {
		stream_log_close(stream);
		stream_unmake(stream);
	}
	return r;
}

int posix_trace_create_withlog(pid_t pid, const trace_attr_t *restrict attr, int fd,
			       trace_id_t *restrict trid)
{
	int cancel, r;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	r = stream_create_logged(pid, attr, fd, trid);
	pthread_setcancelstate(cancel, NULL);
	return -r;
}

static int shut_down(trace_id_t trid, const struct run_caller *caller)
{
	struct stream *stream = stream_unregister(trid, STREAM_LIVE);
	int r = 0;

	if (stream == NULL)
		return -EINVAL;
	run_end(&stream->seg, stream->ctl, caller);
	registry_set_running(stream->ctl->id.stream_id, stream->uid, false);
	if (stream->kind == STREAM_LOGGED)
		r = stream_log_shutdown(stream);
	stream_unmake(stream);
	return r;
}

int posix_trace_shutdown(trace_id_t trid)
{
	struct run_caller caller = run_called(__builtin_return_address(0));
	int cancel, r;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	r = shut_down(trid, &caller);
	pthread_setcancelstate(cancel, NULL);
	return -r;
}

static void shut_down_at_exit(trace_id_t trid)
{
	(void)shut_down(trid, NULL);
}

__attribute__((destructor)) static void shut_down_all(void)
{
	stream_each(STREAM_LIVE, shut_down_at_exit);
}

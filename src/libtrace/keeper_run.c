/* keeper_run - see keeper_run.h. */
#include "libtrace/keeper_run.h"

#include <poll.h>
#include <string.h>
#include <sys/prctl.h>

#include "libtrace/drain.h"
#include "libtrace/handoff.h"
#include "libtrace/log_types.h"
#include "libtrace/log_writer.h"
#include "libtrace/proc.h"
#include "libtrace/reader.h"
#include "libtrace/registry.h"
#include "libtrace/remains.h"
#include "libtrace/run.h"
#include "libtrace/sys.h"

/* ---- kept streams ---- */

int kept_open(struct kept *kept)
{
	struct layout_id id;
	struct stat st;
	int r = sys_fstat(kept->ctl_fd, &st);

	if (r == 0)
		r = segment_map(kept->seg_fd, &kept->seg, &id);
	if (r == 0)
		r = control_map(kept->ctl_fd, &kept->ctl);
	if (r < 0)
		return r;
	if (id.stream_id != kept->stream_id || kept->ctl->id.stream_id != kept->stream_id)
		return -EINVAL;
	kept->inode = st.st_ino;
	if (family_open(kept->ctl->id.family, kept->uid, false, &kept->family) < 0)
		kept->family = NULL;
	return 0;
}

void kept_close(struct kept *kept)
{
	segment_unmap(&kept->seg);
	control_unmap(kept->ctl);
	if (kept->family != NULL)
		family_close(kept->family);
	sys_close(kept->seg_fd);
	sys_close(kept->ctl_fd);
	sys_close(kept->log_fd);
	sys_close(kept->handoff_fd);
	*kept = (struct kept){.seg_fd = -1, .ctl_fd = -1, .log_fd = -1, .handoff_fd = -1};
}

static bool to_be_ended(const struct kept *kept)
{
	return kept->stream_id != 0 && atomic_load(&kept->ctl->gone) == 0;
}

/* From here on no event is recorded, and no process finds the stream. */
static void kept_stop(struct kept *kept)
{
	run_end(&kept->seg, kept->ctl, NULL);
	registry_set_running(kept->stream_id, kept->uid, false);
	registry_withdraw(kept->stream_id, kept->uid);
}

static void complete_log(struct kept *kept, struct reader *reader)
{
	struct log_types types = log_types_family(kept->family);
	struct log_writer *writer;
	uint8_t *block = control_block(kept->ctl, &kept->seg.g);

	if (log_writer_resume(kept->log_fd, kept->ctl, block, &types, &writer) < 0)
		return;
	(void)drain_end(reader, writer);
	log_writer_close(writer);
	kept->log_fd = -1;
}

static void kept_end(struct kept *kept)
{
	struct reader reader;

	if (reader_init(&reader, &kept->seg, kept->ctl) < 0)
		return;
	if (kept->log_fd >= 0)
		complete_log(kept, &reader);
	else
		(void)remains_keep(&reader, kept->family, geteuid());
	reader_done(&reader);
	atomic_store(&kept->ctl->gone, 1);
	atomic_store(&kept->seg.state->ctl, 0);
	segment_empty(&kept->seg);
}

/* All streams are stopped first, because writing takes long. */
void kept_end_all(struct kept *kept, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (to_be_ended(&kept[i]))
			kept_stop(&kept[i]);
	for (unsigned i = 0; i < count; i++)
		if (to_be_ended(&kept[i]))
			kept_end(&kept[i]);
}

/* ---- the process ---- */

enum {
	TICK_MS = 500,      /* between checks for an exec of the controller */
	TICK_BLIND_MS = 50, /* the same if the kernel cannot signal the controller's end */
};

struct keeper {
	struct proc_id controller;
	int sock, pidfd;
	uint64_t image; /* of the controller: changes with exec */
	struct kept kept[TRACE_SYS_MAX];
	unsigned count;
};

static void quit(void)
{
	for (;;)
		(void)SYS(SYS_exit_group, 0);
}

/* ---- descriptors: a segment has the same number as in the controller ---- */

/* Moves a descriptor of the keeper that has this number to another one. */
static void move_away(struct keeper *k, int number)
{
	int *ours[2 + TRACE_SYS_MAX * (HANDOFF_FDS + 1)];
	size_t n = 0;

	ours[n++] = &k->sock;
	ours[n++] = &k->pidfd;
	for (size_t i = 0; i < TRACE_SYS_MAX; i++)
		if (k->kept[i].stream_id != 0) {
			ours[n++] = &k->kept[i].seg_fd;
			ours[n++] = &k->kept[i].ctl_fd;
			ours[n++] = &k->kept[i].log_fd;
			ours[n++] = &k->kept[i].handoff_fd;
		}
	for (size_t i = 0; i < n; i++)
		if (*ours[i] == number) {
			int moved = (int)SYS(SYS_fcntl, number, F_DUPFD_CLOEXEC, number + 1);

			if (moved >= 0)
				*ours[i] = moved;
		}
}

static int renumber(struct keeper *k, int fd, int number)
{
	if (fd == number || number < 0)
		return fd;
	move_away(k, number);
	if (SYS(SYS_dup3, fd, number, O_CLOEXEC) < 0)
		return fd;
	sys_close(fd);
	return number;
}

static struct kept *kept_find(struct keeper *k, uint64_t stream_id)
{
	for (size_t i = 0; i < TRACE_SYS_MAX; i++)
		if (k->kept[i].stream_id == stream_id)
			return &k->kept[i];
	return NULL;
}

static int kept_add(struct keeper *k, const struct keeper_request *request, int fds[HANDOFF_FDS],
		    int nfds)
{
	struct kept *kept = kept_find(k, 0);
	int r;

	if (nfds < 2 || request->stream_id == 0 || kept == NULL) {
		while (nfds-- > 0)
			sys_close(fds[nfds]);
		return -EINVAL;
	}
	*kept = (struct kept){.stream_id = request->stream_id,
			      .uid = request->uid,
			      .seg_fd = fds[0],
			      .ctl_fd = fds[1],
			      .log_fd = nfds > 2 ? fds[2] : -1,
			      .handoff_fd = -1};
	kept->seg_fd = renumber(k, kept->seg_fd, request->number);
	r = kept_open(kept);
	if (r == 0 && request->handoff != 0)
		r = handoff_open(kept, request->handoff);
	if (r < 0) {
		kept_close(kept);
		return r;
	}
	k->count++;
	return 0;
}

static void kept_forget(struct keeper *k, struct kept *kept)
{
	kept_close(kept);
	k->count--;
}

/* Serves one request; returns false if the controller's end is closed. */
static bool serve(struct keeper *k)
{
	struct keeper_request request;
	struct keeper_answer answer = {0};
	int fds[HANDOFF_FDS];
	int nfds = handoff_receive(k->sock, &request, sizeof(request), fds);

	if (nfds < 0)
		return nfds != -EPIPE;
	if (request.op == KEEPER_ADD) {
		answer.result = kept_add(k, &request, fds, nfds);
	} else {
		struct kept *kept = request.stream_id != 0 ? kept_find(k, request.stream_id) : NULL;

		if (kept != NULL)
			kept_forget(k, kept);
	}
	answer.streams = k->count;
	(void)handoff_send(k->sock, &answer, sizeof(answer), NULL, 0);
	if (k->count == 0)
		quit();
	return true;
}

/* Drops streams that were shut down while the controller could not reach the keeper. */
static void kept_sweep(struct keeper *k)
{
	for (size_t i = 0; i < TRACE_SYS_MAX; i++)
		if (k->kept[i].stream_id != 0 && atomic_load(&k->kept[i].ctl->gone) != 0)
			kept_forget(k, &k->kept[i]);
	if (k->count == 0 && k->sock < 0)
		quit();
}

/* Is the controller alive, and still the same program? If its image seems to have changed, or it
 * has closed its end of the socket (exec does so, and an application that closes all
 * descriptors), its mappings decide. */
static bool controller_is(struct keeper *k, bool doubtful)
{
	uint64_t image, inodes[TRACE_SYS_MAX];
	unsigned n = 0;

	if (!proc_alive(&k->controller))
		return false;
	image = image_of(k->controller.pid);
	if (image == k->image && !doubtful)
		return true;
	/* Its memory cannot be read now; a thread that executes another program becomes the first
	 * thread. */
	if (proc_first_ended(k->controller.pid))
		return true;
	k->image = image;
	for (size_t i = 0; i < TRACE_SYS_MAX; i++)
		if (k->kept[i].stream_id != 0)
			inodes[n++] = k->kept[i].inode;
	return image_maps_any(k->controller.pid, inodes, n);
}

/* The poll set: the controller's socket, the controller's end, and then the handoff sockets. */
struct watched {
	struct pollfd pfd[2 + TRACE_SYS_MAX];
	struct kept *kept[2 + TRACE_SYS_MAX];
	unsigned count;
};

static void watch_list(struct keeper *k, struct watched *w)
{
	w->count = 0;
	w->pfd[w->count++] = (struct pollfd){.fd = k->sock, .events = POLLIN};
	w->pfd[w->count++] = (struct pollfd){.fd = k->pidfd, .events = POLLIN};
	for (size_t i = 0; i < TRACE_SYS_MAX; i++)
		if (k->kept[i].stream_id != 0 && k->kept[i].handoff_fd >= 0) {
			w->kept[w->count] = &k->kept[i];
			w->pfd[w->count++] =
			    (struct pollfd){.fd = k->kept[i].handoff_fd, .events = POLLIN};
		}
}

static void watch(struct keeper *k)
{
	int tick = k->pidfd >= 0 ? TICK_MS : TICK_BLIND_MS;
	struct watched w;

	for (;;) {
		bool open = true;
		long n;

		watch_list(k, &w);
		n = sys_poll(w.pfd, w.count, tick);
		if (n > 0 && w.pfd[1].revents != 0)
			return;
		for (unsigned i = 2; n > 0 && i < w.count; i++)
			if (w.pfd[i].revents != 0)
				handoff_serve(w.kept[i]);
		if (n > 0 && w.pfd[0].revents != 0)
			open = serve(k);
		if (!open) {
			sys_close(k->sock);
			k->sock = -1;
		}
		if (n <= 0 || !open) {
			if (!controller_is(k, !open))
				return;
			kept_sweep(k);
		}
	}
}

int keeper_run(void *arg)
{
	struct keeper_start start = *(struct keeper_start *)arg;
	struct keeper *k;

	(void)SYS(SYS_setsid);
	(void)SYS(SYS_chdir, "/");
	(void)SYS(SYS_prctl, PR_SET_NAME, "pitot-keeper", 0, 0, 0);
	proc_forget_self();
	image_close_others(start.sock, start.pidfd);
	image_release_memory(&start);
	k = sys_map_anon(sizeof(*k));
	if (k == NULL)
		quit();
	k->controller = start.controller;
	k->sock = start.sock;
	k->pidfd = start.pidfd;
	k->image = image_of(k->controller.pid);
	watch(k);
	kept_end_all(k->kept, TRACE_SYS_MAX);
	quit();
	return 0;
}

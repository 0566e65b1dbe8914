/* keeper_door - see keeper_door.h. */
#include "libtrace/keeper_door.h"

#include <poll.h>

#include "libtrace/door.h"
#include "libtrace/proc.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"

enum {
	CLIENTS = 16,	 /* clients per call: the controller must be served too */
	GENERATIONS = 64, /* from a descendant up to the target */
	PAUSE_MS = 10,	 /* pause if no descriptor is left to accept a client with */
};

/* The owner of a process's private files in /proc: its user, or root if the process is not
 * dumpable. */
static int owner_of(pid_t pid, uid_t *ret_uid, gid_t *ret_gid)
{
	char path[40];
	struct text t = text_init(path, sizeof(path));
	struct stat st;
	int saved = errno, r;

	text_add(&t, "/proc/");
	text_add_number(&t, (uint32_t)pid);
	text_add(&t, "/environ");
	r = stat(path, &st) == 0 ? 0 : -errno;
	errno = saved;
	if (r < 0)
		return r;
	*ret_uid = st.st_uid;
	*ret_gid = st.st_gid;
	return 0;
}

/* The target's properties when it was first seen count: it may have ended, or changed. */
static void note_target(struct kept *kept)
{
	const struct proc_id *target = &kept->ctl->id.target;
	struct proc_id now;
	uid_t uid;
	gid_t gid;

	if (owner_of(target->pid, &uid, &gid) < 0 || proc_identify(target->pid, &now) < 0 ||
	    !proc_equal(&now, target))
		return;
	if (!kept->seen) {
		kept->guarded = uid != kept->uid;
		kept->gid = gid;
		kept->seen = true;
	} else if (uid != kept->uid || gid != kept->gid) {
		kept->guarded = true;
	}
}

int handoff_open(struct kept *kept, uint64_t number)
{
	int r = handoff_listen(number, &kept->ctl->id.target);

	if (r < 0)
		return r;
	kept->handoff_fd = r;
	kept->guarded = true; /* until it is seen */
	note_target(kept);
	return 0;
}

static bool descends(const struct proc_id *client, const struct proc_id *target)
{
	struct proc_id at = *client, parent;

	for (int i = 0; i < GENERATIONS && proc_parent(&at, &parent) == 0; i++) {
		if (proc_equal(&parent, target))
			return true;
		at = parent;
	}
	return false;
}

static bool may_inherit(struct kept *kept, const struct proc_id *id, gid_t gid)
{
	const struct layout_id *stream = &kept->ctl->id;

	if (stream->inherited != POSIX_TRACE_INHERITED || id->start < stream->target.start)
		return false;
	note_target(kept);
	return kept->guarded ? descends(id, &stream->target) : gid == kept->gid;
}

static bool may_have(struct kept *kept, int peer)
{
	struct handoff_peer client;
	struct proc_id id;

	if (handoff_peer(peer, &client) < 0 || client.pid <= 0 || client.uid != kept->uid ||
	    proc_identify(client.pid, &id) < 0)
		return false;
	return proc_equal(&id, &kept->ctl->id.target) || may_inherit(kept, &id, client.gid);
}

void handoff_serve(struct kept *kept)
{
	for (int i = 0; i < CLIENTS; i++) {
		int peer = handoff_accept(kept->handoff_fd);

		if (peer == -EMFILE || peer == -ENFILE || peer == -ENOMEM || peer == -ENOBUFS)
			(void)sys_poll(NULL, 0, PAUSE_MS);
		if (peer < 0)
			return;
		if (may_have(kept, peer))
			(void)handoff_pass(peer, kept->seg_fd);
		sys_close(peer);
	}
}

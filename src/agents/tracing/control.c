/* control - see control.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "control.h"
#include "worker.h"

/* ---- the user of each client ---- */

static struct user {
	int context;
	uid_t uid;
} * users;
static size_t nusers, room;

static struct user *find(int context)
{
	for (size_t i = 0; i < nusers; i++)
		if (users[i].context == context)
			return &users[i];
	return NULL;
}

void users_end(int context)
{
	struct user *user = find(context);

	if (user != NULL)
		*user = users[--nusers];
}

/* An invalid number: without a user. */
int users_set(int context, const char *text)
{
	unsigned long uid;
	char *end;

	users_end(context);
	if (text == NULL || text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	uid = strtoul(text, &end, 10);
	if (*end != '\0' || errno != 0 || uid >= (uid_t)-1)
		return 0;
	if (nusers == room) {
		size_t more = room == 0 ? 64 : 2 * room;
		struct user *grown = realloc(users, more * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		users = grown;
		room = more;
	}
	users[nusers++] = (struct user){context, (uid_t)uid};
	return 0;
}

bool users_get(int context, uid_t *ret_uid)
{
	const struct user *user = find(context);

	if (user != NULL)
		*ret_uid = user->uid;
	return user != NULL;
}

/* ---- stores ---- */

/* "PID" or "PID REST": 0 or PM_ERR_BADSTORE. */
static int take_pid(const char *text, pid_t *ret_pid, const char **ret_rest)
{
	long pid;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return PM_ERR_BADSTORE;
	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno != 0 || pid <= 0 || pid > INT_MAX || (*end != '\0' && *end != ' '))
		return PM_ERR_BADSTORE;
	*ret_pid = (pid_t)pid;
	*ret_rest = end + strspn(end, " ");
	return 0;
}

int control_attach(const struct agent_call *call, const pmAtomValue *atom)
{
	const char *only;
	pid_t pid;
	uid_t who;
	int r = take_pid(atom->cp, &pid, &only);

	if (r < 0)
		return r;
	if (strlen(only) >= TRACING_TEXT)
		return PM_ERR_BADSTORE;
	if (!users_get(call->ext->e_context, &who))
		return PM_ERR_PERMISSION;
	r = command_attach(pid, only, who);
	return r == -EINVAL ? PM_ERR_BADSTORE : r;
}

int control_detach(const struct agent_call *call, const pmAtomValue *atom)
{
	const char *rest;
	pid_t pid;
	uid_t who;
	int r = take_pid(atom->cp, &pid, &rest);

	if (r < 0)
		return r;
	if (rest[0] != '\0')
		return PM_ERR_BADSTORE;
	if (!users_get(call->ext->e_context, &who))
		return PM_ERR_PERMISSION;
	return command_detach(pid, who);
}

/* May the client change the stream, and is there something to change? 0 or an error. */
static int check(const struct agent_call *call)
{
	const struct stream *s = call->from;
	uid_t who;

	if (!users_get(call->ext->e_context, &who) || !collector_permits(who, s->process.uid))
		return PM_ERR_PERMISSION;
	return s->live ? 0 : -ESRCH;
}

/* The library's EINVAL: names that are none. */
static int store_result(int r)
{
	return r == -EINVAL || r == -ENAMETOOLONG ? PM_ERR_BADSTORE : r;
}

int control_running(const struct agent_call *call, const pmAtomValue *atom)
{
	int r = check(call);

	if (r == 0 && atom->ul > 1)
		r = PM_ERR_BADSTORE;
	return r < 0 ? r : stream_run(call->from, atom->ul == 1);
}

int control_filter(const struct agent_call *call, const pmAtomValue *atom)
{
	int r = check(call);

	return r < 0 ? r : store_result(stream_filter(call->from, atom->cp));
}

int control_only(const struct agent_call *call, const pmAtomValue *atom)
{
	int r = check(call);

	return r < 0 ? r : store_result(stream_only(call->from, atom->cp));
}

int control_clear(const struct agent_call *call, const pmAtomValue *atom)
{
	int r = check(call);

	return r < 0 ? r : stream_clear(call->from);
}

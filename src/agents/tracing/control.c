/* control - see control.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "command.h"
#include "control.h"
#include "users.h"

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

int control_attach(void *thing, int context, const pmAtomValue *atom)
{
	const char *only;
	pid_t pid;
	uid_t who;
	int r = take_pid(atom->cp, &pid, &only);

	if (r < 0)
		return r;
	if (strlen(only) >= TRACING_TEXT)
		return PM_ERR_BADSTORE;
	if (!users_get(context, &who))
		return PM_ERR_PERMISSION;
	r = command_attach(pid, only, who);
	return r == -EINVAL ? PM_ERR_BADSTORE : r;
}

int control_detach(void *thing, int context, const pmAtomValue *atom)
{
	const char *rest;
	pid_t pid;
	uid_t who;
	int r = take_pid(atom->cp, &pid, &rest);

	if (r < 0)
		return r;
	if (rest[0] != '\0')
		return PM_ERR_BADSTORE;
	if (!users_get(context, &who))
		return PM_ERR_PERMISSION;
	return command_detach(pid, who);
}

/* May the client change the stream, and is there something to change? 0 or an error. */
static int check(const struct stream *s, int context)
{
	uid_t who;

	if (!users_get(context, &who) || !collector_permits(who, s->process.uid))
		return PM_ERR_PERMISSION;
	return s->live ? 0 : -ESRCH;
}

/* The library's EINVAL: names that are none. */
static int told(int r)
{
	return r == -EINVAL || r == -ENAMETOOLONG ? PM_ERR_BADSTORE : r;
}

int control_running(void *thing, int context, const pmAtomValue *atom)
{
	int r = check(thing, context);

	if (r == 0 && atom->ul > 1)
		r = PM_ERR_BADSTORE;
	return r < 0 ? r : stream_run(thing, atom->ul == 1);
}

int control_filter(void *thing, int context, const pmAtomValue *atom)
{
	int r = check(thing, context);

	return r < 0 ? r : told(stream_filter(thing, atom->cp));
}

int control_only(void *thing, int context, const pmAtomValue *atom)
{
	int r = check(thing, context);

	return r < 0 ? r : told(stream_only(thing, atom->cp));
}

int control_clear(void *thing, int context, const pmAtomValue *atom)
{
	int r = check(thing, context);

	return r < 0 ? r : stream_clear(thing);
}

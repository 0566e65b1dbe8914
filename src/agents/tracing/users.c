/* users - see users.h. */
#include <errno.h>
#include <stdlib.h>

#include "users.h"

static struct user {
	int context;
	uid_t uid;
} *users;
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

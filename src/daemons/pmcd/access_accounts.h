/*
 * access_accounts - one list of users or of groups (docs/spec/pmcd.md 6.4). The two are alike: an
 * entry is an id, and ids of the other kind that belong to it (a user's groups, a group's users).
 */
#ifndef PMCD_ACCESS_ACCOUNTS_H
#define PMCD_ACCESS_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemons/pmcd/access.h"
#include "daemons/pmcd/access_rule.h"

struct buffer;

enum { ACCESS_MEMBERS_MAX = 65536 };

struct access_account_entry {
	bool any; /* "*", or there by implication */
	uint32_t id;
	uint32_t *members; /* ids of the other kind; owned */
	unsigned int nmember;
	struct access_rule rule;
	char *name; /* owned */
};

/* A zeroed struct is a valid empty list: it decides nothing. */
struct access_accounts {
	struct access_account_entry *list;
	size_t count, cap;
};

void access_accounts_done(struct access_accounts *l);

/*
 * What a statement says about one account; "*" is every other one, and members are then NULL.
 * Takes members on success. 0, -EINVAL for a contradiction (why gets a sentence), -ENOMEM.
 */
int access_accounts_add(struct access_accounts *l, const char *name, uint32_t id, uint32_t *members,
			unsigned int nmember, const struct access_rule *rule, struct buffer *why);

/* A list with entries, but none for all others, denies these everything. 0 or -ENOMEM. */
int access_accounts_close(struct access_accounts *l);

/*
 * What the list denies an account: its id here, and its id of the other kind. 0 and the operations,
 * or PM_ERR_CONNLIMIT. Nothing is counted yet.
 */
int access_accounts_ask(const struct access_accounts *l, uint32_t id, uint32_t other,
			unsigned int *ret_denied);

/* Counts an account in or out. */
void access_accounts_count(struct access_accounts *l, uint32_t id, uint32_t other, bool in);

/* The kind of a list, for the log. */
struct access_account_kind {
	const char *title;  /* "User" */
	const char *lower;  /* "user" */
	const char *id;     /* "uid" */
	const char *others; /* "group-list" */
};

/* name_of gives the name of an id of the other kind, or NULL. */
void access_accounts_dump(const struct access_accounts *l, const struct access_account_kind *kind,
			  const char *(*name_of)(uint32_t id), struct buffer *out);

#endif

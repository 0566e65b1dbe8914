/*
 * access_accounts - one list of users or of groups (docs/spec/pmcd.md 6.4). The two are alike: an
 * entry is an id, and ids of the other kind that belong to it (a user's groups, a group's users).
 */
#ifndef PMCD_ACCESS_ACCOUNTS_H
#define PMCD_ACCESS_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemons/pmcd/access.h"
#include "libaccess/access_hosts.h"
#include "libbase/hash.h"

struct buffer;

enum { ACCESS_MEMBERS_MAX = 65536 };

struct access_account_entry {
	bool any; /* "*", or there by implication */
	uint32_t id;
	uint32_t *members; /* ids of the other kind; owned */
	unsigned int nmember;
	struct access_rule rule;
	char *name;   /* owned */
	char *others; /* members with their names, as the log shows them; owned, NULL: none */
};

/* A zeroed struct is a valid empty list: it decides nothing. */
struct access_accounts {
	struct access_account_entry *list;
	size_t count, cap;
	struct hash ids; /* list index + 1 of each entry but "*", by its id */
	size_t any;      /* list index + 1 of "*", or 0 */
};

void access_accounts_done(struct access_accounts *l);

/*
 * Adds a statement about one account; "*" is every other one, and members are then NULL. Takes
 * members on success. 0, -EINVAL for a contradiction (why gets a sentence), -ENOMEM.
 */
int access_accounts_add(struct access_accounts *l, const char *name, uint32_t id, uint32_t *members,
			unsigned int nmember, const struct access_rule *rule, struct buffer *why);

/* A list with entries, but none for all others, denies these everything. 0 or -ENOMEM. */
int access_accounts_close(struct access_accounts *l);

/*
 * Finds out what the log will call the members: now, since it may take long. name_of is one of
 * struct access_names, or NULL. 0 or -ENOMEM.
 */
int access_accounts_name(struct access_accounts *l,
			 int (*name_of)(void *arg, uint32_t id, char *buf, size_t size), void *arg);

/*
 * The operations that the list denies an account: its id here, and its id of the other kind. 0 and
 * the operations, or PM_ERR_CONNLIMIT. Nothing is counted yet.
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

void access_accounts_dump(const struct access_accounts *l, const struct access_account_kind *kind,
			  struct buffer *out);

#endif

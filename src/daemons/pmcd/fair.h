/*
 * fair - which client of a class is served next: its time is shared by users, and a user's part by
 * connections.
 *
 * Weighted fair queueing on two levels. A user is a user id (Unix socket) or an address (TCP). Each
 * connection and each user has a virtual time: it advances by the time that serving took. A
 * connection that comes back starts where it stopped, or now, if it was away for longer: time that
 * was not used is not saved up.
 *
 *     now    = the least start of all that wait, so that waiting costs no share
 *     start  = max(now of the level, finish of the last service)
 *     key    = start + expected cost           the least key is served next: the light ones first
 *     finish = start + time that it took
 *
 * Hence: n connections of one user have together as much as one of another user, and each is served
 * in the end, because the others' keys grow as they are served. Which requests are of which class
 * is the collector's: heavy.h.
 *
 * When nothing waits any more the debts of a level are forgiven: its now becomes its greatest
 * finish. All of this is of the loop's thread alone. Nothing is allocated after fair_join. Checked
 * by tests/daemons/pmcd/test_fair.c (model) and tests/e2e/test_pmcd_fairness.py (a crowd).
 */
#ifndef PMCD_FAIR_H
#define PMCD_FAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "libbase/hash.h"
#include "libbase/heap.h"

/* The queue and the virtual clock of members that share time with each other. */
struct fair_level {
	struct heap queue;  /* by key */
	struct heap starts; /* the same, by start */
	uint64_t now;
	uint64_t finish; /* the greatest of all services */
};

/* The place of one that waits: in both heaps of a level. */
struct fair_place {
	struct heap_node by_key, by_start;
};

/* A user, while it has connections. */
struct fair_user {
	struct fair_level level; /* of its connections */
	struct fair_place place; /* in the level of struct fair */
	uint64_t finish, start;
	uint64_t id;
	unsigned int members;
};

/* A connection. */
struct fair_member {
	struct fair_user *user; /* NULL: it has not joined */
	struct fair_place
	    place; /* in the level of its user; while it is held by_key is in another queue */
	struct heap *queue; /* the one of by_key; NULL: none */
	uint64_t finish, start;
};

struct fair {
	struct fair_level level; /* of users */
	struct hash users;       /* by id */
};

/* 0, or -ENOMEM. id: which user it is of. */
int fair_join(struct fair *f, struct fair_member *m, uint64_t id);

/* Leaves its queue too. A member that has not joined is left alone. */
void fair_leave(struct fair *f, struct fair_member *m);

/* Frees what is left of an empty one. */
void fair_done(struct fair *f);

/* Waits to be served, with an expected cost in ns. One that waits, or is held, already stays where
 * it is. */
void fair_add(struct fair *f, struct fair_member *m, uint64_t expected_ns);

/* Takes it out of its queue, if it is in one. */
void fair_del(struct fair *f, struct fair_member *m);

/* Waits in a queue of the caller's until fair_del and fair_add: in the order of users, and of the
 * time that this connection has had more than others of its user. */
void fair_hold(struct fair *f, struct fair_member *m, struct heap *queue, uint64_t expected_ns);

/* The next one to be served, taken out of its queue; NULL if none waits. */
struct fair_member *fair_next(struct fair *f);

static inline bool fair_is_idle(const struct fair *f)
{
	return heap_empty(&f->level.queue);
}

static inline bool fair_waits(const struct fair_member *m)
{
	return m->queue != NULL;
}

/* It is served now: from fair_next, or at once because no other waits. */
void fair_begin(struct fair *f, struct fair_member *m);

/* It was served for so long. */
void fair_charge(struct fair *f, struct fair_member *m, uint64_t ns);

#endif

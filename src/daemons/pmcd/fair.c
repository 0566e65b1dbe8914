/* fair - see fair.h. */
#include "daemons/pmcd/fair.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t start_of(const struct fair_level *level, uint64_t finish)
{
	return max_of(level->now, finish);
}

static void forgive(struct fair_level *level)
{
	if (heap_empty(&level->queue))
		level->now = max_of(level->now, level->finish);
}

static bool is_user(const void *entry, const void *key)
{
	return ((const struct fair_user *)entry)->id == *(const uint64_t *)key;
}

int fair_join(struct fair *f, struct fair_member *m, uint64_t id)
{
	struct fair_user *u = hash_find(&f->users, hash_u64(id), is_user, &id);

	if (u == NULL) {
		u = calloc(1, sizeof(*u));
		if (u == NULL)
			return -ENOMEM;
		u->id = id;
		if (hash_add(&f->users, hash_u64(id), u) < 0) {
			free(u);
			return -ENOMEM;
		}
	}
	u->members++;
	m->user = u;
	return 0;
}

void fair_leave(struct fair *f, struct fair_member *m)
{
	struct fair_user *u = m->user;

	if (u == NULL)
		return;
	fair_del(f, m);
	m->user = NULL;
	if (--u->members > 0)
		return;
	hash_del(&f->users, hash_u64(u->id), u);
	free(u);
}

void fair_done(struct fair *f)
{
	hash_done(&f->users);
}

static void place_add(struct fair_level *level, struct fair_place *place, uint64_t start,
		      uint64_t expected)
{
	heap_add(&level->queue, &place->by_key, start + expected);
	heap_add(&level->starts, &place->by_start, start);
}

static void place_del(struct fair_level *level, struct fair_place *place)
{
	heap_del(&level->queue, &place->by_key);
	heap_del(&level->starts, &place->by_start);
}

/* Before the first is taken out: its start counts too. */
static void advance(struct fair_level *level)
{
	if (!heap_empty(&level->starts))
		level->now = max_of(level->now, heap_first(&level->starts)->key);
}

/* The user's place is that of its first connection. */
static void place_user(struct fair *f, struct fair_user *u)
{
	const struct heap_node *first = heap_first(&u->level.queue);
	uint64_t expected;

	place_del(&f->level, &u->place);
	if (first == NULL)
		return;
	expected = first->key - HEAP_ENTRY(first, struct fair_member, place.by_key)->start;
	u->start = start_of(&f->level, u->finish);
	place_add(&f->level, &u->place, u->start, expected);
}

/* True if the place of its user has to be looked for again. */
static bool fair_enter(struct fair_member *m, uint64_t expected_ns)
{
	struct fair_level *level = &m->user->level;

	m->start = start_of(level, m->finish);
	m->queue = &level->queue;
	place_add(level, &m->place, m->start, expected_ns);
	return heap_first(m->queue) == &m->place.by_key;
}

void fair_add(struct fair *f, struct fair_member *m, uint64_t expected_ns)
{
	if (m->user != NULL && m->queue == NULL && fair_enter(m, expected_ns))
		place_user(f, m->user);
}

void fair_hold(struct fair *f, struct fair_member *m, struct heap *queue, uint64_t expected_ns)
{
	const struct fair_level *level = &m->user->level;
	uint64_t ahead_ns = start_of(level, m->finish) - level->now;

	fair_del(f, m);
	m->queue = queue;
	heap_add(queue, &m->place.by_key,
		 start_of(&f->level, m->user->finish) + ahead_ns + expected_ns);
}

void fair_del(struct fair *f, struct fair_member *m)
{
	struct heap *queue = m->queue;

	if (queue == NULL)
		return;
	m->queue = NULL;
	if (queue == &m->user->level.queue) {
		place_del(&m->user->level, &m->place);
		place_user(f, m->user);
	} else {
		heap_del(queue, &m->place.by_key);
	}
}

struct fair_member *fair_next(struct fair *f)
{
	struct heap_node *node = heap_first(&f->level.queue);
	struct fair_user *u;
	struct fair_member *m;

	if (node == NULL)
		return NULL;
	u = HEAP_ENTRY(node, struct fair_user, place.by_key);
	m = HEAP_ENTRY(heap_first(&u->level.queue), struct fair_member, place.by_key);
	advance(&f->level);
	advance(&u->level);
	fair_del(f, m);
	return m;
}

void fair_begin(struct fair *f, struct fair_member *m)
{
	struct fair_user *u = m->user;

	m->start = start_of(&u->level, m->finish);
	u->start = start_of(&f->level, u->finish);
}

void fair_charge(struct fair *f, struct fair_member *m, uint64_t ns)
{
	struct fair_user *u = m->user;

	if (u == NULL)
		return;
	m->finish = max_of(m->finish, m->start) + ns;
	u->finish = max_of(u->finish, u->start) + ns;
	u->level.finish = max_of(u->level.finish, m->finish);
	f->level.finish = max_of(f->level.finish, u->finish);
	forgive(&u->level);
	forgive(&f->level);
	if (u->place.by_key.queued)
		place_user(f, u);
}

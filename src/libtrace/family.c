/*
 * family - see family.h. Without locks, and without waiting for another process:
 *
 *     1  claim a free name (compare-and-swap of its state), write the text
 *     2  put its number into the first free place of ids[] (compare-and-swap): from then on all
 *        processes see the complete name with its id
 *     3  if another process was faster: was it the same name? Then that is the id, and the claimed
 *        name is freed. Another name: try the next place.
 *     4  mark the name as used, so that a search for free ones can skip it without reading ids[]
 * A process that dies before 2 leaves a claim, which names it and is taken over. One that dies
 * between 2 and 4 leaves a name that ids[] refers to, which is checked before a take-over. Memory
 * that another process can write is not trusted: numbers are checked, texts are copied first.
 */
#include "libtrace/family_table.h"

#include <string.h>

#include "libtrace/event.h"
#include "libtrace/proc.h"
#include "libtrace/sys.h"

_Static_assert(FAMILY_NAMES <= 4096, "one place an id");
_Static_assert(sizeof(struct family_name) == 72, "layout of the file");

static uint64_t family_claim_of(const struct proc_id *proc)
{
	return (uint64_t)((uint32_t)proc->pid & 0x3fffff) << 41 | (proc->start & 0x1ffffffffff);
}

static bool family_claim_dead(uint64_t claim)
{
	struct proc_id proc = {.pid = (int32_t)(claim >> 41 & 0x3fffff),
			       .start = claim & 0x1ffffffffff};

	return !proc_alive(&proc);
}

/* The number of the name of an id; -1: none. */
static int name_number(const struct family *f, unsigned place)
{
	unsigned n = atomic_load_explicit(&family_file(f)->ids[place], memory_order_acquire);

	return n == 0 || n > FAMILY_SLOTS ? -1 : (int)n - 1;
}

static bool name_reach(struct family *f, int number, bool grow)
{
	return table_file_reach(&f->table,
				offsetof(struct family_file, names) +
				    ((size_t)number + 1) * sizeof(struct family_name),
				grow);
}

/* Copies the name at a place of ids[]. */
bool family_name_copy(struct family *f, unsigned place, char ret_name[TRACE_EVENT_NAME_MAX + 1])
{
	int number = name_number(f, place);

	if (number < 0 || !name_reach(f, number, false))
		return false;
	memcpy(ret_name, family_file(f)->names[number].text, TRACE_EVENT_NAME_MAX + 1);
	ret_name[TRACE_EVENT_NAME_MAX] = '\0';
	return true;
}

/* Number of used places of ids[]: they are never freed. */
unsigned family_names_end(const struct family *f)
{
	unsigned end = atomic_load_explicit(&f->end, memory_order_relaxed);
	unsigned before = end;
	struct family *own = (struct family *)f; /* the cache is not part of its value */

	while (end < FAMILY_NAMES &&
	       atomic_load_explicit(&family_file(f)->ids[end], memory_order_acquire) != 0)
		end++;
	while (before < end && !atomic_compare_exchange_weak(&own->end, &before, end))
		;
	return end;
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name != '\0'; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h ^ h >> 15;
}

/* Threads that do this concurrently store the same numbers at the same places. */
static void index_put(struct family *f, unsigned place, const char *name)
{
	uint32_t h = hash_of(name);

	for (unsigned i = 0; i < FAMILY_INDEX; i++) {
		_Atomic uint16_t *at = &f->index[(h + i) % FAMILY_INDEX];
		uint16_t there = 0;

		if (atomic_compare_exchange_strong(at, &there, (uint16_t)(place + 1)) ||
		    there == place + 1)
			return;
	}
}

static void index_update(struct family *f, unsigned end)
{
	unsigned from = atomic_load_explicit(&f->indexed, memory_order_acquire);
	unsigned before = from;
	char name[TRACE_EVENT_NAME_MAX + 1];

	for (; from < end; from++)
		if (family_name_copy(f, from, name))
			index_put(f, from, name);
	while (before < end && !atomic_compare_exchange_weak(&f->indexed, &before, end))
		;
}

/* The id of a name that has one; 0: none. */
trace_event_id_t family_find(struct family *f, const char *name)
{
	uint32_t h = hash_of(name);
	char there[TRACE_EVENT_NAME_MAX + 1];

	index_update(f, family_names_end(f));
	for (unsigned i = 0; i < FAMILY_INDEX; i++) {
		unsigned n =
		    atomic_load_explicit(&f->index[(h + i) % FAMILY_INDEX], memory_order_acquire);

		if (n == 0)
			return 0;
		if (family_name_copy(f, n - 1, there) && strcmp(there, name) == 0)
			return LAYOUT_USER_FIRST + n - 1;
	}
	return 0;
}

/* Does an id have this name, although its state does not say so? */
static bool referred(const struct family *f, int number)
{
	unsigned end = family_names_end(f);

	for (unsigned place = 0; place < end; place++)
		if (name_number(f, place) == number)
			return true;
	return false;
}

/* Claims a free name, or (hard) one whose claimer is dead. */
static bool name_claim(struct family *f, int number, uint64_t claim, bool hard)
{
	_Atomic uint64_t *state = &family_file(f)->names[number].state;
	uint64_t there = atomic_load_explicit(state, memory_order_acquire);

	if (there == 0)
		return atomic_compare_exchange_strong(state, &there, claim);
	return hard && (there & NAME_USED) == 0 && family_claim_dead(there) &&
	       !referred(f, number) && atomic_compare_exchange_strong(state, &there, claim);
}

/* Claims a name to fill in: its number, -1 if there is none. */
static int name_take(struct family *f, uint64_t claim)
{
	unsigned first = family_names_end(f);

	for (int hard = 0; hard <= 1; hard++)
		for (unsigned n = 0; n < FAMILY_SLOTS; n++) {
			int number = (int)((first + n) % FAMILY_SLOTS);

			if (!name_reach(f, number, true)) /* no room: try lower numbers */
				n = number < (int)first ? FAMILY_SLOTS : FAMILY_SLOTS - first - 1;
			else if (name_claim(f, number, claim, hard != 0))
				return number;
		}
	return -1;
}

/*
 * Assigns an id to a name. -ENOSPC: all are used. Bounded: after each failed turn another name has
 * got an id.
 */
int family_add(struct family *f, const char *name, trace_event_id_t *ret_id)
{
	struct proc_id self = proc_self();
	uint64_t claim = family_claim_of(&self);
	int number = -1;
	trace_event_id_t id = 0;

	for (int turn = 0; turn <= FAMILY_NAMES; turn++) {
		/* First the place, then the search: a name that is added in between takes the
		 * place. */
		unsigned end = family_names_end(f);
		uint16_t none = 0;

		id = family_find(f, name);
		if (id != 0 || end >= FAMILY_NAMES)
			break;
		if (number < 0)
			number = name_take(f, claim);
		if (number < 0)
			break;
		memset(family_file(f)->names[number].text, 0, TRACE_EVENT_NAME_MAX + 1);
		strcpy(family_file(f)->names[number].text, name);
		if (atomic_compare_exchange_strong(&family_file(f)->ids[end], &none,
						   (uint16_t)(number + 1))) {
			atomic_store(&family_file(f)->names[number].state, claim | NAME_USED);
			*ret_id = LAYOUT_USER_FIRST + end;
			return 0;
		}
	}
	/* A fork in a signal handler duplicates a claim: the name is not freed if the other
	 * process used it. */
	if (number >= 0 && (id == 0 || name_number(f, id - LAYOUT_USER_FIRST) != number))
		atomic_compare_exchange_strong(&family_file(f)->names[number].state, &claim, 0);
	if (id == 0)
		return -ENOSPC;
	*ret_id = id;
	return 0;
}

int family_name_of(struct family *f, trace_event_id_t id, char *ret_name)
{
	const char *fixed = event_predefined(id);

	if (fixed != NULL) {
		strcpy(ret_name, fixed);
		return 0;
	}
	if (id < LAYOUT_USER_FIRST || id >= LAYOUT_USER_END)
		return -EINVAL;
	if (family_name_copy(f, id - LAYOUT_USER_FIRST, ret_name))
		return 0;
	table_file_refresh(&f->table);
	return family_name_copy(f, id - LAYOUT_USER_FIRST, ret_name) ? 0 : -EINVAL;
}

trace_event_id_t family_end(const struct family *f)
{
	if (f == NULL)
		return LAYOUT_USER_FIRST;
	if (f->table.mode == TABLE_PICTURE)
		table_file_refresh((struct table_file *)&f->table);
	return LAYOUT_USER_FIRST + family_names_end(f);
}

/* explore - see explore.h. */
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
	DEPTH_MAX = 4000,
	/* Go on with thread i; kill it; go on in its handler. */
	KILL = EXPLORE_THREADS,
	SIGNAL = 2 * EXPLORE_THREADS,
	CHOICES = 3 * EXPLORE_THREADS,
};

enum life {
	READY,
	ENDED,
	DEAD,
};

/* A thread: its registers while it waits, and what became of it. */
struct fiber {
	ucontext_t context;
	enum life life;
	bool begun;
};

/* All that makes up a state beside the world and the stacks. */
static struct {
	struct fiber fibers[EXPLORE_THREADS];
	unsigned kills, signals;
	bool signalled[EXPLORE_THREADS]; /* its handler is to run, or runs */
} now;

static uint8_t stacks[EXPLORE_THREADS][EXPLORE_STACK] __attribute__((aligned(64)));
static ucontext_t explorer;
static const struct explore *world;
static int running = -1;

/* One level of the search: the state before the choice, and the choices made. */
struct level {
	uint8_t *image;
	unsigned next; /* choice */
};

static struct level levels[DEPTH_MAX];

struct seen {
	uint64_t *keys;
	uint64_t size, used;
};

void explore_point(void)
{
	const struct explore_thread *thread;
	int self = running;

	if (self < 0)
		return;
	thread = &world->threads[self];
	swapcontext(&now.fibers[self].context, &explorer);
	if (!now.signalled[self])
		return;
	now.signalled[self] = false;
	thread->handler(thread->arg);
	/* An interrupted thread yields again before it continues. */
	swapcontext(&now.fibers[self].context, &explorer);
}

void explore_touch(const volatile void *at, size_t size)
{
	const struct explore_region *shared;
	uintptr_t from = (uintptr_t)at, base;

	if (running < 0)
		return;
	shared = &world->shared;
	base = (uintptr_t)shared->base;
	if (shared->size == 0 || (from < base + shared->size && from + size > base))
		explore_point();
}

int explore_self(void)
{
	return running;
}

bool explore_dead(unsigned thread)
{
	return now.fibers[thread].life == DEAD;
}

static void fiber_main(unsigned index)
{
	world->threads[index].run(world->threads[index].arg);
	now.fibers[index].life = ENDED;
	for (;;)
		swapcontext(&now.fibers[index].context, &explorer);
}

static void fibers_init(void)
{
	memset(&now, 0, sizeof(now));
	memset(stacks, 0, sizeof(stacks));
	for (unsigned i = 0; i < world->nthreads; i++) {
		ucontext_t *context = &now.fibers[i].context;

		getcontext(context);
		context->uc_stack.ss_sp = stacks[i];
		context->uc_stack.ss_size = EXPLORE_STACK;
		context->uc_link = NULL;
		makecontext(context, (void (*)(void))fiber_main, 1, i);
	}
}

/* Where the live part of a stack begins. */
static size_t stack_from(unsigned i)
{
#if defined(__x86_64__)
	uintptr_t sp = (uintptr_t)now.fibers[i].context.uc_mcontext.gregs[REG_RSP];

	return sp - (uintptr_t)stacks[i] - 128; /* with the red zone */
#else
	return 0;
#endif
}

static size_t image_size(void)
{
	size_t size = sizeof(now) + sizeof(stacks);

	for (unsigned i = 0; i < world->nregions; i++)
		size += world->regions[i].size;
	return size;
}

static void image_save(uint8_t *image)
{
	for (unsigned i = 0; i < world->nregions; i++) {
		memcpy(image, world->regions[i].base, world->regions[i].size);
		image += world->regions[i].size;
	}
	memcpy(image, &now, sizeof(now));
	image += sizeof(now);
	for (unsigned i = 0; i < world->nthreads; i++) {
		size_t from = stack_from(i);

		memcpy(image + from, stacks[i] + from, EXPLORE_STACK - from);
		image += EXPLORE_STACK;
	}
}

static void image_load(const uint8_t *image)
{
	for (unsigned i = 0; i < world->nregions; i++) {
		memcpy(world->regions[i].base, image, world->regions[i].size);
		image += world->regions[i].size;
	}
	memcpy(&now, image, sizeof(now));
	image += sizeof(now);
	for (unsigned i = 0; i < world->nthreads; i++) {
		size_t from = stack_from(i);

		memcpy(stacks[i] + from, image + from, EXPLORE_STACK - from);
		image += EXPLORE_STACK;
	}
}

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const uint64_t *words = data;

	for (size_t i = 0; i < size / 8; i++) {
		hash ^= words[i];
		hash *= 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

/* The data that distinguishes two states. Threads that ended or died have no stack any more. */
static uint64_t state_key(void)
{
	uint64_t hash = 1469598103934665603u ^ now.kills ^ (uint64_t)now.signals << 8;

	for (unsigned i = 0; i < world->nregions; i++)
		hash = mix(hash, world->regions[i].base, world->regions[i].size & ~(size_t)7);
	for (unsigned i = 0; i < world->nthreads; i++) {
		const struct fiber *f = &now.fibers[i];
		uint64_t life = f->life;
		size_t from = (stack_from(i) + 128) & ~(size_t)7;

		hash = mix(hash, &life, sizeof(life));
		if (f->life != READY)
			continue;
		hash = mix(hash, &f->context.uc_mcontext, sizeof(gregset_t));
		hash = mix(hash, stacks[i] + from, EXPLORE_STACK - from);
	}
	return hash ? hash : 1;
}

static void seen_grow(struct seen *seen)
{
	uint64_t *old = seen->keys, size = seen->size;

	seen->size = size ? size * 2 : 1u << 16;
	seen->keys = calloc(seen->size, sizeof(*seen->keys));
	if (seen->keys == NULL)
		abort();
	for (uint64_t i = 0; i < size; i++) {
		uint64_t at = old[i] & (seen->size - 1);

		if (old[i] == 0)
			continue;
		while (seen->keys[at] != 0)
			at = (at + 1) & (seen->size - 1);
		seen->keys[at] = old[i];
	}
	free(old);
}

/* Whether the key is new. */
static bool seen_add(struct seen *seen, uint64_t key)
{
	uint64_t at;

	if (seen->used * 2 >= seen->size)
		seen_grow(seen);
	for (at = key & (seen->size - 1); seen->keys[at] != 0; at = (at + 1) & (seen->size - 1))
		if (seen->keys[at] == key)
			return false;
	seen->keys[at] = key;
	seen->used++;
	return true;
}

/* A thread that has not run yet has no frame that a handler could interrupt. */
static bool has_begun(unsigned i)
{
	return now.fibers[i].begun;
}

static bool choice_possible(unsigned choice)
{
	unsigned i = choice % EXPLORE_THREADS;

	if (i >= world->nthreads || now.fibers[i].life != READY)
		return false;
	if (choice >= SIGNAL)
		return world->threads[i].handler && now.signals < world->signals && has_begun(i);
	return choice < KILL || (world->threads[i].mortal && now.kills < world->kills);
}

static void choice_take(unsigned choice)
{
	unsigned i = choice % EXPLORE_THREADS;

	if (choice >= KILL && choice < SIGNAL) {
		now.fibers[i].life = DEAD;
		now.kills++;
		return;
	}
	if (choice >= SIGNAL) {
		now.signalled[i] = true;
		now.signals++;
	}
	now.fibers[i].begun = true;
	if (world->threads[i].resumed)
		world->threads[i].resumed(world->threads[i].arg);
	running = (int)i;
	swapcontext(&explorer, &now.fibers[i].context);
	running = -1;
}

static bool over(void)
{
	for (unsigned i = 0; i < world->nthreads; i++)
		if (now.fibers[i].life == READY)
			return false;
	return true;
}

static void tell_schedule(uint64_t depth, const char *wrong)
{
	static const char *const words[] = {"", "kill:", "signal:"};

	fprintf(stderr, "explore: %s, after:", wrong);
	for (uint64_t d = 0; d < depth; d++) {
		unsigned choice = levels[d].next - 1;

		fprintf(stderr, " %s%s", words[choice / EXPLORE_THREADS],
			world->threads[choice % EXPLORE_THREADS].name);
	}
	fprintf(stderr, "\n");
}

/* Looks at the state that has just been reached: whether to go on from it. */
static bool arrive(struct explore_result *result, struct seen *seen, uint64_t depth)
{
	if (!seen_add(seen, state_key()))
		return false;
	result->states++;
	if (depth > result->depth)
		result->depth = depth;
	if (!over())
		return depth < DEPTH_MAX;
	result->runs++;
	result->wrong = world->check(world->arg);
	if (result->wrong)
		tell_schedule(depth, result->wrong);
	return false;
}

static void search(struct explore_result *result, struct seen *seen)
{
	uint64_t depth = 0;

	image_save(levels[0].image);
	levels[0].next = 0;
	for (;;) {
		struct level *level = &levels[depth];

		image_load(level->image);
		while (level->next < CHOICES && !choice_possible(level->next))
			level->next++;
		if (level->next == CHOICES) {
			if (depth-- == 0)
				break;
			continue;
		}
		choice_take(level->next++);
		if (depth + 1 >= DEPTH_MAX || result->states >= world->max_states)
			return;
		if (arrive(result, seen, depth + 1)) {
			depth++;
			image_save(levels[depth].image);
			levels[depth].next = 0;
		}
		if (result->wrong)
			return;
	}
	result->complete = true;
}

struct explore_result explore_run(const struct explore *explore)
{
	struct explore_result result = {0};
	struct seen seen = {0};
	uint8_t *images;

	world = explore;
	images = calloc(DEPTH_MAX, image_size()); /* touched as deep as the search goes */
	if (images == NULL)
		abort();
	for (unsigned d = 0; d < DEPTH_MAX; d++)
		levels[d].image = images + d * image_size();
	fibers_init();
	search(&result, &seen);
	image_load(levels[0].image);
	free(images);
	free(seen.keys);
	return result;
}

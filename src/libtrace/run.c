/* run - see run.h. */
#include "libtrace/run.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

struct run_caller run_called(const void *address)
{
	return (struct run_caller){.address = (uint64_t)(uintptr_t)address,
				   .thread = (uint64_t)pthread_self(),
				   .tid = gettid()};
}

static uint64_t tick_now(const struct segment *seg, const struct control *ctl)
{
	return segment_tick(seg, (enum clock_kind)ctl->id.clock_kind);
}

void run_dropped(struct control *ctl, uint64_t tick)
{
	atomic_store(&ctl->overrun, 1);
	if (run_has(ctl, RUN_RESUME_PENDING))
		return;
	if (!run_has(ctl, RUN_OVERFLOW_PENDING) || tick < ctl->t_dropped)
		ctl->t_dropped = tick;
	run_change(ctl, 0, RUN_OVERFLOW_PENDING);
}

/* A START was delivered. Older records that arrive later are from writers that had not seen the
 * STOP. */
static void open_run(struct control *ctl, uint64_t tick)
{
	bool automatic = run_has(ctl, RUN_BETWEEN_AUTO);

	run_change(ctl, RUN_BETWEEN | RUN_BETWEEN_AUTO | RUN_OPENED_AUTO,
		   automatic ? RUN_OPENED_AUTO : 0);
	ctl->t_open = tick;
}

void run_pass(struct control *ctl, const struct geometry *g, uint32_t id, uint64_t tick)
{
	if (id == POSIX_TRACE_START)
		open_run(ctl, tick);
	else if (id == POSIX_TRACE_STOP)
		run_change(ctl, 0, RUN_BETWEEN);
	control_take(ctl, g);
}

/* LOOP: removes the oldest control event to make room. */
static bool overwrite_oldest(struct control *ctl, const struct geometry *g)
{
	struct event event;
	uint64_t tick;
	bool hidden;

	if (g->policy != POSIX_TRACE_LOOP || !control_peek(ctl, g, &tick, &event, &hidden))
		return false;
	if (!hidden)
		run_dropped(ctl, tick);
	run_pass(ctl, g, event.id, tick);
	return true;
}

/* Queues a control event, attributed to the target process. */
static int run_put(struct segment *seg, struct control *ctl, uint64_t tick, struct event event,
		   const struct run_caller *caller)
{
	bool urgent = event.id == POSIX_TRACE_STOP || caller == NULL;
	bool hidden = control_filtered(ctl, event.id);
	int r;

	event.pid = ctl->id.target.pid;
	if (caller != NULL) {
		event.address = caller->address;
		event.thread = caller->thread;
		event.tid = caller->tid;
	}
	do
		r = control_put(ctl, &seg->g, tick, &event, hidden, urgent);
	while (r == -ENOSPC && overwrite_oldest(ctl, &seg->g));
	if (r < 0 && !hidden)
		atomic_store(&ctl->overrun, 1);
	return r;
}

/* A filtered START is needed only to end the interval that a STOP began. */
static int put_start(struct segment *seg, struct control *ctl, uint64_t tick,
		     const struct run_caller *caller)
{
	struct event event = {
	    .id = POSIX_TRACE_START, .length = sizeof(ctl->filter), .data = &ctl->filter};

	ctl->t_start = tick;
	if (control_filtered(ctl, POSIX_TRACE_START) &&
	    !run_has(ctl, RUN_STOP_QUEUED | RUN_BETWEEN))
		return 0;
	return run_put(seg, ctl, tick, event, caller);
}

/* Changes the control word: clears `off`, sets `on`, inverts `flip`, starts a new epoch. */
static void switch_ctl(struct segment *seg, uint32_t off, uint32_t on, uint32_t flip)
{
	_Atomic uint32_t *word = &seg->state->ctl;
	uint32_t seen = atomic_load(word);

	while (
	    !atomic_compare_exchange_weak(word, &seen, (((seen & ~off) | on) ^ flip) + CTL_EPOCH))
		;
}

/* Should events be counted as lost because the log is full? From the moment it is full until a
 * stop. Returns true if this has changed. */
static bool count_log_full(struct segment *seg, bool on)
{
	if (((atomic_load(&seg->state->ctl) & CTL_LOG_FULL) != 0) == on)
		return false;
	switch_ctl(seg, on ? 0 : CTL_LOG_FULL, on ? CTL_LOG_FULL : 0, 0);
	return true;
}

bool run_start(struct segment *seg, struct control *ctl, const struct run_caller *caller)
{
	uint64_t tick;

	if (run_has(ctl, RUN_LOG_FULL))
		return count_log_full(seg, true);
	if (atomic_load(&seg->state->ctl) & CTL_RUNNING)
		return false;
	if (run_full_tick(seg, ctl) != 0) { /* no effect, except that a kept stop is forgotten */
		run_change(ctl, RUN_STOP_KEPT, RUN_STARTED);
		return false;
	}
	tick = tick_now(seg, ctl);
	run_change(ctl, RUN_STOP_KEPT, RUN_STARTED);
	if (put_start(seg, ctl, tick, caller) < 0) { /* no room even for START */
		atomic_store(&seg->state->t_full, tick);
		switch_ctl(seg, 0, CTL_FULL, 0);
		return true;
	}
	run_change(ctl, RUN_STOP_QUEUED, 0);
	switch_ctl(seg, CTL_FULL, CTL_RUNNING, 0);
	return true;
}

/* Clears RUNNING and sets `on` in one store, so that no event falls between the two. Returns
 * false if a writer has already turned RUNNING into FULL. */
static bool take_running(struct segment *seg, uint32_t on)
{
	_Atomic uint32_t *word = &seg->state->ctl;
	uint32_t seen = atomic_load(word);

	while (seen & CTL_RUNNING)
		if (atomic_compare_exchange_weak(word, &seen, (seen & ~(uint32_t)CTL_RUNNING) | on))
			return true;
	return false;
}

/* For a stream that was running until now. */
static void put_stop(struct segment *seg, struct control *ctl, const struct run_caller *caller)
{
	static const int called = 0;
	struct event event = {.id = POSIX_TRACE_STOP, .length = sizeof(called), .data = &called};

	run_change(ctl, RUN_STARTED, 0);
	if (!control_filtered(ctl, event.id) &&
	    run_put(seg, ctl, tick_now(seg, ctl), event, caller) == 0)
		run_change(ctl, 0, RUN_STOP_QUEUED);
}

bool run_stop(struct segment *seg, struct control *ctl, const struct run_caller *caller)
{
	if (take_running(seg, 0)) {
		put_stop(seg, ctl, caller);
		return true;
	}
	if (run_full_tick(seg, ctl) != 0)
		run_change(ctl, RUN_STARTED, RUN_STOP_KEPT);
	return count_log_full(seg, false);
}

void run_log_full(struct segment *seg, struct control *ctl)
{
	if (run_has(ctl, RUN_LOG_FULL))
		return;
	run_change(ctl, 0, RUN_LOG_FULL);
	/* A stream in state FULL stops for good once it is drained (run_after_full). */
	if (take_running(seg, CTL_LOG_FULL))
		put_stop(seg, ctl, NULL);
}

bool run_end(struct segment *seg, struct control *ctl, const struct run_caller *caller)
{
	bool was_running = run_stop(seg, ctl, caller);

	run_change(ctl, RUN_STARTED, run_has(ctl, RUN_STOP_KEPT) ? RUN_STOP_KEPT : 0);
	return was_running;
}

void run_mark(struct segment *seg, struct control *ctl, uint32_t id, const void *data,
	      uint32_t length, const struct run_caller *caller)
{
	struct event event = {.id = id, .length = length, .data = data};

	if ((atomic_load(&seg->state->ctl) & CTL_RUNNING) && !control_filtered(ctl, id))
		(void)run_put(seg, ctl, tick_now(seg, ctl), event, caller);
}

/* Writes the half that is not in force, then exchanges the halves. */
static void put_filter_in_force(struct segment *seg, struct control *ctl,
				const trace_event_set_t *set, uint32_t off)
{
	uint32_t half = atomic_load(&seg->state->ctl) & CTL_HALF ? 0 : 1;
	uint64_t any = 0;

	for (int i = 0; i < LAYOUT_FILTER_WORDS; i++) {
		atomic_store_explicit(&seg->state->filter[half][i], set->__bits[i],
				      memory_order_relaxed);
		any |= set->__bits[i];
	}
	ctl->filter = *set;
	switch_ctl(seg, off | CTL_UNFILTERED, any == 0 ? CTL_UNFILTERED : 0, CTL_HALF);
}

void run_filter(struct segment *seg, struct control *ctl, const trace_event_set_t *set,
		const struct run_caller *caller)
{
	trace_event_set_t sets[2] = {ctl->filter, *set};

	run_mark(seg, ctl, POSIX_TRACE_FILTER, sets, sizeof(sets), caller);
	put_filter_in_force(seg, ctl, set, 0);
}

uint64_t run_clear(struct segment *seg, struct control *ctl, bool *ret_halted)
{
	static const trace_event_set_t none;
	uint64_t tick = tick_now(seg, ctl);

	*ret_halted = run_full_tick(seg, ctl) != 0 || run_has(ctl, RUN_LOG_FULL);
	put_filter_in_force(seg, ctl, &none, CTL_FULL | CTL_LOG_FULL);
	if (*ret_halted)
		run_change(ctl, RUN_STARTED, 0);
	run_change(ctl, RUN_STOP_KEPT | RUN_LOG_FULL | RUN_AUTO_STOPPED, 0);
	atomic_store(&seg->state->t_full, 0);
	atomic_store(&seg->state->overrun, 0);
	atomic_store(&ctl->overrun, 0);
	return tick;
}

uint64_t run_full_tick(struct segment *seg, struct control *ctl)
{
	uint64_t tick = atomic_load(&seg->state->t_full), now;

	if (seg->g.policy == POSIX_TRACE_LOOP)
		return 0;
	if (!(atomic_load(&seg->state->ctl) & CTL_FULL)) {
		/* From a writer that was too late: the stream has been restarted since. */
		if (tick != 0)
			atomic_compare_exchange_strong(&seg->state->t_full, &tick, 0);
		return 0;
	}
	if (tick >= ctl->t_start && tick != 0)
		return tick;
	/* The writer has not stored its tick, or never will. */
	now = tick_now(seg, ctl);
	return atomic_compare_exchange_strong(&seg->state->t_full, &tick, now) ? now : tick;
}

bool run_after_full(struct segment *seg, struct control *ctl)
{
	uint32_t on = 0;
	uint64_t tick;

	run_change(ctl, 0, RUN_BETWEEN | RUN_BETWEEN_AUTO | RUN_STOP_QUEUED);
	if (run_has(ctl, RUN_STOP_KEPT | RUN_LOG_FULL) || !run_has(ctl, RUN_STARTED)) {
		if (run_has(ctl, RUN_STARTED) && !run_has(ctl, RUN_STOP_KEPT))
			on = CTL_LOG_FULL;
		run_change(ctl, RUN_STARTED | RUN_STOP_KEPT, 0);
		atomic_store(&seg->state->t_full, 0);
		switch_ctl(seg, CTL_FULL | CTL_RUNNING, on, 0);
		return false;
	}
	tick = tick_now(seg, ctl);
	if (put_start(seg, ctl, tick, NULL) < 0)
		open_run(ctl, tick);
	run_change(ctl, RUN_STOP_QUEUED, 0);
	atomic_store(&seg->state->t_full, 0);
	switch_ctl(seg, CTL_FULL, CTL_RUNNING, 0);
	return true;
}

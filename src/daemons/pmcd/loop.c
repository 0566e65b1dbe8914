/* loop - see loop.h. */
#include "daemons/pmcd/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/clock.h"
#include "libbase/service.h"

/*
 * The machine's clock
 */

static uint64_t machine_now_ms(const struct loop *l)
{
	return uv_now(&l->uv);
}

static uint64_t machine_mono_ns(const struct loop *l)
{
	return clock_mono_ns();
}

/* libuv locks a mutex of the loop for it. */
static uint64_t machine_idle_ns(const struct loop *l)
{
	return uv_metrics_idle_time((uv_loop_t *)&l->uv);
}

static const struct loop_clock machine_clock = {
    .now_ms = machine_now_ms,
    .mono_ns = machine_mono_ns,
    .idle_ns = machine_idle_ns,
};

/*
 * Turns
 */

static void loop_idle(uv_idle_t *handle)
{
	struct loop *l = handle->data;

	if (!l->ops->work(l->arg))
		uv_idle_stop(handle);
}

void loop_want_work(struct loop *l)
{
	uv_idle_start(&l->idle, loop_idle);
}

static void loop_before_waiting(uv_prepare_t *handle)
{
	struct loop *l = handle->data;

	l->ops->settle(l->arg);
}

static void loop_end_of_turn(uv_check_t *handle)
{
	struct loop *l = handle->data;

	l->spent_ns = 0;
	l->ops->settle(l->arg);
}

static void loop_tick(uv_timer_t *handle)
{
	struct loop *l = handle->data;
	bool more;

	l->tick_wanted = false;
	more = l->ops->tick(l->arg, loop_run_ms(l));
	if (!more && !l->tick_wanted)
		uv_timer_stop(handle);
}

void loop_want_tick(struct loop *l)
{
	l->tick_wanted = true;
	if (!uv_is_active((uv_handle_t *)&l->tick))
		uv_timer_start(&l->tick, loop_tick, LOOP_TICK_MS, LOOP_TICK_MS);
}

/*
 * Signals: through a descriptor, which also has the sender
 */

static void loop_signals_ready(uv_poll_t *handle, int status, int events)
{
	struct loop *l = handle->data;
	struct signalfd_siginfo info;

	while (read(l->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		l->ops->signal(l->arg, &info);
}

int loop_watch_signals(struct loop *l)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0)
		return -errno;
	uv_poll_init(&l->uv, &l->signals, l->signal_fd);
	l->signals.data = l;
	uv_poll_start(&l->signals, UV_READABLE, loop_signals_ready);
	return 0;
}

/*
 * Life
 */

int loop_init(struct loop *l, const struct loop_ops *ops, void *arg)
{
	int r;

	memset(l, 0, sizeof(*l));
	l->ops = ops;
	l->arg = arg;
	l->clock = &machine_clock;
	l->signal_fd = -1;
	l->shared.size = LOOP_SHARED;
	l->shared.data = malloc(LOOP_SHARED);
	if (l->shared.data == NULL)
		return -ENOMEM;
	r = uv_loop_init(&l->uv);
	if (r < 0)
		return r;
	uv_loop_configure(&l->uv, UV_METRICS_IDLE_TIME); /* agent.c measures agents by it */
	uv_idle_init(&l->uv, &l->idle);
	uv_prepare_init(&l->uv, &l->prepare);
	uv_check_init(&l->uv, &l->check);
	uv_timer_init(&l->uv, &l->tick);
	uv_timer_init(&l->uv, &l->alive);
	l->idle.data = l;
	l->prepare.data = l;
	l->check.data = l;
	l->tick.data = l;
	uv_prepare_start(&l->prepare, loop_before_waiting);
	uv_check_start(&l->check, loop_end_of_turn);
	return 0;
}

static void loop_alive(uv_timer_t *handle)
{
	service_alive();
}

void loop_run(struct loop *l)
{
	uint64_t patience_ms = service_watchdog_ms();

	if (patience_ms > 0)
		uv_timer_start(&l->alive, loop_alive, 0, patience_ms / LOOP_ALIVE_SIGNS + 1);
	uv_run(&l->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *l)
{
	uv_stop(&l->uv);
}

static void loop_close_handle(uv_handle_t *handle, void *arg)
{
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

void loop_done(struct loop *l)
{
	uv_walk(&l->uv, loop_close_handle, NULL);
	uv_run(&l->uv, UV_RUN_DEFAULT);
	uv_loop_close(&l->uv);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	free(l->shared.data);
}

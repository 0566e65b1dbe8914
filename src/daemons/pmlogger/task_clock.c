/* task_clock - see task_clock.h. */
#include "daemons/pmlogger/task_clock.h"

#include <errno.h>
#include <stdlib.h>

#include "daemons/pmlogger/logging_state.h"
#include "daemons/pmlogger/timing.h"

static void task_clock_on_timer(uv_timer_t *timer)
{
	struct task_clock *c = timer->data;

	c->due = true;
	c->on_due(c->arg);
}

static void clock_arm(struct task_clock *c)
{
	uint64_t now = timing_loop_ms(c->timer.loop);

	timing_arm(&c->timer, task_clock_on_timer, c->due_ms > now ? c->due_ms - now : 0, 0);
}

int task_clock_start(uv_loop_t *loop, struct logging_task *task, uint64_t in_ms,
		     void (*on_due)(void *arg), void *arg)
{
	struct task_clock *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->task = task;
	c->on_due = on_due;
	c->arg = arg;
	uv_timer_init(loop, &c->timer);
	c->timer.data = c;
	task->owned = c;
	task_clock_again(c, in_ms);
	return 0;
}

void task_clock_again(struct task_clock *c, uint64_t in_ms)
{
	c->due_ms = timing_loop_ms(c->timer.loop) + in_ms;
	clock_arm(c);
}

void task_clock_advance(struct task_clock *c)
{
	uint64_t now = timing_loop_ms(c->timer.loop), step = c->task->delta_ms;

	if (step == 0 || now < c->due_ms)
		return;
	c->due_ms += step;
	if (now > c->due_ms + step)
		c->due_ms += (now - c->due_ms) / step * step;
	clock_arm(c);
}

void task_clock_stop(struct task_clock *c)
{
	timing_stop(&c->timer);
}

static void task_clock_on_closed(uv_handle_t *handle)
{
	struct task_clock *c = handle->data;

	fetch_plan_done(&c->plan);
	free(c);
}

void task_clock_close(struct task_clock *c)
{
	c->task = NULL;
	if (!uv_is_closing((uv_handle_t *)&c->timer))
		timing_close(&c->timer, task_clock_on_closed);
}

/* bounds - see bounds.h. */
#include "daemons/pmlogger/bounds.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemons/pmlogger/compress.h"
#include "daemons/pmlogger/keep.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/recorder.h"
#include "libbase/clock.h"
#include "libbase/service.h"

enum { LOOK_MS = 250 };

void bounds_end(struct bounds *b, const char *reason)
{
	if (b->ending)
		return;
	b->ending = true;
	snprintf(b->reason, sizeof(b->reason), "%s", reason);
	uv_stop(b->loop);
}

int bounds_new_volume(struct bounds *b, const char *cause)
{
	int n = recorder_volume(b->recorder, cause);

	keep_look(b->keep);
	return n;
}

static void volume_over(struct bounds *b, const char *cause)
{
	b->volume_samples = 0;
	b->volume_ms = clock_boot_ms();
	bounds_new_volume(b, cause);
}

void bounds_count_sample(struct bounds *b)
{
	const struct options *o = b->options;
	struct archive_writer_state state = recorder_state(b->recorder);

	b->samples++;
	b->volume_samples++;
	compress_wrote(b->compress, state.volume);
	if (o->end.kind == SIZE_SAMPLES && b->samples >= o->end.value)
		bounds_end(b, "Sample limit reached");
	else if (o->end.kind == SIZE_BYTES && state.data_size >= o->end.value)
		bounds_end(b, "Byte limit reached");
	else if (o->volume.kind == SIZE_SAMPLES && b->volume_samples >= o->volume.value)
		volume_over(b, "sample counter");
	else if (o->volume.kind == SIZE_BYTES && state.volume_size >= o->volume.value)
		volume_over(b, "sample byte size");
}

static bool has_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* Is it time? Also for what must be reported often: that the recorder is alive. */
static void bounds_look(struct bounds *b)
{
	const struct options *o = b->options;
	struct timespec now = clock_now();
	uint64_t now_ms = clock_boot_ms();

	if (service_watchdog_ms() > 0)
		service_alive();
	if (o->watched > 0 && has_gone(o->watched))
		bounds_end(b, "process from -p has vanished");
	else if (b->stop_at.tv_sec != 0 && (now.tv_sec > b->stop_at.tv_sec ||
					    (now.tv_sec == b->stop_at.tv_sec &&
					     now.tv_nsec >= b->stop_at.tv_nsec)))
		bounds_end(b, "End of run time");
	else if (o->end.kind == SIZE_TIME && now_ms - b->started_ms >= o->end.value)
		bounds_end(b, "End of run time");
	else if (o->volume.kind == SIZE_TIME && now_ms - b->volume_ms >= o->volume.value)
		volume_over(b, "sample time");
}

static void on_look(uv_timer_t *timer)
{
	struct bounds *b = timer->data;

	if (!b->ending)
		bounds_look(b);
}

/* -T: "30sec" from now, "@12:00". */
static int parse_stop(struct bounds *b, const char *timezone)
{
	struct timeval now, far = {INT32_MAX, 0}, begin, end, origin;
	struct timespec t = clock_now();
	char *message = NULL;
	char text[] = "0";

	now = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
	if (!b->options->local_time && timezone[0] != '\0')
		pmNewZone(timezone);
	if (pmParseTimeWindow(NULL, (char *)b->options->stop_time, NULL, NULL, &now, &far, &begin,
			      &end, &origin, &message) < 0) {
		fprintf(stderr, "%s: illegal -T argument\n%s", pmGetProgname(),
			message != NULL ? message : text);
		free(message);
		return -EINVAL;
	}
	b->stop_at = (struct timespec){end.tv_sec, end.tv_usec * 1000};
	return 0;
}

int bounds_start(struct bounds *b, const char *timezone)
{
	const struct options *o = b->options;
	bool times = o->end.kind == SIZE_TIME || o->volume.kind == SIZE_TIME;
	int r = o->stop_time != NULL ? parse_stop(b, timezone) : 0;

	if (r < 0)
		return r;
	b->started_ms = b->volume_ms = clock_boot_ms();
	uv_timer_init(b->loop, &b->watch);
	b->watch.data = b;
	if (times || o->stop_time != NULL || o->watched > 0 || service_watchdog_ms() > 0)
		uv_timer_start(&b->watch, on_look, LOOK_MS, LOOK_MS);
	return 0;
}

void bounds_stop(struct bounds *b)
{
	uv_close((uv_handle_t *)&b->watch, NULL);
}

/* bounds - see bounds.h. */
#include "daemons/pmlogger/bounds.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemons/pmlogger/logger_own.h"
#include "daemons/pmlogger/options.h"
#include "libbase/clock.h"
#include "libbase/service.h"

enum { LOOK_MS = 250 };

static void new_volume(struct logger *l, const char *cause)
{
	l->volume_samples = 0;
	l->volume_ms = clock_boot_ms();
	logger_new_volume(l, cause);
}

void logger_count_sample(struct logger *l)
{
	const struct options *o = l->options;
	struct archive_writer_state state = recorder_state(&l->recorder);

	l->samples++;
	l->volume_samples++;
	compress_wrote(&l->compress, state.volume);
	if (o->end.kind == SIZE_SAMPLES && l->samples >= o->end.value)
		logger_end(l, "Sample limit reached");
	else if (o->end.kind == SIZE_BYTES && state.data_size >= o->end.value)
		logger_end(l, "Byte limit reached");
	else if (o->volume.kind == SIZE_SAMPLES && l->volume_samples >= o->volume.value)
		new_volume(l, "sample counter");
	else if (o->volume.kind == SIZE_BYTES && state.volume_size >= o->volume.value)
		new_volume(l, "sample byte size");
}

static bool has_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* Is it time? Also for what must be reported often: that the recorder is alive. */
static void bounds_look(struct logger *l)
{
	const struct options *o = l->options;
	struct timespec now = clock_now();
	uint64_t now_ms = clock_boot_ms();

	if (service_watchdog_ms() > 0)
		service_alive();
	if (o->watched > 0 && has_gone(o->watched))
		logger_end(l, "process from -p has vanished");
	else if (l->stop_at.tv_sec != 0 && (now.tv_sec > l->stop_at.tv_sec ||
					    (now.tv_sec == l->stop_at.tv_sec &&
					     now.tv_nsec >= l->stop_at.tv_nsec)))
		logger_end(l, "End of run time");
	else if (o->end.kind == SIZE_TIME && now_ms - l->started_ms >= o->end.value)
		logger_end(l, "End of run time");
	else if (o->volume.kind == SIZE_TIME && now_ms - l->volume_ms >= o->volume.value)
		new_volume(l, "sample time");
}

static void on_look(uv_timer_t *timer)
{
	struct logger *l = timer->data;

	if (!l->ending)
		bounds_look(l);
}

/* -T: "30sec" from now, "@12:00". */
static int parse_stop(struct logger *l)
{
	struct timeval now, far = {INT32_MAX, 0}, begin, end, origin;
	struct timespec t = clock_now();
	char *message = NULL;
	char text[] = "0";

	now = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
	if (!l->options->local_time && l->host.timezone[0] != '\0')
		pmNewZone(l->host.timezone);
	if (pmParseTimeWindow(NULL, (char *)l->options->stop_time, NULL, NULL, &now, &far, &begin,
			      &end, &origin, &message) < 0) {
		fprintf(stderr, "%s: illegal -T argument\n%s", pmGetProgname(),
			message != NULL ? message : text);
		free(message);
		return -EINVAL;
	}
	l->stop_at = (struct timespec){end.tv_sec, end.tv_usec * 1000};
	return 0;
}

int bounds_start(struct logger *l)
{
	const struct options *o = l->options;
	bool times = o->end.kind == SIZE_TIME || o->volume.kind == SIZE_TIME;
	int r = o->stop_time != NULL ? parse_stop(l) : 0;

	if (r < 0)
		return r;
	l->started_ms = l->volume_ms = clock_boot_ms();
	uv_timer_init(&l->loop, &l->watch);
	l->watch.data = l;
	if (times || o->stop_time != NULL || o->watched > 0 || service_watchdog_ms() > 0)
		uv_timer_start(&l->watch, on_look, LOOK_MS, LOOK_MS);
	return 0;
}

void bounds_stop(struct logger *l)
{
	uv_close((uv_handle_t *)&l->watch, NULL);
}

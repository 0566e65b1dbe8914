#include "tools/archive/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
	TICKS_A_LOOK = 4096, /* between two looks at the clock */
	FIRST_MS = 1000,
	AGAIN_MS = 200,
};

static struct {
	const char *name;
	bool on;
	bool shown;
	unsigned int ticks;
	int64_t due_ms;
} progress;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(const char *name, bool quiet)
{
	progress_clear();
	progress.name = name;
	progress.on = !quiet && isatty(STDERR_FILENO);
	progress.due_ms = now_ms() + FIRST_MS;
}

void progress_tick(uint64_t done, uint64_t total)
{
	int64_t now;

	if (!progress.on || progress.ticks++ % TICKS_A_LOOK != 0)
		return;
	now = now_ms();
	if (now < progress.due_ms || total == 0)
		return;
	fprintf(stderr, "\r%s: %3.0f%%", progress.name, 100.0 * (double)done / (double)total);
	progress.shown = true;
	progress.due_ms = now + AGAIN_MS;
}

void progress_clear(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}

/*
 * window - the reporting zone and the time window that options ask for (docs/spec/pmapi.md 15, 17).
 */
#ifndef TOOLS_ARCHIVE_WINDOW_H
#define TOOLS_ARCHIVE_WINDOW_H

#include <stdbool.h>
#include <time.h>

struct log_label;
struct pmOptions;
struct recording;

/*
 * -S and -z while the command line is read: the library takes them only with an archive that it
 * knows of, and here that is an argument. So a tool keeps them from it ("override"), and gives them
 * back after the last option.
 */
struct window_asked {
	char *start;
	bool hostzone;
};

/* True for the letters of -S and -z. */
bool window_letter(int letter);

/* Keeps the option that was read last, if it is one of them: true. */
bool window_keep(struct window_asked *asked, const struct pmOptions *opts, int letter);

/* After the last option; -z with -Z is an error, said and counted. */
void window_give_back(const struct window_asked *asked, struct pmOptions *opts);

struct window {
	struct timespec start, finish;
};

/* Makes the zone of -z or -Z current and says so on standard output; false after an error was
 * reported. */
bool window_zone(const struct pmOptions *opts, const struct log_label *label);

/*
 * Makes the zone current, then reads -S, -T, -A and -O
 * within the archive's time. False after an error was reported.
 */
bool window_choose(const struct pmOptions *opts, const struct recording *r,
		   struct window *ret_window);

#endif

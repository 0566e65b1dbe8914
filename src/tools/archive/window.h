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
 * knows of, and here that is an argument. So a tool keeps them from it ("override": window_letter
 * is true for them), and they are given back after the last option.
 */
bool window_letter(int letter);

/* Told of each other option. */
typedef void (*window_option)(void *arg, int letter);

/* Reads all options. -z with -Z is an error, said in the tool's words and counted. */
void window_options(struct pmOptions *opts, int argc, char **argv, const char *both_zones,
		    window_option set, void *arg);

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

/* True, and reported on standard error, if the window has nothing of the archive. */
bool window_misses(const struct window *window, const struct recording *r);

#endif

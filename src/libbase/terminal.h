/*
 * terminal - a user who starts a daemon at a terminal sees why it does not start.
 *
 * A daemon redirects its standard error to its log. The terminal is kept until the daemon runs.
 */
#ifndef LIBBASE_TERMINAL_H
#define LIBBASE_TERMINAL_H

#include <sys/types.h>

/* Keeps standard error if it is a terminal; before the log is opened. Call once. */
void terminal_keep(void);

/* The daemon runs: closes the terminal. */
void terminal_release(void);

/*
 * The daemon does not start: writes a line that names the log, and the log from this offset on, to
 * the terminal that was kept and releases it. Returns -ENOTTY if there is none, -errno for another
 * failure, else 0.
 */
int terminal_tell(const char *program, const char *log_path, off_t from);

#endif

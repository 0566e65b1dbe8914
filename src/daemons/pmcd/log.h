/*
 * log - messages of the collector for its administrator: lines on standard error, which is the log
 * file.
 *
 *     [Thu Nov 20 17:40:00] pmcd(123) Info: text
 */
#ifndef PMCD_LOG_H
#define PMCD_LOG_H

#include <sys/socket.h>
#include <sys/types.h>

#include "libbase/buffer.h"

struct access;

/*
 * Standard output and error are appended to this file from now on ("-": stay as they are). A file
 * that is not regular is not replaced. 0 or -errno. Writes the first line.
 */
int log_open(const char *path);

/* The last line. */
void log_close(void);

/* Where in the log this run's part begins. */
off_t log_begin(void);

/* Writes what this run has logged to another file, if the log is one. */
void log_copy(const char *log_path, int to_fd);

void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A warning, but at most one line with the same format a minute: for what a peer can cause at will.
 * fmt is a literal. */
void log_often(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A line without date and name. */
void log_plain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Text as it is: tables. */
void log_text(const char *text);

/* The text of a buffer, which is empty then. */
static inline void log_buffer(struct buffer *out)
{
	log_text(buffer_str(out));
	buffer_done(out);
}

/* Host access was refused: logged once for each host until log_forget_hosts. */
void log_violation(const struct sockaddr *peer);
void log_forget_hosts(void);

#endif

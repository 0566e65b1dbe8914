/* message - the text that pmprintf has collected and pmflush has not shown yet. */
#ifndef LIBPCP_MESSAGE_H
#define LIBPCP_MESSAGE_H

#include <stdbool.h>
#include <stdio.h>

/* True if text waits for pmflush. Takes and releases message_lock. */
bool message_pending(void);

/* True if pmflush shows its text at a terminal, not in a file or a window (PCP_STDERR). */
bool message_goes_to_terminal(void);

/* True in a daemon or an agent that is a process (__pmSetInternalState). */
bool message_program_is_agent(void);

/* pmOpenLog with the word for what happened to the log: "started", "rotated". */
FILE *message_open_log(const char *progname, const char *path, FILE *old, const char *event,
		       int *status);

#endif

/* reexec - the restart after SIGUSR2 (docs/spec/logger.md A6). */
#ifndef PMLOGGER_REEXEC_H
#define PMLOGGER_REEXEC_H

/* Remembers which program we are, before anything can move. */
void reexec_remember(void);

/* The program itself, by its path. */
const char *reexec_program(void);

/* Becomes this program again, with the same arguments but the note. Returns only on failure:
 * -errno. */
int reexec(char *const *argv);

#endif

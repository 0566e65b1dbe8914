/*
 * help - the descriptions of dbpmda's commands (docs/spec/pmda.md 19.7).
 */
#ifndef DBPMDA_HELP_H
#define DBPMDA_HELP_H

#include "tools/dbpmda/command.h"

/* Prints the usage of every command; of one; of one with an explanation. */
void help_all(void);
void help_usage(enum verb verb);
void help_about(enum verb verb);

#endif

/* help - the descriptions of the commands. */
#ifndef PMLC_HELP_H
#define PMLC_HELP_H

void help_print(void);

#endif

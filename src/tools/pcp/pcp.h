/*
 * pcp - shared declarations of the tool's files.
 */
#ifndef PCP_PCP_H
#define PCP_PCP_H

#include <stdbool.h>

/*
 * Prints the summary of the source that the environment names; pmie: also with the statistics of
 * inference engines. Returns the exit status.
 */
int summary_run(bool pmie);

#endif

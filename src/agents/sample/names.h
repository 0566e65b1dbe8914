/* names.h - see names.c. */
#ifndef SAMPLE_NAMES_H
#define SAMPLE_NAMES_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* The tree must be built again. */
void names_change(void);

/* All names there are now; NULL without memory. */
pmdaNameSpace *names_tree(int domain);

#endif

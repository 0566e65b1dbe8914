/* number - values of one numeric type. */
#ifndef TOOLS_ARCHIVE_NUMBER_H
#define TOOLS_ARCHIVE_NUMBER_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/* Whether a is below b, as numbers of that type. */
bool number_less(int type, const pmAtomValue *a, const pmAtomValue *b);

#endif

/* meta.h - see meta.c. */
#ifndef SAMPLE_META_H
#define SAMPLE_META_H

#include <pcp/pmapi.h>

enum { META_ITEM = 86 };

/* The descriptor as it has been stored, but for the identifier. */
void meta_desc(pmDesc *ret_desc);

#endif

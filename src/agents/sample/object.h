/* object.h - the entry of the object. */
#ifndef SAMPLE_OBJECT_H
#define SAMPLE_OBJECT_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* Fills dispatch; dispatch->status reports a failure. */
__PMDA_INIT_CALL void sample_init(pmdaInterface *dispatch);

#endif

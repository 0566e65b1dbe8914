/* object.h - the entry of pmda_tracing.so. */
#ifndef TRACING_OBJECT_H
#define TRACING_OBJECT_H

#include "tracing.h"

__PMDA_INIT_CALL void tracing_init(pmdaInterface *dispatch);

#endif

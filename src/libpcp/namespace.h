/*
 * namespace - the name space that the program itself has loaded (docs/spec/pmapi.md 5.1).
 *
 * While one is loaded, or a load was tried, it stands for every context, and its questions are
 * answered by the name operations of one more row.
 */
#ifndef LIBPCP_NAMESPACE_H
#define LIBPCP_NAMESPACE_H

#include "libpcp/context.h"

/* The operations about names if a load was tried, else NULL. They use no context. */
const struct context_ops *namespace_ops(void);

#endif

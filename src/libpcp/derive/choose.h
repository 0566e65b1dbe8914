/* choose - the values of some instances: x[instance] and matchinst() (docs/spec/pmapi.md 18.6). */
#ifndef LIBPCP_DERIVE_CHOOSE_H
#define LIBPCP_DERIVE_CHOOSE_H

#include "libpcp/derive/bound.h"

/*
 * Makes the values of node at: those of in whose instances are wanted. The names of instances that
 * were not seen before are asked for. 0 or -ENOMEM.
 */
int choose_run(struct bound *b, int at, const struct values *in, struct context *ctx);

#endif

/* labels - of the agent, of fields, and of instances: what process an instance is of. */
#ifndef TRACING_LABELS_H
#define TRACING_LABELS_H

#include "tracing.h"

/* As the label method of the library; the collector's lock is held. */
int labels_get(int ident, int type, pmLabelSet **sets, pmdaExt *ext);
int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set);

#endif

/* labels.h - see labels.c. */
#ifndef SAMPLE_LABELS_H
#define SAMPLE_LABELS_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* The label method of pmdaInterface, and its callback for an instance. */
int labels_get(int ident, int type, pmLabelSet **sets, pmdaExt *ext);
int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set);

#endif

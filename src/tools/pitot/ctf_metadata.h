/* ctf_metadata - the description of a trace, in the language of the Common Trace Format (TSDL). */
#ifndef PITOT_CTF_METADATA_H
#define PITOT_CTF_METADATA_H

#include <stdio.h>

#include "ctf.h"

/* The number of the class of events of a type with a form of data. */
uint32_t ctf_class(trace_event_id_t id, enum trace_form form);

void ctf_metadata_print(FILE *out, const struct ctf *c, struct trace_source *source,
			const struct posix_trace_counts_np *n);

#endif

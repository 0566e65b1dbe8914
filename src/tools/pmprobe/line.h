/*
 * line - the output of pmprobe for one metric: "name count" or "name code text", and the requested
 * values.
 */
#ifndef PMPROBE_LINE_H
#define PMPROBE_LINE_H

#include <pcp/pmapi.h>

struct options;

/* A metric with an error; step: the function that failed, or NULL. */
void line_print_error(const char *name, int sts, const char *step);

/* The metric's values as the fetch returned them; desc: NULL if the options need none. */
void line_print_values(const char *name, const pmValueSet *vset, const pmDesc *desc,
		       const struct options *o);

/* The instances of the metric's domain, with or without values (-f with -i or -I). */
void line_print_instances(const char *name, const pmDesc *desc, const struct options *o);

#endif

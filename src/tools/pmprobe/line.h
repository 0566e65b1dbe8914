/*
 * line - what pmprobe prints of one metric: "name count" or "name code text", and what is asked
 * for.
 */
#ifndef PMPROBE_LINE_H
#define PMPROBE_LINE_H

#include <pcp/pmapi.h>

struct options;

/* A metric of which nothing but an error is known; step: the function that failed, or NULL. */
void line_print_error(const char *name, int sts, const char *step);

/* The metric's values as the fetch returned them; desc: NULL where the options need none. */
void line_print_values(const char *name, const pmValueSet *vset, const pmDesc *desc,
		       const struct options *o);

/* The instances of the metric's domain, with or without values (-f with -i or -I). */
void line_print_instances(const char *name, const pmDesc *desc, const struct options *o);

#endif

/*
 * derived - metrics that are computed from others.
 */
#ifndef PMREP_DERIVED_H
#define PMREP_DERIVED_H

#include "tools/pmrep/spec.h"

/*
 * Registers the formulas of metrics, and those of -e: a file, whose name begins with '/' or '.', or
 * definitions NAME=EXPRESSION, separated by commas or semicolons. given may be NULL. Returns 0, or
 * an error after reporting it.
 */
int derived_register(const struct specs *specs, const char *given);

#endif

/*
 * result - values of a metric as pmStore takes them.
 */
#ifndef TOOLS_COMMON_RESULT_H
#define TOOLS_COMMON_RESULT_H

#include <pcp/pmapi.h>

/*
 * Makes a result of one metric in which each of n instances has the value of the atom, for
 * pmFreeResult. 0, or the error of a type that can't be stored. Out of memory: exits.
 */
int result_make(const pmDesc *desc, const pmAtomValue *atom, const int *insts, int n,
		pmResult **ret_result);

#endif

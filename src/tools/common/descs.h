/*
 * descs - the descriptions of many metrics in one request.
 */
#ifndef TOOLS_COMMON_DESCS_H
#define TOOLS_COMMON_DESCS_H

#include <pcp/pmapi.h>

/*
 * Gets n descriptions. stss[i] is 0, or the error of metric i: one that the bulk request leaves out
 * is asked for once more alone, because only then the reason comes.
 */
void descs_get(int n, pmID *pmids, pmDesc *descs, int *stss);

#endif

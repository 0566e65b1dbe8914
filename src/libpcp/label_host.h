/* label_host - the labels of this host and process, for contexts without a collector. */
#ifndef LIBPCP_LABEL_HOST_H
#define LIBPCP_LABEL_HOST_H

#include <pcp/pmapi.h>

/* Those of the site's files, what the host calls itself, and who runs this process. 1, or -ENOMEM,
 * -E2BIG. */
int label_host_set(pmLabelSet **ret_set);

#endif

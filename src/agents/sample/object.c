/* object - the sample agent in pmcd's process. */
#include "object.h"
#include "returns.h"
#include "sample.h"

void sample_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_7, "sample", NULL);
	sample_setup(dispatch);
	returns_start(0);
}

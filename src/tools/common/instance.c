#include "tools/common/instance.h"

#include <errno.h>
#include <stdlib.h>

/* One domain is enough: metrics that share one are neighbours in the name space. */
static struct instances last = {.indom = PM_INDOM_NULL, .n = PM_ERR_INDOM};

static int by_id(const void *a, const void *b, void *arg)
{
	const int *ids = arg;
	int x = ids[*(const int *)a], y = ids[*(const int *)b];

	return x < y ? -1 : x > y;
}

void instance_forget(void)
{
	free(last.ids);
	free(last.names);
	free(last.order);
	last = (struct instances){.indom = PM_INDOM_NULL, .n = PM_ERR_INDOM};
}

static int sort(struct instances *in)
{
	in->order = calloc(in->n, sizeof(in->order[0]));
	if (in->order == NULL)
		return -ENOMEM;
	for (int i = 0; i < in->n; i++)
		in->order[i] = i;
	qsort_r(in->order, in->n, sizeof(in->order[0]), by_id, in->ids);
	return in->n;
}

const struct instances *instance_get(pmInDom indom)
{
	if (indom == last.indom)
		return &last;
	instance_forget();
	last.indom = indom;
	last.n = pmGetInDom(indom, &last.ids, &last.names);
	if (last.n > 0)
		last.n = sort(&last);
	return &last;
}

int instance_name(pmInDom indom, int inst, const char **ret_name)
{
	const struct instances *in = instance_get(indom);
	int low = 0, high = in->n;

	if (in->n < 0)
		return in->n;
	while (low < high) {
		int middle = low + (high - low) / 2;

		if (in->ids[in->order[middle]] < inst)
			low = middle + 1;
		else
			high = middle;
	}
	if (low >= in->n || in->ids[in->order[low]] != inst)
		return PM_ERR_INST;
	*ret_name = in->names[in->order[low]];
	return 0;
}

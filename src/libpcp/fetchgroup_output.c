/* fetchgroup_output - see fetchgroup_output.h. */
#include "libpcp/fetchgroup_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int group_output_init(struct group_output *out, int type)
{
	out->type = type;
	if (type != PM_TYPE_STRING || out->max == 0)
		return 0;
	out->strings = calloc(out->max, sizeof(out->strings[0]));
	return out->strings == NULL ? -ENOMEM : 0;
}

static void drop_strings(struct group_output *out)
{
	for (unsigned int i = 0; out->strings != NULL && i < out->max; i++) {
		free(out->strings[i]);
		out->strings[i] = NULL;
	}
}

void group_output_done(struct group_output *out)
{
	drop_strings(out);
	free(out->strings);
	out->strings = NULL;
}

void group_output_reset(struct group_output *out)
{
	drop_strings(out);
	for (unsigned int i = 0; i < out->max; i++) {
		if (out->values != NULL && out->type == PM_TYPE_STRING)
			out->values[i].cp = NULL;
		else if (out->values != NULL)
			memset(&out->values[i], 0xff, sizeof(out->values[i]));
		if (out->statuses != NULL)
			out->statuses[i] = PM_ERR_VALUE;
		if (out->names != NULL)
			out->names[i] = NULL;
		if (out->times != NULL)
			out->times[i] = (struct timespec){0, 0};
	}
	group_output_end(out, 0, PM_ERR_VALUE);
}

void group_output_put(struct group_output *out, unsigned int i, int status,
		      const pmAtomValue *value)
{
	if (status == 0 && out->type == PM_TYPE_STRING)
		out->strings[i] = value->cp;
	if (status == 0 && out->values != NULL)
		out->values[i] = *value;
	if (out->statuses != NULL)
		out->statuses[i] = status;
}

void group_output_end(struct group_output *out, unsigned int num, int status)
{
	if (out->num != NULL)
		*out->num = num;
	if (out->status != NULL)
		*out->status = status;
}

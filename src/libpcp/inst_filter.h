/* inst_filter - what a profile says about one instance domain, to be asked for many instances. */
#ifndef LIBPCP_INST_FILTER_H
#define LIBPCP_INST_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

struct inst_filter {
	bool listed; /* whether those in the list are wanted; the others are if not */
	int n;
	const int *list; /* ascending; borrowed from the profile */
};

static inline struct inst_filter inst_filter_of(const pmProfile *profile, pmInDom indom)
{
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *entry = &profile->profile[i];

		if (entry->indom == indom)
			return (struct inst_filter){
			    .listed = entry->state == PM_PROFILE_EXCLUDE,
			    .n = entry->instances_len,
			    .list = entry->instances,
			};
	}
	return (struct inst_filter){.listed = profile->state == PM_PROFILE_EXCLUDE};
}

static inline bool inst_filter_wants_all(const struct inst_filter *filter)
{
	return filter->n == 0 && !filter->listed;
}

static inline bool inst_filter_wants(const struct inst_filter *filter, int inst)
{
	size_t from = 0;
	size_t to = (size_t)filter->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (filter->list[mid] == inst)
			return filter->listed;
		if (filter->list[mid] < inst)
			from = mid + 1;
		else
			to = mid;
	}
	return !filter->listed;
}

#endif

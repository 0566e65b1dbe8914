/* profile - see profile.h. */
#include "libwire/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a;
	int y = *(const int *)b;

	return (x > y) - (x < y);
}

/* An ascending copy without duplicates; *ret_n is the number of entries left. */
static int *sorted_copy(const int *list, int n, int *ret_n)
{
	int *copy = malloc(n == 0 ? 1 : (size_t)n * sizeof(copy[0]));
	int kept = 0;

	if (copy == NULL || n == 0) {
		*ret_n = 0;
		return copy;
	}
	memcpy(copy, list, (size_t)n * sizeof(copy[0]));
	qsort(copy, (size_t)n, sizeof(copy[0]), compare_ints);
	for (int i = 0; i < n; i++) {
		if (kept == 0 || copy[kept - 1] != copy[i])
			copy[kept++] = copy[i];
	}
	*ret_n = kept;
	return copy;
}

static pmInDomProfile *find_entry(const pmProfile *profile, pmInDom indom)
{
	for (int i = 0; i < profile->profile_len; i++) {
		if (profile->profile[i].indom == indom)
			return &profile->profile[i];
	}
	return NULL;
}

/* The entry of a domain; a new one excludes all. NULL: out of memory. */
static pmInDomProfile *get_entry(pmProfile *profile, pmInDom indom)
{
	pmInDomProfile *entry = find_entry(profile, indom);
	pmInDomProfile *entries;

	if (entry != NULL)
		return entry;
	entries =
	    realloc(profile->profile, ((size_t)profile->profile_len + 1) * sizeof(entries[0]));
	if (entries == NULL)
		return NULL;
	profile->profile = entries;
	entry = &entries[profile->profile_len++];
	*entry = (pmInDomProfile){.indom = indom, .state = PM_PROFILE_EXCLUDE};
	return entry;
}

static void set_list(pmInDomProfile *entry, int *list, int n)
{
	free(entry->instances);
	entry->instances = list;
	entry->instances_len = n;
}

/* Makes the entry's list its union with another. 0 or -ENOMEM. */
static int unite(pmInDomProfile *entry, const int *list, int n)
{
	const int *have = entry->instances;
	int nhave = entry->instances_len;
	int *both = malloc(((size_t)nhave + (size_t)n + 1) * sizeof(both[0]));
	int len = 0;
	int i = 0;
	int j = 0;

	if (both == NULL)
		return -ENOMEM;
	while (i < nhave || j < n) {
		if (j == n || (i < nhave && have[i] < list[j])) {
			both[len++] = have[i++];
		} else {
			i += i < nhave && have[i] == list[j];
			both[len++] = list[j++];
		}
	}
	set_list(entry, both, len);
	return 0;
}

/* Takes the members of another list out of the entry's. */
static int subtract(pmInDomProfile *entry, const int *list, int n)
{
	int *have = entry->instances;
	int len = 0;
	int j = 0;

	for (int i = 0; i < entry->instances_len; i++) {
		while (j < n && list[j] < have[i])
			j++;
		if (j == n || list[j] != have[i])
			have[len++] = have[i];
	}
	entry->instances_len = len;
	return 0;
}

static int change(pmProfile *profile, pmInDom indom, int n, const int *list, int state)
{
	AUTO_FREE int *sorted = NULL;
	int entries = profile->profile_len;
	pmInDomProfile *entry;
	int r;

	if (indom == PM_INDOM_NULL && list != NULL)
		return PM_ERR_PROFILESPEC;
	if (n < 0)
		return -EINVAL;
	if (indom == PM_INDOM_NULL) {
		profile_done(profile);
		profile->state = state;
		return 0;
	}
	if (list != NULL) {
		sorted = sorted_copy(list, n, &n);
		if (sorted == NULL)
			return -ENOMEM;
	}
	entry = get_entry(profile, indom);
	if (entry == NULL)
		return -ENOMEM;
	if (list == NULL) {
		entry->state = state;
		set_list(entry, NULL, 0);
		return 0;
	}
	/* The list of an entry holds the exceptions from its state. */
	r = entry->state == state ? subtract(entry, sorted, n) : unite(entry, sorted, n);
	if (r < 0)
		profile->profile_len = entries; /* a new entry, still empty, goes again */
	return r;
}

int profile_add(pmProfile *profile, pmInDom indom, int n, const int *list)
{
	return change(profile, indom, n, list, PM_PROFILE_INCLUDE);
}

int profile_del(pmProfile *profile, pmInDom indom, int n, const int *list)
{
	return change(profile, indom, n, list, PM_PROFILE_EXCLUDE);
}

int profile_copy(const pmProfile *profile, pmProfile *ret_copy)
{
	pmProfile copy = {.state = profile->state};

	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *from = &profile->profile[i];
		pmInDomProfile *to = get_entry(&copy, from->indom);

		if (to == NULL || unite(to, from->instances, from->instances_len) < 0) {
			profile_done(&copy);
			return -ENOMEM;
		}
		to->state = from->state;
	}
	*ret_copy = copy;
	return 0;
}

static bool is_listed(const pmInDomProfile *entry, int inst)
{
	for (int i = 0; i < entry->instances_len; i++) {
		if (entry->instances[i] == inst)
			return true;
	}
	return false;
}

bool profile_wants(const pmProfile *profile, pmInDom indom, int inst)
{
	if (profile == NULL)
		return true;
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *entry = &profile->profile[i];

		if (entry->indom == indom)
			return (entry->state == PM_PROFILE_INCLUDE) != is_listed(entry, inst);
	}
	return profile->state == PM_PROFILE_INCLUDE;
}

void profile_done(pmProfile *profile)
{
	for (int i = 0; i < profile->profile_len; i++)
		free(profile->profile[i].instances);
	free(profile->profile);
	*profile = (pmProfile){.state = PM_PROFILE_INCLUDE};
}

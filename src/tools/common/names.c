/*
 * names - lists of names and words; descriptions and instances by name.
 */
#include "tools/common/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

/*
 * Names
 */

#define ROOM_FIRST 256

void names_add(const char *name, void *arg)
{
	struct names *names = arg;

	if (names->n == names->room) {
		size_t room = names->room == 0 ? ROOM_FIRST : 2 * names->room;
		char **list = reallocarray(names->list, room, sizeof(list[0]));

		if (list == NULL)
			pmNoMem("names", room * sizeof(list[0]), PM_FATAL_ERR);
		names->list = list;
		names->room = room;
	}
	names->list[names->n] = strdup(name);
	if (names->list[names->n] == NULL)
		pmNoMem("names", strlen(name), PM_FATAL_ERR);
	names->n++;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct names){0};
}

/*
 * Words
 */

#define SEPARATORS ", \t\n"

void wordlist_add_word(struct wordlist *list, const char *word, size_t len)
{
	char **words = reallocarray(list->words, list->n + 1, sizeof(words[0]));
	char *copy = strndup(word, len);

	if (words == NULL || copy == NULL)
		pmNoMem("wordlist", len, PM_FATAL_ERR);
	words[list->n++] = copy;
	list->words = words;
}

void wordlist_add(struct wordlist *list, const char *text)
{
	while (text += strspn(text, SEPARATORS), *text != '\0') {
		const char quote[] = {*text, '\0'};
		size_t len;

		if (*text != '"' && *text != '\'') {
			len = strcspn(text, SEPARATORS);
			wordlist_add_word(list, text, len);
			text += len;
			continue;
		}
		len = strcspn(++text, quote);
		wordlist_add_word(list, text, len);
		text += len;
		if (*text != '\0')
			text++;
	}
}

void wordlist_done(struct wordlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->words[i]);
	free(list->words);
	*list = (struct wordlist){0};
}

/*
 * Descriptions
 */

void descs_get(int n, pmID *pmids, pmDesc *descs, int *stss)
{
	int known = n > 1 ? pmLookupDescs(n, pmids, descs) : PM_ERR_NYI;

	for (int i = 0; i < n; i++) {
		stss[i] = 0;
		if (known < 0 || pmids[i] == PM_ID_NULL || descs[i].pmid != pmids[i])
			stss[i] = pmLookupDesc(pmids[i], &descs[i]);
		if (stss[i] > 0)
			stss[i] = 0;
	}
}

/*
 * Instances
 */

/*
 * The instances of one domain, because metrics with the same domain are neighbours in the name
 * space.
 */
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

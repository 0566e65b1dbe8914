/*
 * names - lists of names and words; descriptions and instances by name.
 */
#ifndef COMMON_NAMES_H
#define COMMON_NAMES_H

#include <stddef.h>

#include <pcp/pmapi.h>

/*
 * names - a growing list of names of metrics.
 */

/* An all-zero list is empty. */
struct names {
	char **list;
	size_t n;
	size_t room;
};

/*
 * Adds a copy of a name. `names` is a struct names; this is the form of a callback of
 * pmTraversePMNS_r. Exits if out of memory.
 */
void names_add(const char *name, void *names);

void names_free(struct names *names);

/*
 * wordlist - words of a command line argument, separated by commas or blanks.
 */

/* An all-zero list is empty. The words are owned. */
struct wordlist {
	char **words;
	size_t n;
};

/*
 * Adds the words of a text. A word in single or double quotes may contain separators and the other
 * quote. Exits if out of memory, as pmNoMem does.
 */
void wordlist_add(struct wordlist *list, const char *text);

/* Adds the first len bytes of word as one word. */
void wordlist_add_word(struct wordlist *list, const char *word, size_t len);

void wordlist_done(struct wordlist *list);

/* instance - the names of the instances of the current domain of a report. */

/* The instances of one domain, in the order in which their agent lists them. */
struct instances {
	pmInDom indom;
	int n; /* number of instances, or an error */
	int *ids;
	char **names;
	int *order; /* indices into ids, sorted by id */
};

/*
 * The instances of a domain, cached for repeated calls with the same domain. They are valid until
 * the next call or instance_forget, and are not freed by the caller. `n` of the result is the
 * error, if any.
 */
const struct instances *instance_get(pmInDom indom);

/*
 * The name of an instance, or an error if there is no such instance. The caller does not free it.
 */
int instance_name(pmInDom indom, int inst, const char **ret_name);

/* Empties the cache, because newer values follow. */
void instance_forget(void);

/*
 * descs - the descriptions of many metrics in one request.
 */

/*
 * Looks up n descriptions. stss[i] is 0 or the error of metric i. A metric without a result in the
 * bulk request is requested again alone, to get its error.
 */
void descs_get(int n, pmID *pmids, pmDesc *descs, int *stss);

#endif

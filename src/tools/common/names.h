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

/* All zero is an empty list. */
struct names {
	char **list;
	size_t n;
	size_t room;
};

/* Adds a copy of a name; `names` is a struct names, as pmTraversePMNS_r likes it. Out of memory:
 * exits. */
void names_add(const char *name, void *names);

void names_free(struct names *names);

/*
 * wordlist - words of a command line argument, separated by commas or blanks.
 */

/* All zero is an empty list; the words are owned. */
struct wordlist {
	char **words;
	size_t n;
};

/*
 * Adds the words of a text. A word in single or double quotes may hold the separators and the other
 * quote. Out of memory: exits, as pmNoMem does.
 */
void wordlist_add(struct wordlist *list, const char *text);

/* Adds the first len bytes of word as one word. */
void wordlist_add_word(struct wordlist *list, const char *word, size_t len);

void wordlist_done(struct wordlist *list);

/*
 * instance - the names of the instances of the domain that is being reported.
 */

/* The instances of one domain, in the order in which their agent lists them. */
struct instances {
	pmInDom indom;
	int n; /* number of instances, or the error in their place */
	int *ids;
	char **names;
	int *order; /* positions in ids, sorted by id */
};

/*
 * The instances of a domain, asked for once while the reports stay with it; they belong to this
 * module and hold until the next call or instance_forget. `n` of the result is the error, if any.
 */
const struct instances *instance_get(pmInDom indom);

/* The name of an instance; an error for one that is not there. The name is borrowed. */
int instance_name(pmInDom indom, int inst, const char **ret_name);

/* Values from now on are newer than what is remembered. */
void instance_forget(void);

/*
 * descs - the descriptions of many metrics in one request.
 */

/*
 * Gets n descriptions. stss[i] is 0, or the error of metric i: one that the bulk request leaves out
 * is asked for once more alone, because only then the reason comes.
 */
void descs_get(int n, pmID *pmids, pmDesc *descs, int *stss);

/*
 * complete_name - names of metrics that begin as what was typed, for line editors.
 */

/*
 * A node that begins with text, up to its next dot: state 0 asks the name space and gives the
 * first, other states the next; NULL after the last. To be freed.
 */
char *complete_name(const char *text, int state);

#endif

/*
 * label - labels in JSON text, in and out: docs/spec/pmapi.md 20, docs/spec/pdu.md 7.
 *
 * Reading flattens nested objects (their members' names are joined with dots), checks names and
 * drops white space outside strings. Values are kept as text.
 */
#ifndef LIBPCP_LABEL_H
#define LIBPCP_LABEL_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

/* Labels and the JSON text that they point into. */
struct label_text {
	char json[PM_MAXLABELJSONLEN + 1];
	size_t len;
	pmLabel labels[PM_MAXLABELS];
	int n;
};

/* As in pmLabelSet the labels are sorted by name afterwards, the text keeps its order; each gets
 * these flags, and PM_LABEL_COMPOUND if its name has dots. The number of labels, or -EINVAL,
 * -E2BIG. */
int label_text_read(struct label_text *t, const char *json, size_t len, int flags);

/* One label of a text: names and values are not copied. */
struct label_item {
	const char *name;
	const char *value;
	unsigned int namelen;
	unsigned int valuelen;
	unsigned int flags;
};

/* Labels from several texts; sorted by name. */
struct label_merge {
	struct label_item items[PM_MAXLABELS];
	int n;
};

/* Puts one in, in place of one that has its name. 0 or -E2BIG. */
int label_merge_add(struct label_merge *m, const struct label_item *item);

/* The JSON text of all of them into buf, with its NUL, and if labels is not NULL where they are in
 * it. The length, 0 for no labels, or -E2BIG. */
int label_merge_write(const struct label_merge *m, char *buf, size_t size, pmLabel *labels);

/* Those of the site's files, what the host calls itself, and who runs this process. 1, or -ENOMEM,
 * -E2BIG. */
int label_host_set(pmLabelSet **ret_set);

#endif

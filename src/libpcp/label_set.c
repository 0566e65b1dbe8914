/*
 * label_set - label sets (docs/spec/pmapi.md 20): made from text, added to, copied, merged, freed;
 * and the sets that need no collector: those of a site's files ($PCP_SYSCONF_DIR/labels,
 * docs/spec/pmda.md 11.2), of an agent, of this host and of this process. The facts about the host
 * are those that pmcd reports (docs/spec/pmcd.md 8.6).
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libbase/hostid.h"
#include "libpcp/label.h"

/* The contents of a set become these; what it had is freed. 0 or -ENOMEM. */
static int set_contents(pmLabelSet *set, const char *json, size_t len, const pmLabel *labels, int n)
{
	size_t bytes = (size_t)n * sizeof(labels[0]);
	AUTO_FREE char *json_copy = malloc(len + 1);
	AUTO_FREE pmLabel *labels_copy = malloc(bytes > 0 ? bytes : 1);

	if (json_copy == NULL || labels_copy == NULL)
		return -ENOMEM;
	memcpy(json_copy, json, len);
	json_copy[len] = '\0';
	if (n > 0)
		memcpy(labels_copy, labels, bytes);
	free(set->json);
	free(set->labels);
	set->json = TAKE(json_copy);
	set->labels = TAKE(labels_copy);
	set->jsonlen = (unsigned int)len & 0xffff;
	set->nlabels = n;
	set->compound = 0;
	for (int i = 0; i < n; i++)
		set->compound |= (set->labels[i].flags & PM_LABEL_COMPOUND) != 0;
	return 0;
}

/* *set, or a new one. */
static pmLabelSet *set_or_new(pmLabelSet **set)
{
	if (*set == NULL) {
		*set = calloc(1, sizeof(**set));
		if (*set != NULL)
			(*set)->inst = PM_IN_NULL;
	}
	return *set;
}

static int add_items(struct label_merge *m, const char *json, size_t len, const pmLabel *labels,
		     int n, int (*filter)(const pmLabel *, const char *, void *), void *arg)
{
	for (int i = 0; i < n; i++) {
		const pmLabel *l = &labels[i];
		struct label_item item = {
		    .name = json + l->name,
		    .value = json + l->value,
		    .namelen = l->namelen,
		    .valuelen = l->valuelen,
		    .flags = l->flags,
		};

		if ((size_t)l->name + l->namelen > len || (size_t)l->value + l->valuelen > len)
			return -EINVAL;
		if (filter != NULL && filter(l, json, arg) == 0)
			continue;
		if (label_merge_add(m, &item) < 0)
			return -E2BIG;
	}
	return 0;
}

static int add_set(struct label_merge *m, const pmLabelSet *set,
		   int (*filter)(const pmLabel *, const char *, void *), void *arg)
{
	return add_items(m, set->json, set->jsonlen, set->labels, set->nlabels, filter, arg);
}

/* Appends the labels of text to those of the set. */
static int merge_into(pmLabelSet *set, const struct label_text *t)
{
	AUTO_FREE struct label_merge *m = calloc(1, sizeof(*m));
	AUTO_FREE char *json = malloc(PM_MAXLABELJSONLEN + 1);
	pmLabel labels[PM_MAXLABELS];
	int r;

	if (m == NULL || json == NULL)
		return -ENOMEM;
	r = add_set(m, set, NULL, NULL);
	if (r == 0)
		r = add_items(m, t->json, t->len, t->labels, t->n, NULL, NULL);
	if (r == 0)
		r = label_merge_write(m, json, PM_MAXLABELJSONLEN + 1, labels);
	if (r < 0)
		return r;
	return set_contents(set, json, (size_t)r, labels, m->n);
}

int __pmParseLabelSet(const char *json, int length, int flags, pmLabelSet **set)
{
	AUTO_FREE struct label_text *t = malloc(sizeof(*t));
	int r;

	if (t == NULL)
		return -ENOMEM;
	r = label_text_read(t, json, (size_t)length, flags);
	if (r <= 0)
		return r;
	if (set_or_new(set) == NULL)
		return -ENOMEM;
	r = set_contents(*set, t->json, t->len, t->labels, t->n);
	return r < 0 ? r : 1;
}

int __pmAddLabels(pmLabelSet **set, const char *json, int flags)
{
	AUTO_FREE struct label_text *t = malloc(sizeof(*t));
	int r;

	if (t == NULL)
		return -ENOMEM;
	r = label_text_read(t, json, strlen(json), flags);
	if (r < 0)
		return r;
	if (set_or_new(set) == NULL)
		return -ENOMEM;
	if ((*set)->nlabels > 0)
		r = merge_into(*set, t);
	else
		r = set_contents(*set, t->json, t->len, t->labels, t->n);
	return r < 0 ? r : (*set)->nlabels;
}

pmLabelSet *__pmDupLabelSets(pmLabelSet *sets, int n)
{
	pmLabelSet *copies = calloc(n > 0 ? (size_t)n : 1, sizeof(*copies));

	for (int i = 0; copies != NULL && i < n; i++) {
		copies[i].inst = sets[i].inst;
		copies[i].nlabels = sets[i].nlabels;
		if (sets[i].nlabels <= 0 || sets[i].json == NULL)
			continue;
		if (set_contents(&copies[i], sets[i].json, sets[i].jsonlen, sets[i].labels,
				 sets[i].nlabels) < 0) {
			pmFreeLabelSets(copies, i);
			return NULL;
		}
	}
	return copies;
}

/* Sets without any label are a set, too (docs/spec/pmapi.md 12). */
static int write_empty(char *buf, size_t size)
{
	static const char empty[] = "{}";

	if (size < sizeof(empty))
		return -E2BIG;
	memcpy(buf, empty, sizeof(empty));
	return (int)sizeof(empty) - 1;
}

int pmMergeLabelSets(pmLabelSet **sets, int n, char *buf, int buflen,
		     int (*filter)(const pmLabel *, const char *, void *), void *arg)
{
	AUTO_FREE struct label_merge *m = calloc(1, sizeof(*m));
	size_t size = buflen > 0 ? (size_t)buflen : 0;
	bool any = false;
	int r = 0;

	if (sets == NULL || n < 1)
		return -EINVAL;
	if (m == NULL)
		return -ENOMEM;
	for (int i = 0; r == 0 && i < n; i++) {
		any = any || sets[i] != NULL;
		if (sets[i] != NULL && sets[i]->nlabels > 0)
			r = add_set(m, sets[i], filter, arg);
	}
	if (r == 0)
		r = label_merge_write(m, buf, size, NULL);
	return r == 0 && any ? write_empty(buf, size) : r;
}

int pmMergeLabels(char **jsons, int n, char *buf, int buflen)
{
	AUTO_FREE struct label_merge *m = calloc(1, sizeof(*m));
	struct label_text *texts;
	int r = 0;

	if (jsons == NULL || n < 1)
		return -EINVAL;
	texts = malloc((size_t)n * sizeof(*texts)); /* the items point into them */
	if (m == NULL || texts == NULL) {
		free(texts);
		return -ENOMEM;
	}
	for (int i = 0; r >= 0 && i < n; i++) {
		if (jsons[i] == NULL)
			continue;
		r = label_text_read(&texts[i], jsons[i], strlen(jsons[i]), 0);
		if (r > 0)
			r = add_items(m, texts[i].json, texts[i].len, texts[i].labels, texts[i].n,
				      NULL, NULL);
	}
	if (r >= 0)
		r = label_merge_write(m, buf, buflen > 0 ? (size_t)buflen : 0, NULL);
	free(texts);
	return r;
}

void pmFreeLabelSets(pmLabelSet *sets, int n)
{
	for (int i = 0; sets != NULL && i < n; i++) {
		free(sets[i].json);
		free(sets[i].labels);
	}
	free(sets);
}

/* ---- Labels of a site and of an agent ------------------------------------------------------- */

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* One file; something that is not a file, or does not parse, is reported and passed over. */
static void add_file(pmLabelSet **set, const char *path, int flags)
{
	struct buffer text = BUFFER_INIT;
	char why[PM_MAXERRMSGLEN];
	int r = file_read_all(path, PM_MAXLABELJSONLEN, &text);

	if (r >= 0)
		r = __pmAddLabels(set, buffer_str(&text), flags);
	if (r < 0 && r != -EISDIR)
		pmNotifyErr(LOG_ERR, "cannot read labels from %s: %s", path,
			    pmErrStr_r(r, why, sizeof(why)));
	buffer_done(&text);
}

/* All files of a folder, by name. */
static int add_folder(pmLabelSet **set, const char *folder, int flags)
{
	struct dirent **entries;
	char path[MAXPATHLEN];
	int n = scandir(folder, &entries, visible, alphasort);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		pmsprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		add_file(set, path, flags);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

int __pmGetContextLabels(pmLabelSet **set)
{
	char *dir = pmGetOptionalConfig("PCP_SYSCONF_DIR");
	char folder[MAXPATHLEN];
	int r;

	if (dir == NULL)
		return -ENOENT;
	pmsprintf(folder, sizeof(folder), "%s/labels", dir);
	r = add_folder(set, folder, PM_LABEL_CONTEXT);
	if (r < 0)
		return r;
	pmsprintf(folder, sizeof(folder), "%s/labels/optional", dir);
	add_folder(set, folder, PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
	return *set != NULL && (*set)->nlabels > 0;
}

int __pmGetDomainLabels(int domain, const char *name, pmLabelSet **set)
{
	size_t len;
	char text[128];
	int r;

	(void)domain;
	if (strncmp(name, "pmda", 4) == 0)
		name += 4;
	len = strlen(name);
	if (len > 4 && strcmp(name + len - 4, " DSO") == 0)
		len -= 4;
	pmsprintf(text, sizeof(text), "{\"agent\":\"%.*s\"}", (int)len, name);
	r = __pmAddLabels(set, text, PM_LABEL_DOMAIN);
	return r < 0 ? r : 1;
}

/* ---- Labels of this host and process -------------------------------------------------------- */

enum { JSON_MAX = 4 * HOSTID_TEXT_MAX };

/* A member with a string, without the characters that JSON would need escapes for. */
static int add_string_label(pmLabelSet **set, const char *name, const char *value)
{
	char json[JSON_MAX];
	size_t len = (size_t)pmsprintf(json, sizeof(json), "{\"%s\":\"", name);

	for (; *value != '\0' && len + sizeof("\"}") < sizeof(json); value++) {
		if (*value != '"' && *value != '\\' && (unsigned char)*value >= ' ')
			json[len++] = *value;
	}
	pmstrncpy(json + len, sizeof(json) - len, "\"}");
	return __pmAddLabels(set, json, PM_LABEL_CONTEXT);
}

static int add_host_labels(pmLabelSet **set)
{
	const char *dir = pmGetOptionalConfig("PCP_SYSCONF_DIR");
	char text[HOSTID_TEXT_MAX];
	bool hashed;
	int r;

	hostid_name(text, sizeof(text));
	r = add_string_label(set, "hostname", text);
	if (r < 0)
		return r;
	hostid_domain(text, sizeof(text));
	r = add_string_label(set, "domainname", text);
	if (r < 0)
		return r;
	hashed = hostid_machine(dir == NULL ? "" : dir, text, sizeof(text));
	return add_string_label(set, hashed ? "machineid_sha256" : "machineid", text);
}

static int add_process_labels(pmLabelSet **set)
{
	char json[64];

	pmsprintf(json, sizeof(json), "{\"groupid\":%u,\"userid\":%u}", getgid(), getuid());
	return __pmAddLabels(set, json, PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
}

int label_host_set(pmLabelSet **ret_set)
{
	pmLabelSet *set = NULL;
	int r;

	/* A site without files has none of these labels. */
	__pmGetContextLabels(&set);
	r = add_host_labels(&set);
	if (r >= 0)
		r = add_process_labels(&set);
	if (r < 0) {
		pmFreeLabelSets(set, 1);
		return r;
	}
	*ret_set = set;
	return 1;
}

/* labels - see labels.h. */
#include "daemons/pmcd/labels.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/log.h"
#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libbase/hostid.h"

/* A JSON string in memory of mem; control characters are left out. NULL: no memory. */
static const char *json_string(struct arena *mem, const char *s)
{
	char *out = arena_alloc(mem, 2 * strlen(s) + 3);
	char *at = out;

	if (out == NULL)
		return NULL;
	*at++ = '"';
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			*at++ = '\\';
		if ((unsigned char)*s >= ' ')
			*at++ = *s;
	}
	*at++ = '"';
	*at = '\0';
	return out;
}

int labels_add(struct labels *l, const char *name, const char *value, unsigned int flags)
{
	unsigned int at = 0;
	int order = 1;

	while (at < l->count && (order = strcmp(name, l->all[at].name)) > 0)
		at++;
	if (at == l->count || order != 0) {
		if (l->count == LABELS_MAX)
			return -E2BIG;
		memmove(&l->all[at + 1], &l->all[at], (l->count - at) * sizeof(l->all[0]));
		l->count++;
	}
	l->all[at] = (struct label){name, value, flags};
	return 0;
}

static int labels_add_string(struct labels *l, struct arena *mem, const char *name,
			     const char *value)
{
	const char *json = json_string(mem, value);

	return json != NULL ? labels_add(l, name, json, PM_LABEL_CONTEXT) : -ENOMEM;
}

/*
 * Files
 */

/* A file whose text is not a set of labels is left out: 0. Or -ENOMEM. */
static int labels_add_file(pmLabelSet **set, const char *path, int flags)
{
	struct buffer b = BUFFER_INIT;
	int r = file_is_regular(path) ? file_read_all(path, PDU_LABEL_JSON_MAX, &b) : -EINVAL;

	if (r == 0)
		r = __pmAddLabels(set, buffer_str(&b), flags);
	if (r < 0)
		log_error("Labels of %s are ignored: %s", path, pmErrStr(r));
	buffer_done(&b);
	return r == -ENOMEM ? r : 0;
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.' && e->d_type != DT_DIR;
}

/* All files of a folder below $PCP_SYSCONF_DIR, in alphabetical order. */
static int labels_add_folder(pmLabelSet **set, const char *folder, int flags)
{
	char dir[PATH_MAX / 2], path[PATH_MAX];
	struct dirent **list;
	int n, r = 0;

	snprintf(dir, sizeof(dir), "%s/%s", pmGetConfig("PCP_SYSCONF_DIR"), folder);
	n = scandir(dir, &list, is_visible, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		if (r == 0)
			r = labels_add_file(set, path, flags);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return r;
}

/* The labels of a set become ours; the set can go. */
static int labels_take_set(struct labels *l, const pmLabelSet *set)
{
	const char *json = arena_strndup(&l->mem, set->json, set->jsonlen);

	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *one = &set->labels[i];
		const char *name = arena_strndup(&l->mem, set->json + one->name, one->namelen);
		const char *value = arena_strndup(&l->mem, set->json + one->value, one->valuelen);

		if (name == NULL || value == NULL)
			return -ENOMEM;
		labels_add(l, name, value, one->flags);
	}
	if (json == NULL)
		return -ENOMEM;
	l->files_json = json;
	return 0;
}

static int add_files(struct labels *l)
{
	pmLabelSet *set = NULL;
	int r = labels_add_folder(&set, "labels", PM_LABEL_CONTEXT);

	if (r == 0)
		r = labels_add_folder(&set, "labels/optional",
				      PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
	if (r == 0 && set != NULL && set->nlabels > 0)
		r = labels_take_set(l, set);
	if (set != NULL)
		pmFreeLabelSets(set, 1);
	return r;
}

/*
 * The system
 */

/* Too many labels of files leave no room for these, which is not a failure. */
static int add_system(struct labels *l)
{
	char text[HOSTID_TEXT_MAX];
	bool hashed;
	int r;

	hostid_name(text, sizeof(text));
	r = labels_add_string(l, &l->mem, "hostname", text);
	hostid_domain(text, sizeof(text));
	if (r != -ENOMEM)
		r = labels_add_string(l, &l->mem, "domainname", text);
	hashed = hostid_machine(pmGetConfig("PCP_SYSCONF_DIR"), text, sizeof(text));
	if (r != -ENOMEM)
		r = labels_add_string(l, &l->mem, hashed ? "machineid_sha256" : "machineid", text);
	return r;
}

static bool labels_equal(const struct labels *a, const struct labels *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned int i = 0; i < a->count; i++) {
		if (a->all[i].flags != b->all[i].flags ||
		    strcmp(a->all[i].name, b->all[i].name) != 0 ||
		    strcmp(a->all[i].value, b->all[i].value) != 0)
			return false;
	}
	return true;
}

int labels_load(struct labels *l)
{
	struct labels fresh = {.files_json = ""};
	bool changed;

	if (add_files(&fresh) < 0 || add_system(&fresh) == -ENOMEM) {
		labels_done(&fresh);
		return -ENOMEM;
	}
	changed = !labels_equal(l, &fresh);
	labels_done(l);
	*l = fresh;
	return changed;
}

void labels_done(struct labels *l)
{
	arena_done(&l->mem);
	*l = (struct labels){.files_json = ""};
}

/*
 * Answers
 */

/* Bytes of {"name":value,...} */
static size_t json_size(const struct labels *l)
{
	size_t n = 2;

	for (unsigned int i = 0; i < l->count; i++)
		n += strlen(l->all[i].name) + strlen(l->all[i].value) + 4;
	return n;
}

int labels_to_wire(const struct labels *l, struct arena *mem, struct wire_labelset *ret_set)
{
	size_t size = json_size(l);
	pmLabel *index = arena_calloc(mem, l->count, sizeof(*index));
	char *json, *at;

	if (size > PDU_LABEL_JSON_MAX)
		return -E2BIG;
	json = arena_alloc(mem, size + 1);
	if (index == NULL || json == NULL)
		return -ENOMEM;
	at = json;
	*at++ = '{';
	for (unsigned int i = 0; i < l->count; i++) {
		const struct label *one = &l->all[i];

		at += sprintf(at, "%s\"", i > 0 ? "," : "");
		index[i].name = (unsigned int)(at - json);
		index[i].namelen = (unsigned int)strlen(one->name);
		index[i].flags = one->flags;
		at += sprintf(at, "%s\":", one->name);
		index[i].value = (unsigned int)(at - json);
		index[i].valuelen = (unsigned int)strlen(one->value);
		at += sprintf(at, "%s", one->value);
	}
	*at++ = '}';
	*ret_set = (struct wire_labelset){.inst = PM_IN_NULL,
					  .nlabels = (int32_t)l->count,
					  .json = {.s = json, .len = (uint32_t)(at - json)},
					  .labels = index};
	return 0;
}

static const char *number_text(struct arena *mem, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	return arena_strndup(mem, text, (size_t)len);
}

static int labels_add_number(struct labels *l, struct arena *mem, const char *name, unsigned int n)
{
	const char *text = number_text(mem, n);

	return text != NULL ? labels_add(l, name, text, PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL)
			    : -ENOMEM;
}

static int add_client(struct labels *l, struct arena *mem, const struct client *c)
{
	int r = 0;

	if (c->container != NULL)
		r = labels_add_string(l, mem, "container", c->container);
	if (r == 0 && c->account.known)
		r = labels_add_number(l, mem, "groupid", c->account.gid);
	if (r == 0 && c->account.known)
		r = labels_add_number(l, mem, "userid", c->account.uid);
	return r;
}

int labels_of_client(const struct labels *l, const struct client *c, struct arena *mem,
		     struct wire_labelset *ret_set)
{
	struct labels *all = arena_alloc(mem, sizeof(*all));
	int r;

	if (all == NULL)
		return -ENOMEM;
	*all = *l;
	r = add_client(all, mem, c);
	return r < 0 ? r : labels_to_wire(all, mem, ret_set);
}

/* The part of an agent's label that is its name. */
static const char *agent_name(struct arena *mem, const char *label)
{
	size_t len;

	if (strncmp(label, "pmda", 4) == 0)
		label += 4;
	len = strlen(label);
	if (len > 4 && strcmp(label + len - 4, " DSO") == 0)
		len -= 4;
	return arena_strndup(mem, label, len);
}

int labels_of_agent(const char *label, struct arena *mem, struct pdu_label *ret_label)
{
	struct labels *l = arena_calloc(mem, 1, sizeof(*l));
	struct wire_labelset *set = arena_calloc(mem, 1, sizeof(*set));
	const char *name = agent_name(mem, label);
	const char *value = name != NULL ? json_string(mem, name) : NULL;
	int r;

	if (l == NULL || set == NULL || value == NULL)
		return -ENOMEM;
	labels_add(l, "agent", value, PM_LABEL_DOMAIN);
	r = labels_to_wire(l, mem, set);
	if (r < 0)
		return r;
	ret_label->numset = 1;
	ret_label->sets = set;
	return 0;
}

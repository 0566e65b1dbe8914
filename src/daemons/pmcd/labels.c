/* labels - see labels.h. */
#include "daemons/pmcd/labels.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/request.h"
#include "daemons/pmcd/server.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

enum {
	LABELS_NAME_MAX = 256, /* of a host, a domain, a machine */
};

/*
 * Texts
 */

static int text_add(struct labels *l, const char *json, unsigned int flags)
{
	struct label_text *more = realloc(l->texts, (l->count + 1) * sizeof(*more));
	char *copy = strdup(json);

	if (more != NULL)
		l->texts = more;
	if (more == NULL || copy == NULL) {
		free(copy);
		return -ENOMEM;
	}
	l->texts[l->count].json = copy;
	l->texts[l->count].flags = PM_LABEL_CONTEXT | flags;
	l->count++;
	return 0;
}

/* Appends a JSON string; what a host name should not contain is left out. */
static void put_string(struct buffer *b, const char *s)
{
	buffer_put_u8(b, '"');
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			buffer_put_u8(b, '\\');
		if ((unsigned char)*s >= ' ')
			buffer_put_u8(b, (uint8_t)*s);
	}
	buffer_put_u8(b, '"');
}

static void put_member(struct buffer *b, const char *name, const char *value)
{
	buffer_printf(b, "%s\"%s\":", buffer_pending(b) > 1 ? "," : "", name);
	put_string(b, value);
}

static int add_file(struct labels *l, const char *path, unsigned int flags)
{
	struct buffer b = BUFFER_INIT;
	pmLabelSet *set = NULL;
	int r = file_read_all(path, LABELS_FILE_MAX, &b);

	if (r == 0)
		r = __pmAddLabels(&set, buffer_str(&b), (int)(PM_LABEL_CONTEXT | flags));
	if (r < 0)
		log_error("Labels of %s are ignored: %s", path, pmErrStr(r));
	else
		r = text_add(l, buffer_str(&b), flags);
	if (set != NULL)
		pmFreeLabelSets(set, 1);
	buffer_done(&b);
	return r;
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.' && e->d_type != DT_DIR;
}

static void add_folder(struct labels *l, const char *dir, unsigned int flags)
{
	struct dirent **list;
	int n = scandir(dir, &list, visible, alphasort);

	for (int i = 0; i < n; i++) {
		char path[4096];

		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name) <
			sizeof(path) &&
		    i < LABELS_FILES_MAX)
			add_file(l, path, flags);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

/* The first line of a small file; fallback when there is none. */
static void read_line(const char *path, const char *fallback, char *buf, size_t size)
{
	struct buffer b = BUFFER_INIT;

	snprintf(buf, size, "%s", fallback);
	if (file_read_all(path, LABELS_NAME_MAX, &b) == 0 && buffer_pending(&b) > 0) {
		snprintf(buf, size, "%s", buffer_str(&b));
		buf[strcspn(buf, "\r\n")] = '\0';
	}
	buffer_done(&b);
}

static void add_system(struct labels *l)
{
	char host[LABELS_NAME_MAX], domain[LABELS_NAME_MAX], machine[LABELS_NAME_MAX];
	struct buffer b = BUFFER_INIT;

	if (gethostname(host, sizeof(host)) < 0)
		strcpy(host, "localhost");
	host[sizeof(host) - 1] = '\0';
	if (getdomainname(domain, sizeof(domain)) < 0 || domain[0] == '\0' ||
	    strcmp(domain, "(none)") == 0)
		strcpy(domain, "localdomain");
	domain[sizeof(domain) - 1] = '\0';
	read_line("/etc/machine-id", "localmachine", machine, sizeof(machine));
	buffer_put_u8(&b, '{');
	put_member(&b, "domainname", domain);
	put_member(&b, "hostname", host);
	put_member(&b, "machineid", machine);
	buffer_put_u8(&b, '}');
	text_add(l, buffer_str(&b), 0);
	buffer_done(&b);
}

static int merge_texts(const struct labels *l, unsigned int count, pmLabelSet **set)
{
	for (unsigned int i = 0; i < count; i++) {
		int r = __pmAddLabels(set, l->texts[i].json, (int)l->texts[i].flags);

		if (r < 0)
			return r;
	}
	return 0;
}

static char *merged_json(const struct labels *l, unsigned int count)
{
	pmLabelSet *set = NULL;
	char *json = NULL;

	if (merge_texts(l, count, &set) == 0 && set != NULL && set->nlabels > 0)
		json = strndup(set->json, set->jsonlen);
	if (set != NULL)
		pmFreeLabelSets(set, 1);
	return json != NULL ? json : strdup("");
}

static bool texts_equal(const struct labels *a, const struct labels *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned int i = 0; i < a->count; i++) {
		if (a->texts[i].flags != b->texts[i].flags ||
		    strcmp(a->texts[i].json, b->texts[i].json) != 0)
			return false;
	}
	return true;
}

bool labels_load(struct labels *l)
{
	struct labels fresh = {0};
	char dir[4096];
	bool changed;

	snprintf(dir, sizeof(dir), "%s/labels", pmGetConfig("PCP_SYSCONF_DIR"));
	add_folder(&fresh, dir, 0);
	snprintf(dir, sizeof(dir), "%s/labels/optional", pmGetConfig("PCP_SYSCONF_DIR"));
	add_folder(&fresh, dir, PM_LABEL_OPTIONAL);
	fresh.files_json = merged_json(&fresh, fresh.count);
	add_system(&fresh);
	changed = !texts_equal(l, &fresh);
	labels_done(l);
	*l = fresh;
	return changed;
}

void labels_done(struct labels *l)
{
	for (unsigned int i = 0; i < l->count; i++)
		free(l->texts[i].json);
	free(l->texts);
	free(l->files_json);
	*l = (struct labels){0};
}

/*
 * Answers
 */

static int add_client(pmLabelSet **set, const struct client *c)
{
	struct buffer b = BUFFER_INIT;
	int r = 0;

	if (c->container != NULL) {
		buffer_put_u8(&b, '{');
		put_member(&b, "container", c->container);
		buffer_put_u8(&b, '}');
		r = __pmAddLabels(set, buffer_str(&b), PM_LABEL_CONTEXT);
	}
	if (r >= 0 && c->account.known) {
		buffer_reset(&b);
		buffer_printf(&b, "{\"groupid\":%u,\"userid\":%u}", (unsigned int)c->account.gid,
			      (unsigned int)c->account.uid);
		r = __pmAddLabels(set, buffer_str(&b), PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
	}
	buffer_done(&b);
	return r < 0 ? r : 0;
}

static struct wire_labelset wire_set(const pmLabelSet *set)
{
	return (struct wire_labelset){
	    .inst = PM_IN_NULL,
	    .nlabels = set->nlabels,
	    .json = {.s = set->json, .len = set->nlabels > 0 ? set->jsonlen : 0},
	    .labels = set->labels,
	};
}

int labels_reply(struct request *req)
{
	const struct pdu_label_req *ask = &req->body.label_req;
	const struct labels *l = &req->server->labels;
	struct wire_labelset one = {.inst = PM_IN_NULL};
	union pdu_body reply = {
	    .label = {.ident = ask->ident, .type = ask->type, .numset = 1, .sets = &one}};
	pmLabelSet *set = NULL;
	int r = merge_texts(l, l->count, &set);

	if (r == 0)
		r = add_client(&set, req->client);
	if (r == 0 && set != NULL)
		one = wire_set(set);
	if (r == 0)
		r = request_reply(req, PDU_LABEL, &reply);
	if (set != NULL)
		pmFreeLabelSets(set, 1);
	return r;
}

/* The part of an agent's label that is its name. */
static struct wire_str agent_name(const char *label)
{
	size_t len;

	if (strncmp(label, "pmda", 4) == 0)
		label += 4;
	len = strlen(label);
	if (len > 4 && strcmp(label + len - 4, " DSO") == 0)
		len -= 4;
	return (struct wire_str){.s = label, .len = (uint32_t)len};
}

int labels_of_agent(const char *label, struct arena *mem, struct pdu_label *ret_label)
{
	static const char start[] = "{\"agent\":\"";
	struct wire_str name = agent_name(label);
	struct wire_labelset *set = arena_calloc(mem, 1, sizeof(*set));
	pmLabel *index = arena_calloc(mem, 1, sizeof(*index));
	char *json = arena_alloc(mem, sizeof(start) + name.len + 2);

	if (set == NULL || index == NULL || json == NULL)
		return -ENOMEM;
	set->inst = PM_IN_NULL;
	set->json.s = json;
	set->json.len = (uint32_t)sprintf(json, "%s%.*s\"}", start, (int)name.len, name.s);
	set->nlabels = 1;
	set->labels = index;
	index->name = 2; /* behind the brace and the quote */
	index->namelen = strlen("agent");
	index->flags = PM_LABEL_DOMAIN;
	index->value = sizeof(start) - 2; /* at the quote */
	index->valuelen = (uint16_t)(name.len + 2);
	ret_label->numset = 1;
	ret_label->sets = set;
	return 0;
}

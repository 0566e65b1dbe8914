/*
 * host_meta - names, descriptors, instances, text and labels from a collector.
 *
 * A collector takes no request above its ceiling, so long lists of names are looked up in several.
 */
#include "libpcp/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp/name_list.h"

/* ---- Names ---------------------------------------------------------------------------------- */

enum {
	NAMES_HEAD = 24, /* bytes of a PMNS_NAMES before its first entry */
	NAME_HEAD = 4,
	AHEAD = 64,      /* questions that are sent before the first answer is read */
	DESCS_HEAD = 20, /* bytes of a DESC_IDS before its first PMID */
	DESCS_BATCH = (PDU_NAMES_REQUEST_MAX - DESCS_HEAD) / 4, /* PMIDs of one request */
};

static struct wire_str wire_str_of(const char *s)
{
	return (struct wire_str){.s = s, .len = (uint32_t)strlen(s)};
}

/* How many of n names fit one request; at least one. */
static size_t batch_len(const struct wire_str *names, size_t n)
{
	size_t size = NAMES_HEAD;
	size_t i = 0;

	while (i < n) {
		size += NAME_HEAD + ((size_t)names[i].len + 3) / 4 * 4;
		if (size > PDU_NAMES_REQUEST_MAX && i > 0)
			break;
		i++;
	}
	return i;
}

/* One request. How many were found; alone decides whether a failure is that of the single name. */
static int lookup_batch(struct context *ctx, size_t n, const struct wire_str *names, bool alone,
			pmID *pmids)
{
	const union pdu_body request = {.pmns_names = {.numname = (uint32_t)n, .names = names}};
	union pdu_body body;
	int found = 0;
	int r;

	r = host_call(ctx, PDU_PMNS_NAMES, &request, PDU_PMNS_IDS, &body);
	if (r < 0) {
		/* The last batch may happen to be of one name, which is not an error in a list. */
		bool unknown = r == PM_ERR_NAME || r == PM_ERR_NONLEAF || r == PM_ERR_NOAGENT;

		return !alone && n == 1 && unknown ? 0 : r;
	}
	if (body.pmns_ids.numpmid != n)
		return PM_ERR_IPC;
	for (size_t i = 0; i < n; i++) {
		pmids[i] = body.pmns_ids.pmids[i];
		found += pmids[i] != PM_ID_NULL;
	}
	return found;
}

/*
 * No metric has the empty name, and collectors refuse it, so it is not sent.
 * strs are the others; scatter puts their ids where their names are.
 */
static size_t skip_empty(size_t n, const char *const *names, struct wire_str *strs)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (*names[i] != '\0')
			strs[kept++] = wire_str_of(names[i]);
	}
	return kept;
}

static void scatter(size_t n, const char *const *names, size_t kept, pmID *pmids)
{
	while (n-- > 0)
		pmids[n] = *names[n] == '\0' ? PM_ID_NULL : pmids[--kept];
}

int host_lookup_names(struct context *ctx, size_t n, const char *const *names, pmID *pmids)
{
	AUTO_FREE struct wire_str *strs = malloc(n * sizeof(strs[0]));
	size_t kept;
	int found = 0;

	if (strs == NULL)
		return -ENOMEM;
	kept = skip_empty(n, names, strs);
	for (size_t i = 0; i < n; i++)
		pmids[i] = PM_ID_NULL;
	for (size_t i = 0; i < kept;) {
		size_t batch = batch_len(strs + i, kept - i);
		int r = lookup_batch(ctx, batch, strs + i, n == 1, pmids + i);

		if (r < 0)
			return r;
		found += r;
		i += batch;
	}
	scatter(n, names, kept, pmids);
	return found;
}

/* A reply that is a list of names: how many, and a copy. */
static int ask_for_names(struct context *ctx, enum pdu_type type, const union pdu_body *request,
			 char ***ret_names, int **ret_status)
{
	union pdu_body body;
	const struct pdu_pmns_names *list = &body.pmns_names;
	AUTO_FREE int *status = NULL;
	int r;

	r = host_call(ctx, type, request, PDU_PMNS_NAMES, &body);
	if (r < 0)
		return r;
	if (ret_status != NULL && list->numname > 0) {
		if (list->status == NULL)
			return PM_ERR_IPC;
		status = malloc(list->numname * sizeof(status[0]));
		if (status == NULL)
			return -ENOMEM;
		for (uint32_t i = 0; i < list->numname; i++)
			status[i] = list->status[i];
	}
	r = str_block_new(list->names, list->numname, ret_names);
	if (r < 0)
		return r;
	if (ret_status != NULL)
		*ret_status = TAKE(status);
	return (int)list->numname;
}

int host_name_all(struct context *ctx, pmID pmid, char ***ret_names)
{
	const union pdu_body request = {.pmns_ids = {.numpmid = 1, .pmids = &pmid}};

	return ask_for_names(ctx, PDU_PMNS_IDS, &request, ret_names, NULL);
}

/* Sends the questions for n ids in one go. */
static int ask_names_all(struct conn *c, size_t n, const pmID *pmids)
{
	for (size_t i = 0; i < n; i++) {
		const union pdu_body request = {.pmns_ids = {.numpmid = 1, .pmids = &pmids[i]}};
		int r = conn_put(c, PDU_PMNS_IDS, &request);

		if (r < 0)
			return r;
	}
	return conn_flush(c);
}

static int take_names_all(struct conn *c, char ***ret_names)
{
	union pdu_body body;
	const struct pdu_pmns_names *list = &body.pmns_names;
	int r = conn_reply(c, PDU_PMNS_NAMES, NULL, &body);

	if (r == 0)
		r = str_block_new(list->names, list->numname, ret_names);
	return r < 0 ? r : (int)list->numname;
}

/* There is no request for many ids: all requests are sent before the first reply is read. */
void host_names_all(struct context *ctx, size_t n, const pmID *pmids, char ***ret_names,
		    int *ret_counts)
{
	struct conn *c = &host_of(ctx)->conn;

	for (size_t i = 0; i < n;) {
		size_t end = n - i > AHEAD ? i + AHEAD : n;
		int r = ask_names_all(c, end - i, pmids + i);

		for (; i < end; i++)
			ret_counts[i] = r < 0 ? r : take_names_all(c, &ret_names[i]);
	}
}

int host_children(struct context *ctx, const char *name, char ***ret_names, int **ret_status)
{
	const union pdu_body request = {
	    .pmns_child = {.subtype = ret_status != NULL, .name = wire_str_of(name)},
	};

	return ask_for_names(ctx, PDU_PMNS_CHILD, &request, ret_names, ret_status);
}

int host_traverse(struct context *ctx, const char *name, char ***ret_names)
{
	const union pdu_body request = {.pmns_child = {.name = wire_str_of(name)}};

	return ask_for_names(ctx, PDU_PMNS_TRAVERSE, &request, ret_names, NULL);
}

/* ---- Descriptors, instances, text and labels ------------------------------------------------ */

int host_desc(struct context *ctx, pmID pmid, pmDesc *ret_desc)
{
	const union pdu_body request = {.desc_req = {.pmid = pmid}};
	union pdu_body body;
	int r;

	r = host_call(ctx, PDU_DESC_REQ, &request, PDU_DESC, &body);
	if (r < 0)
		return r;
	*ret_desc = body.desc.desc;
	return 0;
}

/* One at a time, for a collector that knows no bulk request. */
static int descs_one_by_one(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs)
{
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		int r = host_desc(ctx, pmids[i], &ret_descs[i]);

		if (r == 0) {
			found++;
			continue;
		}
		if (n == 1 || host_of(ctx)->conn.fd < 0)
			return r;
		ret_descs[i] = (pmDesc){.pmid = PM_ID_NULL};
	}
	return found;
}

/* One request. */
static int descs_batch(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs)
{
	const union pdu_body request = {.desc_ids = {.numpmid = (uint32_t)n, .pmids = pmids}};
	union pdu_body body;
	int found = 0;
	int r;

	r = host_call(ctx, PDU_DESC_IDS, &request, PDU_DESCS, &body);
	if (r < 0)
		return r;
	if (body.descs.numdesc != n)
		return PM_ERR_IPC;
	for (size_t i = 0; i < n; i++) {
		ret_descs[i] = body.descs.descs[i];
		found += ret_descs[i].pmid != PM_ID_NULL;
	}
	return found;
}

/* A collector takes no request above its ceiling, so long lists are looked up in several. */
int host_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs)
{
	int found = 0;

	if ((host_of(ctx)->conn.features & PDU_FEATURE_DESCS) == 0)
		return descs_one_by_one(ctx, n, pmids, ret_descs);
	for (size_t i = 0, batch; i < n; i += batch) {
		int r;

		batch = n - i < DESCS_BATCH ? n - i : DESCS_BATCH;
		r = descs_batch(ctx, batch, pmids + i, ret_descs + i);
		if (r < 0 && (batch == n || batch > 1 || !conn_is_open(&host_of(ctx)->conn)))
			return r;
		if (r < 0) /* the last batch may happen to be of one metric, which is not an error
			      in a list */
			ret_descs[i] = (pmDesc){.pmid = PM_ID_NULL};
		else
			found += r;
	}
	return found;
}

static int host_copy_insts(const struct pdu_instance *list, struct context_insts *ret_insts)
{
	uint32_t n = list->numinst;
	AUTO_FREE struct wire_str *names = NULL;
	AUTO_FREE int *ids = NULL;
	char **block;
	int r;

	if (n == 0) {
		*ret_insts = (struct context_insts){0};
		return 0;
	}
	names = malloc(n * sizeof(names[0]));
	ids = malloc(n * sizeof(ids[0]));
	if (names == NULL || ids == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		names[i] = list->insts[i].name;
		ids[i] = list->insts[i].inst;
	}
	r = str_block_new(names, n, &block);
	if (r < 0)
		return r;
	*ret_insts = (struct context_insts){.n = (int)n, .ids = TAKE(ids), .names = block};
	return (int)n;
}

int host_instances(struct context *ctx, pmInDom indom, int inst, const char *name,
		   struct context_insts *ret_insts)
{
	union pdu_body request = {.instance_req = {.indom = indom, .inst = inst}};
	union pdu_body body;
	int r;

	if (name != NULL) {
		request.instance_req.name.s = name;
		request.instance_req.name.len = (uint32_t)strlen(name);
	}
	r = host_call(ctx, PDU_INSTANCE_REQ, &request, PDU_INSTANCE, &body);
	if (r < 0)
		return r;
	/* A question about one instance has one answer. */
	if ((inst != (int)PM_IN_NULL || name != NULL) && body.instance.numinst != 1)
		return PM_ERR_IPC;
	return host_copy_insts(&body.instance, ret_insts);
}

int host_text(struct context *ctx, unsigned int ident, int type, char **ret_text)
{
	const union pdu_body request = {.text_req = {.ident = ident, .type = type}};
	union pdu_body body;
	char *text;
	int r;

	r = host_call(ctx, PDU_TEXT_REQ, &request, PDU_TEXT, &body);
	if (r < 0)
		return r;
	text = malloc((size_t)body.text.text.len + 1);
	if (text == NULL)
		return -ENOMEM;
	memcpy(text, body.text.text.s, body.text.text.len);
	text[body.text.text.len] = '\0';
	*ret_text = text;
	return 0;
}

/* json and labels are blocks of their own, as pmFreeLabelSets expects. */
static int copy_labelset(const struct wire_labelset *from, pmLabelSet *to)
{
	*to = (pmLabelSet){.inst = (unsigned int)from->inst, .nlabels = from->nlabels};
	if (from->nlabels <= 0)
		return 0;
	to->json = malloc((size_t)from->json.len + 1);
	to->labels = malloc((size_t)from->nlabels * sizeof(to->labels[0]));
	if (to->json == NULL || to->labels == NULL)
		return -ENOMEM;
	memcpy(to->json, from->json.s, from->json.len);
	to->json[from->json.len] = '\0';
	to->jsonlen = from->json.len;
	memcpy(to->labels, from->labels, (size_t)from->nlabels * sizeof(to->labels[0]));
	return 0;
}

static int copy_labelsets(const struct pdu_label *list, pmLabelSet **ret_sets)
{
	pmLabelSet *sets;

	if (list->numset == 0) {
		*ret_sets = NULL;
		return 0;
	}
	sets = calloc(list->numset, sizeof(sets[0]));
	if (sets == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->numset; i++) {
		if (copy_labelset(&list->sets[i], &sets[i]) < 0) {
			pmFreeLabelSets(sets, (int)list->numset);
			return -ENOMEM;
		}
	}
	*ret_sets = sets;
	return (int)list->numset;
}

int host_labels(struct context *ctx, unsigned int ident, int type, pmLabelSet **ret_sets)
{
	const union pdu_body request = {.label_req = {.ident = ident, .type = type}};
	struct conn *c = &host_of(ctx)->conn;
	union pdu_body body;
	int r = 0;

	if (c->fd >= 0 && (c->features & PDU_FEATURE_LABELS) == 0)
		return PM_ERR_NOLABELS;
	if (type == PM_LABEL_INSTANCES)
		r = host_put_profile(ctx);
	if (r == 0)
		r = host_call(ctx, PDU_LABEL_REQ, &request, PDU_LABEL, &body);
	if (r < 0)
		return r;
	if (type == PM_LABEL_INSTANCES)
		ctx->profile_sent = true;
	if (body.label.ident != ident || body.label.type != type)
		return PM_ERR_IPC;
	return copy_labelsets(&body.label, ret_sets);
}

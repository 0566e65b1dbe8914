/* host_meta - descriptors, instances, text and labels from a collector. */
#include "libpcp/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libbase/cleanup.h"
#include "libpcp/name_list.h"

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

int host_descs(struct context *ctx, size_t n, const pmID *pmids, pmDesc *ret_descs)
{
	const union pdu_body request = {.desc_ids = {.numpmid = (uint32_t)n, .pmids = pmids}};
	union pdu_body body;
	int found = 0;
	int r;

	if ((host_of(ctx)->conn.features & PDU_FEATURE_DESCS) == 0)
		return descs_one_by_one(ctx, n, pmids, ret_descs);
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

static int copy_insts(const struct pdu_instance *list, struct context_insts *ret_insts)
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
	return copy_insts(&body.instance, ret_insts);
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

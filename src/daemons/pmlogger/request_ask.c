/*
 * request_ask - what only the collector knows of a request: descriptors and names of metrics that
 * were never logged, and the instances of "all".
 */
#include <errno.h>

#include "daemons/pmlogger/request.h"
#include "libbase/cleanup.h"

/* Questions that are asked at a stretch: some milliseconds of the collector's time. */
enum { SLICE_DESCS = 4096, SLICE_NAMES = 512, SLICE_INDOMS = 16 };

int request_ask_desc(struct request *q, pmID pmid, size_t *ret_item)
{
	uint64_t hash = hash_u64(pmid);
	uintptr_t at = (uintptr_t)hash_find(&q->asked, hash, NULL, NULL);
	struct link_meta_item *item;

	if (at == 0) {
		item = link_meta_add(&q->descs, LINK_META_DESC, 0, pmid);
		at = q->descs.n;
		if (item == NULL || hash_add(&q->asked, hash, (void *)at) < 0)
			return -ENOMEM;
		item->desc = (pmDesc){.pmid = PM_ID_NULL, .type = PM_TYPE_NOSUPPORT,
				      .indom = PM_INDOM_NULL};
	}
	*ret_item = at - 1;
	return 0;
}

bool request_is_known(const struct request *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		const struct request_set *s = &q->sets[i];

		if (s->desc_item != SIZE_MAX ||
		    ((s->numval <= 0 || s->unnamed) && s->desc.indom != PM_INDOM_NULL))
			return false;
	}
	return true;
}

static void take_descs(struct request *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		struct request_set *s = &q->sets[i];
		const struct link_meta_item *item;

		if (s->desc_item == SIZE_MAX)
			continue;
		item = &q->descs.items[s->desc_item];
		s->desc = item->desc;
		s->err = item->err;
	}
}

/* One question for each domain of which all instances, or names, are wanted. */
static int ask_indoms(struct request *q)
{
	struct hash asked = HASH_INIT;
	int r = 0;

	for (uint32_t i = 0; i < q->n && r == 0; i++) {
		struct request_set *s = &q->sets[i];
		uint64_t hash = hash_u64(s->desc.indom);
		uintptr_t at;

		if ((s->numval > 0 && !s->unnamed) || s->err < 0 || s->desc.indom == PM_INDOM_NULL)
			continue;
		at = (uintptr_t)hash_find(&asked, hash, NULL, NULL);
		if (at == 0 && link_meta_add(&q->indoms, LINK_META_INDOM, 0, s->desc.indom) == NULL)
			r = -ENOMEM;
		if (at == 0 && r == 0) {
			at = q->indoms.n;
			r = hash_add(&asked, hash, (void *)at);
		}
		s->indom_item = at - 1;
	}
	hash_done(&asked);
	return r;
}

/* The parts that the collector did not answer, because it has ended. */
static void fail_rest(struct link_meta *meta, int err)
{
	for (size_t i = 0; i < meta->n; i++) {
		struct link_meta_item *item = &meta->items[i];
		bool has = item->kind == LINK_META_DESC ? item->desc.pmid == item->ident
							: item->insts != NULL;

		if (!has && item->err == 0)
			item->err = err;
	}
}

int request_ask(struct link_job *job, struct pmcd_link *link)
{
	struct request *q = CONTAINER_OF(job, struct request, job);
	int r = 0;

	if (!q->descs_known) {
		if (q->descs.next < q->descs.n)
			r = link_meta_some(&q->descs, link,
					   request_creates(q) ? SLICE_NAMES : SLICE_DESCS,
					   request_creates(q));
		if (r > 0)
			return 1;
		if (r < 0)
			fail_rest(&q->descs, r);
		q->descs_known = true;
		take_descs(q);
		return ask_indoms(q) < 0 ? -ENOMEM : 1;
	}
	if (q->indoms.next < q->indoms.n)
		r = link_meta_some(&q->indoms, link, SLICE_INDOMS, false);
	if (r < 0)
		fail_rest(&q->indoms, r);
	return r > 0;
}

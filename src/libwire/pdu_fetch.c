/* pdu_fetch - PROFILE, FETCH and HIGHRES_FETCH: which values are wanted. */
#include "libwire/pdu_in.h"
#include "libwire/pdu_kind.h"
#include "libwire/pdu_out.h"

enum {
	PROFILE_ENTRY_LEN = 16,
	INST_LEN = 4,
};

/* The entries, without their lists; the number of instances in all lists. */
static size_t get_profile_entries(struct pdu_in *in, pmInDomProfile *entries, uint32_t n)
{
	size_t total = 0;

	for (uint32_t i = 0; i < n; i++) {
		pmInDomProfile *entry = &entries[i];

		entry->indom = get_u32(&in->r);
		entry->state = get_i32(&in->r);
		entry->instances_len = (int)pdu_in_count(in, 0, INST_LEN);
		entry->instances = NULL;
		get_u32(&in->r);
		total += (size_t)entry->instances_len;
	}
	if (total > reader_left(&in->r) / INST_LEN)
		reader_fail(&in->r);
	return total;
}

void pdu_get_profile(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_profile *out = &body->profile;
	pmInDomProfile *entries;
	size_t total;
	uint32_t n;
	int *insts;

	out->slot = get_i32(&in->r);
	if (out->slot < 0)
		reader_fail(&in->r);
	out->profile.state = get_i32(&in->r);
	n = get_u32(&in->r);
	get_u32(&in->r);
	if (n > reader_left(&in->r) / PROFILE_ENTRY_LEN)
		reader_fail(&in->r);
	entries = pdu_in_alloc(in, n, sizeof(*entries));
	if (entries == NULL)
		return;
	total = get_profile_entries(in, entries, n);
	insts = (int *)pdu_in_words(in, (uint32_t)total);
	if (insts == NULL)
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (entries[i].instances_len > 0)
			entries[i].instances = insts;
		insts += entries[i].instances_len;
	}
	out->profile.profile_len = (int)n;
	out->profile.profile = entries;
}

void pdu_put_profile(struct pdu_out *out, const union pdu_body *body)
{
	const pmProfile *profile = &body->profile.profile;

	if (body->profile.slot < 0 || profile->profile_len < 0) {
		pdu_out_fail(out, -EINVAL);
		return;
	}
	put_i32(out, body->profile.slot);
	put_i32(out, profile->state);
	put_i32(out, profile->profile_len);
	put_u32(out, 0);
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *entry = &profile->profile[i];

		if (entry->instances_len < 0)
			pdu_out_fail(out, -EINVAL);
		put_u32(out, entry->indom);
		put_i32(out, entry->state);
		put_i32(out, entry->instances_len);
		put_u32(out, 0);
	}
	for (int i = 0; i < profile->profile_len && out->err == 0; i++) {
		const pmInDomProfile *entry = &profile->profile[i];

		put_words(out, (const uint32_t *)entry->instances, (size_t)entry->instances_len);
	}
}

void pdu_get_fetch(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_fetch *fetch = &body->fetch;

	fetch->slot = get_i32(&in->r);
	get_u64(&in->r); /* old clients send a time here */
	fetch->numpmid = pdu_in_count(in, 1, sizeof(pmID));
	fetch->pmids = pdu_in_words(in, fetch->numpmid);
}

void pdu_put_fetch(struct pdu_out *out, const union pdu_body *body)
{
	const struct pdu_fetch *fetch = &body->fetch;

	if (fetch->numpmid == 0)
		pdu_out_fail(out, -EINVAL);
	put_i32(out, fetch->slot);
	put_u64(out, 0);
	put_u32(out, fetch->numpmid);
	put_words(out, fetch->pmids, fetch->numpmid);
}

/* result - see result.h: result_encode. The way to the host is result_host.c's. */
#include "libwire/result.h"

#include "libvalue/vset.h"
#include "libwire/pdu_out.h"
#include "libwire/pdu_vset.h"

enum {
	RESULT_HEAD = 24,
	RESULT_HEAD_HIGHRES = 32,
};

static bool source_len(const struct result_source *source, struct vset_len *total)
{
	switch (source->kind) {
	case RESULT_WIRE:
		return vset_wire_len(source->wire, total);
	case RESULT_HOST:
		return vset_host_len(source->host, total);
	case RESULT_ERROR:
		if (source->error > 0)
			return false;
		total->sets += VSET_HEAD;
		return true;
	}
	return false;
}

/* Lengths of all sources; returns how many can't be carried: they become sets without values. */
static size_t measure(const struct result_source *sources, size_t n, struct vset_len *total)
{
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		if (!source_len(&sources[i], total)) {
			total->sets += VSET_HEAD;
			bad++;
		}
	}
	return bad;
}

static void source_put(struct vset_cursor *c, const struct result_source *source)
{
	if (source->kind == RESULT_WIRE)
		vset_wire_put(c, source->pmid, source->wire);
	else if (source->kind == RESULT_HOST)
		vset_host_put(c, source->pmid, source->host);
	else
		vset_put_error(c, source->pmid, source->error);
}

/* Which sources were found bad is asked again, and only when there are any. */
static void put_sources(struct vset_cursor *c, const struct result_source *sources, size_t n,
			size_t bad)
{
	for (size_t i = 0; i < n && bad == 0; i++)
		source_put(c, &sources[i]);
	for (size_t i = 0; i < n && bad > 0; i++) {
		struct vset_len ignored = {0, 0};

		if (source_len(&sources[i], &ignored))
			source_put(c, &sources[i]);
		else
			vset_put_error(c, sources[i].pmid, PM_ERR_CONV);
	}
}

static void put_head(struct pdu_out *out, enum pdu_type type, int64_t sec, int64_t frac, size_t n)
{
	if (type == PDU_HIGHRES_RESULT) {
		put_u32(out, (uint32_t)n);
		put_i64(out, sec);
		put_i64(out, frac);
		return;
	}
	put_low32(out, sec);
	put_low32(out, frac);
	put_u32(out, (uint32_t)n);
}

int result_encode(struct buffer *out, enum pdu_type type, int32_t from, int64_t sec, int64_t frac,
		  const struct result_source *sources, size_t n)
{
	size_t head = type == PDU_RESULT ? RESULT_HEAD : RESULT_HEAD_HIGHRES;
	struct vset_len total = {0, 0};
	struct vset_cursor cursor;
	struct pdu_out pdu;
	size_t bad;

	if (type != PDU_RESULT && type != PDU_HIGHRES_RESULT)
		return -EINVAL;
	bad = measure(sources, n, &total);
	if (head + total.sets + total.blocks > PDU_PEER_MAX)
		return PM_ERR_TOOBIG;
	pdu_out_begin(&pdu, out, type, from);
	put_head(&pdu, type, sec, frac, n);
	if (vset_cursor_init(&cursor, &pdu, &total))
		put_sources(&cursor, sources, n, bad);
	return pdu_out_end(&pdu);
}

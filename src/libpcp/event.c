#include "libpcp/event.h"

#include <string.h>

/* The sizes before the first record, and in a record before its first parameter. */
#define ARRAY_HEAD          8
#define RECORD_HEAD         (offsetof(pmEventRecord, er_param))
#define HIGHRES_RECORD_HEAD (offsetof(pmHighResEventRecord, er_param))

int event_walk_begin(struct event_walk *w, const pmValueBlock *block, bool highres)
{
	const uint8_t *bytes = (const uint8_t *)block;
	int nrecords;

	if (block->vlen < ARRAY_HEAD)
		return PM_ERR_TOOSMALL;
	memcpy(&nrecords, bytes + PM_VAL_HDR_SIZE, sizeof(nrecords));
	if (nrecords < 0)
		return PM_ERR_TOOSMALL;
	*w = (struct event_walk){
	    .pos = bytes + ARRAY_HEAD,
	    .end = bytes + block->vlen,
	    .left = nrecords,
	    .highres = highres,
	};
	return nrecords;
}

static void read_head(struct event_walk *w, struct event_record *r)
{
	pmEventRecord low;
	pmHighResEventRecord high;

	if (w->highres) {
		memcpy(&high, w->pos, HIGHRES_RECORD_HEAD);
		r->stamp.tv_sec = (time_t)high.er_timestamp.tv_sec;
		r->stamp.tv_nsec = (long)high.er_timestamp.tv_nsec;
		r->flags = high.er_flags;
		r->nparams = high.er_nparams;
		w->pos += HIGHRES_RECORD_HEAD;
	} else {
		memcpy(&low, w->pos, RECORD_HEAD);
		r->stamp.tv_sec = low.er_timestamp.tv_sec;
		r->stamp.tv_nsec = (long)low.er_timestamp.tv_usec * 1000;
		r->flags = low.er_flags;
		r->nparams = low.er_nparams;
		w->pos += RECORD_HEAD;
	}
	r->params = w->pos;
}

/* Bytes of a parameter: identifier, and value with its length word, padded. */
static size_t param_size(pmEventParameter param)
{
	return sizeof(param.ep_pmid) + ((param.ep_len + 3u) & ~3u);
}

static int skip_param(struct event_walk *w)
{
	pmEventParameter param;

	if ((size_t)(w->end - w->pos) < sizeof(param))
		return PM_ERR_TOOBIG;
	memcpy(&param, w->pos, sizeof(param));
	if (param.ep_len < PM_VAL_HDR_SIZE)
		return PM_ERR_TOOSMALL;
	if ((size_t)(w->end - w->pos) < param_size(param))
		return PM_ERR_TOOBIG;
	if (param.ep_type == PM_TYPE_EVENT || param.ep_type == PM_TYPE_HIGHRES_EVENT)
		return PM_ERR_TYPE;
	w->pos += param_size(param);
	return 0;
}

int event_walk_next(struct event_walk *w, struct event_record *ret_record)
{
	size_t head = w->highres ? HIGHRES_RECORD_HEAD : RECORD_HEAD;
	int r;

	if (w->left == 0)
		return 0;
	if ((size_t)(w->end - w->pos) < head)
		return PM_ERR_TOOBIG;
	read_head(w, ret_record);
	w->left--;
	if (ret_record->flags & PM_EVENT_FLAG_MISSED)
		return ret_record->flags == PM_EVENT_FLAG_MISSED ? 1 : PM_ERR_CONV;
	for (int i = 0; i < ret_record->nparams; i++) {
		r = skip_param(w);
		if (r < 0)
			return r;
	}
	return 1;
}

pmEventParameter event_param(const uint8_t **pos, const uint8_t **ret_value)
{
	pmEventParameter param;

	memcpy(&param, *pos, sizeof(param));
	*ret_value = *pos + sizeof(param);
	*pos += param_size(param);
	return param;
}

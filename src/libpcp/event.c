/*
 * event - see event.h.
 *
 * Unpacking makes a result of each record. Its value sets are the record's flags, the count of
 * missing records, and its parameters. Everything is a separate allocation, as in other results
 * that a caller makes and pmFreeResult frees.
 */
#include "libpcp/event.h"

#include <stddef.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/value_pool.h"

/* ---- Walking an event array ----------------------------------------------------------------- */

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

/* ---- An event array as a list of results ---------------------------------------------------- */

/* Metrics that represent the head of a record. */
#define EVENT_FLAGS  pmID_build(DYNAMIC_PMID, 0, 1)
#define EVENT_MISSED pmID_build(DYNAMIC_PMID, 0, 2)

_Static_assert(sizeof(pmResult) == sizeof(pmHighResResult) &&
		   offsetof(pmResult, vset) == offsetof(pmHighResResult, vset),
	       "one code for both forms of a result");

/* One value set with one value, in place. */
static pmValueSet *event_set_new(pmID pmid, int lval)
{
	pmValueSet *vset = malloc(sizeof(*vset));

	if (vset == NULL)
		return NULL;
	*vset = (pmValueSet){.pmid = pmid, .numval = 1, .valfmt = PM_VAL_INSITU};
	vset->vlist[0].inst = (int)PM_IN_NULL;
	vset->vlist[0].value.lval = lval;
	return vset;
}

/* The value as it is in the record; a NUL follows it, as texts of other values have one. */
static pmValueSet *set_from_param(pmEventParameter param, const uint8_t *bytes)
{
	size_t len = param.ep_len - PM_VAL_HDR_SIZE;
	pmValueSet *vset;
	pmValueBlock *block;
	int lval = 0;

	if (param.ep_type == PM_TYPE_32 || param.ep_type == PM_TYPE_U32) {
		memcpy(&lval, bytes, len < sizeof(lval) ? len : sizeof(lval));
		return event_set_new(param.ep_pmid, lval);
	}
	vset = event_set_new(param.ep_pmid, 0);
	block = malloc(len < 4 ? 8 : PM_VAL_HDR_SIZE + len + 1);
	if (vset == NULL || block == NULL) {
		free(vset);
		free(block);
		return NULL;
	}
	block->vlen = param.ep_len;
	block->vtype = param.ep_type;
	memcpy(block->vbuf, bytes, len);
	block->vbuf[len] = '\0';
	vset->valfmt = PM_VAL_DPTR;
	vset->vlist[0].value.pval = block;
	return vset;
}

static void event_result_free(pmHighResResult *result)
{
	if (result == NULL)
		return;
	value_pool_release(result->vset, result->numpmid);
	free(result);
}

static pmHighResResult *event_result_new(int nsets)
{
	size_t size = offsetof(pmHighResResult, vset) + (size_t)nsets * sizeof(pmValueSet *);
	pmHighResResult *result;

	result = calloc(1, size > sizeof(*result) ? size : sizeof(*result));
	if (result != NULL)
		result->numpmid = nsets;
	return result;
}

/* The sets that a record has: -ENOMEM if one cannot be had. */
static int fill_sets(pmHighResResult *result, const struct event_record *record, int nparams)
{
	const uint8_t *pos = record->params, *bytes;
	int n = 0;

	if (record->flags != 0)
		result->vset[n++] = event_set_new(EVENT_FLAGS, (int)record->flags);
	if (record->flags & PM_EVENT_FLAG_MISSED)
		result->vset[n++] = event_set_new(EVENT_MISSED, record->nparams);
	for (int i = 0; i < nparams; i++) {
		pmEventParameter param = event_param(&pos, &bytes);

		result->vset[n++] = set_from_param(param, bytes);
	}
	for (int i = 0; i < n; i++)
		if (result->vset[i] == NULL)
			return -ENOMEM;
	return 0;
}

static int unpack_record(const struct event_record *record, pmHighResResult **ret_result)
{
	bool missed = record->flags & PM_EVENT_FLAG_MISSED;
	int nparams = missed || record->nparams < 0 ? 0 : record->nparams;
	pmHighResResult *result;

	result = event_result_new(nparams + (record->flags != 0) + missed);
	if (result == NULL)
		return -ENOMEM;
	result->timestamp = record->stamp;
	if (fill_sets(result, record, nparams) < 0) {
		event_result_free(result);
		return -ENOMEM;
	}
	*ret_result = result;
	return 0;
}

static void list_free(pmHighResResult **list)
{
	if (list == NULL)
		return;
	for (int i = 0; list[i] != NULL; i++)
		event_result_free(list[i]);
	free(list);
}

static int unpack_records(struct event_walk *w, int n, pmHighResResult **list)
{
	struct event_record record;
	int r = 0;

	for (int i = 0; i < n && r >= 0; i++) {
		r = event_walk_next(w, &record);
		if (r > 0)
			r = unpack_record(&record, &list[i]);
	}
	return r < 0 ? r : n;
}

/* A caller that only counts records does not need the types of their parameters. */
static int check_types(const struct event_record *record)
{
	const uint8_t *pos = record->params, *bytes;
	int n = record->flags & PM_EVENT_FLAG_MISSED ? 0 : record->nparams;

	for (int i = 0; i < n; i++)
		if (event_param(&pos, &bytes).ep_type > PM_TYPE_AGGREGATE_STATIC)
			return PM_ERR_TYPE;
	return 1;
}

/* Everything is checked before anything is allocated for the records. */
static int check_records(struct event_walk w)
{
	struct event_record record;
	int r;

	do {
		r = event_walk_next(&w, &record);
		if (r > 0)
			r = check_types(&record);
	} while (r > 0);
	return r;
}

static int find_block(const pmValueSet *vset, int idx, int type, const pmValueBlock **ret_block)
{
	if (vset->numval < 1)
		return vset->numval;
	if (vset->valfmt != PM_VAL_DPTR && vset->valfmt != PM_VAL_SPTR)
		return PM_ERR_CONV;
	if (idx < 0 || idx >= vset->numval)
		return -EINVAL;
	*ret_block = vset->vlist[idx].value.pval;
	return (int)(*ret_block)->vtype == type ? 1 : PM_ERR_TYPE;
}

static int unpack_array(const pmValueSet *vset, int idx, bool highres, pmHighResResult ***ret_list)
{
	const pmValueBlock *block;
	pmHighResResult **list;
	struct event_walk w;
	int n, r;

	r = find_block(vset, idx, highres ? PM_TYPE_HIGHRES_EVENT : PM_TYPE_EVENT, &block);
	if (r <= 0)
		return r;
	n = event_walk_begin(&w, block, highres);
	r = n < 0 ? n : check_records(w);
	if (r < 0)
		return r;
	*ret_list = NULL;
	if (n == 0)
		return 0;
	list = calloc((size_t)n + 1, sizeof(list[0]));
	if (list == NULL)
		return -ENOMEM;
	r = unpack_records(&w, n, list);
	if (r < 0)
		list_free(list);
	else
		*ret_list = list;
	return r;
}

int pmUnpackHighResEventRecords(pmValueSet *vset, int idx, pmHighResResult ***records)
{
	return unpack_array(vset, idx, true, records);
}

int pmUnpackEventRecords(pmValueSet *vset, int idx, pmResult ***records)
{
	int n = unpack_array(vset, idx, false, (pmHighResResult ***)records);

	for (int i = 0; i < n; i++) {
		struct timespec ts = ((pmHighResResult *)(*records)[i])->timestamp;

		(*records)[i]->timestamp =
		    (struct timeval){.tv_sec = ts.tv_sec, .tv_usec = ts.tv_nsec / 1000};
	}
	return n;
}

void pmFreeHighResEventResult(pmHighResResult **records)
{
	list_free(records);
}

void pmFreeEventResult(pmResult **records)
{
	list_free((pmHighResResult **)records);
}

/* ---- The special metrics -------------------------------------------------------------------- */

#define SPECIAL_PMID(item) ((pmID)DYNAMIC_PMID << 22 | (item))
#define SPECIAL_DESC(item)                                                                         \
	{                                                                                          \
		.pmid = SPECIAL_PMID(item), .type = PM_TYPE_U32, .indom = PM_INDOM_NULL,           \
		.sem = PM_SEM_DISCRETE,                                                            \
	}

/* clang-format off */
static const struct special specials[] = {
	{
		"event.flags", SPECIAL_DESC(1),
		"Flags for event records",
		"The flags of an event record: added as its first parameter by\n"
		"pmUnpackEventRecords(3) when any is set.",
	},
	{
		"event.missed", SPECIAL_DESC(2),
		"Count of missed event records",
		"How many event records were lost before this one: added as a parameter by\n"
		"pmUnpackEventRecords(3) where the agent or the client was too slow for the\n"
		"events.",
	},
};
/* clang-format on */

const struct special *special_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++) {
		if (strcmp(specials[i].name, name) == 0)
			return &specials[i];
	}
	return NULL;
}

const struct special *special_find(pmID pmid)
{
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++) {
		if (specials[i].desc.pmid == pmid)
			return &specials[i];
	}
	return NULL;
}

const struct special *special_next(const struct special *last)
{
	const struct special *next = last == NULL ? specials : last + 1;

	return next < specials + ARRAY_SIZE(specials) ? next : NULL;
}

/* event_array - see event_array.h. */
#include "libpcp_pmda/event_array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum {
	ARRAY_HEADER = offsetof(pmEventArray, ea_record),
	ARRAY_CAP_MIN = 512,
	PARAM_HEADER = sizeof(pmEventParameter),
	/* er_flags and er_nparams stand side by side behind the time stamp, in both resolutions. */
	NPARAMS_BEHIND_FLAGS = 4,
};

_Static_assert((int)offsetof(pmHighResEventArray, ea_record) == (int)ARRAY_HEADER &&
		   offsetof(pmEventRecord, er_nparams) ==
		       offsetof(pmEventRecord, er_flags) + NPARAMS_BEHIND_FLAGS &&
		   offsetof(pmHighResEventRecord, er_nparams) ==
		       offsetof(pmHighResEventRecord, er_flags) + NPARAMS_BEHIND_FLAGS,
	       "what is done to one kind of array does for the other");

struct event_array {
	char *bytes; /* NULL: the slot is free */
	size_t cap;
	struct event_mark at; /* its nparams are in the bytes */
	int err;              /* why something was not added since the last mark, or 0 */
};

static struct event_array *arrays;
static int narrays;

static struct event_array *array_of(int handle)
{
	return handle >= 0 && handle < narrays && arrays[handle].bytes != NULL ? &arrays[handle]
									       : NULL;
}

/* ---- life ---- */

static void array_reset(struct event_array *a)
{
	a->at = (struct event_mark){.used = ARRAY_HEADER};
	a->err = 0;
}

/* The lowest free slot. */
static int slot_free(void)
{
	struct event_array *grown;

	for (int i = 0; i < narrays; i++) {
		if (arrays[i].bytes == NULL)
			return i;
	}
	grown = realloc(arrays, (size_t)(narrays + 1) * sizeof(*arrays));
	if (grown == NULL)
		return -ENOMEM;
	arrays = grown;
	arrays[narrays] = (struct event_array){0};
	return narrays++;
}

int pmdaEventNewArray(void)
{
	int handle = slot_free();
	char *bytes;

	if (handle < 0)
		return handle;
	bytes = malloc(ARRAY_CAP_MIN);
	if (bytes == NULL)
		return -ENOMEM;
	arrays[handle].bytes = bytes;
	arrays[handle].cap = ARRAY_CAP_MIN;
	array_reset(&arrays[handle]);
	return handle;
}

int pmdaEventResetArray(int handle)
{
	struct event_array *a = array_of(handle);

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	array_reset(a);
	return 0;
}

int pmdaEventReleaseArray(int handle)
{
	struct event_array *a = array_of(handle);

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	free(a->bytes);
	*a = (struct event_array){0};
	return 0;
}

int pmdaEventNewHighResArray(void)
{
	return pmdaEventNewArray();
}

int pmdaEventResetHighResArray(int handle)
{
	return pmdaEventResetArray(handle);
}

int pmdaEventReleaseHighResArray(int handle)
{
	return pmdaEventReleaseArray(handle);
}

/* ---- adding ---- */

static int array_grow(struct event_array *a, size_t need)
{
	size_t cap = a->cap;
	char *grown;

	while (cap < need)
		cap *= 2;
	grown = realloc(a->bytes, cap);
	if (grown == NULL)
		return -ENOMEM;
	a->bytes = grown;
	a->cap = cap;
	return 0;
}

/* Room for len more bytes; the array is as it was if there is none. */
static inline int array_reserve(struct event_array *a, size_t len)
{
	size_t need = a->at.used + len;
	int r = 0;

	if (need > EVENT_ARRAY_LEN_MAX)
		r = -E2BIG;
	else if (need > a->cap)
		r = array_grow(a, need);
	if (r < 0)
		a->err = r;
	return r;
}

/* Adds a record's header, of which flags_at tells the resolution. */
static inline int array_add_record(struct event_array *a, const void *header, size_t len,
				   size_t flags_at)
{
	int r = array_reserve(a, len);

	if (r < 0)
		return r;
	memcpy(a->bytes + a->at.used, header, len);
	a->at.record = a->at.used + flags_at;
	a->at.used += len;
	a->at.nrecords++;
	return 0;
}

static int add_normal(int handle, const struct timeval *stamp, unsigned int flags, int nparams)
{
	struct event_array *a = array_of(handle);
	pmEventRecord header;

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	header.er_timestamp.tv_sec = (int32_t)stamp->tv_sec;
	header.er_timestamp.tv_usec = (int32_t)stamp->tv_usec;
	header.er_flags = flags;
	header.er_nparams = nparams;
	return array_add_record(a, &header, offsetof(pmEventRecord, er_param),
				offsetof(pmEventRecord, er_flags));
}

static int add_highres(int handle, const struct timespec *stamp, unsigned int flags, int nparams)
{
	struct event_array *a = array_of(handle);
	pmHighResEventRecord header;

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	header.er_timestamp.tv_sec = stamp->tv_sec;
	header.er_timestamp.tv_nsec = stamp->tv_nsec;
	header.er_flags = flags;
	header.er_nparams = nparams;
	return array_add_record(a, &header, offsetof(pmHighResEventRecord, er_param),
				offsetof(pmHighResEventRecord, er_flags));
}

/* Only the library says that events were missed. */
static bool flags_are_valid(int flags)
{
	return ((unsigned int)flags & PM_EVENT_FLAG_MISSED) == 0;
}

int pmdaEventAddRecord(int handle, struct timeval *stamp, int flags)
{
	if (!flags_are_valid(flags))
		return array_of(handle) == NULL ? PM_ERR_NOCONTEXT : PM_ERR_CONV;
	return add_normal(handle, stamp, (unsigned int)flags, 0);
}

int pmdaEventAddMissedRecord(int handle, struct timeval *stamp, int missed)
{
	return add_normal(handle, stamp, PM_EVENT_FLAG_MISSED, missed);
}

int pmdaEventAddHighResRecord(int handle, struct timespec *stamp, int flags)
{
	if (!flags_are_valid(flags))
		return array_of(handle) == NULL ? PM_ERR_NOCONTEXT : PM_ERR_CONV;
	return add_highres(handle, stamp, (unsigned int)flags, 0);
}

int pmdaEventAddHighResMissedRecord(int handle, struct timespec *stamp, int missed)
{
	return add_highres(handle, stamp, PM_EVENT_FLAG_MISSED, missed);
}

/* The bytes of a parameter's value. 0, PM_ERR_TYPE, or PM_ERR_CONV where there is no value. */
static int param_value(int type, const pmAtomValue *atom, const void **ret_value, size_t *ret_len)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_FLOAT:
		*ret_value = &atom->l;
		*ret_len = sizeof(atom->l);
		return 0;
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		*ret_value = &atom->ll;
		*ret_len = sizeof(atom->ll);
		return 0;
	case PM_TYPE_STRING:
		if (atom->cp == NULL)
			return PM_ERR_CONV;
		*ret_value = atom->cp;
		*ret_len = strlen(atom->cp);
		return 0;
	case PM_TYPE_AGGREGATE:
		if (atom->vbp == NULL || atom->vbp->vlen < PM_VAL_HDR_SIZE)
			return PM_ERR_CONV;
		*ret_value = atom->vbp->vbuf;
		*ret_len = atom->vbp->vlen - PM_VAL_HDR_SIZE;
		return 0;
	default:
		return PM_ERR_TYPE;
	}
}

static inline unsigned int *array_nparams(const struct event_array *a)
{
	return (unsigned int *)(a->bytes + a->at.record + NPARAMS_BEHIND_FLAGS);
}

static int array_add_param(struct event_array *a, pmID pmid, int type, const void *value,
			   size_t len)
{
	size_t padded = (len + 3) & ~(size_t)3;
	pmEventParameter header;
	char *p;
	int r;

	/* A record that tells of missed events has their number where others have nparams. */
	if (a->at.record == 0 ||
	    (*(unsigned int *)(a->bytes + a->at.record) & PM_EVENT_FLAG_MISSED) != 0)
		return -EINVAL;
	r = array_reserve(a, PARAM_HEADER + padded);
	if (r < 0)
		return r;
	header = (pmEventParameter){
	    .ep_pmid = pmid,
	    .ep_type = (unsigned int)type & 0xff,
	    .ep_len = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0x00ffffff,
	};
	p = a->bytes + a->at.used;
	memcpy(p, &header, PARAM_HEADER);
	if (padded != len) /* padding that nobody wrote would leak what was there before */
		memset(p + PARAM_HEADER + padded - 4, 0, 4);
	memcpy(p + PARAM_HEADER, value, len);
	a->at.used += PARAM_HEADER + padded;
	++*array_nparams(a);
	return 0;
}

int pmdaEventAddParam(int handle, pmID pmid, int type, pmAtomValue *atom)
{
	struct event_array *a = array_of(handle);
	const void *value;
	size_t len;
	int r;

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	r = param_value(type, atom, &value, &len);
	return r < 0 ? r : array_add_param(a, pmid, type, value, len);
}

int pmdaEventAddHighResParam(int handle, pmID pmid, int type, pmAtomValue *atom)
{
	return pmdaEventAddParam(handle, pmid, type, atom);
}

int pmdaEventHighResAddParam(int handle, pmID pmid, int type, pmAtomValue *atom)
{
	return pmdaEventAddParam(handle, pmid, type, atom);
}

/* ---- the finished array ---- */

static void *array_finish(int handle, unsigned int type)
{
	struct event_array *a = array_of(handle);
	pmEventArray *header;

	if (a == NULL)
		return NULL;
	header = (pmEventArray *)a->bytes;
	header->ea_type = type & 0xff;
	header->ea_len = (unsigned int)a->at.used & 0x00ffffff;
	header->ea_nrecords = a->at.nrecords;
	return header;
}

pmEventArray *pmdaEventGetAddr(int handle)
{
	return array_finish(handle, PM_TYPE_EVENT);
}

pmHighResEventArray *pmdaEventGetHighResAddr(int handle)
{
	return array_finish(handle, PM_TYPE_HIGHRES_EVENT);
}

pmHighResEventArray *pmdaEventHighResGetAddr(int handle)
{
	return array_finish(handle, PM_TYPE_HIGHRES_EVENT);
}

/* ---- for queues ---- */

bool event_array_mark(int handle, struct event_mark *ret_mark)
{
	struct event_array *a = array_of(handle);

	if (a == NULL)
		return false;
	a->err = 0;
	*ret_mark = a->at;
	if (a->at.record != 0)
		ret_mark->nparams = *array_nparams(a);
	return true;
}

void event_array_rollback(int handle, const struct event_mark *mark)
{
	struct event_array *a = array_of(handle);

	/* A decoder may have reset the array, or released it: then there is nothing to go back to.
	 */
	if (a == NULL || a->at.used < mark->used)
		return;
	a->at = *mark;
	if (mark->record != 0)
		*array_nparams(a) = mark->nparams;
}

int event_array_error(int handle)
{
	const struct event_array *a = array_of(handle);

	return a == NULL ? 0 : a->err;
}

int event_array_records(int handle)
{
	const struct event_array *a = array_of(handle);

	return a == NULL ? 0 : a->at.nrecords;
}

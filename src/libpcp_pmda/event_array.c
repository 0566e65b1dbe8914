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
	RECORD_HEADER = offsetof(pmEventRecord, er_param),
	HIGHRES_RECORD_HEADER = offsetof(pmHighResEventRecord, er_param),
};

_Static_assert((int)offsetof(pmHighResEventArray, ea_record) == (int)ARRAY_HEADER &&
		   offsetof(pmEventRecord, er_nparams) == offsetof(pmEventRecord, er_flags) + 4 &&
		   offsetof(pmHighResEventRecord, er_nparams) ==
		       offsetof(pmHighResEventRecord, er_flags) + 4,
	       "what is done to one kind of array does for the other");

static struct event_array **arrays; /* by handle, each NULL or an array */
static int narrays;

struct event_array *event_array_of(int handle)
{
	return (unsigned int)handle < (unsigned int)narrays ? arrays[handle] : NULL;
}

/* ---- life ---- */

static void array_reset(struct event_array *a)
{
	a->used = ARRAY_HEADER;
	a->record = 0;
	a->nrecords = 0;
	a->err = 0;
}

/* The lowest free slot. */
static int slot_free(void)
{
	struct event_array **grown;

	for (int i = 0; i < narrays; i++) {
		if (arrays[i] == NULL)
			return i;
	}
	grown = realloc(arrays, (size_t)(narrays + 1) * sizeof(*arrays));
	if (grown == NULL)
		return -ENOMEM;
	arrays = grown;
	arrays[narrays] = NULL;
	return narrays++;
}

int pmdaEventNewArray(void)
{
	int handle = slot_free();
	struct event_array *a;

	if (handle < 0)
		return handle;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return -ENOMEM;
	a->bytes = malloc(ARRAY_CAP_MIN);
	if (a->bytes == NULL) {
		free(a);
		return -ENOMEM;
	}
	a->cap = ARRAY_CAP_MIN;
	array_reset(a);
	arrays[handle] = a;
	return handle;
}

int pmdaEventResetArray(int handle)
{
	struct event_array *a = event_array_of(handle);

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	array_reset(a);
	return 0;
}

int pmdaEventReleaseArray(int handle)
{
	struct event_array *a = event_array_of(handle);

	if (a == NULL || a->kept)
		return PM_ERR_NOCONTEXT;
	arrays[handle] = NULL;
	free(a->bytes);
	free(a);
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

/*
 * Room for len more bytes, at *ret_bytes, which then belong to the array; it is as it was if there
 * is no room.
 */
static inline int array_extend(struct event_array *a, size_t len, char **ret_bytes)
{
	size_t need = a->used + len;
	int r = 0;

	if (need > EVENT_ARRAY_LEN_MAX)
		r = -E2BIG;
	else if (need > a->cap)
		r = array_grow(a, need);
	if (r < 0) {
		a->err = r;
		return r;
	}
	*ret_bytes = a->bytes + a->used;
	a->used = need;
	return 0;
}

/* A record with a header of len bytes; returns where its time stamp goes, or NULL. */
static inline char *array_add_record(struct event_array *a, size_t len, unsigned int flags,
				     int nparams, int *ret_err)
{
	char *p;
	int r = array_extend(a, len, &p);

	*ret_err = r;
	if (r < 0)
		return NULL;
	a->record = (size_t)(p - a->bytes) + len - 2 * sizeof(int);
	a->nrecords++;
	memcpy(p + len - 2 * sizeof(int), &flags, sizeof(flags));
	memcpy(p + len - sizeof(int), &nparams, sizeof(nparams));
	return p;
}

static inline int add_normal(int handle, const struct timeval *stamp, unsigned int flags,
			     int nparams)
{
	struct event_array *a = event_array_of(handle);
	const int32_t sec = (int32_t)stamp->tv_sec, usec = (int32_t)stamp->tv_usec;
	char *p;
	int r;

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	p = array_add_record(a, RECORD_HEADER, flags, nparams, &r);
	if (p == NULL)
		return r;
	memcpy(p, &sec, sizeof(sec));
	memcpy(p + sizeof(sec), &usec, sizeof(usec));
	return 0;
}

static inline int add_highres(int handle, const struct timespec *stamp, unsigned int flags,
			      int nparams)
{
	struct event_array *a = event_array_of(handle);
	const int64_t sec = stamp->tv_sec, nsec = stamp->tv_nsec;
	char *p;
	int r;

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	p = array_add_record(a, HIGHRES_RECORD_HEADER, flags, nparams, &r);
	if (p == NULL)
		return r;
	memcpy(p, &sec, sizeof(sec));
	memcpy(p + sizeof(sec), &nsec, sizeof(nsec));
	return 0;
}

/* Only the library says that events were missed. */
static bool flags_are_valid(int flags)
{
	return ((unsigned int)flags & PM_EVENT_FLAG_MISSED) == 0;
}

int pmdaEventAddRecord(int handle, struct timeval *stamp, int flags)
{
	if (!flags_are_valid(flags))
		return event_array_of(handle) == NULL ? PM_ERR_NOCONTEXT : PM_ERR_CONV;
	return add_normal(handle, stamp, (unsigned int)flags, 0);
}

int pmdaEventAddMissedRecord(int handle, struct timeval *stamp, int missed)
{
	return add_normal(handle, stamp, PM_EVENT_FLAG_MISSED, missed);
}

int pmdaEventAddHighResRecord(int handle, struct timespec *stamp, int flags)
{
	if (!flags_are_valid(flags))
		return event_array_of(handle) == NULL ? PM_ERR_NOCONTEXT : PM_ERR_CONV;
	return add_highres(handle, stamp, (unsigned int)flags, 0);
}

int pmdaEventAddHighResMissedRecord(int handle, struct timespec *stamp, int missed)
{
	return add_highres(handle, stamp, PM_EVENT_FLAG_MISSED, missed);
}

/* Room for a parameter of the newest record, its header written, at *ret_value for len bytes. */
static inline int array_add_param(struct event_array *a, pmID pmid, int type, size_t len,
				  char **ret_value)
{
	const pmEventParameter header = {
	    .ep_pmid = pmid,
	    .ep_type = (unsigned int)type & 0xff,
	    .ep_len = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0x00ffffff,
	};
	size_t padded = (len + 3) & ~(size_t)3;
	char *p;
	int r;

	/* A record that tells of missed events has their number where others have nparams. */
	if (a->record == 0 || (event_array_nparams(a)[-1] & PM_EVENT_FLAG_MISSED) != 0)
		return -EINVAL;
	r = array_extend(a, PARAM_HEADER + padded, &p);
	if (r < 0)
		return r;
	++*event_array_nparams(a);
	memcpy(p, &header, PARAM_HEADER);
	if (padded != len) /* padding that nobody wrote would show what was there before */
		memset(p + PARAM_HEADER + padded - 4, 0, 4);
	*ret_value = p + PARAM_HEADER;
	return 0;
}

static int add_bytes(struct event_array *a, pmID pmid, int type, const void *bytes, size_t len)
{
	char *p;
	int r = array_add_param(a, pmid, type, len, &p);

	if (r == 0)
		memcpy(p, bytes, len);
	return r;
}

static int add_u32(struct event_array *a, pmID pmid, int type, uint32_t value)
{
	char *p;
	int r = array_add_param(a, pmid, type, sizeof(value), &p);

	if (r == 0)
		memcpy(p, &value, sizeof(value));
	return r;
}

static int add_u64(struct event_array *a, pmID pmid, int type, uint64_t value)
{
	char *p;
	int r = array_add_param(a, pmid, type, sizeof(value), &p);

	if (r == 0)
		memcpy(p, &value, sizeof(value));
	return r;
}

int pmdaEventAddParam(int handle, pmID pmid, int type, pmAtomValue *atom)
{
	struct event_array *a = event_array_of(handle);

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_FLOAT:
		return add_u32(a, pmid, type, atom->ul);
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return add_u64(a, pmid, type, atom->ull);
	case PM_TYPE_STRING:
		if (atom->cp == NULL)
			return PM_ERR_CONV;
		return add_bytes(a, pmid, type, atom->cp, strlen(atom->cp));
	case PM_TYPE_AGGREGATE:
		if (atom->vbp == NULL || atom->vbp->vlen < PM_VAL_HDR_SIZE)
			return PM_ERR_CONV;
		return add_bytes(a, pmid, type, atom->vbp->vbuf, atom->vbp->vlen - PM_VAL_HDR_SIZE);
	default:
		return PM_ERR_TYPE;
	}
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
	struct event_array *a = event_array_of(handle);
	pmEventArray *header;

	if (a == NULL)
		return NULL;
	header = (pmEventArray *)a->bytes;
	header->ea_type = type & 0xff;
	header->ea_len = (unsigned int)a->used & 0x00ffffff;
	header->ea_nrecords = a->nrecords;
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

void event_array_rollback(struct event_array *a, const struct event_mark *mark)
{
	a->used = mark->used;
	a->record = mark->record;
	a->nrecords = mark->nrecords;
	if (mark->record != 0)
		*event_array_nparams(a) = mark->nparams;
}

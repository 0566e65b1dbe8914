/*
 * event_array - see event_array.h; and an event's bytes as text, for traces
 * (docs/spec/pmda.md 14.6).
 */
#include "libpcp_pmda/event_array.h"

#include <ctype.h>
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

/* er_nparams of the newest record; a->nparams must not be 0. */
static inline int *nparams_of(const struct event_array *a)
{
	return (int *)(a->bytes + a->nparams);
}

static inline size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* ---- life ----------------------------------------------------------------------------------- */

void event_array_reset(struct event_array *a)
{
	a->used = ARRAY_HEADER;
	a->nparams = 0;
	a->nrecords = 0;
	a->err = 0;
}

void event_array_shrink(struct event_array *a)
{
	char *small = a->cap > ARRAY_CAP_MIN ? realloc(a->bytes, ARRAY_CAP_MIN) : NULL;

	event_array_reset(a);
	if (small == NULL)
		return;
	a->bytes = small;
	a->cap = ARRAY_CAP_MIN;
}

/* The lowest free slot. */
static int array_slot_free(void)
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
	int handle = array_slot_free();
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
	event_array_reset(a);
	arrays[handle] = a;
	return handle;
}

int pmdaEventResetArray(int handle)
{
	struct event_array *a = event_array_of(handle);

	if (a == NULL || a->kept)
		return PM_ERR_NOCONTEXT;
	event_array_reset(a);
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

/* ---- adding --------------------------------------------------------------------------------- */

/*
 * Records and parameters are added in two ways: if there is room, by a few lines without a call,
 * which need no stack frame; else by add_..._grown(), which makes room first.
 */

static inline bool array_has_room(const struct event_array *a, size_t len)
{
	return a->used + len <= a->cap;
}

/* Makes room for len more bytes: 0 or an error, which the array remembers. */
static int array_grow(struct event_array *a, size_t len)
{
	size_t need = a->used + len, cap = a->cap;
	char *grown;

	if (need > EVENT_ARRAY_LEN_MAX)
		return a->err = -E2BIG;
	while (cap < need)
		cap *= 2;
	if (cap > EVENT_ARRAY_LEN_MAX)
		cap = EVENT_ARRAY_LEN_MAX;
	grown = realloc(a->bytes, cap);
	if (grown == NULL)
		return a->err = -ENOMEM;
	a->bytes = grown;
	a->cap = cap;
	return 0;
}

/* A record whose header has len bytes, the last two words flags and nparams; there must be room.
 * Returns where its time stamp goes. */
static inline char *put_record(struct event_array *a, size_t len, unsigned int flags, int nparams)
{
	const uint32_t words[2] = {flags, (uint32_t)nparams};
	char *p = a->bytes + a->used;

	a->used += len;
	/* A record for missed events has their number there. */
	a->nparams = (flags & PM_EVENT_FLAG_MISSED) != 0 ? 0 : a->used - sizeof(nparams);
	a->nrecords++;
	memcpy(p + len - sizeof(words), words, sizeof(words));
	return p;
}

static int add_normal_grown(struct event_array *a, const struct timeval *stamp, unsigned int flags,
			    int nparams);
static int add_highres_grown(struct event_array *a, const struct timespec *stamp,
			     unsigned int flags, int nparams);

static inline int add_normal(struct event_array *a, const struct timeval *stamp, unsigned int flags,
			     int nparams)
{
	const int32_t words[2] = {(int32_t)stamp->tv_sec, (int32_t)stamp->tv_usec};

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	if (!array_has_room(a, RECORD_HEADER))
		return add_normal_grown(a, stamp, flags, nparams);
	memcpy(put_record(a, RECORD_HEADER, flags, nparams), words, sizeof(words));
	return 0;
}

static inline int add_highres(struct event_array *a, const struct timespec *stamp,
			      unsigned int flags, int nparams)
{
	const int64_t words[2] = {stamp->tv_sec, stamp->tv_nsec};

	if (a == NULL)
		return PM_ERR_NOCONTEXT;
	if (!array_has_room(a, HIGHRES_RECORD_HEADER))
		return add_highres_grown(a, stamp, flags, nparams);
	memcpy(put_record(a, HIGHRES_RECORD_HEADER, flags, nparams), words, sizeof(words));
	return 0;
}

static __attribute__((noinline)) int add_normal_grown(struct event_array *a,
						      const struct timeval *stamp,
						      unsigned int flags, int nparams)
{
	int r = array_grow(a, RECORD_HEADER);

	return r < 0 ? r : add_normal(a, stamp, flags, nparams);
}

static __attribute__((noinline)) int add_highres_grown(struct event_array *a,
						       const struct timespec *stamp,
						       unsigned int flags, int nparams)
{
	int r = array_grow(a, HIGHRES_RECORD_HEADER);

	return r < 0 ? r : add_highres(a, stamp, flags, nparams);
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
	return add_normal(event_array_of(handle), stamp, (unsigned int)flags, 0);
}

int pmdaEventAddMissedRecord(int handle, struct timeval *stamp, int missed)
{
	return add_normal(event_array_of(handle), stamp, PM_EVENT_FLAG_MISSED, missed);
}

int pmdaEventAddHighResRecord(int handle, struct timespec *stamp, int flags)
{
	if (!flags_are_valid(flags))
		return event_array_of(handle) == NULL ? PM_ERR_NOCONTEXT : PM_ERR_CONV;
	return add_highres(event_array_of(handle), stamp, (unsigned int)flags, 0);
}

int pmdaEventAddHighResMissedRecord(int handle, struct timespec *stamp, int missed)
{
	return add_highres(event_array_of(handle), stamp, PM_EVENT_FLAG_MISSED, missed);
}

/* The header of a parameter; returns where its value of len bytes goes. There must be room. */
static inline char *put_param(struct event_array *a, pmID pmid, int type, size_t len)
{
	const pmEventParameter header = {
	    .ep_pmid = pmid,
	    .ep_type = (unsigned int)type & 0xff,
	    .ep_len = (unsigned int)(PM_VAL_HDR_SIZE + len) & 0x00ffffff,
	};
	char *p = a->bytes + a->used;

	a->used += PARAM_HEADER + padded(len);
	++*nparams_of(a);
	memcpy(p, &header, PARAM_HEADER);
	return p + PARAM_HEADER;
}

static int add_param_grown(struct event_array *a, pmID pmid, int type, const void *bytes,
			   size_t len);

/* A parameter with a value of len bytes, which the compiler knows of numbers. */
static inline int add_param(struct event_array *a, pmID pmid, int type, const void *bytes,
			    size_t len)
{
	char *p;

	if (a->nparams == 0)
		return -EINVAL;
	if (!array_has_room(a, PARAM_HEADER + padded(len)))
		return add_param_grown(a, pmid, type, bytes, len);
	p = put_param(a, pmid, type, len);
	if (len % 4 != 0) /* unwritten padding would leak old bytes */
		memset(p + (len & ~(size_t)3), 0, 4);
	memcpy(p, bytes, len);
	return 0;
}

static __attribute__((noinline)) int add_param_grown(struct event_array *a, pmID pmid, int type,
						     const void *bytes, size_t len)
{
	int r = array_grow(a, PARAM_HEADER + padded(len));

	return r < 0 ? r : add_param(a, pmid, type, bytes, len);
}

static __attribute__((noinline)) int add_string(struct event_array *a, pmID pmid, const char *text)
{
	if (text == NULL)
		return PM_ERR_CONV;
	return add_param(a, pmid, PM_TYPE_STRING, text, strlen(text));
}

static __attribute__((noinline)) int add_aggregate(struct event_array *a, pmID pmid,
						   const pmValueBlock *block)
{
	if (block == NULL || block->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_CONV;
	return add_param(a, pmid, PM_TYPE_AGGREGATE, block->vbuf, block->vlen - PM_VAL_HDR_SIZE);
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
		return add_param(a, pmid, type, &atom->ul, sizeof(atom->ul));
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return add_param(a, pmid, type, &atom->ull, sizeof(atom->ull));
	case PM_TYPE_STRING:
		return add_string(a, pmid, atom->cp);
	case PM_TYPE_AGGREGATE:
		return add_aggregate(a, pmid, atom->vbp);
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

/* ---- the finished array --------------------------------------------------------------------- */

static void *array_finish(int handle, unsigned int type)
{
	struct event_array *a = event_array_of(handle);
	pmEventArray *header;

	if (a == NULL)
		return NULL;
	header = (pmEventArray *)a->bytes;
	header->ea_type = type & 0xff;
	header->ea_len = (unsigned int)a->used & 0x00ffffff;
	header->ea_nrecords = (int)a->nrecords;
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

/* ---- for queues ----------------------------------------------------------------------------- */

/* The number of parameters from there to the end of the array. */
static int count_params(const struct event_array *a, size_t at)
{
	int n = 0;

	for (; at < a->used; n++) {
		pmEventParameter header;

		memcpy(&header, a->bytes + at, PARAM_HEADER);
		at += PARAM_HEADER + padded(header.ep_len - PM_VAL_HDR_SIZE);
	}
	return n;
}

void event_array_rollback(struct event_array *a, const struct event_mark *mark)
{
	a->used = mark->used;
	a->nparams = mark->nparams;
	a->nrecords = mark->nrecords;
	a->err = 0;
	/* The record before may have been given more parameters. */
	if (a->nparams != 0)
		*nparams_of(a) = count_params(a, a->nparams + sizeof(int));
}

/* ---- Printing ------------------------------------------------------------------------------- */

enum { EVENT_PRINT_MIN = 4 };

static char printable(char c)
{
	if (isspace((unsigned char)c))
		return ' ';
	return isprint((unsigned char)c) ? c : '.';
}

char *__pmdaEventPrint(const char *event, int length, char *buf, int size)
{
	int n = length < size ? length : size;

	if (size < EVENT_PRINT_MIN)
		return NULL;
	if (n < 0)
		n = 0;
	for (int i = 0; i < n - 1; i++)
		buf[i] = printable(event[i]);
	memset(buf + n, '.', (size_t)(size - n));
	/* The last byte taken makes room for the end. */
	buf[n > 0 ? n - 1 : 0] = '\0';
	return buf;
}

/*
 * value - values of results: taken out, as the type that is wanted (docs/spec/pmapi.md 8); made
 * from an atom or from text, and freed (24); sorted by instance (7).
 *
 * Integers of any type are converted by way of int64_t or uint64_t, reals by way of double; the
 * range of each target type is given once for each of the three. Where the reference has no lower
 * limit (64 to 32, reals to 64) there is none here. A NaN is converted as the processor does it.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libpcp/format.h"
#include "libpcp/results.h"
#include "libpcp/trace.h"

/* ---- Taking a value out of a result --------------------------------------------------------- */

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

static int from_signed(int64_t v, pmAtomValue *out, int otype)
{
	switch (otype) {
	case PM_TYPE_32:
		if (v > INT32_MAX)
			return PM_ERR_TRUNC;
		out->l = (int32_t)v;
		return 0;
	case PM_TYPE_U32:
		if (v > UINT32_MAX)
			return PM_ERR_TRUNC;
		if (v < 0)
			return PM_ERR_SIGN;
		out->ul = (uint32_t)v;
		return 0;
	case PM_TYPE_64:
		out->ll = v;
		return 0;
	case PM_TYPE_U64:
		if (v < 0)
			return PM_ERR_SIGN;
		out->ull = (uint64_t)v;
		return 0;
	case PM_TYPE_FLOAT:
		out->f = (float)v;
		return 0;
	case PM_TYPE_DOUBLE:
		out->d = (double)v;
		return 0;
	default:
		return PM_ERR_CONV;
	}
}

static int from_unsigned(uint64_t v, pmAtomValue *out, int otype)
{
	switch (otype) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_64:
		return v > INT64_MAX ? PM_ERR_TRUNC : from_signed((int64_t)v, out, otype);
	case PM_TYPE_U64:
		out->ull = v;
		return 0;
	case PM_TYPE_FLOAT:
		out->f = (float)v;
		return 0;
	case PM_TYPE_DOUBLE:
		out->d = (double)v;
		return 0;
	default:
		return PM_ERR_CONV;
	}
}

/* Towards zero; what does not fit at the lower end, and NaN, is the smallest number. */
static int64_t real_to_64(double v)
{
	return v >= -TWO_63 && v < TWO_63 ? (int64_t)v : INT64_MIN;
}

static uint64_t real_to_u64(double v)
{
	return v >= 0 && v < TWO_64 ? (uint64_t)v : (uint64_t)INT64_MIN;
}

/* max_32 and max_u32 are the limits as the source type has them: a float rounds them up. */
static int from_real(double v, double max_32, double max_u32, pmAtomValue *out, int otype)
{
	switch (otype) {
	case PM_TYPE_32:
		if (fabs(v) >= max_32)
			return PM_ERR_TRUNC;
		out->l = isnan(v) ? INT32_MIN : (int32_t)v;
		return 0;
	case PM_TYPE_U32:
		if (v >= max_u32)
			return PM_ERR_TRUNC;
		if (v < 0)
			return PM_ERR_SIGN;
		out->ul = isnan(v) ? 0 : (uint32_t)v;
		return 0;
	case PM_TYPE_64:
		if (v >= TWO_63)
			return PM_ERR_TRUNC;
		out->ll = real_to_64(v);
		return 0;
	case PM_TYPE_U64:
		if (v >= TWO_64)
			return PM_ERR_TRUNC;
		if (v < 0)
			return PM_ERR_SIGN;
		out->ull = real_to_u64(v);
		return 0;
	case PM_TYPE_FLOAT:
		out->f = (float)v;
		return 0;
	case PM_TYPE_DOUBLE:
		out->d = v;
		return 0;
	default:
		return PM_ERR_CONV;
	}
}

static int from_float(float v, pmAtomValue *out, int otype)
{
	return from_real(v, (float)INT32_MAX, (float)UINT32_MAX, out, otype);
}

static int from_insitu(int lval, int itype, pmAtomValue *out, int otype)
{
	float f;

	switch (itype) {
	case PM_TYPE_32:
	case PM_TYPE_UNKNOWN:
		return from_signed(lval, out, otype);
	case PM_TYPE_U32:
		return from_signed((uint32_t)lval, out, otype);
	case PM_TYPE_FLOAT:
		memcpy(&f, &lval, sizeof(f));
		return from_float(f, out, otype);
	default:
		return PM_ERR_CONV;
	}
}

static int extract_string(const pmValueBlock *block, size_t len, pmAtomValue *out)
{
	char *copy = malloc(len + 1);

	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, block->vbuf, len);
	copy[len] = '\0';
	out->cp = copy;
	return 0;
}

static int copy_block(const pmValueBlock *block, pmAtomValue *out)
{
	out->vbp = malloc(block->vlen);
	if (out->vbp == NULL)
		return -ENOMEM;
	memcpy(out->vbp, block, block->vlen);
	return 0;
}

/* The numeric types: length and value. */
static int from_number(const pmValueBlock *block, size_t len, int itype, pmAtomValue *out,
		       int otype)
{
	pmAtomValue v;

	if (len != (itype == PM_TYPE_FLOAT ? sizeof(v.f) : sizeof(v.d)))
		return PM_ERR_CONV;
	memcpy(&v, block->vbuf, len);
	switch (itype) {
	case PM_TYPE_64:
		return from_signed(v.ll, out, otype);
	case PM_TYPE_U64:
		return from_unsigned(v.ull, out, otype);
	case PM_TYPE_FLOAT:
		return from_float(v.f, out, otype);
	default:
		return from_real(v.d, INT32_MAX, UINT32_MAX, out, otype);
	}
}

static int from_block(const pmValueBlock *block, int itype, pmAtomValue *out, int otype)
{
	size_t len;

	if (block->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_CONV;
	if (block->vtype != 0 && (int)block->vtype != itype)
		return PM_ERR_CONV;
	len = block->vlen - PM_VAL_HDR_SIZE;
	switch (itype) {
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_FLOAT:
	case PM_TYPE_DOUBLE:
		return from_number(block, len, itype, out, otype);
	case PM_TYPE_STRING:
		return otype == PM_TYPE_STRING ? extract_string(block, len, out) : PM_ERR_CONV;
	case PM_TYPE_AGGREGATE:
		return otype == PM_TYPE_AGGREGATE ? copy_block(block, out) : PM_ERR_CONV;
	default:
		return PM_ERR_CONV;
	}
}

static int extract(int valfmt, const pmValue *value, int itype, pmAtomValue *atom, int otype)
{
	memset(atom, 0, sizeof(*atom));
	if (valfmt == PM_VAL_INSITU)
		return from_insitu(value->value.lval, itype, atom, otype);
	if (valfmt == PM_VAL_DPTR || valfmt == PM_VAL_SPTR)
		return from_block(value->value.pval, itype, atom, otype);
	return PM_ERR_CONV;
}

int pmExtractValue(int valfmt, const pmValue *value, int itype, pmAtomValue *atom, int otype)
{
	int r = extract(valfmt, value, itype, atom, otype);

	if (pmDebugOptions.value)
		trace_value(itype, atom, otype, r);
	return r;
}

/* ---- Putting values into a result ----------------------------------------------------------- */

/* No block is shorter: older programs read eight bytes of any block. */
#define BLOCK_MIN 8

static int stuff_block(const void *bytes, size_t len, pmValue *value, int type)
{
	size_t vlen = PM_VAL_HDR_SIZE + len;
	pmValueBlock *block;

	if (vlen > PM_VAL_VLEN_MAX)
		return PM_ERR_TOOBIG;
	block = malloc(vlen > BLOCK_MIN ? vlen : BLOCK_MIN);
	if (block == NULL)
		return -ENOMEM;
	block->vlen = (unsigned int)vlen;
	block->vtype = (unsigned int)type;
	memcpy(block->vbuf, bytes, len);
	value->value.pval = block;
	return PM_VAL_DPTR;
}

static int stuff_aggregate(const pmValueBlock *block, pmValue *value)
{
	if (block->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_TYPE;
	return stuff_block(block->vbuf, block->vlen - PM_VAL_HDR_SIZE, value, PM_TYPE_AGGREGATE);
}

int __pmStuffValue(const pmAtomValue *atom, pmValue *value, int type)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		value->value.lval = atom->l;
		return PM_VAL_INSITU;
	case PM_TYPE_FLOAT:
		return stuff_block(&atom->f, sizeof(atom->f), value, type);
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return stuff_block(&atom->ull, sizeof(atom->ull), value, type);
	case PM_TYPE_STRING:
		return stuff_block(atom->cp, strlen(atom->cp) + 1, value, type);
	case PM_TYPE_AGGREGATE:
		return stuff_aggregate(atom->vbp, value);
	case PM_TYPE_AGGREGATE_STATIC:
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		value->value.pval = atom->vbp;
		return PM_VAL_SPTR;
	default:
		return PM_ERR_TYPE;
	}
}

/* Decimal, or hexadecimal after 0x; an octal number is read as a decimal one. */
static int text_base(const char *text)
{
	const char *p = text;

	while (*p == ' ' || *p == '\t')
		p++;
	if (*p == '-' || *p == '+')
		p++;
	return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 16 : 10;
}

/* After the number nothing may follow; errno is that of the conversion. */
static int number_end(const char *end)
{
	if (*end != '\0')
		return PM_ERR_TYPE;
	return errno == ERANGE ? -ERANGE : 0;
}

static int text_to_signed(const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(text, &end, text_base(text));
	return number_end(end);
}

static int text_to_unsigned(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, text_base(text));
	return number_end(end);
}

static int text_to_real(const char *text, double *ret)
{
	char *end;

	if (text_base(text) == 16)
		return PM_ERR_TYPE;
	errno = 0;
	*ret = cnumber_parse(text, &end);
	return number_end(end);
}

static int text_to_32(const char *text, pmAtomValue *atom)
{
	int64_t v;
	int r = text_to_signed(text, &v);

	if (r < 0)
		return r;
	if (v < INT32_MIN || v > INT32_MAX)
		return -ERANGE;
	atom->l = (int32_t)v;
	return 0;
}

static int text_to_u32(const char *text, pmAtomValue *atom)
{
	uint64_t v;
	int r = text_to_unsigned(text, &v);

	if (r < 0)
		return r;
	if (v > UINT32_MAX)
		return -ERANGE;
	atom->ul = (uint32_t)v;
	return 0;
}

static int text_to_float(const char *text, pmAtomValue *atom)
{
	double v;
	int r = text_to_real(text, &v);

	if (r < 0)
		return r;
	if (fabs(v) < FLT_MIN || fabs(v) > FLT_MAX)
		return -ERANGE;
	atom->f = (float)v;
	return 0;
}

int __pmStringValue(const char *text, pmAtomValue *atom, int type)
{
	int64_t v;
	uint64_t u;
	int r;

	switch (type) {
	case PM_TYPE_32:
		return text_to_32(text, atom);
	case PM_TYPE_U32:
		return text_to_u32(text, atom);
	case PM_TYPE_64:
		r = text_to_signed(text, &v);
		if (r == 0)
			atom->ll = v;
		return r;
	case PM_TYPE_U64:
		r = text_to_unsigned(text, &u);
		if (r == 0)
			atom->ull = u;
		return r;
	case PM_TYPE_FLOAT:
		return text_to_float(text, atom);
	case PM_TYPE_DOUBLE:
		return text_to_real(text, &atom->d);
	case PM_TYPE_STRING:
		atom->cp = strdup(text);
		return atom->cp != NULL ? 0 : -ENOMEM;
	default:
		return PM_ERR_TYPE;
	}
}

void __pmFreeResultValues(pmResult *result)
{
	/* The values of a fetched result are in one block with it, which its owner still has to
	 * free. */
	if (!results_forget(result))
		results_free_sets(result->vset, result->numpmid);
}

void __pmFreeInResult(pmInResult *result)
{
	if (result == NULL)
		return;
	if (result->namelist != NULL)
		for (int i = 0; i < result->numinst; i++)
			free(result->namelist[i]);
	free(result->namelist);
	free(result->instlist);
	free(result);
}

/* ---- Sorting by instance -------------------------------------------------------------------- */

static int by_instance(const void *a, const void *b)
{
	int left = ((const pmValue *)a)->inst;
	int right = ((const pmValue *)b)->inst;

	return (left > right) - (left < right);
}

static void sort_set(pmValueSet *vset)
{
	for (int i = 1; i < vset->numval; i++) {
		if (vset->vlist[i - 1].inst > vset->vlist[i].inst) {
			qsort(vset->vlist, (size_t)vset->numval, sizeof(pmValue), by_instance);
			return;
		}
	}
}

void pmSortInstances(pmResult *result)
{
	for (int i = 0; i < result->numpmid; i++)
		sort_set(result->vset[i]);
}

void pmSortHighResInstances(pmHighResResult *result)
{
	for (int i = 0; i < result->numpmid; i++)
		sort_set(result->vset[i]);
}

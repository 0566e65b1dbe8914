/*
 * extract - one value out of a result, as the type that is wanted: docs/spec/pmapi.md 8.
 *
 * Integers of any type go through int64_t or uint64_t, reals through double; what each target can
 * hold is said once for each of the three. Where the reference has no lower limit (64 to 32, reals
 * to 64) there is none here; a NaN becomes what the processor makes of it there.
 */
#include <math.h>

#include <pcp/pmapi.h>

#include "libpcp/trace.h"

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

static int copy_string(const pmValueBlock *block, size_t len, pmAtomValue *out)
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
		return otype == PM_TYPE_STRING ? copy_string(block, len, out) : PM_ERR_CONV;
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

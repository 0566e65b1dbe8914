/*
 * units - dimension and scale as text, and values from one scale to another: docs/spec/pmapi.md 10,
 * 11 (pmUnitsStr). Their parser is units_parse.c.
 */
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/text.h"

/* The shortest buffer pmUnitsStr_r takes. */
#define UNITS_TEXT_MIN 60

static const char *const space_names[] = {"byte",  "Kbyte", "Mbyte", "Gbyte", "Tbyte",
					  "Pbyte", "Ebyte", "Zbyte", "Ybyte"};
static const char *const time_names[] = {"nanosec", "microsec", "millisec", "sec", "min", "hour"};

static void add_scale(struct text *t, const char *const *names, size_t n, const char *dimension,
		      unsigned int scale)
{
	if (scale < n)
		text_add(t, names[scale]);
	else
		text_printf(t, "%s-%u", dimension, scale);
}

static void add_count(struct text *t, int scale)
{
	text_add(t, "count");
	if (scale == 1)
		text_add(t, " x 10");
	else if (scale != 0)
		text_printf(t, " x 10^%d", scale);
}

static void add_exponent(struct text *t, int dim)
{
	if (dim != 1)
		text_printf(t, "^%d", dim);
	text_add(t, " ");
}

/* The dimensions with this sign, each followed by a blank. */
static void add_side(struct text *t, const pmUnits *u, int sign)
{
	if (u->dimSpace * sign > 0) {
		add_scale(t, space_names, ARRAY_SIZE(space_names), "space", u->scaleSpace);
		add_exponent(t, u->dimSpace * sign);
	}
	if (u->dimTime * sign > 0) {
		add_scale(t, time_names, ARRAY_SIZE(time_names), "time", u->scaleTime);
		add_exponent(t, u->dimTime * sign);
	}
	if (u->dimCount * sign > 0) {
		add_count(t, u->scaleCount);
		add_exponent(t, u->dimCount * sign);
	}
}

char *pmUnitsStr_r(const pmUnits *units, char *buf, int buflen)
{
	struct text t;

	if (buflen < UNITS_TEXT_MIN)
		return NULL;
	t = text_in(buf, (size_t)buflen);
	if (units->dimSpace == 0 && units->dimTime == 0 && units->dimCount == 0) {
		if (units->scaleCount == 1)
			text_add(&t, "x 10");
		else if (units->scaleCount != 0)
			text_printf(&t, "x 10^%d", units->scaleCount);
		return buf;
	}
	add_side(&t, units, 1);
	if (units->dimSpace < 0 || units->dimTime < 0 || units->dimCount < 0) {
		text_add(&t, "/ ");
		add_side(&t, units, -1);
	}
	if (t.len > 0 && buf[t.len - 1] == ' ')
		buf[t.len - 1] = '\0';
	return buf;
}

const char *pmUnitsStr(const pmUnits *units)
{
	static char buf[UNITS_TEXT_MIN];

	return pmUnitsStr_r(units, buf, sizeof(buf));
}

/* The factor of a value: mult / div. */
struct factor {
	int64_t mult;
	int64_t div;
	bool overflow;
};

static void times(struct factor *f, int64_t n, int exponent)
{
	int64_t *side = exponent > 0 ? &f->mult : &f->div;

	for (int i = abs(exponent); i > 0; i--)
		f->overflow |= __builtin_mul_overflow(*side, n, side);
}

/* Base and exponent of a scale: bytes in Mbytes, time in seconds, counts in ones. */
static void times_space(struct factor *f, unsigned int scale, int dim)
{
	times(f, 1024, ((int)scale - PM_SPACE_MBYTE) * dim);
}

static void times_time(struct factor *f, unsigned int scale, int dim)
{
	static const struct {
		int base;
		int exponent;
	} seconds[] = {{1000, -3}, {1000, -2}, {1000, -1}, {1, 1}, {60, 1}, {3600, 1}};

	times(f, seconds[scale].base, seconds[scale].exponent * dim);
}

/* sign 1: from these units; -1: to these units. PM_ERR_UNIT for a scale that has no size. */
static int times_units(struct factor *f, const pmUnits *u, int sign)
{
	if (u->dimSpace != 0) {
		if (u->scaleSpace > PM_SPACE_EBYTE)
			return PM_ERR_UNIT;
		times_space(f, u->scaleSpace, u->dimSpace * sign);
	}
	if (u->dimTime != 0) {
		if (u->scaleTime > PM_TIME_HOUR)
			return PM_ERR_UNIT;
		times_time(f, u->scaleTime, u->dimTime * sign);
	}
	if (u->dimCount != 0)
		times(f, 10, u->scaleCount * u->dimCount * sign);
	return 0;
}

/* No dimension at all is a count. */
static pmUnits with_dimension(const pmUnits *units)
{
	pmUnits u = *units;

	if (u.dimSpace == 0 && u.dimTime == 0 && u.dimCount == 0)
		u.dimCount = 1;
	return u;
}

/* Rounded as integers are in the reference: half a divisor is added, then the quotient is
 * truncated. Intermediate values that do not fit are computed in 128 bits. */
static int64_t scale_signed(int64_t in, const struct factor *f)
{
	int64_t sum;

	if (!__builtin_mul_overflow(in, f->mult, &sum) &&
	    !__builtin_add_overflow(sum, f->div / 2, &sum))
		return sum / f->div;
	return (int64_t)(((__int128)in * f->mult + f->div / 2) / f->div);
}

static uint64_t scale_unsigned(uint64_t in, const struct factor *f)
{
	uint64_t mult = (uint64_t)f->mult, div = (uint64_t)f->div, sum;

	if (!__builtin_mul_overflow(in, mult, &sum) && !__builtin_add_overflow(sum, div / 2, &sum))
		return sum / div;
	return (uint64_t)(((unsigned __int128)in * mult + div / 2) / div);
}

static int scale_value(int type, const pmAtomValue *in, pmAtomValue *out, const struct factor *f)
{
	switch (type) {
	case PM_TYPE_32:
		out->l = (int32_t)scale_signed(in->l, f);
		return 0;
	case PM_TYPE_U32:
		out->ul = (uint32_t)scale_unsigned(in->ul, f);
		return 0;
	case PM_TYPE_64:
		out->ll = scale_signed(in->ll, f);
		return 0;
	case PM_TYPE_U64:
		out->ull = scale_unsigned(in->ull, f);
		return 0;
	case PM_TYPE_FLOAT:
		out->f = in->f * ((float)f->mult / (float)f->div);
		return 0;
	case PM_TYPE_DOUBLE:
		out->d = in->d * ((double)f->mult / (double)f->div);
		return 0;
	default:
		return PM_ERR_CONV;
	}
}

int pmConvScale(int type, const pmAtomValue *in, const pmUnits *iunits, pmAtomValue *out,
		const pmUnits *ounits)
{
	struct factor f = {.mult = 1, .div = 1};
	pmUnits from = with_dimension(iunits);
	pmUnits to = with_dimension(ounits);
	int r;

	if (from.dimSpace != to.dimSpace || from.dimTime != to.dimTime ||
	    from.dimCount != to.dimCount)
		return PM_ERR_CONV;
	r = times_units(&f, &from, 1);
	if (r == 0)
		r = times_units(&f, &to, -1);
	if (r < 0)
		return r;
	if (f.overflow)
		return PM_ERR_CONV;
	if (f.mult % f.div == 0) {
		f.mult /= f.div;
		f.div = 1;
	}
	return scale_value(type, in, out, &f);
}

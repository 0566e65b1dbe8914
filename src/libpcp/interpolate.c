/* interpolate - see interpolate.h. */
#include "libpcp/interpolate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_32 4294967296.0
#define RANGE_64 18446744073709551616.0

static bool counters_wrap(void)
{
	return getenv("PCP_COUNTER_WRAP") != NULL;
}

/* How far the counter went, modulo its width where it went round. Differences are exact before they are rounded. */
static double distance(uint64_t from, uint64_t to, bool down, uint64_t mask)
{
	if (down && !counters_wrap())
		return -(double)(from - to);
	return (double)((to - from) & mask);
}

/* A whole number, within what its type can hold; modulo its width where it went round. */
static uint64_t whole(double v, double range)
{
	if (v >= range)
		v -= range;
	return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/* In this order: the last bit is that of 6.0.3. */
static double between(double from, double distance, double done, double all)
{
	return from + done * distance / all;
}

static double signed_between(int64_t from, int64_t to, uint64_t mask, double done, double all)
{
	double by = distance((uint64_t)from, (uint64_t)to, to < from, mask);

	return between(0.5 + (double)from, by, done, all);
}

static double unsigned_between(uint64_t from, uint64_t to, uint64_t mask, double done, double all)
{
	return between(0.5 + (double)from, distance(from, to, to < from, mask), done, all);
}

pmAtomValue interpolate(int type, double done, double all, const pmAtomValue *from,
			const pmAtomValue *to)
{
	pmAtomValue out;
	double v;

	memset(&out, 0, sizeof(out));
	switch (type) {
	case PM_TYPE_32:
		v = signed_between(from->l, to->l, UINT32_MAX, done, all);
		out.l = (int32_t)whole(v, RANGE_32);
		break;
	case PM_TYPE_U32:
		v = unsigned_between(from->ul, to->ul, UINT32_MAX, done, all);
		out.ul = (uint32_t)whole(v, RANGE_32);
		break;
	case PM_TYPE_64:
		v = signed_between(from->ll, to->ll, UINT64_MAX, done, all);
		out.ll = (int64_t)whole(v, RANGE_64);
		break;
	case PM_TYPE_U64:
		v = unsigned_between(from->ull, to->ull, UINT64_MAX, done, all);
		out.ull = whole(v, RANGE_64);
		break;
	case PM_TYPE_FLOAT:
		out.f = (float)between(from->f, to->f - from->f, done, all);
		break;
	default:
		out.d = between(from->d, to->d - from->d, done, all);
	}
	return out;
}

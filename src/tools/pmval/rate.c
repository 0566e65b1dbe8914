#include "tools/pmval/rate.h"

#include <stdbool.h>
#include <stdlib.h>

/* 2^32 and 2^64: the increase of an integer counter when it wraps. */
#define WRAP_32 4294967296.0
#define WRAP_64 18446744073709551616.0

/* Units of time in a second. */
static double per_second(int scale)
{
	static const double units[] = {
	    [PM_TIME_NSEC] = 1e9, [PM_TIME_USEC] = 1e6,     [PM_TIME_MSEC] = 1e3,
	    [PM_TIME_SEC] = 1,    [PM_TIME_MIN] = 1.0 / 60, [PM_TIME_HOUR] = 1.0 / 3600,
	};

	if (scale < 0 || (size_t)scale >= sizeof(units) / sizeof(units[0]))
		return 1;
	return units[scale];
}

pmUnits rate_units(pmUnits counter)
{
	pmUnits rate = counter;

	if (rate.dimTime == 0)
		rate.scaleTime = PM_TIME_SEC;
	rate.dimTime--;
	return rate;
}

static double wrap_of(int type)
{
	if (type == PM_TYPE_32 || type == PM_TYPE_U32)
		return WRAP_32;
	if (type == PM_TYPE_64 || type == PM_TYPE_U64)
		return WRAP_64;
	return 0;
}

static bool wraps(void)
{
	static int answer = -1;

	if (answer < 0)
		answer = getenv("PCP_COUNTER_WRAP") != NULL;
	return answer;
}

/* Large integers are subtracted as integers, because a double does not hold all their digits. */
static double gain(int type, const pmAtomValue *before, const pmAtomValue *now)
{
	switch (type) {
	case PM_TYPE_64:
		return now->ll >= before->ll ? (double)((uint64_t)now->ll - (uint64_t)before->ll)
					     : -(double)((uint64_t)before->ll - (uint64_t)now->ll);
	case PM_TYPE_U64:
		return now->ull >= before->ull ? (double)(now->ull - before->ull)
					       : -(double)(before->ull - now->ull);
	default:
		return now->d - before->d;
	}
}

int rate_between(const pmDesc *desc, int before_fmt, const pmValue *before, int now_fmt,
		 const pmValue *now, double seconds, double *ret_rate)
{
	bool large = desc->type == PM_TYPE_64 || desc->type == PM_TYPE_U64;
	int type = large ? desc->type : PM_TYPE_DOUBLE;
	pmAtomValue a, b;
	double gained;
	int sts = pmExtractValue(before_fmt, before, desc->type, &a, type);

	if (sts >= 0)
		sts = pmExtractValue(now_fmt, now, desc->type, &b, type);
	if (sts < 0)
		return sts;
	gained = gain(type, &a, &b);
	if (gained < 0 && wraps())
		gained += wrap_of(desc->type);
	if (desc->units.dimTime != 0)
		seconds *= per_second(desc->units.scaleTime);
	*ret_rate = gained / seconds;
	return 0;
}

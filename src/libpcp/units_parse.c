/*
 * units_parse - "Mbyte / 5 sec" as units and a factor: docs/spec/pmapi.md 14.
 *
 * Each side of the slash is read into a struct side; then both sides are combined, dimension by
 * dimension.
 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/format.h"

#define UNRECOGNIZED "unrecognized or duplicate base unit"

#define EXPONENT_MIN -8
#define EXPONENT_MAX 15
#define DIM_MIN      -8
#define DIM_MAX      7

enum dimension { TIME, SPACE, COUNT, NDIMENSIONS };

/* One side of the slash. */
struct side {
	int dim[NDIMENSIONS]; /* 0: not there */
	int scale[NDIMENSIONS];
	double number; /* product of all numbers */
};

struct keyword {
	const char *word;
	int scale;
};

/* clang-format off */
static const struct keyword time_words[] = {
	{ "nanoseconds", PM_TIME_NSEC }, { "nanosecond", PM_TIME_NSEC },
	{ "nanosec", PM_TIME_NSEC }, { "ns", PM_TIME_NSEC },
	{ "microseconds", PM_TIME_USEC }, { "microsecond", PM_TIME_USEC },
	{ "microsec", PM_TIME_USEC }, { "us", PM_TIME_USEC },
	{ "milliseconds", PM_TIME_MSEC }, { "millisecond", PM_TIME_MSEC },
	{ "millisec", PM_TIME_MSEC }, { "ms", PM_TIME_MSEC },
	{ "seconds", PM_TIME_SEC }, { "second", PM_TIME_SEC },
	{ "sec", PM_TIME_SEC }, { "s", PM_TIME_SEC },
	{ "minutes", PM_TIME_MIN }, { "minute", PM_TIME_MIN }, { "min", PM_TIME_MIN },
	{ "hours", PM_TIME_HOUR }, { "hour", PM_TIME_HOUR },
	{ "hr", PM_TIME_HOUR }, { "h", PM_TIME_HOUR },
};

/* The long names of powers of 1024 and of 1000 mean the same. */
static const struct keyword space_words[] = {
	{ "bytes", PM_SPACE_BYTE }, { "byte", PM_SPACE_BYTE },
#define PREFIX(letter, scale, binary, decimal) \
	{ letter "bytes", scale }, { letter "byte", scale }, \
	{ letter "B", scale }, { letter "iB", scale }, \
	{ binary "bytes", scale }, { binary "byte", scale }, \
	{ decimal "bytes", scale }, { decimal "byte", scale }
	PREFIX("K", PM_SPACE_KBYTE, "Kibi", "Kilo"),
	PREFIX("M", PM_SPACE_MBYTE, "Mebi", "Mega"),
	PREFIX("G", PM_SPACE_GBYTE, "Gibi", "Giga"),
	PREFIX("T", PM_SPACE_TBYTE, "Tebi", "Tera"),
	PREFIX("P", PM_SPACE_PBYTE, "Pebi", "Peta"),
	PREFIX("E", PM_SPACE_EBYTE, "Exbi", "Exa"),
	PREFIX("Z", PM_SPACE_ZBYTE, "Zebi", "Zetta"),
	PREFIX("Y", PM_SPACE_YBYTE, "Yobi", "Yotta"),
#undef PREFIX
};

/* The longest first: a shorter one is the beginning of a longer one. */
static const struct keyword count_words[] = {
	{ "count x 10^-8", -8 }, { "count x 10^-7", -7 }, { "count x 10^-6", -6 },
	{ "count x 10^-5", -5 }, { "count x 10^-4", -4 }, { "count x 10^-3", -3 },
	{ "count x 10^-2", -2 }, { "count x 10^-1", -1 },
	{ "count x 10^2", 2 }, { "count x 10^3", 3 }, { "count x 10^4", 4 },
	{ "count x 10^5", 5 }, { "count x 10^6", 6 }, { "count x 10^7", 7 },
	{ "count x 10", 1 }, { "counts", 0 }, { "count", 0 },
};

static const struct {
	const struct keyword *words;
	size_t nwords;
	const char *numbered; /* "time-7": a scale that has no name */
	int default_scale;
	const char *out_of_bounds;
} dimensions[NDIMENSIONS] = {
	[TIME]  = { time_words, ARRAY_SIZE(time_words), "time-", PM_TIME_SEC,
		    "time dimension out of bounds" },
	[SPACE] = { space_words, ARRAY_SIZE(space_words), "space-", PM_SPACE_BYTE,
		    "space dimension out of bounds" },
	[COUNT] = { count_words, ARRAY_SIZE(count_words), NULL, PM_COUNT_ONE,
		    "count dimension out of bounds" },
};
/* clang-format on */

/* After a keyword comes the end, a blank or an exponent. */
static bool word_ends(const char *p, const char *end)
{
	return p == end || *p == '^' || isspace((unsigned char)*p);
}

static bool starts_with(const char *p, const char *end, const char *word, const char **ret_after)
{
	size_t len = strlen(word);

	if ((size_t)(end - p) < len || strncasecmp(p, word, len) != 0)
		return false;
	*ret_after = p + len;
	return true;
}

/* A scale of up to two digits without sign: 0..15. */
static bool numbered_scale(const char *p, const char *end, const char *prefix, int *ret_scale,
			   const char **ret_after)
{
	int scale = 0, digits = 0;

	if (prefix == NULL || !starts_with(p, end, prefix, &p))
		return false;
	for (; p < end && isdigit((unsigned char)*p) && digits < 2; p++, digits++)
		scale = 10 * scale + (*p - '0');
	if (digits == 0 || scale > 15 || !word_ends(p, end))
		return false;
	*ret_scale = scale;
	*ret_after = p;
	return true;
}

static bool find_word(enum dimension d, const char *p, const char *end, int *ret_scale,
		      const char **ret_after)
{
	for (size_t i = 0; i < dimensions[d].nwords; i++) {
		if (starts_with(p, end, dimensions[d].words[i].word, ret_after) &&
		    word_ends(*ret_after, end)) {
			*ret_scale = dimensions[d].words[i].scale;
			return true;
		}
	}
	return numbered_scale(p, end, dimensions[d].numbered, ret_scale, ret_after);
}

/* "^-2" if it is there, else 1; false if there is something else after the keyword. */
static bool take_exponent(const char **p, const char *end, int *ret_exponent)
{
	const char *digits;
	int sign = 1, n = 0;

	*ret_exponent = 1;
	if (*p == end || **p != '^')
		return true;
	digits = *p + 1;
	if (digits < end && *digits == '-') {
		sign = -1;
		digits++;
	}
	*p = digits;
	while (*p < end && isdigit((unsigned char)**p) && n <= EXPONENT_MAX)
		n = 10 * n + (*(*p)++ - '0');
	*ret_exponent = sign * n;
	return *p > digits && *ret_exponent >= EXPONENT_MIN && *ret_exponent <= EXPONENT_MAX &&
	       (*p == end || isspace((unsigned char)**p));
}

static const char *take_unit(struct side *side, const char **p, const char *end)
{
	for (enum dimension d = 0; d < NDIMENSIONS; d++) {
		const char *after;
		int scale, exponent;

		if (side->dim[d] != 0 || !find_word(d, *p, end, &scale, &after))
			continue;
		if (!take_exponent(&after, end, &exponent))
			break;
		side->scale[d] = scale;
		side->dim[d] = exponent;
		*p = after;
		return NULL;
	}
	return UNRECOGNIZED;
}

static const char *units_take_number(struct side *side, const char **p)
{
	char *after;
	double number;

	errno = 0;
	number = cnumber_parse(*p, &after);
	if (after == *p || errno == ERANGE)
		return "invalid floating point literal";
	side->number *= number;
	*p = after;
	return NULL;
}

static const char *parse_side(const char *p, const char *end, struct side *side)
{
	const char *error = NULL;

	*side = (struct side){.number = 1};
	while (error == NULL) {
		while (p < end && isspace((unsigned char)*p))
			p++;
		if (p >= end)
			break;
		if (*p == '-' || *p == '.' || isdigit((unsigned char)*p))
			error = units_take_number(side, &p);
		else
			error = take_unit(side, &p, end);
	}
	return error;
}

/* The size of a scale, in the default scale of its dimension; 0 for an unknown scale of time. */
static double scale_size(enum dimension d, int scale)
{
	static const double seconds[] = {1e-9, 1e-6, 1e-3, 1, 60, 3600};

	if (d == SPACE)
		return pow(1024, scale);
	if (d == COUNT)
		return pow(10, scale);
	return scale < (int)ARRAY_SIZE(seconds) ? seconds[scale] : 0;
}

/* One dimension of both sides as dimension and scale. A factor without a scale goes into mult. */
static const char *join(enum dimension d, const struct side *over, const struct side *under,
			int *ret_dim, int *ret_scale, double *mult)
{
	*ret_dim = over->dim[d] - under->dim[d];
	if (*ret_dim < DIM_MIN || *ret_dim > DIM_MAX)
		return dimensions[d].out_of_bounds;
	if (over->dim[d] != 0 && under->dim[d] == 0) {
		*ret_scale = over->scale[d];
	} else if (under->dim[d] != 0 && over->dim[d] == 0) {
		*ret_scale = under->scale[d];
	} else {
		double above = scale_size(d, over->scale[d]);
		double below = scale_size(d, under->scale[d]);

		if (above == 0 || below == 0)
			return UNRECOGNIZED;
		*ret_scale = *ret_dim == 0 ? 0 : dimensions[d].default_scale;
		*mult *= pow(above, -over->dim[d]) * pow(below, under->dim[d]);
	}
	return NULL;
}

static const char *parse_units(const char *str, pmUnits *units, double *mult)
{
	const char *slash = strchrnul(str, '/');
	struct side over, under = {.number = 1};
	int dim[NDIMENSIONS], scale[NDIMENSIONS];
	const char *error = parse_side(str, slash, &over);

	if (error == NULL && *slash == '/')
		error = parse_side(slash + 1, slash + strlen(slash), &under);
	*mult = under.number / over.number;
	for (enum dimension d = 0; error == NULL && d < NDIMENSIONS; d++)
		error = join(d, &over, &under, &dim[d], &scale[d], mult);
	if (error != NULL)
		return error;
	*units = (pmUnits){
	    .dimSpace = dim[SPACE],
	    .dimTime = dim[TIME],
	    .dimCount = dim[COUNT],
	    .scaleSpace = (unsigned int)scale[SPACE],
	    .scaleTime = (unsigned int)scale[TIME],
	    .scaleCount = scale[COUNT],
	};
	return NULL;
}

int pmParseUnitsStr(const char *str, pmUnits *units, double *mult, char **errmsg)
{
	const char *error = parse_units(str, units, mult);

	if (error == NULL)
		return 0;
	memset(units, 0, sizeof(*units));
	*mult = 1;
	*errmsg = strdup(error);
	return PM_ERR_CONV;
}

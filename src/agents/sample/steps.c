/* steps - numbers that stay the same for a few fetches and then move: scales, and up and down. */
#include "sample.h"

/* ---- one scale after the other, five fetches each; by the rows' arg ---- */

static struct scale {
	double first, last, factor;
	double at;
	int fetches;
} scales[] = {
    {1, 1099511627776., 2, 1, 0}, {1099511627776., 1, .5, 1, 0},
    {1, 1e12, 10, 1, 0},          {1e12, 1, .1, 1, 0},
    {1, 1e5, 10, 1, 0},           {1, 1e14, 10, 1, 0},
    {1, 1e7, 10, 1, 0},
};

static int scale(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	struct scale *s = &scales[row->arg];

	if (s->fetches == 5) {
		s->fetches = 0;
		if (s->at == s->last)
			s->at = s->first;
		else
			s->at = s->factor < 1 ? s->at / (1 / s->factor) : s->at * s->factor;
	}
	s->fetches++;
	ret_atom->d = s->at;
	return PMDA_FETCH_STATIC;
}

/* ---- up and down between two bounds; what is stored counts from the next move on ---- */

static pmAtomValue repeat = {.ul = 5}, least = {.l = 0}, most = {.l = 200}, stride = {.ul = 10};
static pmAtomValue *const settings[] = {&repeat, &least, &most, &stride};

static int observed, direction = 1, left = 5;

static void move(void)
{
	int by = (int)stride.ul;

	observed = (int)((unsigned int)observed + (unsigned int)direction * (unsigned int)by);
	if (observed < least.l) {
		observed = (int)((unsigned int)least.l + (unsigned int)by);
		direction = 1;
	}
	if (observed > most.l) {
		observed = (int)((unsigned int)most.l - (unsigned int)by);
		direction = -1;
	}
}

static int updown(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	if (--left <= 0) {
		move();
		left = (int)repeat.ul;
	}
	ret_atom->l = observed;
	return PMDA_FETCH_STATIC;
}

static int setting(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	*ret_atom = *settings[row->arg];
	return PMDA_FETCH_STATIC;
}

static int store_setting(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	*settings[row->arg] = *atom;
	return 0;
}

/* clang-format off */
#define INSTANT ONE_VALUE, PM_SEM_INSTANT
#define UNITS(space, time, count, space_scale, time_scale) \
    PMDA_PMUNITS(space, time, count, space_scale, time_scale, 0)
#define SCALE(word, item, units, which, text) \
    {"scale_step." word, item, PM_TYPE_DOUBLE, INSTANT, units, scale, NULL, which, text}
#define SETTING(word, item, type, which, text) \
    {"updown.control." word, item, type, INSTANT, NO_UNITS, setting, store_setting, which, text}

static const struct sample_metric rows[] = {
    SCALE("bytes_up", 65, UNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC), 0,
     "Doubles every five fetches"),
    SCALE("bytes_down", 66, UNITS(1, 0, 0, PM_SPACE_BYTE, 0), 1, "Halves every five fetches"),
    SCALE("count_up", 67, UNITS(0, -1, 1, 0, PM_TIME_SEC), 2,
     "Ten times as much every five fetches"),
    SCALE("count_down", 68, COUNT, 3, "A tenth every five fetches"),
    SCALE("time_up_secs", 69, SEC, 4, "Ten times as much every five fetches, up to a day"),
    SCALE("time_up_nanosecs", 70, UNITS(0, 1, 0, 0, PM_TIME_NSEC), 5,
          "Ten times as much every five fetches, up to a day"),
    SCALE("none_up", 71, NO_UNITS, 6, "Ten times as much every five fetches"),
    {"updown.obs", 164, PM_TYPE_32, INSTANT, NO_UNITS, updown, NULL, 0,
     "Goes up to a bound, then down to another, as sample.updown.control.* say"},
    SETTING("repeat", 165, PM_TYPE_U32, 0, "For how many fetches sample.updown.obs stays the same"),
    SETTING("min", 166, PM_TYPE_32, 1, "Where sample.updown.obs turns up"),
    SETTING("max", 167, PM_TYPE_32, 2, "Where sample.updown.obs turns down"),
    SETTING("step", 168, PM_TYPE_U32, 3, "By how much sample.updown.obs moves"),
};
/* clang-format on */

SAMPLE_GROUP(steps_group, rows);

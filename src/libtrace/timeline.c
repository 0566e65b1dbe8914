/* timeline - see timeline.h. */
#include "libtrace/timeline.h"

enum {
	EVERY_NS = 1000000000,
};

/* Removes every second pair, but keeps the first and the last. */
static void thin_out(struct control *control)
{
	uint32_t i, kept = 1;

	for (i = 2; i + 1 < control->npairs; i += 2)
		control->pairs[kept++] = control->pairs[i];
	control->pairs[kept++] = control->pairs[control->npairs - 1];
	control->npairs = kept;
}

static void append(struct control *control, struct clock_pair pair)
{
	const struct clock_pair *last = control->pairs;

	if (control->npairs > 0)
		last += control->npairs - 1;
	if (control->npairs > 0 && (pair.tick <= last->tick || pair.mono_ns <= last->mono_ns))
		return;
	if (control->npairs == CONTROL_PAIRS)
		thin_out(control);
	control->pairs[control->npairs] = pair;
	control->npairs++;
}

/* Time from the last pair until the next one is due. */
static uint64_t distance(const struct control *control)
{
	const struct clock_pair *last = &control->pairs[control->npairs - 1];
	uint64_t apart = control->npairs < 2 ? 0 : last->mono_ns - (last - 1)->mono_ns;

	return apart < EVERY_NS ? apart : EVERY_NS;
}

void control_clock_extend(struct control *control)
{
	enum clock_kind kind = (enum clock_kind)control->id.clock_kind;

	if (control->npairs == 0)
		append(control, (struct clock_pair){ control->id.tick0, control->id.mono0 });
	if (clock_mono() - control->pairs[control->npairs - 1].mono_ns >= distance(control))
		append(control, clock_pair(kind));
}

uint64_t control_clock_mono(const struct control *control, uint64_t tick)
{
	return clock_convert(control->pairs, control->npairs, tick);
}

int64_t control_clock_real(const struct control *control, uint64_t tick)
{
	return (int64_t)control_clock_mono(control, tick) + control->id.real_offset;
}

int64_t control_clock_real_by(const struct control *control, struct clock_line *line, uint64_t tick)
{
	if (!clock_on(line, tick))
		*line = clock_line(control->pairs, control->npairs, tick);
	if (!clock_on(line, tick))
		return control_clock_real(control, tick);
	return (int64_t)clock_along(line, tick) + control->id.real_offset;
}

/* events - see events.h. */
#include "daemons/pmlogger/events.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "daemons/pmlogger/fetch_plan.h"
#include "daemons/pmlogger/logging_state.h"

enum {
	TIME_LEN = 8, /* seconds and a fraction in 32 bits each */
	TIME_LEN_HIGHRES = 16,
	LEN_MASK = 0x00ffffff,
};

struct walk {
	const uint8_t *p, *end;
	bool bad;
};

static uint32_t events_next_word(struct walk *w)
{
	uint32_t v = 0;

	if (w->end - w->p < 4) {
		w->bad = true;
		return 0;
	}
	memcpy(&v, w->p, 4);
	w->p += 4;
	return v;
}

static void events_skip(struct walk *w, size_t n)
{
	if ((size_t)(w->end - w->p) < n)
		w->bad = true;
	else
		w->p += n;
}

static void one_record(struct walk *w, bool highres, void (*found)(pmID pmid, void *arg), void *arg)
{
	uint32_t flags, n;

	events_skip(w, highres ? TIME_LEN_HIGHRES : TIME_LEN);
	flags = events_next_word(w);
	n = events_next_word(w);
	if ((flags & PM_EVENT_FLAG_MISSED) != 0)
		return;
	for (uint32_t i = 0; i < n && !w->bad; i++) {
		pmID pmid = events_next_word(w);
		uint32_t len = events_next_word(w) & LEN_MASK;

		if (len < 4)
			w->bad = true;
		else
			events_skip(w, ((size_t)len + 3) / 4 * 4 - 4);
		if (!w->bad)
			found(pmid, arg);
	}
}

void event_params(const pmValueSet *set, bool highres, void (*found)(pmID pmid, void *arg),
		  void *arg)
{
	if (set->numval <= 0 || set->valfmt == PM_VAL_INSITU)
		return;
	for (int i = 0; i < set->numval; i++) {
		const pmValueBlock *block = set->vlist[i].value.pval;
		struct walk w = {(const uint8_t *)block->vbuf, (const uint8_t *)block + block->vlen,
				 false};
		uint32_t n = events_next_word(&w);

		for (uint32_t k = 0; k < n && !w.bad; k++)
			one_record(&w, highres, found, arg);
	}
}

/*
 * Values of a time in which recording was off
 */

/* A result is one block of memory: nothing of it is lost. */
static void cut(struct logging_metric *m, pmValueSet *set)
{
	int kept = 0;

	for (int i = 0; i < set->numval; i++) {
		if (!logging_primed(m, set->vlist[i].inst))
			set->vlist[kept++] = set->vlist[i];
	}
	set->numval = kept;
}

void event_hole_cut(const struct fetch_group *g, pmHighResResult *result)
{
	for (int i = 0; g->events && i < result->numpmid && (size_t)i < g->n; i++) {
		const struct fetch_metric *fm = &g->metrics[i];

		if (fm->events && fm->metric->primes && result->vset[i]->numval > 0)
			cut(fm->metric, result->vset[i]);
	}
}

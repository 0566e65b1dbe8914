/*
 * disk - nanoseconds per value through the codec of archives (docs/performance.md D).
 *
 * Two shapes: one metric with 10,000 instances, and 1,000 singular metrics, of 64-bit values.
 * "find" looks up the last metric of a record and reads its first value. Each figure is the best of
 * several rounds of CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libdisk/result_record.h"
#include "libdisk/result_view.h"

enum { ROUNDS = 15, REPEAT = 40, BLOCK_WORDS = 3 };

struct shape {
	const char *name;
	uint32_t sets, values; /* values of each set */
};

struct sample {
	const struct shape *shape;
	pmValueSet **sets;
	uint32_t *blocks;
	struct buffer record, out;
	struct result_view view;
	uint64_t sum; /* prevents the compiler from removing the code */
};

static const struct timespec stamp = {1795188452, 409914322};

static void *need(void *p)
{
	if (p == NULL) {
		perror("malloc");
		exit(1);
	}
	return p;
}

static void build(struct sample *s, const struct shape *shape)
{
	uint32_t *block;

	*s = (struct sample){.shape = shape};
	s->sets = need(calloc(shape->sets, sizeof(*s->sets)));
	s->blocks = block = need(calloc((size_t)shape->sets * shape->values, 4 * BLOCK_WORDS));
	for (uint32_t i = 0; i < shape->sets; i++) {
		size_t size = sizeof(pmValueSet) + shape->values * sizeof(pmValue);

		s->sets[i] = need(calloc(1, size));
		s->sets[i]->pmid = i + 1;
		s->sets[i]->numval = (int)shape->values;
		s->sets[i]->valfmt = PM_VAL_DPTR;
		for (uint32_t j = 0; j < shape->values; j++, block += BLOCK_WORDS) {
			*block = (uint32_t)PM_TYPE_U64 << 24 | VALUE_BLOCK_64;
			s->sets[i]->vlist[j].inst = (int)j;
			s->sets[i]->vlist[j].value.pval = (pmValueBlock *)(void *)block;
		}
	}
	if (result_record_put(&s->record, DISK_V3, &stamp, s->sets, shape->sets) < 0 ||
	    result_view_init(&s->view, DISK_V3, s->record.data, s->record.len) < 0)
		exit(1);
}

static void done(struct sample *s)
{
	for (uint32_t i = 0; i < s->shape->sets; i++)
		free(s->sets[i]);
	free(s->sets);
	free(s->blocks);
	buffer_done(&s->record);
	buffer_done(&s->out);
}

static void put(struct sample *s)
{
	buffer_reset(&s->out);
	result_record_put(&s->out, DISK_V3, &stamp, s->sets, s->shape->sets);
}

static void copy(struct sample *s)
{
	buffer_reset(&s->out);
	result_record_copy(&s->out, DISK_V3, &stamp, &s->view);
}

static void check(struct sample *s)
{
	s->sum += (uint64_t)result_view_check(&s->view);
}

static void scan(struct sample *s)
{
	struct result_walk walk = result_walk_begin(&s->view);
	struct vset_view set;
	struct wire_value value;
	pmAtomValue atom;

	while (result_walk_next(&s->view, &walk, &set) > 0) {
		for (int32_t i = 0; i < set.numval; i++) {
			if (vset_view_value(&s->view, &set, i, &value) == 0 &&
			    wire_value_number(&value, PM_TYPE_U64, &atom) == 0)
				s->sum += atom.ull;
		}
	}
}

static void find(struct sample *s)
{
	struct vset_view set;
	struct wire_value value;

	if (result_view_find(&s->view, s->shape->sets, &set) > 0 &&
	    vset_view_value(&s->view, &set, 0, &value) == 0)
		s->sum += value.block_len;
}

static void to_host(struct sample *s)
{
	pmHighResResult *result;

	if (result_record_to_host(DISK_V3, s->record.data, s->record.len, &result) == 0)
		free(result);
}

/* Nanoseconds of CPU time per call. */
static double measure(struct sample *s, void (*step)(struct sample *))
{
	double best = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		struct timespec from, to;
		double ns;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		for (int i = 0; i < REPEAT; i++)
			step(s);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
		best = ns < best ? ns : best;
	}
	return best / REPEAT;
}

int main(void)
{
	static const struct shape shapes[] = {{"1 x 10,000", 1, 10000}, {"1000 x 1", 1000, 1}};
	static const struct {
		const char *name;
		void (*step)(struct sample *);
	} steps[] = {{"put", put},   {"copy", copy}, {"check", check},
		     {"scan", scan}, {"find", find}, {"to_host", to_host}};

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		double n = (double)shapes[i].sets * shapes[i].values;
		struct sample s;

		build(&s, &shapes[i]);
		for (size_t j = 0; j < ARRAY_SIZE(steps); j++) {
			double ns = measure(&s, steps[j].step);

			printf("%-11s %-8s %8.2f us a record %7.2f ns a value\n", shapes[i].name,
			       steps[j].name, ns / 1000, ns / n);
		}
		done(&s);
	}
	return 0;
}

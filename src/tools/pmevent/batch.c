/* batch - see batch.h. */
#include "tools/pmevent/batch.h"

#include <stdlib.h>

#include "tools/pmevent/record.h"

static void part_done(const struct batch_part *part)
{
	struct event_records records = part->records;

	event_free(&records);
	free(part->owned);
}

/* Makes room for more elements of an array. Returns false if there is no memory. */
static bool reserve(void **array, size_t *room, size_t n, size_t more, size_t size)
{
	size_t want = *room == 0 ? 16 : *room;
	void *grown;

	while (want < n + more)
		want *= 2;
	if (want == *room)
		return true;
	grown = reallocarray(*array, want, size);
	if (grown == NULL)
		return false;
	*array = grown;
	*room = want;
	return true;
}

bool batch_add(struct batch *b, const struct batch_part *part)
{
	void *parts = b->parts, *items = b->items;
	bool good;

	good = reserve(&parts, &b->room, b->n, 1, sizeof(*b->parts));
	b->parts = parts;
	good = good && reserve(&items, &b->items_room, b->n_items, (size_t)part->records.n,
			       sizeof(*b->items));
	b->items = items;
	if (!good) {
		part_done(part);
		return false;
	}
	for (int i = 0; i < part->records.n; i++) {
		struct event_record e;

		event_record(&part->records, i, &e);
		b->items[b->n_items++] = (struct batch_item){e.stamp, b->n, i};
	}
	b->parts[b->n++] = *part;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct batch_item *p = a, *q = b;

	if (p->stamp.tv_sec != q->stamp.tv_sec)
		return p->stamp.tv_sec < q->stamp.tv_sec ? -1 : 1;
	if (p->stamp.tv_nsec != q->stamp.tv_nsec)
		return p->stamp.tv_nsec < q->stamp.tv_nsec ? -1 : 1;
	if (p->part != q->part)
		return p->part < q->part ? -1 : 1;
	return (p->record > q->record) - (p->record < q->record);
}

void batch_each(struct batch *b, void (*show)(const struct record *r, void *arg), void *arg)
{
	if (b->n_items > 0)
		qsort(b->items, b->n_items, sizeof(*b->items), by_time);
	for (size_t i = 0; i < b->n_items; i++) {
		const struct batch_part *part = &b->parts[b->items[i].part];
		struct record r = {
		    .metric = part->metric, .instance = part->instance, .inst = part->inst};

		record_read(&r, &part->records, b->items[i].record);
		show(&r, arg);
		record_done(&r);
	}
}

void batch_done(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		part_done(&b->parts[i]);
	free(b->parts);
	free(b->items);
	*b = (struct batch){0};
}

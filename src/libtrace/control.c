/* control - see control.h. */
#include "libtrace/control.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory and queue ---- */

/* An entry of the queue; its data follows it. An entry is contiguous: if it does not fit before
 * the end of the ring, the rest of the ring is skipped. */
struct entry {
	uint64_t tick;
	uint32_t bytes; /* of entry and data, a multiple of 8; ENTRY_SKIP: go to the ring's start */
	uint32_t id;
	uint64_t address, thread;
	int32_t pid, tid;
	uint32_t length;
	uint32_t hidden;
};

#define ENTRY_SKIP UINT32_MAX

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + LAYOUT_PAGE - 1) & ~(uint64_t)(LAYOUT_PAGE - 1);
}

static uint64_t queue_bytes(const struct geometry *g)
{
	return page_up(g->stream_size + CONTROL_QUEUE_SPARE);
}

static uint64_t copies_bytes(const struct geometry *g)
{
	return page_up((uint64_t)g->chunks * g->chunk_size);
}

static uint8_t *queue_base(struct control *control)
{
	return (uint8_t *)control + page_up(sizeof(*control));
}

uint8_t *control_copies(struct control *control, const struct geometry *g)
{
	return queue_base(control) + queue_bytes(g);
}

uint8_t *control_block(struct control *control, const struct geometry *g)
{
	return control_copies(control, g) + copies_bytes(g);
}

int control_create(const struct layout_id *id, const struct geometry *g, bool logged,
		   struct control **ret_control)
{
	uint64_t bytes = page_up(sizeof(struct control)) + queue_bytes(g) + copies_bytes(g) +
			 (logged ? control_block_bytes(g) : 0);
	struct control *control;
	int fd = segment_memory("trace control", bytes);

	if (fd < 0)
		return fd;
	control = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED) {
		close(fd);
		return -ENOMEM;
	}
	/* Children do not need it, and must not be able to damage it. */
	madvise(control, bytes, MADV_DONTFORK);
	control->bytes = bytes;
	control->id = *id;
	control->logged = logged;
	control->magic = CONTROL_MAGIC;
	*ret_control = control;
	return fd;
}

int control_map(int fd, struct control **ret_control)
{
	struct control *control;
	struct stat st;

	if (fstat(fd, &st) != 0 || st.st_size < (off_t)sizeof(*control))
		return -EINVAL;
	control = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED)
		return -ENOMEM;
	if (control->magic != CONTROL_MAGIC || control->bytes != (uint64_t)st.st_size) {
		munmap(control, (size_t)st.st_size);
		return -EINVAL;
	}
	*ret_control = control;
	return 0;
}

void control_unmap(struct control *control)
{
	if (control != NULL)
		munmap(control, control->bytes);
}

int control_put(struct control *control, const struct geometry *g, uint64_t tick,
		const struct event *event, bool hidden, bool urgent)
{
	uint64_t size = queue_bytes(g), head = atomic_load(&control->queue_head);
	uint64_t tail = atomic_load(&control->queue_tail), room = size - (tail - head);
	uint32_t length = hidden ? 0 : event->length;
	uint32_t bytes = (uint32_t)(sizeof(struct entry) + ((length + 7) & ~7u));
	uint64_t skip = size - tail % size < bytes ? size - tail % size : 0;
	struct entry *entry;

	if (room < skip + bytes + (urgent ? 0 : CONTROL_QUEUE_RESERVE))
		return -ENOSPC;
	if (skip >= offsetof(struct entry, id))
		((struct entry *)(void *)(queue_base(control) + tail % size))->bytes = ENTRY_SKIP;
	entry = (struct entry *)(void *)(queue_base(control) + (tail + skip) % size);
	*entry = (struct entry){.tick = tick,
				.bytes = bytes,
				.id = event->id,
				.address = event->address,
				.thread = event->thread,
				.pid = event->pid,
				.tid = event->tid,
				.length = length,
				.hidden = hidden};
	if (length > 0)
		memcpy(entry + 1, event->data, length);
	/* From here on the event exists, for a keeper too. */
	atomic_store(&control->queue_tail, tail + skip + bytes);
	return 0;
}

/* The oldest entry; moves the head over skipped bytes. */
static struct entry *control_oldest(struct control *control, const struct geometry *g)
{
	uint64_t size = queue_bytes(g), head = atomic_load(&control->queue_head);
	uint64_t left = size - head % size;
	struct entry *entry;

	if (head == atomic_load(&control->queue_tail))
		return NULL;
	entry = (struct entry *)(void *)(queue_base(control) + head % size);
	if (left < offsetof(struct entry, id) || entry->bytes == ENTRY_SKIP) {
		atomic_store(&control->queue_head, head + left);
		entry = (struct entry *)(void *)queue_base(control);
	}
	return entry;
}

bool control_peek(struct control *control, const struct geometry *g, uint64_t *ret_tick,
		  struct event *ret_event, bool *ret_hidden)
{
	const struct entry *entry = control_oldest(control, g);

	if (entry == NULL)
		return false;
	*ret_tick = entry->tick;
	*ret_hidden = entry->hidden;
	*ret_event = (struct event){.id = entry->id,
				    .pid = entry->pid,
				    .tid = entry->tid,
				    .thread = entry->thread,
				    .address = entry->address,
				    .length = entry->length,
				    .data = entry + 1};
	return true;
}

void control_take(struct control *control, const struct geometry *g)
{
	const struct entry *entry = control_oldest(control, g);

	if (entry != NULL)
		atomic_fetch_add(&control->queue_head, entry->bytes);
}

void control_drop(struct control *control)
{
	atomic_store(&control->queue_head, atomic_load(&control->queue_tail));
}

/* ---- clock pairs ---- */

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
		append(control, (struct clock_pair){control->id.tick0, control->id.mono0});
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

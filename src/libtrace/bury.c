/*
 * intake_recover - recover chunks whose owners died in the middle of an operation, by the rules of
 * docs/spec/trace-design.md 3 and 12. See intake.h.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "libtrace/chunk.h"
#include "libtrace/intake.h"
#include "libtrace/sys.h"

enum {
	PAUSE_FIRST_NS = 20000000,
	PAUSE_LONGEST_NS = 1000000000,
};

/* Writes "/proc/TID/stat"; that file exists for all threads, not only for leaders. */
static void path_of(int32_t tid, char path[static 32])
{
	char digits[12];
	size_t n = 0, at = 6;

	memcpy(path, "/proc/", at);
	do
		digits[n++] = (char)('0' + tid % 10);
	while ((tid /= 10) > 0);
	while (n > 0)
		path[at++] = digits[--n];
	memcpy(path + at, "/stat", sizeof("/stat"));
}

/* Is there a living thread with this id? Zombies are not alive. If /proc gives no answer (it is
 * missing, or no descriptor is left), the kernel does, for which a zombie exists: a thread that
 * is wrongly taken for dead would lose its chunk to another. */
static bool is_alive(int32_t tid)
{
	char path[32], text[256];
	const char *end;
	ssize_t len;
	int fd;

	if (tid <= 0)
		return false;
	path_of(tid, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	if (len <= 0)
		return SYS(SYS_tkill, tid, 0) != -ESRCH;
	text[len] = '\0';
	/* The state follows the command, which may hold parentheses of its own. */
	end = strrchr(text, ')');
	return end == NULL || (end[1] == ' ' && end[2] != 'Z' && end[2] != 'X');
}

static bool is_owned(uint64_t word)
{
	enum chunk_state state = truth_state(word);

	return state == CHUNK_TAKEN || state == CHUNK_OVER || state == CHUNK_ACTIVE;
}

/* Is a check of the owner due? Only if the chunk has not changed since the last one. */
static bool is_due(struct intake *in, uint32_t chunk, uint64_t word, uint64_t now_ns)
{
	struct intake_watch *watch = &in->watch[chunk];

	if (in->final)
		return true;
	if (watch->word != word) {
		*watch = (struct intake_watch){ word, now_ns, PAUSE_FIRST_NS };
		return false;
	}
	if (now_ns - watch->looked_ns < watch->pause_ns)
		return false;
	watch->looked_ns = now_ns;
	if (watch->pause_ns < PAUSE_LONGEST_NS)
		watch->pause_ns *= 2;
	return true;
}

bool intake_recover(struct intake *in, uint32_t chunk, uint64_t now_ns)
{
	uint64_t word = atomic_load(&in->seg->cs[chunk]);
	struct chunk_writer dead = { .tid = (int32_t)truth_tid(word) };

	if (!is_owned(word) || !is_due(in, chunk, word, now_ns) || is_alive(dead.tid))
		return false;
	chunk_recover(in->seg, &dead, UINT32_MAX,
		      clock_fenced((enum clock_kind)in->ctl->id.clock_kind));
	return true;
}

/* Was a chunk swapped before the previous reader was killed? */
static bool was_taken(const struct intake *in, uint32_t chunk, const struct intake_slot *slot)
{
	uint64_t word = atomic_load(&in->seg->cs[chunk]);
	uint64_t lost = atomic_load(&in->seg->lostc[chunk]);

	if (word == slot->after || word == slot->before)
		return word == slot->after;
	if (truth_gen(word) == truth_gen(slot->before)) /* its owner has changed it since */
		return truth_pos(word) == truth_pos(slot->after);
	/* Another owner: it took a free chunk, or else it recorded how many events it dropped. */
	return truth_state(slot->after) == CHUNK_FREE && truth_state(word) != CHUNK_OVER &&
	       lost >> LOSTC_BITS != truth_gen(word);
}

void intake_settle(const struct intake *in, uint32_t chunk)
{
	struct intake_slot *slot = intake_slot(in, chunk);

	if (slot->state == SLOT_TRIED)
		slot->state = was_taken(in, chunk, slot) ? SLOT_TAKEN : SLOT_EMPTY;
	if (slot->state != SLOT_TAKEN)
		slot->state = SLOT_EMPTY;
	else if (slot->bytes > in->seg->g.chunk_size - sizeof(*slot) || slot->pos > slot->bytes)
		slot->state = SLOT_EMPTY;
}

/* segment - see segment.h. */
#include "libtrace/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libtrace/memory.h"
#include "libtrace/xfsz.h"

/* A memfd of the library cannot be resized, and its seals cannot be changed. */
enum {
	SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL
};

static void point_into(struct segment *s)
{
	s->state = (struct layout_state *)(s->base + LAYOUT_PAGE);
	s->cs = (_Atomic uint64_t *)(s->base + s->g.cs);
	s->lostc = (_Atomic uint64_t *)(s->base + s->g.lostc);
	s->freemap = (_Atomic uint64_t *)(s->base + s->g.freemap);
	s->order = (_Atomic uint64_t *)(s->base + s->g.order);
	s->partial = (_Atomic uint32_t *)(s->base + s->g.partial);
	s->chunk0 = s->base + s->g.chunk0;
}

/* Every chunk is free; all other memory of a new memfd is zero. */
static void fill_in(const struct segment *s, const struct layout_id *id)
{
	uint32_t i, n = s->g.chunks;

	for (i = 0; i < n; i++)
		atomic_init(&s->cs[i], truth_make(CHUNK_FREE, 0, 0, 0));
	for (i = 0; i < n / 64; i++)
		atomic_init(&s->freemap[i], ~(uint64_t)0);
	if (n % 64 != 0)
		atomic_init(&s->freemap[n / 64], ((uint64_t)1 << n % 64) - 1);
	for (i = 0; i < LAYOUT_PARTIAL; i++)
		atomic_init(&s->partial[i], 0);
	atomic_init(&s->state->ctl, CTL_UNFILTERED);
	memcpy(s->base, id, sizeof(*id));
}

/* Allocates all of its memory. */
static bool allocate(int fd, uint64_t bytes)
{
	struct host_xfsz held;
	bool done;

	host_xfsz_hold(&held);
	done = ftruncate(fd, (off_t)bytes) == 0 && fallocate(fd, 0, 0, (off_t)bytes) == 0;
	host_xfsz_release(&held, !done && errno == EFBIG);
	return done;
}

int segment_memory(const char *name, uint64_t bytes)
{
	int fd;

	/* The kernel kills processes rather than refuse pages to a memfd. */
	if (bytes > segment_available() / 4 * 3)
		return -ENOMEM;
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -ENOMEM;
	if (allocate(fd, bytes) && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
		return fd;
	close(fd);
	return -ENOMEM;
}

int segment_create(struct layout_id *id, const struct geometry *g, struct segment *ret)
{
	struct segment s = { .g = *g, .clock_kind = id->clock_kind, .clock_mode = id->clock_mode };
	int fd;

	fd = segment_memory("trace", g->bytes);
	if (fd < 0)
		return fd;
	s.base = mmap(NULL, g->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s.base == MAP_FAILED) {
		close(fd);
		return -ENOMEM;
	}
	id->magic = LAYOUT_MAGIC;
	id->version = LAYOUT_VERSION;
	id->word_size = sizeof(void *);
	id->bytes = g->bytes;
	id->stream_size = g->stream_size;
	id->chunk_size = g->chunk_size;
	id->chunks = g->chunks;
	id->quota = g->quota;
	id->policy = g->policy;
	id->data_max = g->data_max;
	point_into(&s);
	fill_in(&s, id);
	*ret = s;
	return fd;
}

/* Size of a memfd with the library's seals, or -EINVAL. */
static int64_t sealed_size(int fd)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || (seals & SEALS) != SEALS)
		return -EINVAL;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 2 * LAYOUT_PAGE)
		return -EINVAL;
	return st.st_size;
}

static bool head_is_ours(const struct layout_id *id)
{
	return id->magic == LAYOUT_MAGIC && id->version == LAYOUT_VERSION &&
	       id->word_size == sizeof(void *);
}

int segment_map(int fd, struct segment *ret, struct layout_id *ret_id)
{
	struct segment s = { NULL };
	struct layout_id id;
	int64_t bytes = sealed_size(fd);

	if (bytes < 0 || (uint64_t)bytes > SIZE_MAX / 2)
		return -EINVAL;
	if (pread(fd, &id, sizeof(id), 0) != (ssize_t)sizeof(id) || !head_is_ours(&id))
		return -EINVAL;
	if (geometry_check(&id, (uint64_t)bytes, &s.g) != 0)
		return -EINVAL;
	s.clock_kind = id.clock_kind;
	s.clock_mode = id.clock_mode;
	s.base = mmap(NULL, s.g.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s.base == MAP_FAILED)
		return -ENOMEM;
	point_into(&s);
	if (ret_id != NULL)
		*ret_id = id;
	*ret = s;
	return 0;
}

void segment_dont_fork(const struct segment *segment)
{
	madvise(segment->base, segment->g.bytes, MADV_DONTFORK);
}

void segment_unmap(struct segment *segment)
{
	if (segment->base == NULL)
		return;
	munmap(segment->base, segment->g.bytes);
	segment->base = NULL;
}

void segment_empty(const struct segment *segment)
{
	/* By address: the application may have closed the descriptor. */
	(void)madvise(segment->chunk0, segment->g.bytes - segment->g.chunk0, MADV_REMOVE);
}

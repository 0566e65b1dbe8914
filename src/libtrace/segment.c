/* segment - see segment.h; first the memory that a segment may take. */
#include "libtrace/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libtrace/host.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"

/* ---- available memory ---- */

enum {
	PATH = 4096,
	TEXT = 4096, /* the line in question is in the first kilobyte of memory.stat */
};

/* Reads a file as a string: false if it cannot be read. */
static bool read_text(const char *path, char text[TEXT])
{
	int fd = sys_openat(AT_FDCWD, path, O_RDONLY, 0);
	long n = fd < 0 ? fd : sys_read(fd, text, TEXT - 1);

	sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool read_below(const char *root, const char *dir, const char *file, char text[TEXT])
{
	char path[PATH];
	struct text t = text_init(path, sizeof(path));

	text_add(&t, root);
	text_add(&t, dir);
	text_add(&t, file);
	return read_text(path, text);
}

/* The number that follows a word at the start of a line; 0 if there is none. */
static uint64_t number_of(const char *text, const char *word)
{
	size_t len = strlen(word);
	uint64_t n = 0;

	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, word, len) != 0)
			continue;
		for (line += len; *line == ' '; line++)
			;
		return text_number(&line, &n) ? n : 0;
	}
	return 0;
}

static uint64_t of_machine(const char *root)
{
	char text[TEXT];

	if (!read_below(root, "/proc", "/meminfo", text) || strstr(text, "MemAvailable:") == NULL)
		return UINT64_MAX;
	return number_of(text, "MemAvailable:") * 1024;
}

/* The memory that one group has left; the kernel can drop inactive page cache. */
static uint64_t of_group(const char *root, const char *dir)
{
	char text[TEXT];
	uint64_t max, used = 0;
	const char *p = text;

	if (!read_below(root, dir, "/memory.max", text) || !text_number(&p, &max))
		return UINT64_MAX; /* "max", or the root group */
	p = text;
	if (!read_below(root, dir, "/memory.current", text) || !text_number(&p, &used))
		return max;
	if (read_below(root, dir, "/memory.stat", text)) {
		uint64_t cache = number_of(text, "inactive_file ");

		used -= cache < used ? cache : used;
	}
	return used < max ? max - used : 0;
}

/* The group of the process as "/sys/fs/cgroup/PATH"; false: not in a version 2 group. */
static bool group_of(const char *root, char dir[PATH])
{
	struct text t = text_init(dir, PATH);
	char text[TEXT], *path, *end;

	if (!read_below(root, "/proc/self", "/cgroup", text))
		return false;
	path = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (path == NULL)
		return false;
	path = strchr(path, '/');
	end = path != NULL ? strchr(path, '\n') : NULL;
	if (end == NULL)
		return false;
	*end = '\0';
	text_add(&t, "/sys/fs/cgroup");
	text_add(&t, path);
	return true;
}

uint64_t segment_available_below(const char *root)
{
	static const size_t top = sizeof("/sys/fs/cgroup") - 1;
	uint64_t least = of_machine(root);
	char dir[PATH];

	if (!group_of(root, dir))
		return least;
	for (;;) {
		uint64_t left = of_group(root, dir);

		if (left < least)
			least = left;
		if (strlen(dir) <= top)
			return least;
		*strrchr(dir, '/') = '\0';
	}
}

uint64_t segment_available(void)
{
	return segment_available_below("");
}

/* ---- segments ---- */

/* A memfd of the library cannot be resized, and its seals cannot be changed. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

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

int segment_create(struct layout_id *id, const struct geometry *g, struct segment *ret_segment)
{
	struct segment s = {.g = *g, .clock_kind = id->clock_kind, .clock_mode = id->clock_mode};
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
	*ret_segment = s;
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

int segment_map(int fd, struct segment *ret_segment, struct layout_id *ret_id)
{
	struct segment s = {NULL};
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
	*ret_segment = s;
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

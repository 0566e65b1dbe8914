/*
 * keeper_image - how a keeper treats the process image that it inherited from its controller, and
 * what it can see of the controller's; see keeper_run.h.
 */
#include "libtrace/keeper_run.h"

#include <pthread.h>
#include <string.h>

#include "libtrace/proc.h"
#include "libtrace/sys.h"
#include "libtrace/text.h"

enum {
	STAT_STACK = 28, /* field of /proc/PID/stat: start of the stack */
	LARGE = 1 << 20,
};

static void close_between(unsigned from, unsigned to)
{
	if (from <= to)
		(void)SYS(SYS_close_range, from, to, 0);
}

/* Code that writes to standard error (a sanitizer, an abort of the C library) must not hit a log
 * that got this number. These descriptors cannot be written, and keep nothing alive. */
static void fill_standard(void)
{
	long fd;

	do
		fd = SYS(SYS_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		sys_close((int)fd);
}

void image_close_others(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (a < 0 || b < 0)
		low = high = (unsigned)(a < 0 ? b : a);
	if (low > 0)
		close_between(0, low - 1);
	if (low + 1 < high)
		close_between(low + 1, high - 1);
	close_between(high + 1, ~0u);
	fill_standard();
}

uint64_t image_of(pid_t pid)
{
	char text[1024];
	const char *p;
	uint64_t n = 0;

	if (proc_read(pid, "stat", text, sizeof(text)) < 0)
		return 0;
	/* The second field is a name with arbitrary characters; no later field has a parenthesis.
	 * */
	p = strrchr(text, ')');
	for (int field = 2; p != NULL && field < STAT_STACK; field++)
		p = strchr(p + 1, ' ');
	if (p == NULL)
		return 0;
	p++;
	return text_number(&p, &n) ? n : 0;
}

/* A line of /proc/PID/maps. */
struct line {
	uint64_t from, to, inode;
	bool private_write;
};

static uint64_t hex(const char **s)
{
	uint64_t n = 0;

	for (;; ++*s) {
		char c = **s;

		if (c >= '0' && c <= '9')
			n = n << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}

/* "FROM-TO rwxp OFFSET DEV INODE   PATH" */
static bool parse(const char *s, struct line *ret_line)
{
	ret_line->from = hex(&s);
	if (*s++ != '-')
		return false;
	ret_line->to = hex(&s);
	if (strnlen(s, 6) < 6)
		return false;
	ret_line->private_write = s[2] == 'w' && s[4] == 'p';
	for (int field = 0; field < 3; field++) {
		s = strchr(s + 1, ' ');
		if (s == NULL)
			return false;
	}
	s++;
	return text_number(&s, &ret_line->inode);
}

typedef bool (*line_visit)(const struct line *line, void *arg);

/* Visits every line until visit returns true. The buffer holds the longest line. */
static bool each_line(pid_t pid, line_visit visit, void *arg)
{
	char path[32], buf[8192];
	struct text t = text_init(path, sizeof(path));
	size_t have = 0;
	bool found = false;
	int fd;

	text_add(&t, "/proc/");
	text_add_number(&t, (uint64_t)pid);
	text_add(&t, "/maps");
	fd = sys_openat(AT_FDCWD, path, O_RDONLY, 0);
	while (fd >= 0 && !found) {
		long n = SYS(SYS_read, fd, buf + have, sizeof(buf) - 1 - have);
		char *start = buf, *end;

		if (n <= 0)
			break;
		have += (size_t)n;
		buf[have] = '\0';
		while (!found && (end = strchr(start, '\n')) != NULL) {
			struct line line;

			*end = '\0';
			found = parse(start, &line) && visit(&line, arg);
			start = end + 1;
		}
		have -= (size_t)(start - buf);
		memmove(buf, start, have);
		if (have >= sizeof(buf) - 1)
			have = 0;
	}
	sys_close(fd);
	return found;
}

struct inodes {
	const uint64_t *list;
	unsigned count;
};

static bool is_one(const struct line *line, void *arg)
{
	const struct inodes *inodes = arg;

	for (unsigned i = 0; line->inode != 0 && i < inodes->count; i++)
		if (inodes->list[i] == line->inode)
			return true;
	return false;
}

bool image_maps_any(pid_t pid, const uint64_t *inodes, unsigned count)
{
	struct inodes all = {inodes, count};

	return each_line(pid, is_one, &all);
}

/* ---- memory ---- */

/* Instrumented code needs its shadow memory, which looks like any other large mapping. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_STAYS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define MEMORY_STAYS 1
#endif
#endif

#ifndef MEMORY_STAYS

enum { RANGES = 256 };

struct ranges {
	uint64_t keep[4]; /* addresses in use */
	uint64_t last_to; /* end of the previous line, if that was a file */
	struct {
		uint64_t from, to;
	} large[RANGES];
	unsigned count;
};

static bool note_large(const struct line *line, void *arg)
{
	struct ranges *r = arg;
	/* A mapping right after a file's is the .bss of a library, perhaps of this one or the C
	 * library. */
	bool take = line->private_write && line->inode == 0 && line->to - line->from >= LARGE &&
		    line->from != r->last_to;

	for (size_t i = 0; i < sizeof(r->keep) / sizeof(r->keep[0]); i++)
		take = take && !(r->keep[i] >= line->from && r->keep[i] < line->to);
	if (line->inode != 0 || line->from == r->last_to)
		r->last_to = line->to;
	if (take) {
		r->large[r->count].from = line->from;
		r->large[r->count++].to = line->to;
	}
	return r->count == RANGES;
}

void image_release_memory(const struct keeper_start *start)
{
	struct ranges *r = sys_map_anon(sizeof(*r));

	if (r == NULL)
		return;
	r->keep[0] = (uint64_t)(uintptr_t)start->stack;
	r->keep[1] = (uint64_t)(uintptr_t)r;
	r->keep[2] = (uint64_t)pthread_self();
	r->keep[3] = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	each_line(proc_self().pid, note_large, r);
	for (unsigned i = 0; i < r->count; i++)
		sys_unmap((void *)(uintptr_t)r->large[i].from,
			  (size_t)(r->large[i].to - r->large[i].from));
	sys_unmap(r, sizeof(*r));
}

#else

void image_release_memory(const struct keeper_start *start)
{
	(void)start;
}

#endif

/* memory - see memory.h. */
#include "libtrace/memory.h"

#include <string.h>

#include "libtrace/sys.h"
#include "libtrace/text.h"

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

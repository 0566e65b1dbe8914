/* member - see member.h. */
#include "member.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"

extern char **environ;

enum { MEMBER_MAX = 512 << 20 };

static const struct {
	const char *suffix;
	const char *program;
} programs[] = {
    {".xz", "xz"}, {".lzma", "xz"}, {".bz2", "bzip2"}, {".bz", "bzip2"}, {".gz", "gzip"},
};

/* The program for a path, and the length of the path without its suffix; NULL for a plain file. */
static const char *decompressor(const char *path, size_t *len)
{
	*len = strlen(path);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		size_t n = strlen(programs[i].suffix);

		if (*len > n && strcmp(path + *len - n, programs[i].suffix) == 0) {
			*len -= n;
			return programs[i].program;
		}
	}
	return NULL;
}

static bool ends_in(const char *path, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && memcmp(path + len - n, suffix, n) == 0;
}

/* False for a file that is not a member. */
static bool member_parse(struct member *member)
{
	size_t len, dot;

	decompressor(member->path, &len);
	for (dot = len; dot > 0 && member->path[dot - 1] != '.';)
		dot--;
	if (dot == 0 || dot == len)
		return false;
	member->base_len = dot - 1;
	member->kind = MEMBER_DATA;
	if (ends_in(member->path, len, ".meta"))
		member->kind = MEMBER_META;
	else if (ends_in(member->path, len, ".index"))
		member->kind = MEMBER_INDEX;
	else
		return strspn(member->path + dot, "0123456789") == len - dot;
	return true;
}

void member_scan(const char *folder, struct member_set *ret_set)
{
	struct dirent **files;
	int n = scandir(folder, &files, NULL, alphasort);

	*ret_set = (struct member_set){NULL, 0};
	if (n < 0)
		return;
	ret_set->members = calloc((size_t)n + 1, sizeof(*ret_set->members));
	for (int i = 0; i < n; i++) {
		struct member *member = &ret_set->members[ret_set->n];

		if (asprintf(&member->path, "%s/%s", folder, files[i]->d_name) < 0)
			abort();
		if (member_parse(member))
			ret_set->n++;
		else
			free(member->path);
		free(files[i]);
	}
	free(files);
}

void member_scan_done(struct member_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->members[i].path);
	free(set->members);
}

static int read_pipe(int fd, struct buffer *out)
{
	for (;;) {
		uint8_t *p = buffer_reserve(out, 65536);
		ssize_t n;

		if (p == NULL)
			return out->err;
		n = read(fd, p, 65536);
		if (n == 0)
			return 0;
		if (n < 0)
			return -errno;
		buffer_commit(out, (size_t)n);
	}
}

static int read_through(const char *program, const char *path, struct buffer *out)
{
	char *argv[] = {(char *)program, "-dc", (char *)path, NULL};
	posix_spawn_file_actions_t actions;
	int fds[2], status, r;
	pid_t pid;

	if (pipe(fds) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, fds[0]);
	r = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (r == 0) {
		r = read_pipe(fds[0], out);
		waitpid(pid, &status, 0);
		if (r == 0 && status != 0)
			r = -EIO;
	} else {
		r = -r;
	}
	close(fds[0]);
	return r;
}

int member_read(const struct member *member, struct buffer *out)
{
	size_t len;
	const char *program = decompressor(member->path, &len);

	if (program != NULL)
		return read_through(program, member->path, out);
	return file_read_all(member->path, MEMBER_MAX, out);
}

/*
 * member_stream - a member that is unpacked from its beginning, and the programs that unpack some
 * (member_inner.h).
 */
#include "libstore/member_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"

/* ---- what is unpacked, in a file without a name ---- */

enum { ROOM_STEP = 16 << 20 }; /* how many bytes are written between two looks at the free space */

struct stream {
	struct member_source source;
	struct member_decoder *decoder; /* owned; NULL when it has ended */
	int fd;                         /* owned; -1 before the first byte */
	bool in_memory;                 /* the file is */
	uint64_t size;                  /* unpacked so far */
	uint64_t known;                 /* of all; MEMBER_SIZE_UNKNOWN */
	uint64_t limit;
	int err; /* why there is no more than size; 0 before the end, and at a good one */
};

/* For file systems that have no O_TMPFILE. */
static int open_and_unlink(const char *dir)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/archive-XXXXXX", dir);
	int fd;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int stream_file_open(struct stream *s)
{
	const char *dir = getenv("PCP_TMPFILE_DIR");

	if (dir == NULL || dir[0] == '\0')
		dir = "/var/tmp";
	s->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0)
		s->fd = open_and_unlink(dir);
	if (s->fd < 0) {
		s->fd = memfd_create("archive", MFD_CLOEXEC);
		s->in_memory = true;
	}
	return s->fd >= 0 ? 0 : -errno;
}

/* Bytes that are free where the file is; UINT64_MAX if that is unknown. */
static uint64_t free_space(const struct stream *s)
{
	struct statvfs fs;

	if (s->in_memory) {
		long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);

		return pages >= 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
	}
	return fstatvfs(s->fd, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
}

/* -ENOSPC where less is left than the file has taken: half of what was free is others'. */
static int room_check(const struct stream *s, size_t more)
{
	if ((s->size + more) / ROOM_STEP == s->size / ROOM_STEP)
		return 0;
	return free_space(s) < s->size + more ? -ENOSPC : 0;
}

static int put(struct stream *s, const void *bytes, size_t len)
{
	int r = s->fd < 0 ? stream_file_open(s) : 0;

	if (r == 0 && len > s->limit - s->size)
		r = -EFBIG;
	if (r == 0)
		r = room_check(s, len);
	if (r == 0)
		r = file_write_full(s->fd, bytes, len);
	if (r == 0)
		s->size += len;
	return r;
}

static void decoder_end(struct stream *s, int err)
{
	s->err = err;
	s->decoder->ops->close(s->decoder);
	s->decoder = NULL;
}

/* Unpacks until there are upto bytes, or there is no more. */
static void reach(struct stream *s, uint64_t upto)
{
	char chunk[MEMBER_CHUNK];

	if (upto <= s->size || s->decoder == NULL)
		return;
	if (upto > s->limit && s->known != MEMBER_SIZE_UNKNOWN && s->known > s->limit)
		decoder_end(s, -EFBIG);
	while (s->decoder != NULL && s->size < upto) {
		int64_t n = s->decoder->ops->read(s->decoder, chunk, sizeof(chunk));
		int r = n > 0 ? put(s, chunk, (size_t)n) : (int)n;

		if (n <= 0 || r < 0)
			decoder_end(s, r);
	}
}

static uint64_t stream_size(struct member_source *source, uint64_t upto)
{
	struct stream *s = (struct stream *)source;

	reach(s, upto);
	return s->size;
}

static int stream_fault(const struct member_source *source)
{
	return ((const struct stream *)source)->err;
}

static int64_t stream_read(struct member_source *source, uint64_t offset, void *buf, size_t len)
{
	struct stream *s = (struct stream *)source;
	ssize_t n;

	reach(s, offset + len);
	if (offset >= s->size)
		return s->err;
	if (len > s->size - offset)
		len = (size_t)(s->size - offset);
	do
		n = pread(s->fd, buf, len, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static void stream_close(struct member_source *source)
{
	struct stream *s = (struct stream *)source;

	if (s->decoder != NULL)
		s->decoder->ops->close(s->decoder);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

static const struct member_source_ops stream_ops = {stream_size, stream_fault, stream_read,
						    stream_close};

int member_stream_open(struct member_decoder *decoder, uint64_t size, uint64_t limit,
		       struct member_source **ret_source)
{
	struct stream *s = malloc(sizeof(*s));

	if (s == NULL) {
		decoder->ops->close(decoder);
		return -ENOMEM;
	}
	*s = (struct stream){
	    .source = {&stream_ops}, .decoder = decoder, .fd = -1, .known = size, .limit = limit};
	*ret_source = &s->source;
	return 0;
}

/*
 * ---- programs ----
 *
 * A member that a program decompresses: its standard input is the file, its
 * standard output a pipe, which it waits at until more is read. No shell, no path.
 */

extern char **environ;

/* Descriptors 0, 1 and 2 of the program; its exit status reports failures. */
static int actions_init(posix_spawn_file_actions_t *actions, int in, int out)
{
	int r = posix_spawn_file_actions_init(actions);

	if (r != 0)
		return -r;
	r = posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY,
						     0);
	if (r != 0)
		posix_spawn_file_actions_destroy(actions);
	return -r;
}

/* Signals as a new program expects them, whatever the caller blocks or ignores. */
static int attr_init(posix_spawnattr_t *attr)
{
	sigset_t none, pipe;
	int r = posix_spawnattr_init(attr);

	if (r != 0)
		return -r;
	sigemptyset(&none);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &pipe);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return 0;
}

/* 0; PM_ERR_LOGFILE if there is no such program; -errno. */
static int program_start(const char *program, int in, int out, pid_t *ret_pid)
{
	char *argv[] = {(char *)(uintptr_t)program, (char[]){"-dc"}, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int r = actions_init(&actions, in, out);

	if (r < 0)
		return r;
	r = attr_init(&attr);
	if (r == 0) {
		r = -posix_spawnp(ret_pid, program, &actions, &attr, argv, environ);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&actions);
	return r == -ENOENT ? PM_ERR_LOGFILE : r;
}

struct program {
	struct member_decoder base;
	pid_t pid; /* 0 once its status was looked at */
	int fd;    /* owned: what it writes */
};

/* In a process that ignores SIGCHLD the status is not available: damaged records then show the
 * failure. */
static int program_wait(struct program *p)
{
	pid_t pid = p->pid;
	int status;

	p->pid = 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno == ECHILD ? 0 : -errno;
	}
	return pid == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0) ? 0 : PM_ERR_LOGREC;
}

static int64_t program_read(struct member_decoder *decoder, void *buf, size_t len)
{
	struct program *p = (struct program *)decoder;
	ssize_t n;

	do
		n = read(p->fd, buf, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n > 0 ? n : program_wait(p);
}

/* A program that has more to say ends by SIGPIPE. */
static void program_close(struct member_decoder *decoder)
{
	struct program *p = (struct program *)decoder;

	close(p->fd);
	program_wait(p);
	free(p);
}

static const struct member_decoder_ops program_ops = {program_read, program_close};

int member_source_program(int in, const char *program, uint64_t limit,
			  struct member_source **ret_source)
{
	AUTO_FD int fd = in;
	struct program *p;
	int ends[2], r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	p = malloc(sizeof(*p));
	r = p != NULL ? program_start(program, fd, ends[1], &pid) : -ENOMEM;
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		free(p);
		return r;
	}
	*p = (struct program){{&program_ops}, pid, ends[0]};
	return member_stream_open(&p->base, MEMBER_SIZE_UNKNOWN, limit, ret_source);
}

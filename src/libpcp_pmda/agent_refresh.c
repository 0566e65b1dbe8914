#include "libpcp_pmda/agent_refresh.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/cleanup.h"

#include "libpcp_pmda/agent_sample.h"

/* First read; a larger file doubles it once, for ever. */
#define TEXT_MIN 8192

int refresh_root_init(struct refresh_root *root, const char *agent_name)
{
	char variable[64];
	const char *path;
	size_t len;

	snprintf(variable, sizeof(variable), "PITOT_%s_ROOT", agent_name);
	for (char *p = variable; *p != '\0'; p++)
		*p = (char)toupper((unsigned char)*p);
	path = getenv(variable);
	if (path == NULL)
		path = "/";
	len = strlen(path);
	while (len > 0 && path[len - 1] == '/')
		len--;
	root->path = strndup(path, len);
	if (root->path == NULL)
		return -ENOMEM;
	root->fd = open(len != 0 ? root->path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root->fd < 0 ? -errno : 0;
}

void refresh_root_done(struct refresh_root *root)
{
	if (root->path == NULL)
		return;
	free(root->path);
	if (root->fd >= 0)
		close(root->fd);
}

void refresh_done(struct agent_refresh *r)
{
	for (int i = 0; i < r->nfiles; i++)
		if (r->files[i].fd >= 0)
			close(r->files[i].fd);
	buffer_done(&r->text);
}

int agent_root_fd(const struct agent_refresh *r)
{
	return r->root->fd;
}

const char *agent_root(const struct agent_refresh *r)
{
	return r->root->path;
}

/* From the start of the file: a pread at 0 makes /proc and /sys produce their text again. */
static long text_fill(struct agent_refresh *r, int fd)
{
	buffer_reset(&r->text);
	while (r->text.len < REFRESH_MAX_FILE) {
		size_t room = r->text.cap - r->text.len;
		uint8_t *at;
		ssize_t n;

		if (room < TEXT_MIN)
			room = r->text.len + TEXT_MIN;
		at = buffer_reserve(&r->text, room);
		if (at == NULL)
			return -ENOMEM;
		n = pread(fd, at, room - 1, (off_t)r->text.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		buffer_commit(&r->text, (size_t)n);
		if (n == 0) {
			*at = '\0';
			return (long)r->text.len;
		}
	}
	return -EFBIG;
}

/* Remembers which path the error of a reading is about: the log names it if the refresh fails. */
static int failed(struct agent_refresh *r, const char *path, int error)
{
	r->failed = error;
	snprintf(r->failed_path, sizeof(r->failed_path), "%s", path);
	return error;
}

static int open_under(struct agent_refresh *r, const char *path, int flags)
{
	int fd = openat(r->root->fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);

	return fd < 0 ? failed(r, path, -errno) : fd;
}

static long text_once(struct agent_refresh *r, const char *path, const char **ret_text)
{
	AUTO_FD int fd = open_under(r, path, 0);
	long n = fd < 0 ? fd : text_fill(r, fd);

	if (fd >= 0 && n < 0)
		failed(r, path, (int)n);
	if (n >= 0)
		*ret_text = (const char *)r->text.data;
	return n;
}

/* The slot of a path that stays open; NULL when all are taken. */
static struct refresh_file *file_slot(struct agent_refresh *r, const char *path)
{
	for (int i = 0; i < r->nfiles; i++)
		if (r->files[i].path == path || strcmp(r->files[i].path, path) == 0)
			return &r->files[i];
	if (r->nfiles == REFRESH_MAX_OPEN)
		return NULL;
	r->files[r->nfiles].path = path;
	r->files[r->nfiles].fd = -1;
	return &r->files[r->nfiles++];
}

long agent_read(struct agent_refresh *r, const char *path, const char **ret_text)
{
	struct refresh_file *file = file_slot(r, path);
	long n;

	if (file == NULL)
		return text_once(r, path, ret_text);
	if (file->fd < 0)
		file->fd = open_under(r, path, 0);
	if (file->fd < 0)
		return file->fd;
	n = text_fill(r, file->fd);
	if (n < 0) {
		/* The device of the file may have been removed and added: open it again next
		 * time. */
		close(file->fd);
		file->fd = -1;
		return failed(r, path, (int)n);
	}
	*ret_text = (const char *)r->text.data;
	return n;
}

long agent_readf(struct agent_refresh *r, const char **ret_text, const char *format, ...)
{
	char path[REFRESH_MAX_PATH];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return text_once(r, path, ret_text);
}

long agent_read_into(struct agent_refresh *r, char *buf, size_t size, const char *format, ...)
{
	char path[REFRESH_MAX_PATH];
	AUTO_FD int fd = -1;
	va_list ap;
	ssize_t n;

	va_start(ap, format);
	n = vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open_under(r, path, 0);
	if (fd < 0)
		return fd;
	n = read(fd, buf, size - 1);
	if (n < 0)
		return failed(r, path, -errno);
	buf[n] = '\0';
	return n;
}

DIR *agent_opendir(struct agent_refresh *r, const char *format, ...)
{
	char path[REFRESH_MAX_PATH];
	va_list ap;
	DIR *dir;
	int n, fd;

	va_start(ap, format);
	n = vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = open_under(r, path, O_DIRECTORY);
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	dir = fdopendir(fd);
	if (dir == NULL)
		close(fd);
	return dir;
}

void *agent_add(struct agent_refresh *r, const struct agent_indom *indom, const char *name,
		size_t len)
{
	struct sample_table *t = sample_table(r->sample, indom);

	return t != NULL ? sample_add(t, -1, name, len) : NULL;
}

void *agent_add_id(struct agent_refresh *r, const struct agent_indom *indom, int id,
		   const char *name)
{
	struct sample_table *t = sample_table(r->sample, indom);

	return t != NULL ? sample_add(t, id, name, name != NULL ? strlen(name) : 0) : NULL;
}

void *agent_added(struct agent_refresh *r, const struct agent_indom *indom, size_t i)
{
	struct sample_table *t = sample_table(r->sample, indom);

	return t != NULL && i < t->n ? t->data + i * t->fill->size : NULL;
}

const char *agent_string(struct agent_refresh *r, const char *text, size_t len)
{
	return arena_strndup(&r->sample->strings, text, len);
}

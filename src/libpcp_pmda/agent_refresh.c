/* agent_refresh - see agent_refresh.h. */
#include "libpcp_pmda/agent_refresh.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libbase/cleanup.h"

/* ---- The reading ----------------------------------------------------------------------------- */

/* Instances of one domain in one refresh: a source with more is taken to be broken. */
#define READING_MAX_INSTANCES (1u << 20)

/*
 * Signed values may be -1, so their absent is the most negative number; all others are all ones.
 */
static void blank_field(void *base, const struct agent_metric *m)
{
	int64_t min64 = INT64_MIN;
	int32_t min32 = INT32_MIN;
	char *at = (char *)base + m->value.offset;

	if (m->value.width == 0 || (m->type != PM_TYPE_32 && m->type != PM_TYPE_64))
		return;
	if (m->value.width == sizeof(min64))
		memcpy(at, &min64, sizeof(min64));
	else
		memcpy(at, &min32, sizeof(min32));
}

static void *blank_new(const struct agent_cluster *c, const struct agent_indom *indom, size_t size)
{
	void *blank = malloc(size != 0 ? size : 1);

	if (blank == NULL)
		return NULL;
	memset(blank, 0xff, size);
	for (unsigned int i = 0; i < c->nmetrics; i++)
		if (c->metrics[i].indom == indom)
			blank_field(blank, &c->metrics[i]);
	return blank;
}

int reading_blank_init(struct reading_blank *b, const struct agent_cluster *cluster)
{
	memset(b, 0, sizeof(*b));
	b->snapshot = blank_new(cluster, NULL, cluster->size);
	if (b->snapshot == NULL)
		return -ENOMEM;
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++) {
		const struct agent_fill *fill = &cluster->fills[i];

		if (fill->indom == NULL)
			break;
		b->tables[i] = blank_new(cluster, fill->indom, fill->size);
		if (b->tables[i] == NULL)
			return -ENOMEM;
	}
	return 0;
}

void reading_blank_done(struct reading_blank *b)
{
	free(b->snapshot);
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++)
		free(b->tables[i]);
}

int reading_init(struct reading *s, const struct agent_cluster *cluster,
		 const struct reading_blank *b)
{
	memset(s, 0, sizeof(*s));
	s->snapshot = malloc(cluster->size != 0 ? cluster->size : 1);
	if (s->snapshot == NULL)
		return -ENOMEM;
	for (int i = 0; i < AGENT_CLUSTER_INDOMS && cluster->fills[i].indom != NULL; i++) {
		s->tables[i].fill = &cluster->fills[i];
		s->tables[i].blank = b->tables[i];
	}
	reading_reset(s, cluster, b);
	return 0;
}

void reading_done(struct reading *s)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++) {
		free(s->tables[i].data);
		free(s->tables[i].keys);
		buffer_done(&s->tables[i].names);
	}
	arena_done(&s->strings);
	free(s->snapshot);
}

void reading_reset(struct reading *s, const struct agent_cluster *cluster,
		   const struct reading_blank *b)
{
	memcpy(s->snapshot, b->snapshot, cluster->size);
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++) {
		s->tables[i].n = 0;
		buffer_reset(&s->tables[i].names);
	}
	arena_reset(&s->strings);
}

struct reading_table *reading_table(struct reading *s, const struct agent_indom *indom)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS && s->tables[i].fill != NULL; i++)
		if (s->tables[i].fill->indom == indom)
			return &s->tables[i];
	return NULL;
}

static int table_grow(struct reading_table *t)
{
	size_t cap = t->cap != 0 ? 2 * t->cap : 16;
	struct reading_key *keys;
	unsigned char *data;

	if (cap > READING_MAX_INSTANCES)
		return -E2BIG;
	keys = realloc(t->keys, cap * sizeof(*keys));
	if (keys == NULL)
		return -ENOMEM;
	t->keys = keys;
	data = realloc(t->data, cap * t->fill->size);
	if (data == NULL)
		return -ENOMEM;
	t->data = data;
	t->cap = cap;
	return 0;
}

void *reading_add(struct reading_table *t, int32_t id, const char *name, size_t len)
{
	unsigned char *data;

	if (t->n == t->cap && table_grow(t) < 0)
		return NULL;
	t->keys[t->n].id = id;
	t->keys[t->n].name = READING_NO_NAME;
	if (name != NULL) {
		t->keys[t->n].name = (uint32_t)t->names.len;
		buffer_put(&t->names, name, len);
		buffer_put_u8(&t->names, 0);
		if (t->names.err != 0 || t->names.len >= READING_NO_NAME)
			return NULL;
	}
	data = t->data + t->n * t->fill->size;
	memcpy(data, t->blank, t->fill->size);
	t->n++;
	return data;
}

static int value_unsigned(uint64_t v, int width, int type, pmAtomValue *atom)
{
	if (v == (width == 8 ? UINT64_MAX : UINT32_MAX))
		return 0;
	if (type == PM_TYPE_U64)
		atom->ull = v;
	else
		atom->ul = (uint32_t)v;
	return 1;
}

static int value_signed(int64_t v, int width, int type, pmAtomValue *atom)
{
	if (v == (width == 8 ? INT64_MIN : INT32_MIN))
		return 0;
	if (type == PM_TYPE_64)
		atom->ll = v;
	else
		atom->l = (int32_t)v;
	return 1;
}

/* The member's bits, zero-extended. */
static uint64_t load_bits(const void *at, int width)
{
	uint64_t v64;
	uint32_t v32;

	if (width == 8) {
		memcpy(&v64, at, sizeof(v64));
		return v64;
	}
	memcpy(&v32, at, sizeof(v32));
	return v32;
}

int reading_value(const struct agent_metric *m, const void *base, pmAtomValue *ret_atom)
{
	int width = m->value.width;
	uint64_t bits = load_bits((const char *)base + m->value.offset, width);
	uint64_t ones = width == 8 ? UINT64_MAX : UINT32_MAX;

	switch (m->type) {
	case PM_TYPE_U32:
	case PM_TYPE_U64:
		return value_unsigned(bits, width, m->type, ret_atom);
	case PM_TYPE_32:
	case PM_TYPE_64:
		return value_signed(width == 8 ? (int64_t)bits : (int32_t)bits, width, m->type,
				    ret_atom);
	case PM_TYPE_STRING:
		ret_atom->cp = (char *)(uintptr_t)bits;
		return bits != ones && bits != 0;
	case PM_TYPE_FLOAT:
		memcpy(&ret_atom->f, (const char *)base + m->value.offset, sizeof(ret_atom->f));
		return bits != ones;
	default: /* PM_TYPE_DOUBLE: agent_table.c admits no others */
		memcpy(&ret_atom->d, (const char *)base + m->value.offset, sizeof(ret_atom->d));
		return bits != ones;
	}
}

/* ---- The refresh ---------------------------------------------------------------------------- */

/* Bytes of the first read. The buffer doubles for a larger file and stays so. */
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
	struct reading_table *t = reading_table(r->reading, indom);

	return t != NULL ? reading_add(t, -1, name, len) : NULL;
}

void *agent_add_id(struct agent_refresh *r, const struct agent_indom *indom, int id,
		   const char *name)
{
	struct reading_table *t = reading_table(r->reading, indom);

	return t != NULL ? reading_add(t, id, name, name != NULL ? strlen(name) : 0) : NULL;
}

void *agent_added(struct agent_refresh *r, const struct agent_indom *indom, size_t i)
{
	struct reading_table *t = reading_table(r->reading, indom);

	return t != NULL && i < t->n ? t->data + i * t->fill->size : NULL;
}

const char *agent_string(struct agent_refresh *r, const char *text, size_t len)
{
	return arena_strndup(&r->reading->strings, text, len);
}

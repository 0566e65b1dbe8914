/* cache_file - see cache_file.h. */
#include "libpcp_pmda/cache_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libpcp_pmda/cache.h"
#include "libpcp_pmda/cache_print.h"

enum {
	CACHE_FILE_MAX = 1 << 30, /* bytes */
	CACHE_KEY_MAX = 1 << 16,  /* bytes of a key in a file */
	CACHE_PIECE = 256 << 10,  /* bytes of text that are written at once */
	CACHE_AHEAD = 16,         /* records that are read before the first is entered */
	CACHE_LINE_MIN = 4,       /* bytes of a record, about */
	DECIMAL_MAX = 24,         /* characters of a number and a space */
};

/* The domain's file below $PCP_VAR_DIR/config/pmda. The last folder is made if it is missing; a
 * save makes config too, but never $PCP_VAR_DIR itself. */
static int cache_path(pmInDom indom, char *path, size_t size)
{
	static char *dir;
	char text[20];

	if (dir == NULL) {
		const char *var = pmGetOptionalConfig("PCP_VAR_DIR");

		if (var == NULL)
			return PM_ERR_GENERIC;
		if (asprintf(&dir, "%s/config/pmda", var) < 0) {
			dir = NULL;
			return -ENOMEM;
		}
		(void)mkdir(dir, 0755);
	}
	if (snprintf(path, size, "%s/%s", dir, pmInDomStr_r(indom, text, sizeof(text))) >=
	    (int)size)
		return -ENAMETOOLONG;
	return 0;
}

/* ---- out ------------------------------------------------------------------------------------ */

/* Each of these writes at p and returns the position after the text. */
static char *put_key(char *p, const struct cache_entry *e)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *key = e->key->bytes;

	*p++ = '[';
	for (int i = 0; i < e->key->len; i++) {
		*p++ = digits[key[i] >> 4];
		*p++ = digits[key[i] & 0xf];
	}
	*p++ = ']';
	*p++ = ' ';
	return p;
}

static char *put_decimal(char *p, int64_t v)
{
	char text[DECIMAL_MAX], *d = text + sizeof(text);
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
	size_t len;

	*--d = ' ';
	do
		*--d = (char)('0' + u % 10);
	while ((u /= 10) != 0);
	if (v < 0)
		*--d = '-';
	len = (size_t)(text + sizeof(text) - d);
	memcpy(p, d, len);
	return p + len;
}

static void put_entry(struct buffer *out, const struct cache_entry *e, time_t stamp)
{
	size_t name_len = strlen(e->name);
	size_t key_len = e->key == NULL ? 0 : (size_t)e->key->len;
	size_t room = 2 * DECIMAL_MAX + 2 * key_len + 4 + name_len + 1;
	char *start = (char *)buffer_reserve(out, room), *p = start;

	if (start == NULL)
		return;
	p = put_decimal(p, e->inst);
	p = put_decimal(p, stamp);
	if (e->key != NULL)
		p = put_key(p, e);
	memcpy(p, e->name, name_len);
	p += name_len;
	*p++ = '\n';
	buffer_commit(out, (size_t)(p - start));
}

/* Writes the text so far to the file. */
static void flush(struct buffer *out, int fd)
{
	int r = out->err;

	if (r == 0)
		r = file_write_full(fd, buffer_head(out), buffer_pending(out));
	buffer_reset(out);
	out->err = r;
}

int cache_file_format(struct cache *c, struct buffer *out, int fd)
{
	time_t now = time(NULL);
	int n = 0;

	buffer_printf(out, "2 %d %d\n", c->ins_mode, c->max_inst);
	for (uint32_t pos = 0; pos < c->count && out->err == 0; pos++) {
		const struct cache_entry *e = cache_order_at(c, pos);

		if (e->state == PMDA_CACHE_EMPTY)
			continue;
		put_entry(out, e, e->stamp == 0 ? now : e->stamp);
		if (fd >= 0 && buffer_pending(out) >= CACHE_PIECE)
			flush(out, fd);
		n++;
	}
	if (fd >= 0)
		flush(out, fd);
	return out->err < 0 ? out->err : n;
}

/* The entries that are in the file have its time, if they had none. */
static void stamp_entries(struct cache *c)
{
	time_t now = time(NULL);

	for (uint32_t i = 0; i < c->count; i++) {
		struct cache_entry *e = cache_entry(c, c->order[i]);

		if (e->stamp == 0 && e->state != PMDA_CACHE_EMPTY)
			e->stamp = now;
	}
}

/* The folders above the file are made if they are missing: numbers that are not saved change at the
 * next start. */
static int create_file(const char *path)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC };
	char folder[MAXPATHLEN];
	char *slash;
	int fd = open(path, FLAGS, 0666);

	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	for (int level = 2; level >= 1; level--) {
		snprintf(folder, sizeof(folder), "%s", path);
		for (int i = 0; i < level; i++) {
			slash = strrchr(folder, '/');
			if (slash != NULL)
				*slash = '\0';
		}
		(void)mkdir(folder, 0755);
	}
	fd = open(path, FLAGS, 0666);
	return fd < 0 ? -errno : fd;
}

/* The number of entries written, or a failure. */
static int write_file(struct cache *c, const char *path)
{
	AUTO_FD int fd = create_file(path);
	struct buffer text = BUFFER_INIT;
	int n;

	if (fd < 0)
		return fd;
	n = cache_file_format(c, &text, fd);
	buffer_done(&text);
	return n;
}

/*
 * Numbers of instances live in this file alone, so the old one stays until the new one is whole;
 * where no file can be made beside it, it is written in place.
 */
static int replace_file(struct cache *c, const char *path)
{
	char fresh[MAXPATHLEN];
	int n = -ENAMETOOLONG;

	if (snprintf(fresh, sizeof(fresh), "%s.new", path) < (int)sizeof(fresh))
		n = write_file(c, fresh);
	if (n == -EACCES || n == -EPERM || n == -ENAMETOOLONG)
		return write_file(c, path);
	if (n >= 0 && rename(fresh, path) < 0)
		n = -errno;
	if (n < 0)
		unlink(fresh);
	return n;
}

int cache_file_save(struct cache *c, int why)
{
	char path[MAXPATHLEN];
	int n;

	if (!(c->hstate & why))
		return 0;
	n = cache_path(c->indom, path, sizeof(path));
	if (n >= 0)
		n = replace_file(c, path);
	if (n < 0)
		return n;
	stamp_entries(c);
	c->hstate &= ~(CACHE_DIRTY_INSTANCE | CACHE_DIRTY_STAMP);
	if (pmDebugOptions.indom) {
		fprintf(stderr, "After cache_save hstate={%s%s}\n",
			why & CACHE_DIRTY_INSTANCE ? "DIRTY_INSTANCE" : "",
			why & CACHE_DIRTY_STAMP ? "DIRTY_STAMP" : "");
		cache_dump(stderr, c, false);
	}
	return n;
}

/* ---- in ------------------------------------------------------------------------------------- */

/* One line, without its end. */
struct line {
	char *pos;
	char *end;
};

static void skip_space(struct line *l)
{
	while (l->pos < l->end && isspace((unsigned char)*l->pos))
		l->pos++;
}

/* A run of digits, which may be empty and then is 0; -1 if it is over max. */
static int64_t take_digits(struct line *l, int64_t max)
{
	int64_t v = 0;

	for (; l->pos < l->end && isdigit((unsigned char)*l->pos); l->pos++) {
		v = v * 10 + (*l->pos - '0');
		if (v > max)
			return -1;
	}
	return v;
}

/* The fields of a line. All of them point into the text that was read. */
struct record {
	int inst;
	time_t stamp;
	char *key; /* digits, then bytes */
	int key_len;
	const char *name;
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* [0a0b…]. False without the closing bracket, for an odd digit or another character. */
static bool take_key(struct line *l, struct record *rec)
{
	rec->key = ++l->pos;
	for (; l->pos < l->end && *l->pos != ']'; l->pos += 2) {
		if (hex_value(l->pos[0]) < 0 || l->pos + 1 == l->end || hex_value(l->pos[1]) < 0 ||
		    rec->key_len == CACHE_KEY_MAX)
			return false;
		rec->key_len++;
	}
	if (l->pos == l->end)
		return false;
	l->pos++;
	return true;
}

/* Makes bytes of the digits, where they are. */
static void decode_key(struct record *rec)
{
	for (int i = 0; i < rec->key_len; i++)
		rec->key[i] =
		    (char)(hex_value(rec->key[2 * i]) << 4 | hex_value(rec->key[2 * i + 1]));
}

/* False for a line that is not a record. */
static bool take_record(struct line l, struct record *rec)
{
	int64_t inst;

	*rec = (struct record){0};
	skip_space(&l);
	if (l.pos == l.end)
		return false;
	inst = take_digits(&l, INT32_MAX);
	skip_space(&l);
	if (inst < 0 || l.pos == l.end)
		return false;
	rec->inst = (int)inst;
	rec->stamp = (time_t)take_digits(&l, INT64_MAX / 16);
	skip_space(&l);
	if (rec->stamp < 0)
		return false;
	if (l.pos < l.end && *l.pos == '[') {
		if (!take_key(&l, rec))
			return false;
		skip_space(&l);
	}
	rec->name = l.pos;
	return l.pos < l.end && memchr(l.pos, '\0', (size_t)(l.end - l.pos)) == NULL;
}

static int load_record(struct cache *c, const char *path, struct record *rec)
{
	struct cache_entry *e;
	int r = cache_insert(c, rec->name, rec->inst, &e);

	if (r == PM_ERR_INST)
		pmNotifyErr(LOG_WARNING,
			    "pmdaCacheOp: %s: loading instance %d (\"%s\") ignored, already in "
			    "cache as %d (\"%s\")",
			    path, rec->inst, rec->name, e->inst, e->name);
	else if (r < 0)
		return r;
	e->stamp = rec->stamp;
	decode_key(rec);
	return cache_set_key(c, e, rec->key, rec->key_len);
}

/* "VERSION MODE" or "2 MODE MAXIMUM". */
static int load_header(struct cache *c, const char *path, const char *text, size_t len)
{
	int version, mode, max = INT32_MAX, n;
	char head[64];

	snprintf(head, sizeof(head), "%.*s", (int)(len < sizeof(head) ? len : sizeof(head) - 1),
		 text);
	n = sscanf(head, "%d %d %d", &version, &mode, &max);
	if (n >= 2 && version == 1)
		max = INT32_MAX;
	else if (n != 3 || version != 2)
		n = 0;
	if (n < 2 || (mode != 0 && mode != 1) || max < 0) {
		pmNotifyErr(LOG_ERR, "pmdaCacheOp: %s: illegal cache header record: %s", path,
			    head);
		return PM_ERR_GENERIC;
	}
	c->ins_mode = mode;
	c->max_inst = max;
	return 0;
}

/* The line at *pos; *pos moves to the next one. A NUL may be written at the end of the line. */
static struct line next_line(char **pos, char *end)
{
	char *eol = memchr(*pos, '\n', (size_t)(end - *pos));
	struct line l = {.pos = *pos, .end = eol == NULL ? end : eol};

	*pos = eol == NULL ? end : eol + 1;
	return l;
}

/* Room for what the file seems to have, at once. */
static void expect_records(struct cache *c, const char *pos, const char *end)
{
	size_t n = 0, most = (size_t)(end - pos) / CACHE_LINE_MIN;

	while (pos < end && n < most && (pos = memchr(pos, '\n', (size_t)(end - pos))) != NULL) {
		pos++;
		n++;
	}
	cache_expect(c, (uint32_t)n);
}

/*
 * Reads up to CACHE_AHEAD records and prefetches the index slot of each name. The slots are all
 * over the memory, so the cache misses overlap. Fewer records at the end, or before a bad line,
 * where *pos then stays.
 */
static int take_records(const struct cache *c, char **pos, char *end, struct record *recs)
{
	int n = 0;

	while (n < CACHE_AHEAD && *pos < end) {
		char *next = *pos;
		struct line l = next_line(&next, end);

		if (!take_record(l, &recs[n]))
			break;
		*l.end = '\0';
		cache_prefetch(c, recs[n++].name);
		*pos = next;
	}
	return n;
}

static int load_records(struct cache *c, const char *path, char *pos, char *end)
{
	struct record recs[CACHE_AHEAD];
	int total = 0, n, r = 0;
	struct line bad;

	expect_records(c, pos, end);
	do {
		n = take_records(c, &pos, end, recs);
		for (int i = 0; i < n && r >= 0; i++)
			r = load_record(c, path, &recs[i]);
		total += n;
	} while (n == CACHE_AHEAD && r >= 0);
	if (r < 0 || pos == end)
		return r < 0 ? r : total;
	bad = next_line(&pos, end);
	pmNotifyErr(LOG_ERR, "pmdaCacheOp: %s: illegal record: %.*s", path,
		    (int)(bad.end - bad.pos), bad.pos);
	return PM_ERR_GENERIC;
}

int cache_file_parse(struct cache *c, const char *path, char *text, size_t len)
{
	char *pos = text, *end = text + len;
	struct line head;
	int r;

	if (len == 0) {
		pmNotifyErr(LOG_ERR, "pmdaCacheOp: %s: empty file?", path);
		return 0;
	}
	head = next_line(&pos, end);
	r = load_header(c, path, head.pos, (size_t)(pos - head.pos));
	return r < 0 ? r : load_records(c, path, pos, end);
}

int cache_file_load(struct cache *c)
{
	struct buffer text = BUFFER_INIT;
	char path[MAXPATHLEN];
	bool some;
	int r = cache_path(c->indom, path, sizeof(path));

	if (r < 0)
		return r;
	r = file_read_all(path, CACHE_FILE_MAX, &text);
	if (r >= 0)
		r = buffer_reserve(&text, 1) == NULL ? -ENOMEM : 0;
	if (r >= 0)
		r = cache_file_parse(c, path, (char *)text.data + text.start,
				     buffer_pending(&text));
	some = buffer_pending(&text) > 0;
	buffer_done(&text);
	if (r >= 0 && some && pmDebugOptions.indom) {
		fprintf(stderr, "After PMDA_CACHE_LOAD\n");
		cache_dump(stderr, c, false);
	}
	return r;
}

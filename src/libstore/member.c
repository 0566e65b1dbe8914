/*
 * member - see member.h.
 *
 * A window over a source. It is filled from the offset asked for, or up to its end when reading
 * goes backward, and never keeps old bytes: the last record of a file that is being written may
 * have been partial a moment ago. It grows while reads are sequential, so that reading a label
 * costs a few KB and a scan few system calls.
 */
#include "libstore/member.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libstore/archive_files.h"
#include "libstore/member_inner.h"

/* ---- a member in a plain file ---- */

struct plain {
	struct member_source source;
	int fd; /* owned */
};

static uint64_t plain_size(struct member_source *source, uint64_t upto)
{
	struct stat st;

	(void)upto;
	if (fstat(((struct plain *)source)->fd, &st) < 0 || st.st_size < 0)
		return 0;
	return (uint64_t)st.st_size;
}

static int plain_fault(const struct member_source *source)
{
	(void)source;
	return 0;
}

static int64_t plain_read(struct member_source *source, uint64_t offset, void *buf, size_t len)
{
	const struct plain *plain = (struct plain *)source;
	ssize_t n;

	if (offset > INT64_MAX)
		return 0;
	do
		n = pread(plain->fd, buf, len, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static void plain_close(struct member_source *source)
{
	close(((struct plain *)source)->fd);
	free(source);
}

static const struct member_source_ops plain_ops = {plain_size, plain_fault, plain_read,
						   plain_close};

static int member_source_plain(int fd, const char *option, uint64_t limit,
			       struct member_source **ret_source)
{
	struct plain *plain = malloc(sizeof(*plain));

	(void)option;
	(void)limit;
	if (plain == NULL) {
		close(fd);
		return -ENOMEM;
	}
	*plain = (struct plain){{&plain_ops}, fd};
	*ret_source = &plain->source;
	return 0;
}

/* ---- the limit of unpacking, and the report when it is reached ---- */

static const struct {
	char letter;
	int shift;
} units[] = {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}};

/* Parses PITOT_UNPACK_MAX: false if it is not a number of bytes. */
static bool parse(const char *text, uint64_t *ret_max)
{
	unsigned long long n;
	char *end;

	if (strcmp(text, "none") == 0) {
		*ret_max = INT64_MAX;
		return true;
	}
	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (*end == units[i].letter &&
		    n <= (unsigned long long)INT64_MAX >> units[i].shift) {
			n <<= units[i].shift;
			end++;
			break;
		}
	}
	*ret_max = n;
	return errno == 0 && *end == '\0' && n <= INT64_MAX;
}

uint64_t member_limit(uint64_t packed)
{
	const char *text = getenv("PITOT_UNPACK_MAX");
	uint64_t max;

	if (text != NULL && parse(text, &max))
		return max;
	if (packed > MEMBER_UNPACKED_MAX / MEMBER_RATIO_MAX)
		return MEMBER_UNPACKED_MAX;
	max = packed * MEMBER_RATIO_MAX;
	return max > MEMBER_FREE_BYTES ? max : MEMBER_FREE_BYTES;
}

/* The receiver of reports, and the file that was reported last: under lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static member_refusal *refusal;
static char *reported; /* owned */

void member_on_refusal(member_refusal *report)
{
	pthread_mutex_lock(&lock);
	if (refusal != report) {
		free(reported);
		reported = NULL;
	}
	refusal = report;
	pthread_mutex_unlock(&lock);
}

/* The one to report this file to; NULL if there is none, or it was reported last. */
static member_refusal *receiver(const char *path)
{
	member_refusal *report = NULL;

	pthread_mutex_lock(&lock);
	if (refusal != NULL && (reported == NULL || strcmp(reported, path) != 0)) {
		free(reported);
		reported = strdup(path);
		report = refusal;
	}
	pthread_mutex_unlock(&lock);
	return report;
}

static void size_text(uint64_t size, char *buf, size_t len)
{
	if (size >= 1 << 20)
		snprintf(buf, len, "%llu MB", (unsigned long long)(size >> 20));
	else
		snprintf(buf, len, "%llu bytes", (unsigned long long)size);
}

/* Reports that a file was refused for -EFBIG or -ENOSPC: once, as long as it is the same file. */
static void member_limit_report(const char *path, uint64_t limit, int error)
{
	member_refusal *report = receiver(path);
	char line[PATH_MAX + 256], size[32];

	if (report == NULL)
		return;
	size_text(limit, size, sizeof(size));
	if (error == -EFBIG)
		snprintf(line, sizeof(line),
			 "%s unpacks to more than %s: PITOT_UNPACK_MAX=BYTES sets another limit, "
			 "PITOT_UNPACK_MAX=none takes it away",
			 path, size);
	else
		snprintf(line, sizeof(line),
			 "%s takes more than half of the free space when it is unpacked: "
			 "PCP_TMPFILE_DIR=FOLDER names another place",
			 path);
	report(line); /* not under the lock: it may write to a terminal that is slow */
}

/* ---- a window over a source ---- */

enum {
	WINDOW_FIRST = 8 << 10,
	WINDOW_MAX = 1 << 20, /* a record that is larger gets a window of its own length */
	WINDOW_STEP = 4,
};

struct member {
	struct member_source *source;
	char *path;     /* owned: for the report of a refusal */
	uint64_t limit; /* of its unpacked bytes */
	uint8_t *window;
	size_t cap;
	size_t len;      /* bytes that are there */
	uint64_t offset; /* of the first */
	size_t aim;      /* how many to ask for */
	int err;         /* of the last move */
};

static const struct {
	const char *suffix;
	member_source_open open;
	const char *option;
} formats[] = {
    {".xz", member_source_xz, NULL},         {".lzma", member_source_lzma, NULL},
    {".zst", member_source_zst, NULL},       {".bz2", member_source_program, "bzip2"},
    {".bz", member_source_program, "bzip2"}, {".gz", member_source_program, "gzip"},
    {".Z", member_source_program, "gzip"},   {".z", member_source_program, "gzip"},
};

static int source_open(struct member *m, int fd)
{
	const char *suffix = m->path + strlen(m->path) - archive_files_suffix(m->path);

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(suffix, formats[i].suffix) == 0)
			return formats[i].open(fd, formats[i].option, m->limit, &m->source);
	}
	return member_source_plain(fd, NULL, m->limit, &m->source);
}

/* Only what can be read at once: a pipe of that name would make us wait. */
static int member_file_open(const char *path, uint64_t *ret_size)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	*ret_size = (uint64_t)st.st_size;
	return TAKE_FD(fd);
}

/* A limit of 0 is the usual one. */
static int open_up_to(const char *path, uint64_t limit, struct member **ret_member)
{
	struct member *m = calloc(1, sizeof(*m));
	uint64_t packed = 0;
	int r = m != NULL ? member_file_open(path, &packed) : -ENOMEM;

	if (r >= 0) {
		m->limit = limit > 0 ? limit : member_limit(packed);
		m->path = strdup(path);
		if (m->path == NULL) {
			close(r);
			r = -ENOMEM;
		}
	}
	if (r >= 0)
		r = source_open(m, r);
	if (r < 0) {
		if (m != NULL)
			free(m->path);
		free(m);
		return r;
	}
	*ret_member = m;
	return 0;
}

int member_open_lazy(const char *path, struct member **ret_member)
{
	return open_up_to(path, 0, ret_member);
}

int member_open_to(const char *path, uint64_t limit, struct member **ret_member)
{
	struct member *m;
	int r = open_up_to(path, limit, &m);

	if (r < 0)
		return r;
	member_size(m);
	r = member_fault(m);
	if (r < 0) {
		member_close(m);
		return r;
	}
	*ret_member = m;
	return 0;
}

int member_open(const char *path, struct member **ret_member)
{
	return member_open_to(path, 0, ret_member);
}

void member_close(struct member *m)
{
	if (m == NULL)
		return;
	m->source->ops->close(m->source);
	free(m->window);
	free(m->path);
	free(m);
}

uint64_t member_size(struct member *m)
{
	return member_size_to(m, UINT64_MAX);
}

uint64_t member_size_to(struct member *m, uint64_t upto)
{
	return m->source->ops->size(m->source, upto);
}

/* An error of the source goes up; what was refused is reported. */
static int report_fault(const struct member *m, int err)
{
	if (err == -EFBIG || err == -ENOSPC)
		member_limit_report(m->path, m->limit, err);
	return err;
}

int member_fault(struct member *m)
{
	return report_fault(m, m->source->ops->fault(m->source));
}

/* How many bytes the next window has: more if reading goes on where the last one ended. */
static size_t window_aim(const struct member *m, uint64_t offset, size_t want)
{
	bool onward = m->len > 0 && offset >= m->offset && offset <= m->offset + m->len;
	bool backward = m->len > 0 && offset < m->offset && offset + want >= m->offset &&
			offset + want <= m->offset + m->len;
	size_t aim = WINDOW_FIRST;

	if (onward || backward)
		aim = m->aim < WINDOW_MAX / WINDOW_STEP ? m->aim * WINDOW_STEP : WINDOW_MAX;
	return aim;
}

static int window_room(struct member *m, size_t len)
{
	uint8_t *window;

	if (len <= m->cap)
		return 0;
	window = malloc(len);
	if (window == NULL)
		return -ENOMEM;
	free(m->window);
	m->window = window;
	m->cap = len;
	return 0;
}

/* Fills the window from offset with up to len bytes. */
static void window_fill(struct member *m, uint64_t offset, size_t len)
{
	m->offset = offset;
	while (m->len < len) {
		int64_t n = m->source->ops->read(m->source, offset + m->len, m->window + m->len,
						 len - m->len);

		if (n <= 0) {
			m->err = (int)n;
			return;
		}
		m->len += (size_t)n;
	}
}

/* Moves the window so that it has want bytes at offset, if the source has them. */
static void window_move(struct member *m, uint64_t offset, size_t want)
{
	size_t aim = window_aim(m, offset, want);
	bool backward = m->len > 0 && offset < m->offset;
	uint64_t from = offset;
	size_t len = want > aim ? want : aim;

	m->len = 0;
	m->err = 0;
	if (want > aim && member_size_to(m, offset + want) < offset + want) {
		m->err = m->source->ops->fault(m->source);
		return; /* no room is made for what is not there */
	}
	if (backward)
		from = offset + want > len ? offset + want - len : 0;
	m->err = window_room(m, len);
	if (m->err < 0)
		return;
	m->aim = aim;
	window_fill(m, from, len);
}

bool member_holds(const struct member *m, uint64_t offset, size_t want)
{
	return offset >= m->offset && offset - m->offset <= m->len &&
	       want <= m->len - (size_t)(offset - m->offset);
}

const uint8_t *member_at(struct member *m, uint64_t offset, size_t want, size_t *ret_left)
{
	size_t at;

	if (offset > INT64_MAX - (uint64_t)WINDOW_MAX || want > INT64_MAX - offset) {
		*ret_left = 0;
		return NULL;
	}
	if (!member_holds(m, offset, want))
		window_move(m, offset, want);
	if (!member_holds(m, offset, want))
		report_fault(m, m->err);
	if (!member_holds(m, offset, 0)) {
		*ret_left = 0;
		return NULL;
	}
	at = (size_t)(offset - m->offset);
	*ret_left = m->len - at;
	return *ret_left >= want ? m->window + at : NULL;
}

int64_t member_read(struct member *m, uint64_t offset, void *buf, size_t len)
{
	size_t n = 0;

	if (offset > INT64_MAX - (uint64_t)len)
		return 0;
	while (n < len) {
		int64_t r =
		    m->source->ops->read(m->source, offset + n, (uint8_t *)buf + n, len - n);

		if (r < 0)
			return report_fault(m, (int)r);
		if (r == 0)
			break;
		n += (size_t)r;
	}
	return (int64_t)n;
}

int member_u32(struct member *m, uint64_t offset, uint32_t *ret_word)
{
	uint8_t word[sizeof(*ret_word)];
	const uint8_t *p = word;
	int64_t n = sizeof(word);

	if (member_holds(m, offset, sizeof(word)))
		p = m->window + (offset - m->offset);
	else
		n = member_read(m, offset, word, sizeof(word));
	if (n < (int64_t)sizeof(word))
		return n < 0 ? (int)n : 0;
	*ret_word = load_be32(p);
	return 1;
}

int member_error(const struct member *m)
{
	return m->err;
}

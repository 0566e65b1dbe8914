/*
 * piece - one file of an archive and its label.
 */
#include "tools/pmloglabel/piece.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/endian_be.h"
#include "libdisk/limits.h"
#include "libstore/archive_files.h"
#include "libstore/member.h"

enum { MAGIC_AT = 4, MAGIC_END = 8 };

static void set_name(struct piece *p)
{
	if (p->volume == LOG_LABEL_VOL_INDEX)
		snprintf(p->name, sizeof(p->name), "temporal index");
	else if (p->volume == LOG_LABEL_VOL_META)
		snprintf(p->name, sizeof(p->name), "metadata volume");
	else
		snprintf(p->name, sizeof(p->name), "data volume %d", p->volume);
}

/*
 * True for a whole record with another magic number; if its lengths differ the magic number proves
 * nothing.
 */
static bool is_foreign(const uint8_t *bytes, size_t left)
{
	size_t len = left >= MAGIC_END ? load_be32(bytes) : 0;

	return len >= MAGIC_END && len <= left && load_be32(bytes + len - 4) == len &&
	       (load_be32(bytes + MAGIC_AT) & 0xffffff00) != LOG_LABEL_MAGIC;
}

static int piece_judge(struct piece *p, struct member *m)
{
	size_t left = 0;
	const uint8_t *bytes = member_at(m, 0, 1, &left);
	int sts;

	if (bytes == NULL)
		return member_error(m) < 0 ? member_error(m) : PM_ERR_NODATA;
	p->foreign = is_foreign(bytes, left);
	sts = log_label_decode(bytes, left, &p->label);
	p->unread = sts < 0;
	if (sts < 0)
		return sts;
	if (p->label.volume != p->volume)
		return PM_ERR_LABEL;
	return member_size_to(m, log_label_len(p->label.version) + 1) >
		       log_label_len(p->label.version)
		   ? 0
		   : PM_ERR_NODATA;
}

struct piece piece_read(const char *path, int32_t volume)
{
	struct piece p = {.path = path, .volume = volume, .unread = true};
	struct member *m;

	set_name(&p);
	p.sts = member_open_lazy(path, &m);
	if (p.sts < 0)
		return p;
	p.sts = piece_judge(&p, m);
	member_close(m);
	return p;
}

void piece_complain(const struct piece *p)
{
	char text[PM_MAXERRMSGLEN];

	if (p->sts == 0)
		return;
	pmErrStr_r(p->sts, text, sizeof(text));
	fprintf(stderr, "Bad %s label: %s\n", p->name, text);
	if (p->unread && !p->foreign && p->volume < 0)
		fprintf(stderr, "%s: cannot load label record: %s\n", p->name, text);
}

static int differ(const struct piece *p, const struct piece *reference, const char *what,
		  const char *a, const char *b)
{
	if (strcmp(a, b) == 0)
		return 0;
	fprintf(stderr, "Mismatched %s (%s/%s) between %s and %s\n", what, a, b, p->name,
		reference->name);
	return 1;
}

static int differ_number(const struct piece *p, const struct piece *reference, const char *what,
			 int a, int b)
{
	char x[16], y[16];

	snprintf(x, sizeof(x), "%d", a);
	snprintf(y, sizeof(y), "%d", b);
	return differ(p, reference, what, x, y);
}

int piece_compare(const struct piece *p, const struct piece *reference, unsigned int fields)
{
	const struct log_label *a = &p->label, *b = &reference->label;
	int n = 0;

	if (fields & PIECE_VERSION)
		n += differ_number(p, reference, "version", a->version, b->version);
	if (fields & PIECE_PID)
		n += differ_number(p, reference, "PID", a->pid, b->pid);
	if (fields & PIECE_HOST)
		n += differ(p, reference, "hostname", a->host, b->host);
	if (fields & PIECE_TIMEZONE)
		n += differ(p, reference, "timezone", a->timezone, b->timezone);
	if (fields & PIECE_ZONEINFO)
		n += differ(p, reference, "zoneinfo", a->zoneinfo, b->zoneinfo);
	return n;
}

/* The length of the label by different fields at the beginning of a file. */
struct marks {
	bool head, trailer, magic;
};

static struct marks read_marks(int fd, int version)
{
	size_t len = log_label_len(version);
	uint8_t first[MAGIC_END], last[4];

	if (pread(fd, first, sizeof(first), 0) != sizeof(first) ||
	    pread(fd, last, sizeof(last), (off_t)(len - sizeof(last))) != sizeof(last))
		return (struct marks){0};
	return (struct marks){
	    .head = load_be32(first) == len,
	    .trailer = load_be32(last) == len,
	    .magic = load_be32(first + MAGIC_AT) == (LOG_LABEL_MAGIC | (uint32_t)version),
	};
}

/*
 * True if the file begins with a label of this version, so that only the label is overwritten. One
 * of the signs is enough, because the others may be what is to be repaired, unless the file has a
 * whole label of the other version.
 */
static bool has_room(int fd, int version)
{
	struct marks own = read_marks(fd, version);
	struct marks other = read_marks(fd, version == DISK_V2 ? DISK_V3 : DISK_V2);

	return (own.head || own.trailer || own.magic) && !(other.head && other.trailer);
}

static int piece_put(int fd, const struct buffer *b, int version)
{
	size_t len = buffer_pending(b);
	ssize_t n;

	if (!has_room(fd, version))
		return PM_ERR_LABEL;
	n = pwrite(fd, buffer_head(b), len, 0);
	if (n < 0)
		return -errno;
	if ((size_t)n != len)
		return -EIO;
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

int piece_write(const struct piece *p, const struct log_label *label)
{
	struct buffer b = BUFFER_INIT;
	struct log_label own = *label;
	AUTO_FD int fd = -1;
	int sts;

	if (archive_files_suffix(p->path) > 0)
		return -EROFS;
	fd = open(p->path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	own.volume = p->volume;
	sts = log_label_encode(&b, &own);
	if (sts == 0)
		sts = piece_put(fd, &b, own.version);
	buffer_done(&b);
	return sts;
}

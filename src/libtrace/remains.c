/* remains - see remains.h; the public functions are described in <trace_np.h>. */
#include "libtrace/remains.h"

#include <pthread.h>
#include <string.h>

#include <trace_np.h>

#include "libtrace/log_file.h"
#include "libtrace/log_format.h"
#include "libtrace/log_out.h"
#include "libtrace/registry_dir.h"
#include "libtrace/status.h"
#include "libtrace/sys.h"

enum {
	SWEEP_AT_ONCE = 64, /* files removed per scan */
	SWEEP_LOOKS = 200,
};

static void remains_name(uint64_t id, char name[DIR_NAME])
{
	registry_dir_family(name, DIR_REMAINS, id);
}

/* One file of remains. */
struct found {
	uint64_t id, bytes;
	int64_t ended_ns;
};

static int remains_look(int dir, const struct dir_entry *entry, struct found *ret_found)
{
	struct stat st;
	int saved = errno, r;

	if (entry->kind != DIR_REMAINS)
		return -ENOENT;
	r = fstatat(dir, entry->name, &st, AT_SYMLINK_NOFOLLOW);
	errno = saved;
	if (r < 0 || !S_ISREG(st.st_mode))
		return -ENOENT;
	ret_found->id = entry->family;
	ret_found->bytes = (uint64_t)st.st_size;
	ret_found->ended_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return 0;
}

/* The oldest files, oldest first, up to the array's size; and the bytes that all files need. */
struct oldest {
	struct found found[SWEEP_AT_ONCE];
	unsigned count;
	uint64_t bytes;
};

static uint64_t pages(uint64_t bytes)
{
	return (bytes + 4095) & ~(uint64_t)4095;
}

static int find_oldest(int dir, const struct dir_entry *entry, void *arg)
{
	struct oldest *o = arg;
	struct found found;
	unsigned at;

	if (remains_look(dir, entry, &found) < 0)
		return 0;
	o->bytes += pages(found.bytes);
	if (o->count < SWEEP_AT_ONCE)
		at = o->count++;
	else if (o->found[SWEEP_AT_ONCE - 1].ended_ns <= found.ended_ns)
		return 0;
	else
		at = SWEEP_AT_ONCE - 1; /* replaces the newest of them */
	for (; at > 0 && o->found[at - 1].ended_ns > found.ended_ns; at--)
		o->found[at] = o->found[at - 1];
	o->found[at] = found;
	return 0;
}

/* Scans once and removes the oldest files as far as necessary. Returns whether there may be more.
 * */
static bool sweep_some(int dir, uint64_t bytes, int64_t limit)
{
	struct oldest o = {.count = 0};
	char name[DIR_NAME];

	registry_dir_list(dir, find_oldest, &o);
	for (unsigned i = 0; i < o.count; i++) {
		if (o.bytes <= bytes && o.found[i].ended_ns >= limit)
			return false;
		remains_name(o.found[i].id, name);
		if (SYS(SYS_unlinkat, dir, name, 0) < 0)
			return false;
		o.bytes -= pages(o.found[i].bytes);
	}
	return o.count == SWEEP_AT_ONCE;
}

static void remains_sweep(int dir, uint64_t bytes)
{
	int64_t limit = (int64_t)clock_real() - (int64_t)LIMIT_REMAINS_SECONDS * 1000000000;

	for (int i = 0; i < SWEEP_LOOKS && sweep_some(dir, bytes, limit); i++)
		;
}

/* ---- saving ---- */

static struct log_head head_of(const struct control *ctl)
{
	struct log_head head = {.id = ctl->id.stream_id,
				.salt = (uint32_t)(ctl->id.stream_id ^ ctl->id.stream_id >> 32),
				.target = ctl->id.target.pid,
				.controller = ctl->id.controller.pid,
				.attr = ctl->attr};

	return head;
}

/* Writes events to the file, up to its limit; later ones are lost. */
static int write_events(struct reader *reader, struct log_out *out)
{
	struct event event;
	uint64_t bytes = 0;

	reader_finish(reader);
	while (reader_peek(reader, &event) == 1) {
		int r;

		bytes += log_event_size(event.length);
		if (bytes > LIMIT_REMAINS_BYTES / 2)
			break;
		r = log_out_add(out, &event);
		if (r < 0)
			return r;
		reader_consume(reader);
	}
	return 0;
}

static int write_log(int fd, struct reader *reader, struct family *family)
{
	struct log_types types = log_types_family(family);
	struct log_head head = head_of(reader->ctl);
	struct log_trailer trailer = {0};
	struct log_out out;
	int r = log_out_open(fd, &head, &out);

	if (r < 0)
		return r;
	r = write_events(reader, &out);
	status_read(reader, false, &trailer.status);
	status_counts(reader, &trailer.counts);
	if (r == 0)
		r = out.users == 0 ? -ENODATA : log_out_end(&out, &trailer, &types);
	log_out_close(&out);
	return r;
}

/* Writes an unnamed file, unless that is done, and gives it a name: 0, -ENOENT (the directory was
 * removed meanwhile), -errno. */
static int keep_in(int dir, int *fd, struct reader *reader, struct family *family)
{
	char name[DIR_NAME];
	int r;

	if (*fd < 0) {
		remains_sweep(dir, LIMIT_REMAINS_BYTES / 2);
		*fd = sys_openat(dir, ".", O_TMPFILE | O_RDWR, 0600);
		r = *fd < 0 ? *fd : write_log(*fd, reader, family);
		if (r < 0)
			return r;
	}
	remains_name(reader->ctl->id.stream_id, name);
	return registry_dir_link(*fd, dir, name);
}

int remains_keep(struct reader *reader, struct family *family, uid_t uid)
{
	int fd = -1, r = -ENOENT;

	for (int try = 0; try < DIR_TRIES && r == -ENOENT; try++) {
		int dir = registry_dir_open(uid, true);

		r = dir < 0 ? dir : keep_in(dir, &fd, reader, family);
		sys_close(dir);
	}
	sys_close(fd);
	registry_dir_remove(uid);
	return r;
}

/* ---- the interface ---- */

static int open_remains(int dir, uint64_t id)
{
	char name[DIR_NAME];

	remains_name(id, name);
	return sys_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

struct list {
	struct posix_trace_remains_np *list;
	size_t max, count;
};

static struct timespec remains_timespec(int64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* Inserts, sorted by the end time. */
static void insert(struct list *l, const struct posix_trace_remains_np *one)
{
	size_t at = l->count < l->max ? l->count : l->max;

	while (at > 0 && (l->list[at - 1].ended.tv_sec > one->ended.tv_sec ||
			  (l->list[at - 1].ended.tv_sec == one->ended.tv_sec &&
			   l->list[at - 1].ended.tv_nsec > one->ended.tv_nsec))) {
		if (at < l->max)
			l->list[at] = l->list[at - 1];
		at--;
	}
	if (at < l->max)
		l->list[at] = *one;
	l->count++;
}

static int remains_list_one(int dir, const struct dir_entry *entry, void *arg)
{
	struct posix_trace_remains_np one;
	uint8_t bytes[LOG_HEAD];
	struct log_head head;
	struct found found;
	int fd;

	if (remains_look(dir, entry, &found) < 0)
		return 0;
	fd = open_remains(dir, found.id);
	if (fd >= 0 && sys_read(fd, bytes, sizeof(bytes)) == LOG_HEAD &&
	    log_head_decode(bytes, &head) == 0) {
		memset(&one, 0, sizeof(one));
		one.id = found.id;
		one.target = head.target;
		one.controller = head.controller;
		one.created = head.attr.__creation_time;
		one.ended = remains_timespec(found.ended_ns);
		one.bytes = found.bytes;
		memcpy(one.name, head.attr.__name, sizeof(one.name));
		insert(arg, &one);
	}
	sys_close(fd);
	return 0;
}

int posix_trace_remains_np(struct posix_trace_remains_np *list, size_t max, size_t *count)
{
	struct list l = {list, max, 0};
	int dir = registry_dir_open(geteuid(), false);

	if (dir >= 0) {
		remains_sweep(dir, LIMIT_REMAINS_BYTES);
		registry_dir_list(dir, remains_list_one, &l);
		sys_close(dir);
	}
	*count = l.count;
	return 0;
}

static int copy(int from, struct log_file *to)
{
	uint8_t bytes[16384];
	uint64_t at = 0;
	int r = log_file_cut(to, 0);
	long n = 0;

	while (r == 0 && (n = sys_read(from, bytes, sizeof(bytes))) > 0) {
		struct iovec part = {bytes, (size_t)n};

		r = log_file_write(to, &part, 1, at);
		at += (uint64_t)n;
	}
	return r < 0 ? r : (int)n;
}

static int save(int dir, uint64_t id, int fd, int keep)
{
	struct log_file file;
	char name[DIR_NAME];
	int from = open_remains(dir, id), r;

	if (from < 0)
		return -ESRCH;
	r = log_file_open(fd, &file);
	if (r == 0) {
		r = copy(from, &file);
		log_file_close(&file);
	}
	sys_close(from);
	if (r == 0 && keep == 0) {
		remains_name(id, name);
		(void)SYS(SYS_unlinkat, dir, name, 0);
	}
	return r;
}

int posix_trace_remains_save_np(uint64_t id, int fd, int keep)
{
	int dir = registry_dir_open(geteuid(), false), cancel, r;

	if (dir < 0)
		return ESRCH;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	remains_sweep(dir, LIMIT_REMAINS_BYTES);
	r = save(dir, id, fd, keep);
	pthread_setcancelstate(cancel, NULL);
	sys_close(dir);
	registry_dir_remove(geteuid());
	return -r;
}

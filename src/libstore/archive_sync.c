/* archive_sync - see archive_sync.h; and what of an archive being written is on the disk. */
#include "libstore/archive_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libstore/archive_files.h"
#include "libstore/archive_writer.h"
#include "libstore/writer_inner.h"

/* ---- the fsyncs ---- */

enum archive_sync_part {
	SYNC_META,
	SYNC_CLOSED, /* a volume that was closed */
	SYNC_DATA,   /* the volume that is being written */
	SYNC_INDEX,
	SYNC_DIR,
	SYNC_PARTS,
};

struct step {
	enum archive_sync_part part;
	int fd;
};

struct archive_sync {
	struct step *steps; /* owned */
	size_t n, cap;
	int result;
	size_t failed; /* step */
};

/* Nothing to do yet; NULL: -ENOMEM. */
static struct archive_sync *archive_sync_new(void)
{
	struct archive_sync *sync = calloc(1, sizeof(*sync));

	if (sync != NULL)
		sync->result = -ECANCELED;
	return sync;
}

/* Closes and frees; NULL does nothing. */
static void archive_sync_free(struct archive_sync *sync)
{
	if (sync == NULL)
		return;
	for (size_t i = 0; i < sync->n; i++)
		close(sync->steps[i].fd);
	free(sync->steps);
	free(sync);
}

/* Adds a duplicate of fd, or fd itself with own. In the order of the parts. 0, -errno. */
static int archive_sync_add_own(struct archive_sync *sync, enum archive_sync_part part, int fd)
{
	if (sync->n == sync->cap) {
		size_t cap = sync->cap + SYNC_PARTS;
		struct step *steps = reallocarray(sync->steps, cap, sizeof(*steps));

		if (steps == NULL)
			return -ENOMEM;
		sync->steps = steps;
		sync->cap = cap;
	}
	sync->steps[sync->n++] = (struct step){part, fd};
	return 0;
}

/* Adds a duplicate of fd, or fd itself with own. In the order of the parts. 0, -errno. */
static int archive_sync_add(struct archive_sync *sync, enum archive_sync_part part, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int r;

	if (copy < 0)
		return -errno;
	r = archive_sync_add_own(sync, part, copy);
	if (r != 0)
		close(copy);
	return r;
}

/* Folders of some file systems can't be synced; those keep names in another way. */
static int sync_step(const struct step *step)
{
	int r;

	do {
		r = step->part == SYNC_DIR ? fsync(step->fd) : fdatasync(step->fd);
	} while (r < 0 && errno == EINTR);
	if (r == 0 || (step->part == SYNC_DIR && errno == EINVAL))
		return 0;
	return -errno;
}

int archive_sync_run(struct archive_sync *sync)
{
	int r = 0;

	for (size_t i = 0; i < sync->n && r == 0; i++) {
		r = sync_step(&sync->steps[i]);
		sync->failed = i;
	}
	sync->result = r;
	return r;
}

/*
 * The result of a run: 0; the -errno, the part that failed, and its number among those of its kind,
 * from 0.
 * -ECANCELED if it did not run.
 */
static int archive_sync_result(const struct archive_sync *sync, enum archive_sync_part *ret_part,
			       size_t *ret_nth)
{
	size_t nth = 0;

	if (sync->result == 0 || sync->result == -ECANCELED)
		return sync->result;
	*ret_part = sync->steps[sync->failed].part;
	for (size_t i = 0; i < sync->failed; i++)
		nth += sync->steps[i].part == *ret_part;
	*ret_nth = nth;
	return sync->result;
}

/*
 * ---- the writer's side ----
 *
 * The writer's side, and the cost of a sync that failed (archive_writer.h).
 *
 * A sync is begun and ended in the writer's thread; between the two it works on descriptors of its
 * own, in any thread.
 */

void writer_close_volume(struct archive_writer *w, bool to_sync)
{
	struct closed *closed;

	if (w->data.fd < 0)
		return;
	writer_file_trim(&w->data);
	if (to_sync && (w->data.dirty || w->syncing)) {
		closed = reallocarray(w->closed, w->nclosed + 1, sizeof(*closed));
		if (closed != NULL) {
			w->closed = closed;
			closed[w->nclosed++] = (struct closed){w->label.volume, w->data.fd};
			w->data.fd = -1;
		}
	}
	writer_file_close(&w->data);
	w->data.dirty = false;
}

bool writer_is_dirty(const struct archive_writer *w)
{
	return w->meta.dirty || w->data.dirty || w->index.file.dirty || w->nclosed > 0 ||
	       w->names_dirty;
}

static int add_dir(struct archive_writer *w, struct archive_sync *sync)
{
	int fd = store_open_dir(w->base);
	int r;

	if (fd < 0)
		return fd;
	r = archive_sync_add_own(sync, SYNC_DIR, fd);
	if (r != 0)
		close(fd);
	return r;
}

static int add_file(struct archive_sync *sync, enum archive_sync_part part,
		    const struct writer_file *f)
{
	return f->dirty && f->fd >= 0 ? archive_sync_add(sync, part, f->fd) : 0;
}

static int collect(struct archive_writer *w, struct archive_sync *sync)
{
	int r = add_file(sync, SYNC_META, &w->meta);

	for (size_t i = 0; i < w->nclosed && r == 0; i++)
		r = archive_sync_add(sync, SYNC_CLOSED, w->closed[i].fd);
	if (r == 0)
		r = add_file(sync, SYNC_DATA, &w->data);
	if (r == 0)
		r = add_file(sync, SYNC_INDEX, &w->index.file);
	if (r == 0 && w->names_dirty)
		r = add_dir(w, sync);
	return r;
}

int archive_writer_sync_begin(struct archive_writer *w, struct archive_sync **ret_sync)
{
	struct archive_sync *sync;
	int r;

	if (w->syncing)
		return -EBUSY;
	if (!writer_is_dirty(w))
		return 0;
	sync = archive_sync_new();
	if (sync == NULL)
		return -ENOMEM;
	r = collect(w, sync);
	if (r != 0) {
		archive_sync_free(sync);
		return r;
	}
	w->syncing = true;
	w->synced_volume = w->label.volume;
	w->synced_closed = w->nclosed;
	/* Records written from here on belong to the next sync. */
	w->meta.dirty = w->data.dirty = w->index.file.dirty = w->names_dirty = false;
	*ret_sync = sync;
	return 1;
}

void writer_forget_closed(struct archive_writer *w, size_t at, size_t n)
{
	if (n == 0)
		return;
	for (size_t i = at; i < at + n; i++)
		close(w->closed[i].fd);
	w->nclosed -= n;
	memmove(w->closed + at, w->closed + at + n, (w->nclosed - at) * sizeof(*w->closed));
}

/* The volume that was the current one when the sync began. */
static void lose_volume(struct archive_writer *w)
{
	if (w->synced_volume == w->label.volume) {
		writer_close_volume(w, false);
		return;
	}
	for (size_t i = 0; i < w->nclosed; i++) {
		if (w->closed[i].volume == w->synced_volume) {
			writer_forget_closed(w, i, 1);
			return;
		}
	}
}

/* After a failed fsync the state of the file is unknown, and another fsync would report success. */
static void sync_failed(struct archive_writer *w, enum archive_sync_part part, size_t nth)
{
	switch (part) {
	case SYNC_META:
		w->ended = WRITER_META_LOST;
		w->meta.dirty = false;
		break;
	case SYNC_CLOSED:
		writer_forget_closed(w, nth, 1);
		break;
	case SYNC_DATA:
		lose_volume(w);
		break;
	case SYNC_INDEX:
		writer_index_lose(&w->index);
		break;
	default:
		w->names_dirty = false;
		break;
	}
}

int archive_writer_sync_end(struct archive_writer *w, struct archive_sync *sync)
{
	enum archive_sync_part part;
	size_t nth;
	int r = archive_sync_result(sync, &part, &nth);

	archive_sync_free(sync);
	w->syncing = false;
	if (r == 0) {
		writer_forget_closed(w, 0, w->synced_closed);
		return 0;
	}
	/* Parts that were synced before the failure are synced once more: that costs nothing. */
	w->meta.dirty = w->names_dirty = true;
	w->data.dirty = w->data.fd >= 0;
	w->index.file.dirty = w->index.file.fd >= 0;
	if (r != -ECANCELED)
		sync_failed(w, part, nth);
	return r;
}

int archive_writer_sync(struct archive_writer *w)
{
	struct archive_sync *sync;
	int r = archive_writer_sync_begin(w, &sync);

	if (r <= 0)
		return r;
	archive_sync_run(sync);
	return archive_writer_sync_end(w, sync);
}

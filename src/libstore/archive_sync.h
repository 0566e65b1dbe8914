/*
 * archive_sync - the fsyncs that an archive needs now, as work that any thread may do.
 *
 * It owns descriptors of its own (duplicates), in the order in which they go to the disk: metadata,
 * data volumes, index, folder. Nothing of the writer is touched while it runs.
 */
#ifndef LIBSTORE_ARCHIVE_SYNC_H
#define LIBSTORE_ARCHIVE_SYNC_H

#include <stddef.h>

struct archive_sync;

enum archive_sync_part {
	SYNC_META,
	SYNC_CLOSED, /* a volume that was closed */
	SYNC_DATA,   /* the volume that is being written */
	SYNC_INDEX,
	SYNC_DIR,
	SYNC_PARTS,
};

/* Nothing to do yet; NULL: -ENOMEM. */
struct archive_sync *archive_sync_new(void);
/* Closes and frees; NULL does nothing. */
void archive_sync_free(struct archive_sync *sync);

/* Adds a duplicate of fd, or fd itself with own. In the order of the parts. 0, -errno. */
int archive_sync_add(struct archive_sync *sync, enum archive_sync_part part, int fd);
int archive_sync_add_own(struct archive_sync *sync, enum archive_sync_part part, int fd);

/*
 * Runs the fsyncs in order, up to the first that fails: the later ones must not be durable before
 * it. In any thread; waits for the disk. 0 or that -errno.
 */
int archive_sync_run(struct archive_sync *sync);

/*
 * The result of a run: 0; the -errno, the part that failed, and its number among those of its kind,
 * from 0.
 * -ECANCELED if it did not run.
 */
int archive_sync_result(const struct archive_sync *sync, enum archive_sync_part *ret_part,
			size_t *ret_nth);

#endif

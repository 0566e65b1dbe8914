/*
 * archive_sync - the fsyncs that an archive needs now, as work that any thread may do.
 *
 * It owns descriptors of its own (duplicates), in the order in which they go to the disk: metadata,
 * data volumes, index, folder. Nothing of the writer is touched while it runs.
 */
#ifndef LIBSTORE_ARCHIVE_SYNC_H
#define LIBSTORE_ARCHIVE_SYNC_H

struct archive_sync;

/*
 * Runs the fsyncs in order, up to the first that fails: the later ones must not be durable before
 * it. In any thread; waits for the disk. 0 or that -errno.
 */
int archive_sync_run(struct archive_sync *sync);

#endif

/* archive_sync - see archive_sync.h. */
#include "libstore/archive_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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

struct archive_sync *archive_sync_new(void)
{
	struct archive_sync *sync = calloc(1, sizeof(*sync));

	if (sync != NULL)
		sync->result = -ECANCELED;
	return sync;
}

void archive_sync_free(struct archive_sync *sync)
{
	if (sync == NULL)
		return;
	for (size_t i = 0; i < sync->n; i++)
		close(sync->steps[i].fd);
	free(sync->steps);
	free(sync);
}

int archive_sync_add_own(struct archive_sync *sync, enum archive_sync_part part, int fd)
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

int archive_sync_add(struct archive_sync *sync, enum archive_sync_part part, int fd)
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

int archive_sync_result(const struct archive_sync *sync, enum archive_sync_part *ret_part,
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

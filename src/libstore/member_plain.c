/* member_plain - a member in a plain file. */
#include "libstore/member_source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const struct member_source_ops plain_ops = {plain_size, plain_fault, plain_read, plain_close};

int member_source_plain(int fd, const char *option, uint64_t limit,
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

/* members - see members.h. */
#include "members.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "libbase/buffer.h"
#include "libbase/endian_be.h"
#include "libbase/file.h"
#include "libdisk/log_label.h"

static char folder[64];

static void remove_folder(void)
{
	file_remove_tree(folder);
}

static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/dev/shm/fuzz_archive.XXXXXX");
	if (mkdtemp(folder) == NULL) {
		snprintf(folder, sizeof(folder), "/tmp/fuzz_archive.XXXXXX");
		FUZZ_REQUIRE(mkdtemp(folder) != NULL);
	}
	atexit(remove_folder);
}

/* Sets the last word of each record to the length in its first word. */
static void mend(uint8_t *p, size_t len)
{
	while (len >= 8) {
		uint32_t n = load_be32(p);

		if (n < 8 || n > len)
			return;
		store_be32(p + n - 4, n);
		p += n;
		len -= n;
	}
}

/* Writes one file: a label, and the bytes after it. */
static void write_member(const char *name, int32_t volume, unsigned int flags, const uint8_t *bytes,
			 size_t len)
{
	struct log_label label = {.version = flags & MEMBERS_V2 ? 2 : 3, .volume = volume};
	struct buffer b = BUFFER_INIT;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_REQUIRE(fd >= 0 && log_label_encode(&b, &label) == 0);
	buffer_put(&b, bytes, len);
	if (flags & MEMBERS_MEND && volume != LOG_LABEL_VOL_INDEX)
		mend(b.data + log_label_len(label.version), len);
	FUZZ_REQUIRE(file_write_full(fd, b.data, b.len) == 0);
	close(fd);
	buffer_done(&b);
}

static void remove_member(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

/* Returns at most the next n bytes of the input. */
static const uint8_t *take(const uint8_t **p, size_t *left, size_t *n)
{
	const uint8_t *at = *p;

	if (*n > *left)
		*n = *left;
	*p += *n;
	*left -= *n;
	return at;
}

const char *members_write(const uint8_t *data, size_t size, unsigned int *ret_flags)
{
	static char base[80];
	unsigned int flags = data[0];
	size_t index = load_be16(data + 1), meta = load_be16(data + 3), first = load_be16(data + 5);
	const uint8_t *p = data + MEMBERS_HEAD, *bytes;
	size_t left = size - MEMBERS_HEAD;

	if (folder[0] == '\0')
		make_folder();
	remove_member("a.index");
	remove_member("a.1");
	bytes = take(&p, &left, &index);
	if (flags & MEMBERS_INDEX)
		write_member("a.index", LOG_LABEL_VOL_INDEX, flags, bytes, index);
	bytes = take(&p, &left, &meta);
	write_member("a.meta", LOG_LABEL_VOL_META, flags, bytes, meta);
	if (!(flags & MEMBERS_TWO))
		first = left;
	bytes = take(&p, &left, &first);
	write_member("a.0", 0, flags, bytes, first);
	if (flags & MEMBERS_TWO)
		write_member("a.1", 1, flags, p, left);
	*ret_flags = flags;
	snprintf(base, sizeof(base), "%s/a", folder);
	return base;
}

/*
 * fuzz_repair - any bytes as the files of an archive to repair.
 *
 * A byte selects the existing files, and whether the machine was restarted since; then each file
 * has a length (2 bytes) and its bytes; the rest belongs to the last one. After a successful repair
 * the archive is either removed, or opens if nothing in it is damaged; a second run finds nothing
 * more to do.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "libbase/file.h"
#include "libstore/archive.h"
#include "libstore/archive_files.h"
#include "libstore/archive_repair.h"

enum {
	LONG_AGO = 1000000000,
	CRASHED = 1u << 7,
	PATH_LEN = 64,
};

static const char *const tails[] = {"meta", "0", "1", "index"};

enum { TAILS = sizeof(tails) / sizeof(tails[0]) };

static void put_file(const char *path, const uint8_t *bytes, size_t len, bool old)
{
	struct timespec times[2] = {{LONG_AGO, 0}, {LONG_AGO, 0}};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	FUZZ_REQUIRE(fd >= 0 && file_write_full(fd, bytes, len) == 0);
	if (old)
		FUZZ_REQUIRE(futimens(fd, times) == 0);
	close(fd);
}

static void put_files(const char *base, const uint8_t *data, size_t size)
{
	unsigned int which = data[0];
	char path[PATH_LEN];

	data++, size--;
	for (unsigned int i = 0; i < TAILS; i++) {
		size_t len = size;

		if ((which & 1u << i) == 0)
			continue;
		if (i + 1 < TAILS && size >= 2) {
			len = (size_t)data[0] << 8 | data[1];
			data += 2, size -= 2;
			len = len < size ? len : size;
		}
		snprintf(path, sizeof(path), "%s.%s", base, tails[i]);
		put_file(path, data, len, (which & CRASHED) != 0);
		data += len, size -= len;
	}
}

static bool any_file(const char *base)
{
	struct archive_files files;
	bool any;

	FUZZ_REQUIRE(archive_files_members(base, &files) == 0);
	any = files.index != NULL || files.meta != NULL || files.nvolumes > 0;
	archive_files_done(&files);
	return any;
}

/* The repair does not handle labels that do not match or are of an unknown kind.
 */
static void check_opens(const char *base)
{
	struct archive *a;
	int r = archive_open(base, ARCHIVE_NO_FEATURE_CHECK, &a);

	FUZZ_REQUIRE(r == 0 || r == PM_ERR_LABEL);
	if (r == 0)
		archive_close(a);
}

static void check_repaired(const char *base, const struct archive_repair *done)
{
	struct archive_repair again;

	if (done->removed) {
		FUZZ_REQUIRE(!any_file(base));
		return;
	}
	FUZZ_REQUIRE(archive_repair(base, &again) == 0);
	FUZZ_REQUIRE(!again.removed && !again.index_written);
	FUZZ_REQUIRE(again.meta_cut == 0 && again.data_cut == 0);
	FUZZ_REQUIRE(again.damaged <= done->damaged);
	if (done->damaged == 0)
		check_opens(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/fuzz_repair.XXXXXX", shm[] = "/dev/shm/fuzz_repair.XXXXXX";
	struct archive_repair done;
	char base[PATH_LEN / 2 + 16];
	char *folder;
	int r;

	if (size == 0)
		return 0;
	folder = mkdtemp(shm) != NULL ? shm : mkdtemp(dir);
	FUZZ_REQUIRE(folder != NULL);
	snprintf(base, sizeof(base), "%s/a", folder);
	put_files(base, data, size);
	r = archive_repair(base, &done);
	if (r == 0)
		check_repaired(base, &done);
	FUZZ_REQUIRE(file_remove_tree(folder) == 0);
	return 0;
}

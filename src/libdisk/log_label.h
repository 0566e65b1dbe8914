/* log_label - the first record of every file of an archive (docs/spec/archive.md 4). */
#ifndef LIBDISK_LOG_LABEL_H
#define LIBDISK_LOG_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/limits.h"

struct buffer;

enum {
	LOG_LABEL_MAGIC = 0x50052600, /* the version is in the low byte */
	LOG_LABEL_LEN_V2 = 132,
	LOG_LABEL_LEN_V3 = 808,
	LOG_LABEL_TEXT = 256, /* with NUL; v2 has less */
	LOG_LABEL_VOL_INDEX = -2,
	LOG_LABEL_VOL_META = -1,
};

#define LOG_LABEL_FEATURE_QA (1u << 31) /* for tests; no other feature is defined */

struct log_label {
	int version; /* DISK_V2 or DISK_V3 */
	int32_t pid; /* of the writer */
	struct timespec start;
	int32_t volume;    /* LOG_LABEL_VOL_… or the number of a data volume */
	uint32_t features; /* v3 */
	char host[LOG_LABEL_TEXT];
	char timezone[LOG_LABEL_TEXT];
	char zoneinfo[LOG_LABEL_TEXT]; /* v3; may be empty */
};

/* Bytes of a label record of this version. */
static inline size_t log_label_len(int version)
{
	return version == DISK_V2 ? LOG_LABEL_LEN_V2 : LOG_LABEL_LEN_V3;
}

/*
 * Reads the label at the beginning of a file, of which len bytes are there. 0; PM_ERR_NODATA for
 * less than two words; PM_ERR_LABEL for anything that is not a whole label of a known version.
 * A text without a NUL is cut. Volume and features are the caller's to judge.
 */
int log_label_decode(const void *file, size_t len, struct log_label *ret_label);

/* True if it is a label of this host, whose name version 2 may have cut. */
bool log_label_has_host(const struct log_label *label, const char *host);

/*
 * Appends a label; texts are cut to what the version has room for. 0, -EINVAL for another version,
 * -ERANGE for a start it can't hold, -ENOMEM; after a failure the buffer is as it was.
 */
int log_label_encode(struct buffer *out, const struct log_label *label);

#endif

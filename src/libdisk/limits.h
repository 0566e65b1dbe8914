/* limits - what the bytes of an archive may claim (docs/spec/archive.md 1, 4, 5, 7). */
#ifndef LIBDISK_LIMITS_H
#define LIBDISK_LIMITS_H

enum {
	DISK_V2 = 2,
	DISK_V3 = 3,
	RECORD_MIN = 8,                  /* the two length words */
	RECORD_MAX = 256 << 20,          /* of either kind; a length word allows 2^31-1 */
	DISK_LABELS_MAX = 255,           /* labels in a set */
	DISK_LABEL_JSON_MAX = 65535,     /* bytes of a set's text */
	DISK_V2_OFFSET_MAX = 0x7fffffff, /* of a position in a file, in a version-2 index */
	/* Memory that decoding a metadata record takes is at most this many times its length. */
	META_GROWTH = 4,
};

#endif

/*
 * member_source - where the bytes of a member come from: what member.c puts its window over.
 *
 * A source knows its size and copies bytes out; it keeps no position. One file a kind.
 */
#ifndef LIBSTORE_MEMBER_SOURCE_H
#define LIBSTORE_MEMBER_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct member_source;

struct member_source_ops {
	/* The number of bytes. A source that must unpack to know it may stop at upto or after
	 * it. */
	uint64_t (*size)(struct member_source *source, uint64_t upto);
	/* Why there are no more than size gave last, if that is not all: a negative error. */
	int (*fault)(const struct member_source *source);
	/* Copies up to len bytes at offset. The number of bytes, 0 after the end; or a negative
	 * error. */
	int64_t (*read)(struct member_source *source, uint64_t offset, void *buf, size_t len);
	void (*close)(struct member_source *source);
};

/* First in each kind's own struct. */
struct member_source {
	const struct member_source_ops *ops;
};

/*
 * Each opens a source over a file that was opened for reading and that it takes, also when it
 * fails. Errors are those of member_open; option is the program's name where one is run, limit is
 * the last byte that may be read of what unpacks.
 */
typedef int (*member_source_open)(int fd, const char *option, uint64_t limit,
				  struct member_source **ret_source);

int member_source_plain(int fd, const char *option, uint64_t limit,
			struct member_source **ret_source);
int member_source_xz(int fd, const char *option, uint64_t limit,
			struct member_source **ret_source);
int member_source_lzma(int fd, const char *option, uint64_t limit,
			struct member_source **ret_source);
int member_source_zst(int fd, const char *option, uint64_t limit,
			struct member_source **ret_source);
int member_source_program(int fd, const char *option, uint64_t limit,
			struct member_source **ret_source);

#endif

/*
 * metadata_of - a .meta without a label, made of records, in memory.
 */
#ifndef TESTS_TOOLS_METADATA_OF_H
#define TESTS_TOOLS_METADATA_OF_H

#include <sys/mman.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libdisk/meta.h"
#include "libstore/member.h"

static inline void put_metric(struct buffer *records, pmID pmid, const char *name)
{
	const struct wire_str str = {name, (uint32_t)strlen(name)};
	const pmDesc desc = {pmid, PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}};
	const union meta_body body = {.desc = {desc, 1, &str}};

	assert_int_equal(meta_encode(records, META_DESC, &body), 0);
}

static inline struct member *member_of(const struct buffer *records)
{
	struct member *m = NULL;
	char path[32];
	int fd = memfd_create("meta", MFD_CLOEXEC);

	assert_int_equal(file_write_full(fd, buffer_head(records), buffer_pending(records)), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(member_open(path, &m), 0);
	close(fd);
	return m;
}

#endif

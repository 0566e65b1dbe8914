/* pcp_test - what the unit tests of libpcp share. */
#ifndef TESTS_LIBPCP_PCP_TEST_H
#define TESTS_LIBPCP_PCP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

/* Output to f becomes a text: open, print, then compare and close. */
struct printed {
	FILE *f;
	char *text;
	size_t size;
};

static inline struct printed *printed_open(struct printed *p)
{
	p->f = open_memstream(&p->text, &p->size);
	assert_non_null(p->f);
	return p;
}

static inline void printed_is(struct printed *p, const char *expected)
{
	fclose(p->f);
	assert_string_equal(p->text, expected);
	free(p->text);
}

/* A value block as big as anything here. */
union test_block {
	pmValueBlock b;
	char bytes[256];
};

static inline pmValueBlock *test_block(union test_block *u, const void *bytes, size_t len, int type)
{
	memset(u, 0, sizeof(*u));
	u->b.vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	u->b.vtype = (unsigned int)type;
	memcpy(u->bytes + PM_VAL_HDR_SIZE, bytes, len);
	return &u->b;
}

#endif

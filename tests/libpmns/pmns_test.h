/* pmns_test - what the tests of this room share: cmocka, a folder of files, gathered messages. */
#ifndef PMNS_TEST_H
#define PMNS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libpmns/pmns.h"

/* A new empty folder; its path lives until the next call. */
const char *test_folder(void);
void test_folder_remove(const char *dir);

/* Writes a file of the folder, in the place of one of the same name. Returns its path. */
const char *test_file(const char *dir, const char *name, const char *text);

/* A message function that appends each message and a newline to the struct buffer at arg. */
void test_message(void *arg, const char *text);

/* All leaves of ns, one a line: "name D.C.I"; a dynamic root is "name D.*.*". */
void test_leaves(const struct pmns *ns, struct buffer *out);

#endif

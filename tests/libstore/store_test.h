/*
 * store_test - a folder of its own for each test of archives, and files in it.
 *
 * What goes wrong in here fails the test.
 */
#ifndef TESTS_STORE_TEST_H
#define TESTS_STORE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cmocka set-up and tear-down: *state is the folder's path, without a slash at its end. */
int store_test_setup(void **state);
int store_test_teardown(void **state);

/* "DIR/NAME", valid until eight more were asked for. */
const char *store_test_path(void **state, const char *name);

/* Writes, or rewrites, one file. */
void store_test_file(void **state, const char *name, const void *bytes, size_t len);

/* Adds bytes to a file, and cuts it. */
void store_test_append(void **state, const char *name, const void *bytes, size_t len);
void store_test_cut(void **state, const char *name, size_t len);

/* Runs a program in the folder, its words in argv. */
void store_test_run(void **state, const char *const *argv);

#endif

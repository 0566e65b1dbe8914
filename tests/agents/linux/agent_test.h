/*
 * agent_test - the linux agent over a recorded machine: fetches metrics by name through the DSO's
 * entry and compares values as text.
 */
#ifndef TESTS_AGENT_TEST_H
#define TESTS_AGENT_TEST_H

#include <stddef.h>

/* One expected value. */
struct expect {
	const char *metric;
	const char *inst;  /* instance name; NULL: the metric has one value */
	const char *value; /* text; NULL: no value; "error -N" an error code for the whole metric */
};

/* The agent with tests/fixtures/linux/NAME, or the folder of an absolute path, as its root, in
 * place of the one before. */
void agent_open(const char *fixture);

/* Fails unless every value is as expected. */
void agent_expect(const struct expect *table, size_t n);

/* The number of instances that have a value, or an error code. */
int agent_count(const char *metric);

#define EXPECT(table) agent_expect(table, sizeof(table) / sizeof((table)[0]))

#endif

/*
 * golden - bytes that were seen on real connections and in real archives: tests/golden.
 *
 * A file is named by the PDU or the record, and after a '-' by what is special about it. Its first
 * lines, from
 * '#', say where the bytes came from.
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

struct golden {
	char *name; /* "FETCH-five" */
	uint8_t *pdu;
	size_t len;
};

struct golden_set {
	struct golden *pdus; /* by name */
	size_t n;
};

/* Reads all files of a folder; fails the test if there are none. */
void golden_load_folder(struct golden_set *set, const char *folder);

/* The PDUs. */
static inline void golden_load(struct golden_set *set)
{
	golden_load_folder(set, "pdu");
}

void golden_free(struct golden_set *set);

/* The one of this name; fails the test if there is none. */
const struct golden *golden_get(const struct golden_set *set, const char *name);

#endif

/*
 * scene - the content of an archive in the tests: record k is always the same, with metrics and
 * instances that appear and vanish, so that a reader knows which records are present.
 *
 * Every record has scene.count (60.0.0, 64-bit counter, value k). Every 3rd has scene.wave (60.0.1)
 * for the instances of 60.1 that there are then, every 7th from 21 on scene.word (60.0.2, a
 * string). Record k has the stamp SCENE_START + k seconds; every 25th is a mark.
 */
#ifndef TESTS_STORE_SCENE_H
#define TESTS_STORE_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libstore/archive_writer.h"

enum {
	SCENE_START = 1700000000,
	SCENE_COUNT = 60 << 22,
	SCENE_WAVE = 60 << 22 | 1,
	SCENE_WORD = 60 << 22 | 2,
	SCENE_BLOB = 60 << 22 | 3, /* of scene_write_large */
	SCENE_INDOM = 60 << 22 | 1,
	SCENE_INSTS_MAX = 24,
};

/* A label for it; its start is that of the first record. */
struct log_label scene_label(int version);

struct timespec scene_stamp(uint64_t k);
bool scene_is_mark(uint64_t k);

/* The instances of record k: how many, ascending. */
size_t scene_instances(uint64_t k, int *ret_insts);

/* Adds the metadata that record k needs, and the record. Returns the writer's result. */
int scene_write(struct archive_writer *w, int version, uint64_t k);

/* A result record of n bytes and some more, all in aggregates; blob is 60.0.3. */
int scene_write_large(struct archive_writer *w, int version, uint64_t k, size_t n);

#endif

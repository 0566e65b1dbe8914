/* log_fixture - a log written from memory: a control block, a file, and events whose every byte
 * follows from their number. */
#ifndef TESTS_LIBTRACE_LOG_FIXTURE_H
#define TESTS_LIBTRACE_LOG_FIXTURE_H

#include <stdint.h>
#include <sys/types.h>

#include "libtrace/control.h"
#include "libtrace/log_reader.h"
#include "libtrace/log_writer.h"

enum {
	FIXTURE_TYPES = 5 /* user types: type_0 to type_4, the first one described */
};

struct log_fixture {
	struct control *ctl;
	uint8_t *block;
	size_t block_len;
	int fd;
	struct log_writer *writer;
	struct log_types types;
	uint64_t next; /* number of the next event */
};

/* A log in a memory file. */
void fixture_open(struct log_fixture *f, int policy, uint64_t log_size, uint32_t data_max);
/* In a file of the caller, which stays his: what log_writer_open says. */
int fixture_open_fd(struct log_fixture *f, int policy, uint64_t log_size, uint32_t data_max,
		    int fd);
void fixture_close(struct log_fixture *f);

/* Event number n: its data begins with n where there is room. */
void fixture_event(const struct log_fixture *f, uint64_t n, struct event *ret, uint8_t *data);
/* Adds the next `count` ones: the last answer. */
int fixture_add(struct log_fixture *f, uint64_t count);
int fixture_complete(struct log_fixture *f);
off_t fixture_size(const struct log_fixture *f);

/* Reads all user events of a log: they are a contiguous run; first and count of it. Fails a test
 * for anything else. *ret_last: the last event, its data copied to an int. */
struct fixture_run {
	uint64_t first, count;
	uint32_t last_id;
	int last_data;
};
struct fixture_run fixture_read(const struct log_fixture *f, struct log_reader *log);
/* Opens, reads, closes. */
struct fixture_run fixture_check(const struct log_fixture *f, int fd);

#endif

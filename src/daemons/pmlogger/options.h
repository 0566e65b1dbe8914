/* options - the command line of pmlogger (docs/spec/logger.md A6). */
#ifndef PMLOGGER_OPTIONS_H
#define PMLOGGER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "libstore/archive_compress.h"

enum { OPTIONS_SPECS_MAX = 32 };

/* A size of -s and -v: in the unit that was given. */
enum size_kind { SIZE_NONE, SIZE_SAMPLES, SIZE_BYTES, SIZE_TIME };

struct size_limit {
	enum size_kind kind;
	uint64_t value; /* firings of tasks, bytes, or milliseconds */
};

struct options {
	pmOptions pm;
	char **argv;        /* as given: for the restart */
	const char *config; /* NULL: standard input */
	bool check_only;
	bool syntax_only; /* as check_only, without a collector */
	const char *host; /* NULL: the local one */
	const char *label_host;
	int control_version;
	bool local;                                 /* agents in our own process */
	const char *local_specs[OPTIONS_SPECS_MAX]; /* of pmSpecLocalPMDA */
	unsigned int nlocal_spec;
	const char *log_path;
	bool linger;
	const char *note;
	const char *namespace_file;
	char session_note[32];
	bool notify;
	pid_t watched; /* 0: none */
	bool primary, report, daemon;
	struct size_limit end, volume;
	uint32_t interval_ms;
	const char *stop_time;
	const char *user;
	int version;
	bool local_time;     /* -T is in our zone, not in the collector's */
	int session_fd;      /* of the program that started us; -1: none */
	uint64_t keep_bytes; /* 0: all */
	bool keep_auto;      /* 2 GB, or 5 % of the disk */
	uint64_t keep_s;
	bool compress; /* closed volumes */
	enum archive_form form;
	const char *compress_file; /* the one thing to be done, if it is not NULL */
	const char *base;          /* NULL with -C */
};

/* Returns true when the program is to go on; else everything is said and *ret_status is its exit
 * status. */
bool options_parse(struct options *o, int argc, char **argv, int *ret_status);

/* A size as -s and -v take it; false if it is none. */
bool options_size(const char *text, struct size_limit *ret_size);

#endif

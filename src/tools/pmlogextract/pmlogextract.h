/*
 * pmlogextract - shared declarations of the tool's files: options, inputs, the choice of metrics,
 * and merging.
 */
#ifndef PMLOGEXTRACT_PMLOGEXTRACT_H
#define PMLOGEXTRACT_PMLOGEXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libdisk/log_label.h"
#include "libdisk/result_view.h"
#include "tools/archive/names.h"
#include "tools/archive/recording.h"

struct log_label;
struct metadata;
struct window;

/*
 * options - the command line of pmlogextract.
 */

struct options {
	pmOptions pm;
	const char *config;
	bool desperate;
	bool first_zone;  /* -f */
	bool always_mark; /* -m */
	bool daily;       /* -w */
	bool skip;        /* -x */
	int version;      /* of the output; 0: the version of the inputs */
	long samples;     /* 0: no limit */
	long volsamples;  /* 0: one volume */
	char *const *inputs;
	int ninputs;
	const char *output;
};

/*
 * inputs - the archives that are read, and whether they can be merged.
 */

/* The identity of the collector that an input was recorded from, read from its pmcd metrics. */
struct collector {
	bool known;
	uint64_t pid;
	uint32_t seqnum;
};

struct input {
	char *name; /* owned */
	struct recording recording;
	struct metadata *metadata; /* owned */

	struct result_view view; /* the next record, if it has been read ahead */
	bool held;
	bool ended;
	bool given; /* one of its records has been returned */
	struct timespec last;
	struct collector collector;
};

struct inputs {
	struct input *list;
	size_t n;
};

/*
 * Opens the archives that the command line names; lists and directories mean all the archives in
 * them. Empty archives are reported and left out. Returns false after reporting an error.
 */
bool inputs_open(struct inputs *in, const struct options *o);
void inputs_close(struct inputs *in);

/*
 * Makes the label of the new archive: version, host, zone. Returns false after reporting an error:
 * the hosts differ, or the version cannot be converted.
 */
bool inputs_label(const struct inputs *in, const struct options *o, struct log_label *ret_label);

/*
 * conflicts - metrics that differ between inputs.
 */

struct conflicts {
	pmID *pmids; /* owned: metrics that are left out of all inputs */
	size_t n;
};

/*
 * Compares all inputs and reports the differences. With skip, the metrics are listed and left out;
 * without it, the first difference is an error, and the function returns false.
 */
bool conflicts_find(struct conflicts *c, const struct inputs *in, bool skip);
bool conflicts_has(const struct conflicts *c, pmID pmid);
void conflicts_done(struct conflicts *c);

/*
 * specs - a configuration: metrics, or branches of the name space, with some instances or all.
 */

struct spec_inst {
	char *name; /* owned; NULL: the number is used */
	int inst;
};

struct spec {
	char *metric;            /* owned */
	int line;                /* the line where its last token was read */
	struct spec_inst *insts; /* owned; none: all instances */
	size_t n;
};

struct specs {
	struct spec *list;
	size_t n;
	int wrong_line; /* the line where an error ended the reading, or 0 */
	char wrong;     /* the character there that begins no token, or NUL */
};

/*
 * Reads a file. Returns false after reporting a file that cannot be read. A file with a mistake
 * gives the complete specifications before it, and specs_complain reports the mistake.
 */
bool specs_read(struct specs *s, const char *path);

/* Reports the mistake that ended the reading, if there is one. */
void specs_complain(const struct specs *s, const char *path);
void specs_done(struct specs *s);

/*
 * chosen - the metrics and instances that are copied to the new archive.
 */

struct chosen_metric {
	pmID pmid;
	struct inst_set insts;
};

struct chosen {
	bool some; /* a configuration chooses */
	struct chosen_metric *list;
	size_t n;
	const struct conflicts *conflicts;
};

/* config NULL: everything but the conflicts. Returns false after reporting an error. */
bool chosen_read(struct chosen *c, const char *config, const struct inputs *in,
		 const struct conflicts *conflicts);
void chosen_done(struct chosen *c);

/* True if records are copied unchanged. */
bool chosen_everything(const struct chosen *c);

/* Removes what is not chosen from a result, in place. Returns false if nothing is left. */
bool chosen_reduce(const struct chosen *c, pmHighResResult *result);

/*
 * copy - the new archive: merged records of the window, and the metadata that they need.
 */

/*
 * Writes the archive. Returns false after reporting an error; then the files are removed, unless -d
 * is given.
 */
bool copy_run(const struct options *o, struct inputs *in, const struct chosen *chosen,
	      const struct window *window, const struct log_label *label);

#endif

/*
 * adapters - what tape drives and Fibre Channel adapters have done: folders of /sys/class with a
 * file for each number.
 *
 *     scsi_tape/st0/stats/read_cnt              decimal; stN alone: the others are the same drive
 *     fc_host/host0/statistics/rx_frames        hexadecimal; all ones: the adapter does not count
 * it
 *
 * Only the files of metrics that are asked for are read.
 */
#include <errno.h>

#include "linux.h"
#include "scan.h"

enum { TAPE_NITEMS = 10, FCHOST_NITEMS = 8 };

struct tape {
	uint64_t item[TAPE_NITEMS]; /* by the item of the row */
};

struct fchost {
	uint64_t item[FCHOST_NITEMS];
};

static const struct agent_indom tape_indom = {
    34, 0, NULL, 0, "Tape drives", "By the kernel's name, as st0.",
};
static const struct agent_indom fchost_indom = {
    39, 0, NULL, 0, "Fibre Channel adapters", "By the kernel's name, as host0.",
};

/* A word of Fibre Channel has 4 bytes. */
enum { FC_WORD = 4 };

/* clang-format off */

/* X(item, name, file, semantics, units, text) */
#define TAPE_ROWS(X)                                                                               \
	X(0, "in_flight", "in_flight", INSTANT, COUNT, "Requests that each drive has under way")   \
	X(1, "io_ns", "io_ns", COUNTER, NSEC, "Time that requests of each drive took")             \
	X(2, "other_cnt", "other_cnt", COUNTER, COUNT,                                             \
	  "Requests of each drive that neither read nor write")                                    \
	X(3, "read_byte_cnt", "read_byte_cnt", COUNTER, BYTE, "Bytes read from each drive")        \
	X(4, "read_cnt", "read_cnt", COUNTER, COUNT, "Reads of each drive")                        \
	X(5, "read_ns", "read_ns", COUNTER, NSEC, "Time that reads of each drive took")            \
	X(6, "resid_cnt", "resid_cnt", COUNTER, COUNT,                                             \
	  "Requests of each drive that moved less than was asked for")                             \
	X(7, "write_byte_cnt", "write_byte_cnt", COUNTER, BYTE, "Bytes written to each drive")     \
	X(8, "write_cnt", "write_cnt", COUNTER, COUNT, "Writes to each drive")                     \
	X(9, "write_ns", "write_ns", COUNTER, NSEC, "Time that writes to each drive took")

/* X(item, name, file, unit of the file, units, text) */
#define FCHOST_ROWS(X)                                                                             \
	X(0, "in.frames", "rx_frames", 1, COUNT, "Frames received by each adapter")                \
	X(1, "out.frames", "tx_frames", 1, COUNT, "Frames sent by each adapter")                   \
	X(2, "in.bytes", "rx_words", FC_WORD, BYTE, "Bytes received by each adapter")              \
	X(3, "out.bytes", "tx_words", FC_WORD, BYTE, "Bytes sent by each adapter")                 \
	X(4, "lip_count", "lip_count", 1, COUNT, "Times that the loop of each adapter was set up") \
	X(5, "nos_count", "nos_count", 1, COUNT, "Times that each adapter was set offline")   \
	X(6, "error_frames", "error_frames", 1, COUNT, "Frames with errors received by each adapter") \
	X(7, "dumped_frames", "dumped_frames", 1, COUNT, "Frames that each adapter gave up")

#define TAPE_ROW(n, name, file, sem, units, text)                                                  \
	{ "tape.dev." name, 71, n, U64, sem, &tape_indom, AGENT_##units, FIELD(tape, item[n]),     \
	  text, NULL, 0 },
#define FCHOST_ROW(n, name, file, unit, units, text)                                               \
	{ "fchost." name, 91, n, U64, COUNTER, &fchost_indom, AGENT_##units,                       \
	  FIELD(fchost, item[n]), text, NULL, 0 },
#define TAPE_FILE(n, name, file, sem, units, text)    { n, file, 1 },
#define FCHOST_FILE(n, name, file, unit, units, text) { n, file, unit },

static const struct agent_metric tape_metrics[] = { TAPE_ROWS(TAPE_ROW) };
static const struct agent_metric fchost_metrics[] = { FCHOST_ROWS(FCHOST_ROW) };

struct number_file {
	int item;
	const char *file;
	uint64_t unit;
};
static const struct number_file tape_files[] = { TAPE_ROWS(TAPE_FILE) };
static const struct number_file fchost_files[] = { FCHOST_ROWS(FCHOST_FILE) };
/* clang-format on */

/* A folder of /sys/class: whose entries are instances, and where their files are. */
struct class
{
	const struct agent_indom *indom;
	const char *folder;
	const char *prefix; /* of an entry; a number follows */
	const char *sub;
	bool (*scan)(struct scan *s, uint64_t *ret_value);
	const struct number_file *files;
	size_t nfiles;
};

static const struct class tapes = {
    &tape_indom, "scsi_tape", "st", "stats", scan_u64, tape_files, NROWS(tape_files),
};
static const struct class fchosts = {
    &fchost_indom, "fc_host", "host", "statistics", scan_hex, fchost_files, NROWS(fchost_files),
};

static bool is_entry(const struct class *c, const char *name)
{
	size_t len = strlen(c->prefix);

	return strncmp(name, c->prefix, len) == 0 && name[len] != '\0' &&
	       name[len + strspn(name + len, "0123456789")] == '\0';
}

static void adapters_read_files(struct agent_refresh *r, const struct class *c, const char *entry,
				uint64_t *item)
{
	for (size_t i = 0; i < c->nfiles; i++) {
		const struct number_file *file = &c->files[i];
		char text[32];
		struct scan s = {text};
		uint64_t value;

		if (!agent_wanted(r, c->indom, (size_t)file->item * sizeof(*item)) ||
		    agent_read_into(r, text, sizeof(text), "sys/class/%s/%s/%s/%s", c->folder,
				    entry, c->sub, file->file) < 0)
			continue;
		if (c->scan(&s, &value) && value != UINT64_MAX)
			item[file->item] = value * file->unit;
	}
}

/* No folder: no such devices. */
static int read_class(struct agent_refresh *r, const struct class *c)
{
	DIR *dir = agent_opendir(r, "sys/class/%s", c->folder);
	struct dirent *entry;
	int status = 0;

	while (dir != NULL && status == 0 && (entry = readdir(dir)) != NULL) {
		void *item;

		if (!is_entry(c, entry->d_name))
			continue;
		item = agent_add(r, c->indom, entry->d_name, strlen(entry->d_name));
		if (item == NULL)
			status = -ENOMEM;
		else
			adapters_read_files(r, c, entry->d_name, item);
	}
	if (dir != NULL)
		closedir(dir);
	return status;
}

static int tape_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_class(r, &tapes);
}

static int fchost_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_class(r, &fchosts);
}

const struct agent_cluster tape_cluster = {
    .name = "tape",
    .source = "/sys/class/scsi_tape",
    .refresh = tape_refresh,
    .metrics = tape_metrics,
    .nmetrics = NROWS(tape_metrics),
    .fills = {{&tape_indom, sizeof(struct tape), 1}},
};

const struct agent_cluster fchost_cluster = {
    .name = "fchost",
    .source = "/sys/class/fc_host",
    .refresh = fchost_refresh,
    .metrics = fchost_metrics,
    .nmetrics = NROWS(fchost_metrics),
    .fills = {{&fchost_indom, sizeof(struct fchost), 1}},
};

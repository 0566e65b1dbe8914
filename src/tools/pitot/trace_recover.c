/* trace_recover - `pitot trace recover`: a complete log of what is whole in an incomplete one, or
 * of what a killed tracer left. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "pitot.h"
#include "tools/common/cmdline.h"
#include "trace_commands.h"
#include "trace_remains.h"

enum { RECOVER_REMAINS = OPTIONS_NO_LETTER, RECOVER_KEEP };

struct recover {
	const char *output;
	bool remains, keep;
};

/* clang-format off */
static const pmLongOptions rows[] = {
	{ "output",  1, 'o', "FILE", "the log to write" },
	{ "remains", 0, RECOVER_REMAINS, NULL, "from what a killed tracer left: the number of pitot trace list, or the newest" },
	{ "keep",    0, RECOVER_KEEP, NULL, "do not remove the remains" },
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	struct recover *r = arg;

	switch (letter) {
	case 'o':
		r->output = value;
		return 0;
	case RECOVER_REMAINS:
		r->remains = true;
		return 0;
	default:
		r->keep = true;
		return 0;
	}
}

static const struct options options = {
    .command = "trace recover",
    .purpose = "Makes a log of what is whole in one that was cut short, or of what a killed tracer "
	       "left in memory.",
    .rows = rows,
    .operands = "[FILE|ID]",
    .take = take_option,
};

/* A new file: what is recovered must not replace what it comes from. -1 after a message. */
static int open_output(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		trace_failed("recover", path, errno);
	return fd;
}

static int recover_log(const char *path, int to)
{
	uint64_t kept = 0, dropped = 0;
	int from = open(path, O_RDONLY | O_CLOEXEC), error;

	if (from < 0)
		return trace_failed("recover", path, errno);
	error = posix_trace_log_recover_np(from, to, &kept, &dropped);
	close(from);
	if (error == EINVAL) {
		pitot_complain("trace recover: %s: not even the beginning of a trace log", path);
		return PITOT_FAILED;
	}
	if (error != 0)
		return trace_failed("recover", path, error);
	printf("%" PRIu64 " events kept, %" PRIu64 " bytes dropped\n", kept, dropped);
	return PITOT_OK;
}

static int recover_remains(const struct recover *r, const char *id, int to)
{
	uint64_t number;
	int error;

	if (trace_remains_find("recover", id, &number) < 0)
		return PITOT_FAILED;
	error = posix_trace_remains_save_np(number, to, r->keep);
	return error != 0 ? trace_failed("recover", "remains", error) : PITOT_OK;
}

int trace_recover_run(int argc, char **argv)
{
	struct recover r = {0};
	int status = options_parse(&options, argc, argv, &r), fd;
	const char *operand;

	if (status >= 0)
		return status == PITOT_OK ? output_finish(status) : status;
	operand = argv[optind];
	if (r.output == NULL || (operand == NULL && !r.remains) ||
	    (operand != NULL && argc - optind != 1)) {
		pitot_complain("trace recover: expected -o FILE and one FILE, or --remains: see "
			       "pitot trace recover --help");
		return PITOT_USAGE;
	}
	fd = open_output(r.output);
	if (fd < 0)
		return PITOT_FAILED;
	status = r.remains ? recover_remains(&r, operand, fd) : recover_log(operand, fd);
	close(fd);
	if (status != PITOT_OK)
		unlink(r.output);
	return output_finish(status);
}

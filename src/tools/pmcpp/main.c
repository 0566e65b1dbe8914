/*
 * pmcpp - preprocesses a file in the way of name-space files (docs/spec/pmcd.md 10.2).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libpmns/cpp.h"
#include "tools/common/output.h"
#include "tools/pmcpp/options.h"

static int read_input(const char *path, struct buffer *text)
{
	int sts = cpp_input(path, text);

	if (sts < 0)
		fprintf(stderr, "%s: %s:\n%s: Error: %s\n", pmGetProgname(),
			path != NULL ? path : "<stdin>", pmGetProgname(), pmErrStr(sts));
	return sts;
}

/* Makes the file the standard output of the program. */
static int open_output(const char *path)
{
	if (path == NULL || freopen(path, "w", stdout) != NULL)
		return 0;
	fprintf(stderr, "%s: Cannot open outfile (%s) for writing: %s\n", pmGetProgname(), path,
		strerror(errno));
	return -errno;
}

/* Output made before an error is written, too. */
static int preprocess(const struct options *o, const struct buffer *text)
{
	struct cpp_text main_text = {.name = o->input != NULL ? o->input : "<stdin>",
				     .text = (const char *)text->data,
				     .len = text->len};
	struct cpp_options opt = {.flags = o->flags, .defines = o->defines, .dirs = o->dirs};
	struct buffer out = BUFFER_INIT, error = BUFFER_INIT;
	int sts = cpp_run(&main_text, &opt, &out, &error);

	fwrite(out.data, 1, out.len, stdout);
	fflush(stdout);
	if (sts < 0 && error.len > 0)
		fprintf(stderr, "%s\n", buffer_str(&error));
	else if (sts < 0)
		fprintf(stderr, "%s: %s\n", pmGetProgname(), pmErrStr(sts));
	buffer_done(&out);
	buffer_done(&error);
	return sts;
}

/* Returns the exit status. */
static int run(const struct options *o)
{
	struct buffer text = BUFFER_INIT;
	int sts = read_input(o->input, &text);

	if (sts >= 0)
		sts = open_output(o->output);
	if (sts >= 0)
		sts = preprocess(o, &text);
	buffer_done(&text);
	return sts < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (options_parse(&o, argc, argv, &status))
		status = run(&o);
	options_done(&o);
	return output_finish(status);
}

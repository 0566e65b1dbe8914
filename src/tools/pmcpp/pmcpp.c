/*
 * pmcpp - preprocesses a file in the way of name-space files (docs/spec/pmcd.md 10.2).
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libpmns/cpp.h"
#include "tools/common/cmdline.h"

/*
 * options - the command line of pmcpp.
 */

struct options {
	pmOptions pm;
	unsigned int flags;         /* enum cpp_flags */
	struct cpp_define *defines; /* -D; the last one has no text */
	size_t n_defines;
	const char **dirs; /* -I, and the folder of the name space; the last one is NULL */
	size_t n_dirs;
	const char *input;  /* NULL: standard input */
	const char *output; /* NULL: standard output */
};

static void *pmcpp_grow(void *list, size_t n, size_t size)
{
	void *more = reallocarray(list, n, size);

	if (more == NULL)
		pmNoMem("options", n * size, PM_FATAL_ERR);
	return more;
}

/*
 * Turns "name=value" into the text that follows #define. It takes its line and column from the next
 * word.
 */
static void add_define(void *options)
{
	struct options *o = options;
	char *text = strdup(o->pm.optarg), *equals;

	if (text == NULL)
		pmNoMem("options", strlen(o->pm.optarg), PM_FATAL_ERR);
	equals = strchr(text, '=');
	if (equals != NULL)
		*equals = ' ';
	o->defines = pmcpp_grow(o->defines, o->n_defines + 2, sizeof(o->defines[0]));
	o->defines[o->n_defines++] = (struct cpp_define){.text = text, .number = o->pm.optind};
	o->defines[o->n_defines] = (struct cpp_define){0};
}

static void add_dir(struct options *o, const char *dir)
{
	char *text = strdup(dir);

	if (text == NULL)
		pmNoMem("options", strlen(dir), PM_FATAL_ERR);
	o->dirs = pmcpp_grow(o->dirs, o->n_dirs + 2, sizeof(o->dirs[0]));
	o->dirs[o->n_dirs++] = text;
	o->dirs[o->n_dirs] = NULL;
}

static void add_include(void *options)
{
	struct options *o = options;

	add_dir(o, o->pm.optarg);
}

#define AT(member) offsetof(struct options, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMOPT_HELP },
	{ { PMLONGOPT_VERSION, 0, 'V', 0, NULL } },
	{ { "define", 1, 'D', "name[=value]", "define a macro with an optional value" }, CMDLINE_CALL, .call = add_define },
	{ { "include", 1, 'I', "dir", "additional directory to search for include files" }, CMDLINE_CALL, .call = add_include },
	{ { "", 0, 'P', 0, "do not output # lineno \"filename\" linemarkers" }, CMDLINE_BITS, AT(flags), CPP_NO_MARKERS },
	{ { "restrict", 0, 'r', 0, "restrict macro expansion to #name or #{name}" }, CMDLINE_BITS, AT(flags), CPP_MARKED },
	{ { "shell", 0, 's', 0, "use alternate control syntax with prefix % instead of #" }, CMDLINE_BITS, AT(flags), CPP_PERCENT },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/*
 * Reads the command line. Returns true if the program is to go on; otherwise a message has been
 * printed and *ret_status is the exit status.
 */
static bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	char pmns[MAXPATHLEN];

	memset(o, 0, sizeof(*o));
	o->pm.short_usage = "[-Prs] [-Dname[=value] ...] [-I dir ...] [[infile] outfile]";
	cmdline_parse(o, rows, argc, argv);
	if (o->pm.optind + 2 < argc)
		o->pm.errors++;
	if (!cmdline_accept(&o->pm, ret_status))
		return false;
	if (o->pm.optind < argc)
		o->input = argv[o->pm.optind];
	if (o->pm.optind + 1 < argc)
		o->output = argv[o->pm.optind + 1];
	pmsprintf(pmns, sizeof(pmns), "%s/pmns", pmGetConfig("PCP_VAR_DIR"));
	add_dir(o, pmns);
	return true;
}

static void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
	for (size_t i = 0; i < o->n_defines; i++)
		free((char *)o->defines[i].text);
	free(o->defines);
	for (size_t i = 0; i < o->n_dirs; i++)
		free((char *)o->dirs[i]);
	free(o->dirs);
}

/*
 * The program
 */

static int read_input(const char *path, struct buffer *text)
{
	int sts = cpp_input(path, text);

	if (sts < 0)
		fprintf(stderr, "%s: %s:\n%s: Error: %s\n", pmGetProgname(),
			path != NULL ? path : "<stdin>", pmGetProgname(), pmErrStr(sts));
	return sts;
}

/* Makes the file the standard output of the program. */
static int pmcpp_open_output(const char *path)
{
	if (path == NULL || freopen(path, "w", stdout) != NULL)
		return 0;
	fprintf(stderr, "%s: Cannot open outfile (%s) for writing: %s\n", pmGetProgname(), path,
		strerror(errno));
	return -errno;
}

/* Output made before an error is written, too. */
static int pmcpp_preprocess(const struct options *o, const struct buffer *text)
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
static int pmcpp_run(const struct options *o)
{
	struct buffer text = BUFFER_INIT;
	int sts = read_input(o->input, &text);

	if (sts >= 0)
		sts = pmcpp_open_output(o->output);
	if (sts >= 0)
		sts = pmcpp_preprocess(o, &text);
	buffer_done(&text);
	return sts < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	int status;

	if (options_parse(&o, argc, argv, &status))
		status = pmcpp_run(&o);
	options_done(&o);
	return output_finish(status);
}

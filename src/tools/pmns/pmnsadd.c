/*
 * pmnsadd - adds the names of a file to a name-space file (docs/spec/tools.md 14).
 */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpmns/cpp.h"
#include "libpmns/pmns.h"
#include "tools/common/cmdline.h"
#include "tools/pmns/tree.h"

/*
 * fragment - a part of a name space in a file of its own, whose first node has its full path as its
 * name.
 */

static int pmnsadd_preprocess(const char *path, struct buffer *out)
{
	char folder[MAXPATHLEN];
	const char *const dirs[] = {folder, NULL};
	struct cpp_options opt = {.dirs = dirs};
	struct buffer text = BUFFER_INIT, error = BUFFER_INIT;
	int sts = file_read_all(path, CPP_FILE_MAX, &text);

	pmsprintf(folder, sizeof(folder), "%s/pmns", pmGetConfig("PCP_VAR_DIR"));
	if (sts >= 0)
		sts = cpp_run(&(struct cpp_text){.name = path,
						 .text = (const char *)text.data,
						 .len = text.len},
			      &opt, out, &error);
	if (error.len > 0)
		fprintf(stderr, "%s\n", buffer_str(&error));
	buffer_done(&text);
	buffer_done(&error);
	return sts;
}

/* The first word that is not in a linemarker; *ret_len is 0 if there is none. */
static const char *first_word(const char *text, size_t *ret_len)
{
	while (*text != '\0') {
		text += strspn(text, " \t\r\f\v\n");
		if (*text != '#')
			break;
		text += strcspn(text, "\n");
	}
	*ret_len = strcspn(text, " \t\r\f\v\n{");
	return text;
}

/*
 * Writes a node with the beginning of a path as its name, and with the path's next component in it.
 */
static void put_node(struct buffer *out, const char *path, size_t len, const char *child,
		     size_t child_len)
{
	buffer_printf(out, "%.*s {\n\t%.*s\n}\n", (int)len, path, (int)child_len, child);
}

/* Writes the nodes from the root to a path. */
static void put_way(struct buffer *out, const char *path, size_t len)
{
	const char *end = path + len, *part = path;

	if (len == 0 || (len == 4 && memcmp(path, "root", 4) == 0))
		return;
	while (part < end) {
		const char *dot = memchr(part, '.', (size_t)(end - part));
		const char *stop = dot != NULL ? dot : end;

		if (part == path)
			put_node(out, "root", 4, part, (size_t)(stop - part));
		else
			put_node(out, path, (size_t)(part - path) - 1, part, (size_t)(stop - part));
		part = stop + 1;
	}
}

/*
 * Loads a fragment. If its first node is not "root", adds a root and the nodes between the root and
 * the first node. An empty fragment is an empty name space. Errors are printed on standard error.
 * Returns 0 or an error.
 */
static int fragment_load(const char *path, struct pmns **ret_ns)
{
	struct buffer text = BUFFER_INIT, whole = BUFFER_INIT;
	const char *word;
	size_t len;
	int sts = pmnsadd_preprocess(path, &text);

	if (sts == -EINVAL)
		sts = PM_ERR_PMNS;
	if (sts >= 0) {
		word = first_word(buffer_str(&text), &len);
		put_way(&whole, word, len);
		buffer_put(&whole, text.data, text.len);
		if (len == 0 && *word == '\0')
			*ret_ns = pmns_new();
		else if (text.err != 0 || whole.err != 0)
			sts = -ENOMEM;
		else
			sts = tree_load_text((const char *)whole.data, whole.len, path, ret_ns);
		if (sts >= 0 && *ret_ns == NULL)
			sts = -ENOMEM;
	}
	buffer_done(&text);
	buffer_done(&whole);
	return sts;
}

/*
 * The program
 *
 * Debian's pmnsadd is a script that prints most messages on standard output; this program does the
 * same.
 */

#define USAGE "Usage: pmnsadd [-d] [-n namespace] file"

struct options {
	pmOptions pm;
	const char *namespace; /* NULL: the default */
	const char *file;
};

static void warn_deprecated(void *options)
{
	(void)options;
	printf("%s: Warning: -d deprecated, duplicate PMNS names allowed by default\n",
	       pmGetProgname());
}

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "", 0, 'd', 0, NULL }, CMDLINE_CALL, .call = warn_deprecated },
	{ { "", 1, 'n', "namespace", NULL }, CMDLINE_TEXT, offsetof(struct options, namespace) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static bool pmnsadd_end(int status, int *ret_status)
{
	puts(USAGE);
	*ret_status = status;
	return false;
}

static bool pmnsadd_print_version(int *ret_status)
{
	fprintf(stderr, "%s version %s (Pitot %s)\n", pmGetProgname(),
		pmGetAPIConfig("pcp_version"), PITOT_VERSION);
	*ret_status = 0;
	return false;
}

static bool pmnsadd_complain(int *ret_status, const char *text)
{
	fprintf(stderr, "%s\n", text);
	return pmnsadd_end(
	    0, ret_status); /* as in the script, which returns the status of its usage */
}

/* Complains about the option at which getopt(3) has stopped. */
static bool complain_of_option(int *ret_status)
{
	char text[] = "Illegal option -x";

	if (optopt == '?')
		return pmnsadd_end(0, ret_status);
	if (optopt == 'n')
		return pmnsadd_complain(ret_status, "No arg for -n option");
	text[sizeof(text) - 2] = (char)optopt;
	return pmnsadd_complain(ret_status, text);
}

/* Returns true when the program is to go on. */
static bool pmnsadd_parse_options(struct options *o, int argc, char **argv, int *ret_status)
{
	int letter;

	memset(o, 0, sizeof(*o));
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return pmnsadd_end(0, ret_status);
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return pmnsadd_print_version(ret_status);
	opterr = 0;
	while ((letter = cmdline_next_letter(o, rows, argc, argv, "+")) != EOF) {
		if (letter == '?')
			return complain_of_option(ret_status);
	}
	if (optind != argc - 1)
		return pmnsadd_end(1, ret_status);
	o->file = argv[optind];
	return true;
}

static int check_file(const char *what, const char *path)
{
	if (access(path, R_OK) == 0)
		return 0;
	printf("%s: cannot find %s file \"%s\"\n", pmGetProgname(), what, path);
	return -1;
}

static int report_load(const char *path, int sts)
{
	fprintf(stderr, "%s: Error: pmLoadASCIINameSpace(%s, 1): %s\n", pmGetProgname(), path,
		pmErrStr(sts));
	return sts;
}

/* Adds the file's names. Returns 0, or an error that has been reported. */
static int pmnsadd_add(const char *path, const char *file)
{
	struct pmns *ns = NULL, *more = NULL;
	int sts = tree_load(path, true, &ns);

	if (sts < 0)
		return report_load(path, sts);
	sts = fragment_load(file, &more);
	if (sts < 0) {
		report_load(file, sts);
	} else {
		sts = tree_merge(ns, more);
		if (sts >= 0)
			sts = writer_write(ns, path);
		if (sts < 0)
			fprintf(stderr, "%s: Error: cannot write PMNS file \"%s\": %s\n",
				pmGetProgname(), path, pmErrStr(sts));
	}
	pmns_free(more);
	pmns_free(ns);
	return sts;
}

/* Returns the exit status. */
static int pmnsadd_run(const struct options *o, const char *path)
{
	if (check_file("PMNS", path) < 0 || check_file("input", o->file) < 0)
		return 1;
	if (pmnsadd_add(path, o->file) >= 0)
		return 0;
	printf("%s: No changes have been made to the PMNS file \"%s\"\n", pmGetProgname(), path);
	return 1;
}

int main(int argc, char **argv)
{
	struct options o;
	char *path;
	int status;

	pmSetProgname(argv[0]);
	if (pmnsadd_parse_options(&o, argc, argv, &status)) {
		path = o.namespace != NULL ? strdup(o.namespace) : tree_default_path();
		if (path == NULL)
			pmNoMem("path", strlen(o.namespace), PM_FATAL_ERR);
		status = pmnsadd_run(&o, path);
		free(path);
	}
	return output_finish(status);
}

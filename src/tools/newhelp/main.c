/*
 * newhelp - compiles an agent's help texts (docs/spec/pmda.md 18.1).
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"
#include "tools/newhelp/newhelp.h"

#define CHUNK_SIZE 128 /* bytes of a line that are read at a time */
#define TAIL_LEN   63  /* bytes of a cut entry that a message shows */

/* The exit status is the worst problem that was met. */
enum { STATUS_OK = 0, STATUS_WARNING = 1, STATUS_ERROR = 2 };

struct newhelp {
	pmOptions pm;
	const char *namespace;
	const char *output;
	bool verbose;
	const char *file;
	int line;
	int status;
	struct book book;
	struct entry entry;
};

/* Begins a message about the current line. */
static void newhelp_complain(struct newhelp *h, int status)
{
	if (status > h->status)
		h->status = status;
	fprintf(stderr, "%s: [%s:%d] ", pmGetProgname(), h->file, h->line);
}

/*
 * Resolves a key: the name of a metric, or the number of a metric or an instance domain. Returns 0
 * or an error.
 */
static int find_id(const char *key, uint32_t *ret_id)
{
	int domain, cluster, item, sts;
	pmID pmid;

	sts = pmLookupName(1, &key, &pmid);
	if (sts >= 0) {
		*ret_id = pmid;
		return pmid == PM_ID_NULL ? PM_ERR_PMID : 0;
	}
	switch (sscanf(key, "%d.%d.%d", &domain, &cluster, &item)) {
	case 3:
		*ret_id = pmID_build(domain, cluster, item);
		return 0;
	case 2:
		*ret_id = pmInDom_build(domain, cluster) | BOOK_INDOM;
		return 0;
	default:
		return sts;
	}
}

static void complain_of_duplicate(struct newhelp *h, uint32_t id)
{
	char buf[32];

	if ((id & BOOK_INDOM) != 0)
		pmInDomStr_r(id & ~BOOK_INDOM, buf, sizeof(buf));
	else
		pmIDStr_r(id, buf, sizeof(buf));
	newhelp_complain(h, STATUS_ERROR);
	fprintf(stderr, "duplicate key (%s) entry abandoned\n", buf);
}

static void remark(struct newhelp *h, const struct entry_parts *p)
{
	if (p->oneline[0] == '\0') {
		newhelp_complain(h, STATUS_WARNING);
		fprintf(stderr, "%s: warning, null oneline\n", p->line);
	}
	if (p->help[0] == '\0') {
		newhelp_complain(h, STATUS_WARNING);
		fprintf(stderr, "%s: warning, null help\n", p->line);
	}
	if (p->oneline[0] != '\0' && p->help[0] != '\0')
		fprintf(stderr, "%s\n", p->key);
}

static void finish_entry(struct newhelp *h)
{
	struct entry_parts parts;
	uint32_t id;
	int sts;

	if (h->entry.len == 0)
		return;
	entry_split(&h->entry, &parts);
	h->entry.len = 0;
	sts = find_id(parts.key, &id);
	if (sts < 0) {
		newhelp_complain(h, STATUS_ERROR);
		if (sts == PM_ERR_PMID)
			fprintf(stderr, "%s: unknown metric, entry abandoned\n", parts.key);
		else
			fprintf(stderr, "%s: %s, entry abandoned\n", parts.key, pmErrStr(sts));
		return;
	}
	if (!book_add(&h->book, id, parts.key, parts.oneline, parts.help)) {
		complain_of_duplicate(h, id);
		return;
	}
	if (h->verbose)
		remark(h, &parts);
}

/* Adds a line, or a part of one, to the entry; it ends with a newline. */
static void newhelp_add_text(struct newhelp *h, const char *text, bool split)
{
	struct entry *e = &h->entry;
	bool whole = entry_add(e, text);

	if (split && whole) {
		newhelp_complain(h, STATUS_WARNING);
		fprintf(stderr, "long line split after ...\n%.*s", (int)e->len, e->text);
	}
	if (!whole) {
		newhelp_complain(h, STATUS_WARNING);
		fprintf(stderr, "entry truncated after ... %.*s", TAIL_LEN,
			e->text + e->len - TAIL_LEN);
	}
}

/*
 * Handles "@ key ...", which ends the entry before it. Returns the start of the new entry, or NULL
 * if it is empty.
 */
static const char *open_entry(struct newhelp *h, const char *line)
{
	finish_entry(h);
	line += 1 + strspn(line + 1, " \t\v\f\r");
	if (*line == '\n') {
		if (h->status < STATUS_WARNING)
			h->status = STATUS_WARNING;
		if (h->verbose) {
			newhelp_complain(h, STATUS_WARNING);
			fputs("null entry?\n", stderr);
		}
		h->entry.open = false;
		return NULL;
	}
	entry_open(&h->entry);
	return line;
}

static void compile(struct newhelp *h, FILE *f)
{
	char chunk[CHUNK_SIZE + 1]; /* one byte more, for a newline */
	const char *text;
	bool begins = true, comment = false;

	h->line = 1;
	while (fgets(chunk, CHUNK_SIZE, f) != NULL) {
		size_t len = strlen(chunk);
		bool ends = len > 0 && chunk[len - 1] == '\n';

		if (!ends)
			memcpy(chunk + len, "\n", 2);
		if (begins)
			comment = chunk[0] == '#';
		if (!comment) {
			text = chunk[0] == '@' ? open_entry(h, chunk) : chunk;
			if (text != NULL && h->entry.open)
				newhelp_add_text(h, text, !ends);
		}
		begins = ends;
		if (ends)
			h->line++;
	}
	if (!begins && comment) /* a last line without newline counts only if it is a comment */
		h->line++;
	finish_entry(h);
	h->entry.open = false;
}

static void check_version(void *options)
{
	struct newhelp *h = options;
	char *end;
	long version = strtol(h->pm.optarg, &end, 10);

	if (*end != '\0')
		cmdline_complain(&h->pm, "-v requires numeric argument");
	if (version != 2)
		cmdline_complain(&h->pm, "deprecated option - only version 2 is supported");
}

#define AT(member) offsetof(struct newhelp, member)

/* The program loads the name space itself, because metrics may have several names. */
/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("General options") },
	{ PMOPT_DEBUG },
	{ PMOPT_NAMESPACE, CMDLINE_TEXT, AT(namespace) },
	{ PMOPT_HELP },
	{ PMAPI_OPTIONS_HEADER("Output options") },
	{ { "output", 1, 'o', "FILE", "base name for output files" }, CMDLINE_TEXT, AT(output) },
	{ { "verbose", 0, 'V', 0, "verbose/diagnostic output" }, CMDLINE_FLAG, AT(verbose) },
	{ { "version", 1, 'v', "N", "deprecated (only version 2 format supported)" }, CMDLINE_CALL, .call = check_version },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static bool newhelp_parse_options(struct newhelp *h, int argc, char **argv)
{
	int status;

	h->pm.flags = PM_OPTFLAG_POSIX;
	h->pm.short_usage = "[options] [file ...]";
	cmdline_parse(h, rows, argc, argv);
	return cmdline_accept(&h->pm, &status);
}

static int compile_file(struct newhelp *h, const char *path)
{
	FILE *f = fopen(path, "re");

	if (f == NULL) {
		perror(path);
		return -1;
	}
	h->file = path;
	if (h->book.text == NULL &&
	    book_create(&h->book, h->output != NULL ? h->output : path) < 0) {
		fclose(f);
		return -1;
	}
	compile(h, f);
	fclose(f);
	return 0;
}

static int compile_stdin(struct newhelp *h)
{
	if (h->output == NULL) {
		fprintf(stderr,
			"%s: need either a -o option or a filename argument to name the output "
			"file\n",
			pmGetProgname());
		return -1;
	}
	h->file = "<stdin>";
	if (book_create(&h->book, h->output) < 0)
		return -1;
	compile(h, stdin);
	return 0;
}

/* Returns 0, or -1 after an error that ends the run. */
static int newhelp_run(struct newhelp *h, int n, char **paths)
{
	int sts = pmLoadASCIINameSpace(h->namespace, 1);

	if (sts < 0) {
		fprintf(stderr, "%s: pmLoadASCIINameSpace(%s, 1): %s\n", pmGetProgname(),
			h->namespace == PM_NS_DEFAULT ? "DEFAULT" : h->namespace, pmErrStr(sts));
		return -1;
	}
	if (n == 0)
		sts = compile_stdin(h);
	for (int i = 0; i < n && sts >= 0; i++)
		sts = compile_file(h, paths[i]);
	if (sts >= 0)
		return book_finish(&h->book);
	book_abandon(&h->book);
	return -1;
}

int main(int argc, char **argv)
{
	struct newhelp h = {.namespace = PM_NS_DEFAULT};
	int status = STATUS_ERROR;

	if (newhelp_parse_options(&h, argc, argv) &&
	    newhelp_run(&h, argc - h.pm.optind, argv + h.pm.optind) >= 0)
		status = h.status;
	pmFreeOptions(&h.pm);
	return status;
}

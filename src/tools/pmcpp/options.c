#include "tools/pmcpp/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cmdline.h"

/* clang-format off */
static pmLongOptions long_options[] = {
	PMOPT_HELP,
	{ PMLONGOPT_VERSION, 0, 'V', 0, NULL },
	{ "define", 1, 'D', "name[=value]", "define a macro with an optional value" },
	{ "include", 1, 'I', "dir", "additional directory to search for include files" },
	{ "", 0, 'P', 0, "do not output # lineno \"filename\" linemarkers" },
	{ "restrict", 0, 'r', 0, "restrict macro expansion to #name or #{name}" },
	{ "shell", 0, 's', 0, "use alternate control syntax with prefix % instead of #" },
	PMAPI_OPTIONS_END
};
/* clang-format on */

/* Letters that have another meaning in other tools. */
static int is_ours(int letter, pmOptions *opts)
{
	(void)opts;
	return letter == 'D' || letter == 's';
}

static void *grow(void *list, size_t n, size_t size)
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
static void add_define(struct options *o, const char *arg)
{
	char *text = strdup(arg), *equals;

	if (text == NULL)
		pmNoMem("options", strlen(arg), PM_FATAL_ERR);
	equals = strchr(text, '=');
	if (equals != NULL)
		*equals = ' ';
	o->defines = grow(o->defines, o->n_defines + 2, sizeof(o->defines[0]));
	o->defines[o->n_defines++] = (struct cpp_define){.text = text, .number = o->pm.optind};
	o->defines[o->n_defines] = (struct cpp_define){0};
}

static void add_dir(struct options *o, const char *dir)
{
	char *text = strdup(dir);

	if (text == NULL)
		pmNoMem("options", strlen(dir), PM_FATAL_ERR);
	o->dirs = grow(o->dirs, o->n_dirs + 2, sizeof(o->dirs[0]));
	o->dirs[o->n_dirs++] = text;
	o->dirs[o->n_dirs] = NULL;
}

static void set_option(struct options *o, int letter)
{
	switch (letter) {
	case 'D':
		add_define(o, o->pm.optarg);
		break;
	case 'I':
		add_dir(o, o->pm.optarg);
		break;
	case 'P':
		o->flags |= CPP_NO_MARKERS;
		break;
	case 'r':
		o->flags |= CPP_MARKED;
		break;
	case 's':
		o->flags |= CPP_PERCENT;
		break;
	default:
		o->pm.errors++;
		break;
	}
}

bool options_parse(struct options *o, int argc, char **argv, int *ret_status)
{
	char pmns[MAXPATHLEN];
	int letter;

	memset(o, 0, sizeof(*o));
	o->pm.short_options = "D:I:PrsV?";
	o->pm.long_options = long_options;
	o->pm.short_usage = "[-Prs] [-Dname[=value] ...] [-I dir ...] [[infile] outfile]";
	o->pm.override = is_ours;
	while ((letter = pmGetOptions(argc, argv, &o->pm)) != EOF)
		set_option(o, letter);
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

void options_done(struct options *o)
{
	pmFreeOptions(&o->pm);
	for (size_t i = 0; i < o->n_defines; i++)
		free((char *)o->defines[i].text);
	free(o->defines);
	for (size_t i = 0; i < o->n_dirs; i++)
		free((char *)o->dirs[i]);
	free(o->dirs);
}

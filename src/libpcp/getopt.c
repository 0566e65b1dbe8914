/*
 * getopt - the option parser, with all its state in the caller's structure: docs/spec/pmapi.md
 * 19.2.
 *
 * GNU rules: arguments between options are moved after them, unless POSIX order is wanted; long
 * options may be abbreviated as long as they are unique. No member after errors is touched: a
 * pmdaOptions ends there.
 *
 * argv:  done | arguments passed over | options since | to do
 * 	            first_nonopt          last_nonopt     optind
 */
#include <stdbool.h>

#include <pcp/pmapi.h>

enum { REQUIRE_ORDER, PERMUTE, RETURN_IN_ORDER };

/* Are mistakes reported? A leading colon in the short options turns that off. */
static bool says_mistakes(const pmOptions *o)
{
	const char *shorts = o->short_options;

	if (*shorts == '-' || *shorts == '+')
		shorts++;
	return *shorts != ':' && (o->flags & PM_OPTFLAG_QUIET) == 0;
}

static bool wants_colon(const pmOptions *o)
{
	return o->short_options[0] == ':';
}

static void reverse(char **argv, int from, int to)
{
	for (to--; from < to; from++, to--) {
		char *word = argv[from];

		argv[from] = argv[to];
		argv[to] = word;
	}
}

/* The arguments passed over change places with the options found since. */
static void getopt_exchange(char **argv, pmOptions *o)
{
	reverse(argv, o->__first_nonopt, o->__last_nonopt);
	reverse(argv, o->__last_nonopt, o->optind);
	reverse(argv, o->__first_nonopt, o->optind);
	o->__first_nonopt += o->optind - o->__last_nonopt;
	o->__last_nonopt = o->optind;
}

static void getopt_begin(char *const *argv, pmOptions *o)
{
	if (o->optind == 0)
		o->optind = 1;
	o->__first_nonopt = o->__last_nonopt = o->optind;
	o->__nextchar = NULL;
	o->__posixly_correct =
	    (o->flags & PM_OPTFLAG_POSIX) != 0 || getenv("POSIXLY_CORRECT") != NULL;
	if (o->short_options[0] == '-')
		o->__ordering = RETURN_IN_ORDER;
	else if (o->short_options[0] == '+' || o->__posixly_correct)
		o->__ordering = REQUIRE_ORDER;
	else
		o->__ordering = PERMUTE;
	o->__initialized = 1;
	pmSetProgname(argv[0]);
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* Moves on to the next word that is an option. 1 found; 0 an argument in order; -1 the end. */
static int next_word(int argc, char **argv, pmOptions *o)
{
	if (o->__last_nonopt > o->optind)
		o->__last_nonopt = o->optind;
	if (o->__first_nonopt > o->optind)
		o->__first_nonopt = o->optind;
	if (o->__ordering == PERMUTE) {
		if (o->__first_nonopt != o->__last_nonopt && o->__last_nonopt != o->optind)
			getopt_exchange(argv, o);
		else if (o->__last_nonopt != o->optind)
			o->__first_nonopt = o->optind;
		while (o->optind < argc && !is_option(argv[o->optind]))
			o->optind++;
		o->__last_nonopt = o->optind;
	}
	if (o->optind < argc && strcmp(argv[o->optind], "--") == 0) {
		o->optind++;
		if (o->__first_nonopt != o->__last_nonopt && o->__last_nonopt != o->optind)
			getopt_exchange(argv, o);
		else if (o->__first_nonopt == o->__last_nonopt)
			o->__first_nonopt = o->optind;
		o->__last_nonopt = o->optind = argc;
	}
	if (o->optind >= argc) {
		if (o->__first_nonopt != o->__last_nonopt)
			o->optind = o->__first_nonopt;
		return -1;
	}
	if (is_option(argv[o->optind]))
		return 1;
	if (o->__ordering == REQUIRE_ORDER)
		return -1;
	o->optarg = argv[o->optind++];
	return 0;
}

static bool is_heading(const pmLongOptions *l)
{
	return l->short_opt == '-' || l->short_opt == '|' || l->long_opt[0] == '\0';
}

/* All that begin like name, the first one first and then the last ones. */
static void say_ambiguous(const pmOptions *o, const char *typed, const char *name, size_t len,
			  int first)
{
	int n = first;

	while (o->long_options[n].long_opt != NULL)
		n++;
	pmprintf("%s: option '%s' is ambiguous; possibilities: '--%s'", pmGetProgname(), typed,
		 o->long_options[first].long_opt);
	for (int i = n - 1; i > first; i--)
		if (!is_heading(&o->long_options[i]) &&
		    strncmp(o->long_options[i].long_opt, name, len) == 0)
			pmprintf(" '--%s'", o->long_options[i].long_opt);
	pmprintf("\n");
}

enum { LONG_NONE = -1, LONG_AMBIGUOUS = -2 };

/* The index of a long option that is called or begins like this. */
static int find_long(const pmOptions *o, const char *name, size_t len, int *ret_first)
{
	const pmLongOptions *table = o->long_options;
	int found = LONG_NONE;

	for (int i = 0; table != NULL && table[i].long_opt != NULL; i++) {
		if (is_heading(&table[i]) || strncmp(table[i].long_opt, name, len) != 0)
			continue;
		if (strlen(table[i].long_opt) == len)
			return i;
		if (found == LONG_NONE) {
			found = *ret_first = i;
		} else if (found >= 0 && (table[i].has_arg != table[found].has_arg ||
					  table[i].short_opt != table[found].short_opt ||
					  table[i].short_opt == 0)) {
			found = LONG_AMBIGUOUS;
		}
	}
	return found;
}

/* A long option as it came, after the dashes: name, or name=value. */
static int long_option(int argc, char *const *argv, pmOptions *o, const char *typed, char *name)
{
	size_t len = strcspn(name, "=");
	char *value = name[len] == '=' ? name + len + 1 : NULL;
	const pmLongOptions *l;
	int first, i = find_long(o, name, len, &first);

	o->__nextchar = NULL;
	if (i < 0) {
		o->optopt = 0;
		if (i == LONG_AMBIGUOUS && says_mistakes(o))
			say_ambiguous(o, typed, name, len, first);
		else if (says_mistakes(o))
			pmprintf("%s: unrecognized option '--%s'\n", pmGetProgname(), name);
		return '?';
	}
	l = &o->long_options[i];
	if (value != NULL && l->has_arg == 0) {
		if (says_mistakes(o))
			pmprintf("%s: option '--%s' doesn't allow an argument\n", pmGetProgname(),
				 l->long_opt);
		o->optopt = l->short_opt;
		return '?';
	}
	if (value == NULL && l->has_arg == 1) {
		if (o->optind >= argc) {
			if (says_mistakes(o))
				pmprintf("%s: option '--%s' requires an argument\n",
					 pmGetProgname(), l->long_opt);
			o->optopt = l->short_opt;
			return wants_colon(o) ? ':' : '?';
		}
		value = argv[o->optind++];
	}
	o->optarg = value;
	o->index = i;
	return l->short_opt;
}

/* The argument of a short option: the rest of the word, or the next word. */
static int short_argument(int argc, char *const *argv, pmOptions *o, int c, bool optional)
{
	if (*o->__nextchar != '\0') {
		o->optarg = o->__nextchar;
		o->optind++;
	} else if (optional) {
		o->optarg = NULL;
	} else if (o->optind < argc) {
		o->optarg = argv[o->optind++];
	} else {
		if (says_mistakes(o))
			pmprintf("%s: option requires an argument -- '%c'\n", pmGetProgname(), c);
		o->optopt = c;
		c = wants_colon(o) ? ':' : '?';
	}
	o->__nextchar = NULL;
	return c;
}

/* "W;" in the short options: -W name is --name. */
static int long_by_w(int argc, char *const *argv, pmOptions *o)
{
	int c = short_argument(argc, argv, o, 'W', false);
	size_t len;
	int first;

	if (c != 'W')
		return c;
	len = strcspn(o->optarg, "=");
	if (find_long(o, o->optarg, len, &first) == LONG_NONE)
		return 'W';
	return long_option(argc, argv, o, o->optarg, o->optarg);
}

static int short_option(int argc, char *const *argv, pmOptions *o)
{
	int c = (unsigned char)*o->__nextchar++;
	const char *known = strchr(o->short_options, c);

	if (*o->__nextchar == '\0')
		o->optind++;
	if (known == NULL || c == ':' || c == ';') {
		if (says_mistakes(o))
			pmprintf("%s: invalid option -- '%c'\n", pmGetProgname(), c);
		o->optopt = c;
		return '?';
	}
	if (c == 'W' && known[1] == ';')
		return long_by_w(argc, argv, o);
	if (known[1] == ':')
		return short_argument(argc, argv, o, c, known[2] == ':');
	return c;
}

int pmgetopt_r(int argc, char *const *argv, pmOptions *opts)
{
	char *word;
	int r;

	if (argc < 1 || opts->short_options == NULL)
		return -1;
	if (!opts->__initialized)
		getopt_begin(argv, opts);
	opts->optarg = NULL;
	if (opts->__nextchar == NULL || *opts->__nextchar == '\0') {
		r = next_word(argc, (char **)argv, opts);
		if (r <= 0)
			return r < 0 ? -1 : 1;
		word = argv[opts->optind];
		if (word[1] == '-' && opts->long_options != NULL) {
			opts->optind++;
			return long_option(argc, argv, opts, word, word + 2);
		}
		opts->__nextchar = word + 1;
	}
	return short_option(argc, argv, opts);
}

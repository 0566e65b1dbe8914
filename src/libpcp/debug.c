/*
 * debug - the -D options: names, the older bits, the flags: docs/spec/pmapi.md 22.
 *
 * The flags are read everywhere and changed at the start of a program, by one thread.
 */
#include <stdbool.h>

#include <pcp/deprecated.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

/* clang-format off */
/* Members of pmDebugOptions, in their order; the first ones have a bit in pmDebug. */
#define DEBUG_FLAGS(X)                                                                             \
	X(pdu) X(fetch) X(profile) X(value) X(context) X(indom) X(pdubuf) X(log) X(logmeta)        \
	X(optfetch) X(af) X(appl0) X(appl1) X(appl2) X(pmns) X(libpmda) X(timecontrol) X(pmc)      \
	X(derive) X(lock) X(interp) X(config) X(pmapi) X(fault) X(auth) X(discovery) X(attr)       \
	X(http) X(desperate) X(deprecated) X(exec) X(labels) X(series) X(libweb) X(alloc)          \
	X(services) X(appl3) X(appl4) X(appl5) X(access) X(qa) X(search) X(query) X(compress)      \
	X(dev0) X(dev1) X(dev2) X(pmlc) X(appl6) X(appl7) X(appl8) X(appl9) X(tls)
/* clang-format on */

#define DEBUG_BITS    28 /* bits 0 .. 27 are the first flags */
#define DESPERATE_BIT 30

int pmDebug;
pmdebugoptions_t pmDebugOptions;

struct debug_flag {
	const char *name;
	size_t offset;
};

static const struct debug_flag flags[] = {
#define X(member) {#member, offsetof(pmdebugoptions_t, member)},
    DEBUG_FLAGS(X)
#undef X
};

_Static_assert(ARRAY_SIZE(flags) * sizeof(int) == sizeof(pmdebugoptions_t), "a row for each");

static int *flag_at(pmdebugoptions_t *options, size_t i)
{
	return (int *)((char *)options + flags[i].offset);
}

/* The old bit of a flag, or 0. */
static int flag_bit(size_t i)
{
	if (flags[i].offset == offsetof(pmdebugoptions_t, desperate))
		return 1 << DESPERATE_BIT;
	return i < DEBUG_BITS ? 1 << i : 0;
}

static void set_bits(pmdebugoptions_t *options, int bits)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (bits & flag_bit(i))
			*flag_at(options, i) = 1;
}

static int set_word(pmdebugoptions_t *options, const char *word)
{
	bool all = strcasecmp(word, "all") == 0;
	bool found = all;
	char *end;
	long bits = strtol(word, &end, 10);

	if (*end == '\0') {
		set_bits(options, (int)bits);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (all || strcasecmp(word, flags[i].name) == 0) {
			*flag_at(options, i) = 1;
			found = true;
		}
	}
	return found ? 0 : PM_ERR_CONV;
}

/* The flags that spec names. */
static int parse_spec(const char *spec, pmdebugoptions_t *ret_options)
{
	AUTO_FREE char *copy = strdup(spec);
	char *rest = copy, *word;
	int r = 0;

	if (copy == NULL)
		return -ENOMEM;
	memset(ret_options, 0, sizeof(*ret_options));
	while (r == 0 && (word = strsep(&rest, ",")) != NULL)
		if (*word != '\0')
			r = set_word(ret_options, word);
	return r;
}

/* Sets in pmDebug the bits of those flags that have one. */
static void update_bits(void)
{
	int bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (*flag_at(&pmDebugOptions, i) != 0)
			bits |= flag_bit(i);
	pmDebug = bits;
}

static int apply_spec(const char *spec, int value)
{
	pmdebugoptions_t named;
	int r = parse_spec(spec, &named);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (*flag_at(&named, i) != 0)
			*flag_at(&pmDebugOptions, i) = value;
	update_bits();
	return 0;
}

int pmSetDebug(const char *spec)
{
	return apply_spec(spec, 1);
}

int pmClearDebug(const char *spec)
{
	return apply_spec(spec, 0);
}

int __pmParseDebug(const char *spec)
{
	pmdebugoptions_t named;
	int bits = 0;
	int r = parse_spec(spec, &named);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(flags); i++)
		if (*flag_at(&named, i) != 0)
			bits |= flag_bit(i);
	return r < 0 ? r : bits;
}

void __pmSetDebugBits(int bits)
{
	memset(&pmDebugOptions, 0, sizeof(pmDebugOptions));
	set_bits(&pmDebugOptions, bits);
	update_bits();
}

void __pmDumpDebug(FILE *f)
{
	const char *separator = "";

	fprintf(f, "pmDebugOptions:");
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (*flag_at(&pmDebugOptions, i) != 0) {
			fprintf(f, "%s %s", separator, flags[i].name);
			separator = ",";
		}
	}
	putc('\n', f);
}

/* PCP_DEBUG takes effect before main. */
__attribute__((constructor)) static void debug_from_environment(void)
{
	const char *spec = getenv("PCP_DEBUG");

	if (spec != NULL && pmSetDebug(spec) < 0)
		fprintf(stderr, "Error: $PCP_DEBUG=%s is not valid, ignored\n", spec);
}

/*
 * filter - the choice of events: conditions on fields, names and processes.
 */
#include "tools/pmevent/pmevent.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/*
 * Condition
 */

#define NAME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

/* Results of a comparison. */
enum { BELOW = 1u << 0, EQUAL = 1u << 1, ABOVE = 1u << 2, NEITHER = 1u << 3 };
#define PATTERN 0

/* clang-format off */
static const struct {
	const char *text; /* a longer operator before its own beginning */
	int holds;        /* the results for which the operator is true */
} ops[] = {
	{ "==", EQUAL },
	{ "!=", BELOW | ABOVE | NEITHER },
	{ "<=", BELOW | EQUAL },
	{ ">=", ABOVE | EQUAL },
	{ "=",  EQUAL },
	{ "<",  BELOW },
	{ ">",  ABOVE },
	{ "~",  PATTERN },
};
/* clang-format on */

static struct number integer(bool negative, uint64_t magnitude)
{
	double real = (double)magnitude;

	return (struct number){.kind = NUMBER_INTEGER,
			       .negative = negative && magnitude != 0,
			       .magnitude = magnitude,
			       .real = negative ? -real : real};
}

static struct number filter_real(double v)
{
	return (struct number){.kind = NUMBER_REAL, .real = v};
}

static struct number signed_integer(int64_t v)
{
	return v < 0 ? integer(true, -(uint64_t)v) : integer(false, (uint64_t)v);
}

static struct number read_number(const char *text)
{
	const char *digits = text + (*text == '-' || *text == '+');
	bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	unsigned long long magnitude;
	char *end;
	double v;

	/* strtod() would accept blanks, and words that are not numbers. */
	if (strchr("0123456789.", *digits) == NULL || *digits == '\0')
		return (struct number){.kind = NUMBER_NONE};
	errno = 0;
	magnitude = strtoull(digits, &end, hexadecimal ? 16 : 10);
	if (*end == '\0' && end != digits && errno == 0)
		return integer(*text == '-', magnitude);
	v = strtod(text, &end);
	return *end == '\0' && end != text ? filter_real(v) : (struct number){.kind = NUMBER_NONE};
}

static struct number filter_number_of(const struct field *f)
{
	switch (f->type) {
	case PM_TYPE_32:
		return signed_integer(f->value.l);
	case PM_TYPE_U32:
		return integer(false, f->value.ul);
	case PM_TYPE_64:
		return signed_integer(f->value.ll);
	case PM_TYPE_U64:
		return integer(false, f->value.ull);
	case PM_TYPE_FLOAT:
		return filter_real(f->value.f);
	case PM_TYPE_DOUBLE:
		return filter_real(f->value.d);
	default:
		return (struct number){.kind = NUMBER_NONE};
	}
}

static int compare_real(double a, double b)
{
	return a < b ? BELOW : a > b ? ABOVE : a == b ? EQUAL : NEITHER;
}

static int compare_integer(const struct number *a, const struct number *b)
{
	if (a->negative != b->negative)
		return a->negative ? BELOW : ABOVE;
	if (a->magnitude == b->magnitude)
		return EQUAL;
	return (a->magnitude < b->magnitude) != a->negative ? BELOW : ABOVE;
}

/* A float has few digits, so the wanted value is rounded to a float as well. */
static int compare_number(const struct field *f, const struct number *wanted)
{
	struct number n = filter_number_of(f);

	if (wanted->kind == NUMBER_NONE)
		return NEITHER;
	if (n.kind == NUMBER_INTEGER && wanted->kind == NUMBER_INTEGER)
		return compare_integer(&n, wanted);
	if (f->type == PM_TYPE_FLOAT)
		return compare_real(n.real, (float)wanted->real);
	return compare_real(n.real, wanted->real);
}

static int compare_text(const char *text, const char *wanted)
{
	int order = strcmp(text, wanted);

	return order < 0 ? BELOW : order > 0 ? ABOVE : EQUAL;
}

int condition_parse(const char *text, struct condition *ret_condition)
{
	size_t n = strspn(text, NAME_BYTES), i = 0;
	struct condition c = {0};

	while (i < sizeof(ops) / sizeof(ops[0]) &&
	       strncmp(text + n, ops[i].text, strlen(ops[i].text)) != 0)
		i++;
	if (n == 0 || i == sizeof(ops) / sizeof(ops[0]))
		return -EINVAL;
	c.op = (int)i;
	c.name = strndup(text, n);
	c.value = strdup(text + n + strlen(ops[i].text));
	if (c.name == NULL || c.value == NULL) {
		condition_done(&c);
		return -ENOMEM;
	}
	c.number = read_number(c.value);
	*ret_condition = c;
	return 0;
}

bool condition_is_on(const struct condition *c, const struct field *f)
{
	return strcmp(c->name, f->name) == 0 || strcmp(c->name, f->metric) == 0;
}

bool condition_holds(const struct condition *c, const struct field *f)
{
	int holds = ops[c->op].holds;
	bool result = false;
	char *text;

	if (holds != PATTERN && field_is_number(f))
		return (holds & compare_number(f, &c->number)) != 0;
	text = field_text(f);
	if (text != NULL)
		result = holds == PATTERN ? fnmatch(c->value, text, 0) == 0
					  : (holds & compare_text(text, c->value)) != 0;
	free(text);
	return result;
}

void condition_done(struct condition *c)
{
	free(c->name);
	free(c->value);
	c->name = c->value = NULL;
}

/*
 * Filter
 */

#define DIGITS "0123456789"

int filter_add_condition(struct filter *f, const char *text)
{
	struct condition c, *more;
	int sts = condition_parse(text, &c);

	if (sts < 0)
		return sts;
	more = reallocarray(f->conditions, f->n_conditions + 1, sizeof(more[0]));
	if (more == NULL)
		pmNoMem("condition", sizeof(more[0]), PM_FATAL_ERR);
	more[f->n_conditions++] = c;
	f->conditions = more;
	return 0;
}

/*
 * The number of digits of the process id at the beginning, 0 if there is none; the command follows.
 */
static size_t process_id(const char *instance, const char **ret_command)
{
	size_t id = strspn(instance, DIGITS), n = id;

	if (id > 0 && instance[n] == '.')
		n += 1 + strspn(instance + n + 1, DIGITS);
	*ret_command = instance;
	if (id == 0 || instance[n] != ' ')
		return 0;
	*ret_command = instance + n + 1;
	return id;
}

static bool is_process(const char *word, const char *instance)
{
	const char *command;
	size_t id = process_id(instance, &command);

	if (word[0] != '\0' && word[strspn(word, DIGITS)] == '\0')
		return strlen(word) == id && memcmp(word, instance, id) == 0;
	return fnmatch(word, command, 0) == 0;
}

bool filter_wants_instance(const struct filter *f, const char *instance)
{
	for (size_t i = 0; i < f->processes.n; i++)
		if (instance != NULL && is_process(f->processes.words[i], instance))
			return true;
	return f->processes.n == 0;
}

static bool has_event(const struct filter *f, const struct record *r)
{
	for (size_t i = 0; i < f->events.n; i++)
		if (fnmatch(f->events.words[i], r->event != NULL ? r->event : "", 0) == 0)
			return true;
	return f->events.n == 0;
}

/* A name may occur several times: one match is enough. */
static bool holds(const struct condition *c, const struct record *r)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (condition_is_on(c, &r->fields[i]) && condition_holds(c, &r->fields[i]))
			return true;
	return false;
}

bool filter_wants(const struct filter *f, const struct record *r)
{
	if (r->missed)
		return true;
	if (!has_event(f, r))
		return false;
	for (size_t i = 0; i < f->n_conditions; i++)
		if (!holds(&f->conditions[i], r))
			return false;
	return true;
}

void filter_done(struct filter *f)
{
	for (size_t i = 0; i < f->n_conditions; i++)
		condition_done(&f->conditions[i]);
	free(f->conditions);
	f->conditions = NULL;
	f->n_conditions = 0;
	wordlist_done(&f->events);
	wordlist_done(&f->processes);
}

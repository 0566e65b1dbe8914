#include "tools/pmevent/filter.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pmevent/condition.h"
#include "tools/pmevent/record.h"

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

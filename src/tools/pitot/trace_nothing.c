/* trace_nothing - see trace_nothing.h. */
#include "trace_nothing.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pitot.h"
#include "trace_remains.h"
#include "trace_select.h"
#include "word.h"

enum {
	LISTED = 8, /* names or processes that a message has */
	LIST_TEXT = (LISTED + 1) * (TRACE_EVENT_NAME_MAX + 16),
};

/* "a, b, c, ... (17)": a list that has an end. */
struct listing {
	char text[LIST_TEXT];
	size_t len, n;
};

static void listing_add(struct listing *l, const char *word)
{
	if (++l->n <= LISTED)
		l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s%s",
					   l->n > 1 ? ", " : "", word);
	else if (l->n == LISTED + 1)
		snprintf(l->text + l->len, sizeof(l->text) - l->len, ", ...");
}

static bool in_list(const struct wordlist *words, const char *name)
{
	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->words[i], name) == 0)
			return true;
	return false;
}

typedef void (*type_visit)(const char *name, void *arg);

/* Names of the event types of a stream or log; user: those of programs alone. */
static void each_type(trace_id_t trid, bool user, type_visit visit, void *arg)
{
	trace_event_id_t id;
	int end = 0;

	posix_trace_eventtypelist_rewind(trid);
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &end) == 0 && end == 0) {
		char name[TRACE_EVENT_NAME_MAX + 1] = "";

		if ((!user || id > POSIX_TRACE_UNNAMED_USEREVENT) &&
		    posix_trace_eventid_get_name(trid, id, name) == 0)
			visit(name, arg);
	}
	posix_trace_eventtypelist_rewind(trid);
}

struct others {
	const struct wordlist *asked;
	struct listing list;
};

static void add_other(const char *name, void *arg)
{
	struct others *o = arg;
	char clean[TRACE_EVENT_NAME_MAX + 1];

	if (in_list(o->asked, name))
		return;
	snprintf(clean, sizeof(clean), "%s", name);
	word_clean(clean);
	listing_add(&o->list, clean);
}

static void join(const struct wordlist *words, struct listing *ret)
{
	for (size_t i = 0; i < words->n; i++)
		listing_add(ret, words->words[i]);
}

bool trace_nothing_recorded(const struct trace_stream *s, const char *command)
{
	const char *kind = s->pid != NULL ? "process " : "", *name = s->pid != NULL ? s->pid : command;
	struct others others = {.asked = &s->only};
	struct listing asked = {{0}, 0, 0};

	each_type(s->trid, true, add_other, &others);
	join(&s->only, &asked);
	if (others.list.n == 0)
		pitot_complain("trace %s: nothing was recorded: %s%s has opened no event type%s%s; only "
			       "programs that use <trace.h> can be recorded",
			       s->command, kind, name, asked.n > 0 ? " but " : "", asked.text);
	else if (asked.n > 0)
		pitot_complain("trace %s: nothing was recorded: no event of type %s; %s%s also has the "
			       "types %s",
			       s->command, asked.text, kind, name, others.list.text);
	else
		pitot_complain("trace %s: nothing was recorded: no event of the types of %s%s: %s",
			       s->command, kind, name, others.list.text);
	return others.list.n == 0;
}

/* --- processes --- */

void trace_nothing_warn(const char *command, pid_t pid)
{
	struct posix_trace_process_np *list;
	struct listing others = {{0}, 0, 0};
	size_t n;

	if (trace_processes_get(&list, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++) {
		char word[64];

		if (list[i].pid == pid) {
			free(list);
			return;
		}
		snprintf(word, sizeof(word), "%d %.*s", (int)list[i].pid,
			 (int)sizeof(list[i].command), list[i].command);
		word_clean(word);
		listing_add(&others, word);
	}
	free(list);
	pitot_complain("trace %s: process %d does not use <trace.h>, or not yet; processes that do: %s",
		       command, (int)pid, others.n > 0 ? others.text : "none");
}

/* --- selection --- */

struct matching {
	const struct wordlist *patterns;
	bool *matched; /* each pattern */
	struct others others;
};

static void match(const char *name, void *arg)
{
	struct matching *m = arg;

	for (size_t i = 0; i < m->patterns->n; i++)
		if (fnmatch(m->patterns->words[i], name, 0) == 0)
			m->matched[i] = true;
}

bool trace_nothing_selected(const char *command, trace_id_t trid, const struct trace_select *select)
{
	static const struct wordlist none;
	struct matching m = {.patterns = &select->names, .others = {.asked = &none}};
	size_t matched = 0;

	if (select->names.n == 0)
		return false;
	m.matched = calloc(select->names.n, sizeof(*m.matched));
	if (m.matched == NULL)
		return false;
	each_type(trid, false, match, &m);
	each_type(trid, true, add_other, &m.others);
	for (size_t i = 0; i < select->names.n; i++) {
		matched += m.matched[i];
		if (!m.matched[i])
			pitot_complain("trace %s: --name: there is no event type '%s': there are %s",
				       command, select->names.words[i],
				       m.others.list.n > 0 ? m.others.list.text : "none");
	}
	free(m.matched);
	return matched == 0;
}

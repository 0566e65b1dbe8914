/*
 * select - the choice of events, and the messages for an empty result.
 */
#include "tools/pitot/trace/select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/trace.h"

/*
 * The choice
 */

#define SECOND INT64_C(1000000000)

void trace_set_pids(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	struct wordlist *pids = target;
	size_t first = pids->n;
	long pid;

	wordlist_add(pids, opts->optarg);
	for (size_t i = first; i < pids->n && opts->errors == 0; i++) {
		if (options_integer(row->option.long_opt, pids->words[i], INT32_MAX, &pid) < 0)
			opts->errors++;
	}
}

void trace_set_names(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	struct wordlist *names = target;
	size_t before = names->n;

	wordlist_add(names, opts->optarg);
	if (names->n > before)
		return;
	pitot_complain("--%s: expected names of event types", row->option.long_opt);
	opts->errors++;
}

/* Digits after a point, as nanoseconds; *end is after the last one. */
static int64_t fraction(const char *text, const char **end)
{
	int64_t ns = 0, unit = SECOND / 10;

	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++, unit /= 10)
			ns += (*text - '0') * unit;
	}
	*end = text;
	return ns;
}

/* "12.5": seconds. */
static bool read_seconds(const char *text, int64_t *ret_ns)
{
	const char *end;
	char *dot;
	long long s = strtoll(text, &dot, 10);
	int64_t ns = fraction(dot, &end);

	*ret_ns = s * SECOND + ns;
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && s < INT64_MAX / SECOND;
}

/* "[YYYY-MM-DD-]HH:MM[:SS[.N]]"; "T" is accepted for the last "-". */
static bool read_clock(const char *text, const struct timespec *created, int64_t *ret_ns)
{
	static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d-%H:%M:%S",
					    "%Y-%m-%dT%H:%M",    "%Y-%m-%d-%H:%M",
					    "%H:%M:%S",          "%H:%M"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm;
		const char *end;
		int64_t ns;

		localtime_r(&created->tv_sec, &tm);
		tm.tm_sec = 0;
		tm.tm_isdst = -1;
		end = strptime(text, forms[i], &tm);
		if (end == NULL)
			continue;
		ns = fraction(end, &end);
		if (*end != '\0')
			continue;
		*ret_ns = (int64_t)mktime(&tm) * SECOND + ns;
		return true;
	}
	return false;
}

static int read_time(const char *option, const char *text, const struct timespec *created,
		     int64_t *ret_ns)
{
	bool good;

	if (text[0] == '@') {
		good = read_seconds(text + 1, ret_ns);
	} else if (text[0] == '+') {
		good = read_seconds(text + 1, ret_ns);
		if (good)
			*ret_ns += (int64_t)created->tv_sec * SECOND + created->tv_nsec;
	} else {
		good = read_clock(text, created, ret_ns);
	}
	if (!good)
		pitot_complain("--%s: '%s' is no time: expected [YYYY-MM-DD-]HH:MM[:SS[.N]], "
			       "@SECONDS or +SECONDS",
			       option, text);
	return good ? 0 : -1;
}

int trace_select_times(struct trace_select *s, const struct timespec *created)
{
	s->since_ns = INT64_MIN;
	s->until_ns = INT64_MAX;
	if (s->since != NULL && read_time("since", s->since, created, &s->since_ns) < 0)
		return -1;
	if (s->until != NULL && read_time("until", s->until, created, &s->until_ns) < 0)
		return -1;
	return 0;
}

static bool has_name(const struct wordlist *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (fnmatch(names->words[i], name, 0) == 0)
			return true;
	}
	return names->n == 0;
}

static bool has_pid(const struct wordlist *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->n; i++) {
		if (atol(pids->words[i]) == pid)
			return true;
	}
	return pids->n == 0;
}

bool trace_select_wants(const struct trace_select *s, const struct trace_event *e)
{
	const int64_t ns = trace_event_ns(e);

	return ns >= s->since_ns && ns < s->until_ns && has_pid(&s->pids, e->info.posix_pid) &&
	       has_name(&s->names, e->type->name);
}

void trace_select_done(struct trace_select *s)
{
	wordlist_done(&s->names);
	wordlist_done(&s->pids);
}

/*
 * Empty results
 */

enum {
	LISTED = 8, /* the number of names or processes in a message */
	LIST_TEXT = (LISTED + 1) * (TRACE_EVENT_NAME_MAX + 16),
};

/* "a, b, c, ... (17)": a shortened list. */
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

/* Names of the event types of a stream or log; user: only those of programs. */
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

static void select_join(const struct wordlist *words, struct listing *ret)
{
	for (size_t i = 0; i < words->n; i++)
		listing_add(ret, words->words[i]);
}

bool trace_nothing_recorded(const struct trace_stream *s, const char *command)
{
	const char *kind = s->pid != NULL ? "process " : "",
		   *name = s->pid != NULL ? s->pid : command;
	struct others others = {.asked = &s->only};
	struct listing asked = {{0}, 0, 0};

	each_type(s->trid, true, add_other, &others);
	select_join(&s->only, &asked);
	if (others.list.n == 0)
		pitot_complain(
		    "trace %s: nothing was recorded: %s%s has opened no event type%s%s; only "
		    "programs that use <trace.h> can be recorded",
		    s->command, kind, name, asked.n > 0 ? " but " : "", asked.text);
	else if (asked.n > 0)
		pitot_complain(
		    "trace %s: nothing was recorded: no event of type %s; %s%s also has the "
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
	pitot_complain(
	    "trace %s: process %d does not use <trace.h>, or not yet; processes that do: %s",
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
			pitot_complain(
			    "trace %s: --name: there is no event type '%s': there are %s", command,
			    select->names.words[i],
			    m.others.list.n > 0 ? m.others.list.text : "none");
	}
	free(m.matched);
	return matched == 0;
}

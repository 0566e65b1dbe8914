/* trace_select - see trace_select.h. */
#include "trace_select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pitot.h"
#include "trace_source.h"

#define SECOND INT64_C(1000000000)

static int take_pids(struct trace_select *s, const char *value)
{
	size_t first = s->pids.n;
	long pid;

	wordlist_add(&s->pids, value);
	for (size_t i = first; i < s->pids.n; i++) {
		if (options_integer("pid", s->pids.words[i], INT32_MAX, &pid) < 0)
			return -1;
	}
	return 0;
}

static int take_names(struct trace_select *s, const char *value)
{
	const size_t before = s->names.n;

	wordlist_add(&s->names, value);
	if (s->names.n > before)
		return 0;
	pitot_complain("--name: expected names of event types");
	return -1;
}

int trace_select_take(struct trace_select *s, int letter, const char *value)
{
	switch (letter) {
	case 'n':
		return take_names(s, value);
	case 'p':
		return take_pids(s, value);
	case TRACE_SELECT_SINCE:
		s->since = value;
		return 0;
	case TRACE_SELECT_UNTIL:
		s->until = value;
		return 0;
	default:
		return 1;
	}
}

/* Digits after a point, as nanoseconds; end is after the last one. */
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

/* "[YYYY-MM-DD-]HH:MM[:SS[.N]]"; "T" for the last "-" is as good. */
static bool read_clock(const char *text, const struct timespec *created, int64_t *ret_ns)
{
	static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d-%H:%M:%S",
					    "%Y-%m-%dT%H:%M",	 "%Y-%m-%d-%H:%M",
					    "%H:%M:%S",		 "%H:%M"};

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

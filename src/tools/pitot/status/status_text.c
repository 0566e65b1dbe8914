/*
 * status_text - facts and findings for people.
 */
#include "tools/pitot/status/doctor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	CELL = 48,
	COLUMN_GAP = 2,
};

/*
 * Numbers
 */

static const char *memory_text(int64_t kb, char *text, size_t size)
{
	if (kb < 0)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.1f MiB", (double)kb / 1024);
	return text;
}

static const char *real_text(double v, const char *unit, char *text, size_t size)
{
	if (isnan(v))
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.1f%s", v, unit);
	return text;
}

static const char *number_text(int64_t v, char *text, size_t size)
{
	if (v < 0)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%lld", (long long)v);
	return text;
}

/* 0:03:12, 5 d 0:03:12 */
static const char *time_text(int64_t ms, char *text, size_t size)
{
	long long s = (long long)ms / 1000;
	int n = 0;

	if (s >= 86400)
		n = snprintf(text, size, "%lld d ", s / 86400);
	snprintf(text + n, size - (size_t)n, "%lld:%02lld:%02lld", s / 3600 % 24, s / 60 % 60,
		 s % 60);
	return text;
}

/*
 * The collector
 */

static void print_key(const struct paint *p, const char *key)
{
	char text[32];

	snprintf(text, sizeof(text), "  %-10s ", key);
	paint(p, DIM, text);
}

static void print_process(const struct facts *f, const struct paint *p)
{
	const struct collector *c = &f->collector;
	char text[CELL], date[32], user[CELL];
	time_t start;
	struct tm tm;

	print_key(p, "collector");
	if (c->pid >= 0)
		printf("process %lld", (long long)c->pid);
	if (f->here && f->process.uid >= 0 && f->process.uid != (int64_t)f->target.uid)
		printf(" of %s", user_name(f->process.uid, user, sizeof(user)));
	if (c->uptime_ms >= 0) {
		start = (time_t)(c->stamp - (double)c->uptime_ms / 1000);
		localtime_r(&start, &tm);
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
		printf(", up %s, since %s", time_text(c->uptime_ms, text, sizeof(text)), date);
	}
	putchar('\n');
}

static void print_listeners(const struct facts *f, const struct paint *p)
{
	const struct collector *c = &f->collector;

	for (int i = 0; i < c->nlistener; i++) {
		print_key(p, i == 0 ? "listening" : "");
		puts(c->listeners[i].spec != NULL ? c->listeners[i].spec : "?");
	}
	if (c->nlistener == 0) {
		print_key(p, "reached at");
		puts(f->target.spec);
	}
}

static void print_load(const struct facts *f, const struct paint *p)
{
	const struct collector *c = &f->collector;
	bool requests = !isnan(f->requests_per_s) || c->requests >= 0;
	double now = requests ? f->requests_per_s : f->fetches_per_s;
	char text[CELL];

	print_key(p, "clients");
	printf("%s", number_text(c->clients - 1, text, sizeof(text)));
	if (!isnan(now))
		printf(", %s %s/s", real_text(now, "", text, sizeof(text)),
		       requests ? "requests" : "fetches");
	if (!isnan(f->requests_per_s_ever))
		printf(", %s/s since the start",
		       real_text(f->requests_per_s_ever, "", text, sizeof(text)));
	putchar('\n');
}

static void print_cost(const struct facts *f, const struct paint *p)
{
	const struct collector *c = &f->collector;
	char text[CELL];

	if (f->process.rss_kb >= 0) {
		print_key(p, "memory");
		printf("%s resident", memory_text(f->process.rss_kb, text, sizeof(text)));
		if (f->process.pss_kb >= 0)
			printf(", %s proportional",
			       memory_text(f->process.pss_kb, text, sizeof(text)));
		putchar('\n');
	} else if (c->datasize_kb >= 0) {
		print_key(p, "memory");
		printf("%s of data\n", memory_text(c->datasize_kb, text, sizeof(text)));
	}
	if (c->cpu_ms >= 0) {
		print_key(p, "processor");
		if (!isnan(f->process.cpu_percent))
			printf("%.1f %%, ", f->process.cpu_percent);
		printf("%.2f s since the start\n", (double)c->cpu_ms / 1000);
	}
	if (c->fds >= 0) {
		print_key(p, "open files");
		printf("%lld of %lld\n", (long long)c->fds, (long long)c->fds_limit);
	}
}

static void print_collector(const struct facts *f, const struct paint *p)
{
	const struct collector *c = &f->collector;
	char text[CELL];

	print_process(f, p);
	print_listeners(f, p);
	print_load(f, p);
	print_key(p, "metrics");
	puts(number_text(c->metrics, text, sizeof(text)));
	print_cost(f, p);
	if (f->here && c->log != NULL) {
		print_key(p, "log");
		puts(c->log);
	}
}

/* The recorded metrics */

static const char *bytes_text(uint64_t bytes, char *text, size_t size)
{
	if (bytes < 1 << 20)
		snprintf(text, size, "%.0f KiB", (double)bytes / 1024);
	else
		snprintf(text, size, "%.1f MiB", (double)bytes / (1 << 20));
	return text;
}

static void print_date(const char *before, double when)
{
	time_t t = (time_t)when;
	char date[32];
	struct tm tm;

	if (isnan(when))
		return;
	localtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s%s", before, date);
}

static void print_archives(const struct facts *f, const struct paint *p)
{
	const struct archives *a = &f->archives;
	char text[CELL];

	if (f->target.kind != TARGET_UP || (a->count == 0 && a->recorder == 0))
		return;
	print_key(p, "recorder");
	if (a->recorder != 0)
		printf("process %d into %s\n", (int)a->recorder, f->target.place.archive_dir);
	else
		printf("none runs; %s\n", f->target.place.archive_dir);
	print_key(p, "kept");
	printf("%d %s, %s", a->count, a->count == 1 ? "archive" : "archives",
	       bytes_text(a->bytes, text, sizeof(text)));
	if (a->cap > 0)
		printf(" of at most %s", bytes_text(a->cap, text, sizeof(text)));
	print_date(", from ", a->since);
	print_date(" to ", a->until);
	putchar('\n');
	if (a->cap > 0 && a->next[0] != '\0') {
		print_key(p, "next to go");
		printf("%s, %s\n", a->next, bytes_text(a->next_bytes, text, sizeof(text)));
	}
}

/* Agents: a table with fewer columns on a narrow terminal */

#define COLUMN(word) static void column_##word(const struct collector_agent *a, char *cell)

COLUMN(name)
{
	snprintf(cell, CELL, "%s", a->name != NULL ? a->name : "?");
}

COLUMN(domain)
{
	snprintf(cell, CELL, "%d", a->domain);
}

COLUMN(kind)
{
	snprintf(cell, CELL, "%s", facts_agent_kind(a));
}

COLUMN(state)
{
	snprintf(cell, CELL, "%s", facts_agent_state(a));
}

COLUMN(metrics)
{
	number_text(a->metrics, cell, CELL);
}

COLUMN(requests)
{
	real_text(a->requests_per_s, "", cell, CELL);
}

COLUMN(pid)
{
	number_text(a->pid > 0 ? a->pid : -1, cell, CELL);
}

COLUMN(restarts)
{
	number_text(a->starts > 0 ? a->starts - 1 : a->starts, cell, CELL);
}

COLUMN(memory)
{
	memory_text(a->process.rss_kb, cell, CELL);
}

COLUMN(cpu)
{
	real_text(a->process.cpu_percent, " %", cell, CELL);
}

/* clang-format off */
static const struct column {
	const char *title;
	bool right;    /* aligned */
	int importance; /* the least important columns are removed first */
	void (*cell)(const struct collector_agent *a, char *cell);
} columns[] = {
	{ "agent",      false, 9, column_name },
	{ "domain",     true,  2, column_domain },
	{ "kind",       false, 4, column_kind },
	{ "state",      false, 8, column_state },
	{ "metrics",    true,  6, column_metrics },
	{ "requests/s", true,  3, column_requests },
	{ "process",    true,  5, column_pid },
	{ "restarts",   true,  7, column_restarts },
	{ "memory",     true,  1, column_memory },
	{ "cpu",        true,  0, column_cpu },
};
/* clang-format on */

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void measure(const struct collector *c, int *widths)
{
	char cell[CELL];

	for (int i = 0; i < COLUMNS; i++) {
		widths[i] = (int)strlen(columns[i].title);
		for (int j = 0; j < c->nagent; j++) {
			columns[i].cell(&c->agents[j], cell);
			if ((int)strlen(cell) > widths[i])
				widths[i] = (int)strlen(cell);
		}
	}
}

/* Removes columns until the rest fits; a column with width 0 is not printed. */
static void fit(int *widths, int room)
{
	for (int least = 0; least < 8; least++) {
		int sum = COLUMN_GAP;

		for (int i = 0; i < COLUMNS; i++)
			sum += widths[i] > 0 ? widths[i] + COLUMN_GAP : 0;
		if (sum - COLUMN_GAP <= room)
			return;
		for (int i = 0; i < COLUMNS; i++) {
			if (columns[i].importance == least)
				widths[i] = 0;
		}
	}
}

static enum colour state_colour(const struct collector_agent *a)
{
	const char *state = facts_agent_state(a);

	if (strcmp(state, "ready") == 0)
		return GREEN;
	return strcmp(state, "down") == 0 || strcmp(state, "late") == 0 ? RED : YELLOW;
}

/* Prints a row, or the titles if the agent is NULL. No blanks follow the last cell. */
static void print_row(const struct collector_agent *a, const int *widths, const struct paint *p)
{
	int last = 0;

	for (int i = 0; i < COLUMNS; i++)
		last = widths[i] > 0 ? i : last;
	for (int i = 0; i < COLUMNS; i++) {
		char cell[CELL], padded[2 * CELL];
		enum colour colour = a == NULL ? DIM : PLAIN;

		if (widths[i] == 0)
			continue;
		if (a != NULL)
			columns[i].cell(a, cell);
		else
			snprintf(cell, sizeof(cell), "%s", columns[i].title);
		snprintf(padded, sizeof(padded), "%*s%*s", COLUMN_GAP, "",
			 columns[i].right ? widths[i]
			 : i == last      ? 0
					  : -widths[i],
			 cell);
		if (a != NULL && columns[i].cell == column_state)
			colour = state_colour(a);
		paint(p, colour, padded);
	}
	putchar('\n');
}

static void print_error(const struct collector_agent *a, const struct paint *p)
{
	char text[CELL], age[CELL];
	const char *error = facts_agent_error(a, text, sizeof(text));

	if (error[0] == '\0')
		return;
	paint(p, DIM, "      last error ");
	printf("%s", error);
	if (a->error_age_ms >= 0)
		printf(", %s ago", time_text(a->error_age_ms, age, sizeof(age)));
	putchar('\n');
}

static void print_agents(const struct collector *c, const struct paint *p)
{
	int widths[COLUMNS];

	measure(c, widths);
	fit(widths, p->width);
	print_row(NULL, widths, p);
	for (int i = 0; i < c->nagent; i++) {
		print_row(&c->agents[i], widths, p);
		print_error(&c->agents[i], p);
	}
}

/* The whole output */

static void print_verdict(const struct doctor *d, const struct paint *p)
{
	int errors = doctor_count(d, SEVERITY_ERROR);
	int warnings = doctor_count(d, SEVERITY_WARNING) - errors;
	char text[64];

	if (errors + warnings == 0) {
		paint(p, GREEN, "well");
		return;
	}
	if (errors > 0) {
		snprintf(text, sizeof(text), "%d error%s", errors, errors == 1 ? "" : "s");
		paint(p, RED, text);
	}
	if (errors > 0 && warnings > 0)
		fputs(", ", stdout);
	if (warnings > 0) {
		snprintf(text, sizeof(text), "%d warning%s", warnings, warnings == 1 ? "" : "s");
		paint(p, YELLOW, text);
	}
}

void status_text_print(const struct facts *f, const struct doctor *d, const struct paint *p)
{
	const struct collector *c = &f->collector;

	if (f->reach < 0)
		return;
	if (c->version != NULL)
		printf("Pitot %s", c->version);
	else
		printf("PCP %s", c->pcp_version != NULL ? c->pcp_version : "?");
	fputs(" on ", stdout);
	paint(p, BOLD, c->hostname != NULL ? c->hostname : "?");
	fputs(": ", stdout);
	print_verdict(d, p);
	putchar('\n');
	print_collector(f, p);
	print_archives(f, p);
	putchar('\n');
	print_agents(c, p);
}

void status_text_findings(const struct doctor *d, enum severity least, const struct paint *p)
{
	static const enum colour colours[] = {DIM, YELLOW, RED};
	bool any = false;

	for (enum severity severity = SEVERITY_ERROR + 1; severity-- > least;) {
		for (int i = 0; i < d->n; i++) {
			const struct finding *one = &d->findings[i];

			if (one->check->severity != severity)
				continue;
			if (any)
				putchar('\n');
			any = true;
			paint(p, colours[severity], severity_name(severity));
			printf(": %s\n", one->what != NULL ? one->what : one->check->id);
			paint(p, DIM, "  why   ");
			puts(one->check->why);
			if (one->mend != NULL) {
				paint(p, DIM, "  mend  ");
				paint(p, BOLD, one->mend);
				putchar('\n');
			}
		}
	}
}

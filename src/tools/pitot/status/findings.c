/*
 * findings - what checks report: the list of findings, their texts, and the commands that mend
 * them.
 */
#include "tools/pitot/status/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"
#include "tools/pitot/status/facts.h"

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {"note", "warning", "error"};

	return names[severity];
}

void doctor_free(struct doctor *d)
{
	for (int i = 0; i < d->n; i++) {
		free(d->findings[i].subject);
		free(d->findings[i].what);
		free(d->findings[i].mend);
	}
	free(d->findings);
	for (int i = 0; i < d->nword; i++)
		free(d->words[i]);
	free(d->words);
	memset(d, 0, sizeof(*d));
}

int doctor_count(const struct doctor *d, enum severity least)
{
	int n = 0;

	for (int i = 0; i < d->n; i++)
		n += d->findings[i].check->severity >= least;
	return n;
}

bool doctor_found(const struct doctor *d, const char *id)
{
	for (int i = 0; i < d->n; i++) {
		if (strcmp(d->findings[i].check->id, id) == 0)
			return true;
	}
	return false;
}

static char *format(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

void doctor_find(struct doctor *d, const char *subject, const char *what, ...)
{
	struct finding *all = realloc(d->findings, (size_t)(d->n + 1) * sizeof(*all));
	va_list ap;

	if (all == NULL)
		return;
	d->findings = all;
	va_start(ap, what);
	d->findings[d->n++] = (struct finding){
	    .check = d->current,
	    .subject = subject != NULL ? strdup(subject) : NULL,
	    .what = format(what, ap),
	};
	va_end(ap);
}

void doctor_mend(struct doctor *d, const char *command, ...)
{
	va_list ap;

	if (d->n == 0 || d->findings[d->n - 1].mend != NULL)
		return;
	va_start(ap, command);
	d->findings[d->n - 1].mend = format(command, ap);
	va_end(ap);
}

const char *doctor_word(struct doctor *d, const char *word)
{
	size_t size = 4 * strlen(word) + 8;
	char **all = realloc(d->words, (size_t)(d->nword + 1) * sizeof(*all));

	if (all == NULL)
		return "";
	d->words = all;
	all[d->nword] = malloc(size);
	if (all[d->nword] == NULL)
		return "";
	return word_quote(word, all[d->nword++], size);
}

const char *doctor_host_word(struct doctor *d, const struct facts *f)
{
	const char *spec = f->target.spec;
	char host[256];

	if (strncmp(spec, "pcp://", 6) == 0)
		spec += 6;
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(spec, ":?/@"), spec);
	return doctor_word(d, host);
}

/*
 * session - the state of the program: the open agent, the name space, the profile, settings.
 */
#include "tools/dbpmda/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libwire/profile.h"
#include "tools/dbpmda/agent.h"

static void watch_done(struct watch *w);

/*
 * The watched log
 */

int watch_begin(struct watch *w, const char *path)
{
	char *copy = strdup(path);

	watch_done(w);
	if (copy == NULL)
		return -ENOMEM;
	w->file = fopen(path, "re");
	if (w->file == NULL) {
		int r = -errno;

		free(copy);
		return r;
	}
	fseek(w->file, 0, SEEK_END);
	w->path = copy;
	return 0;
}

void watch_show(struct watch *w, FILE *out)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	long at;

	if (w->file == NULL)
		return;
	clearerr(w->file);
	for (;;) {
		at = ftell(w->file);
		n = getline(&line, &size, w->file);
		if (n <= 0 || line[n - 1] != '\n')
			break;
		fprintf(out, "%s: %s", w->path, line);
	}
	if (n > 0)
		fseek(w->file, at, SEEK_SET); /* an incomplete line: the rest is still to come */
	free(line);
}

static void watch_done(struct watch *w)
{
	if (w->file != NULL)
		fclose(w->file);
	free(w->path);
	*w = (struct watch){0};
}

/*
 * Answers
 */

void answer_init(struct answer *a)
{
	*a = (struct answer){.pmid = PM_ID_NULL};
}

static void in_result_free(pmInResult *in)
{
	if (in == NULL)
		return;
	for (int i = 0; in->namelist != NULL && i < in->numinst; i++)
		free(in->namelist[i]);
	free(in->namelist);
	free(in->instlist);
	free(in);
}

void answer_done(struct answer *a)
{
	in_result_free(a->owned_in);
	free(a->owned_names);
	free(a->owned_status);
	if (a->owned_sets != NULL)
		pmFreeLabelSets(a->owned_sets, a->n);
	arena_done(&a->mem);
	answer_init(a);
}

/*
 * The session
 */

enum { DYNAMIC_DOMAIN = 511 }; /* the domain of the PMID that marks a subtree of dynamic names */

int session_load_names(struct session *s, const char *path)
{
	char *copy = path != NULL ? strdup(path) : NULL;
	int r;

	if (path != NULL && copy == NULL)
		return -ENOMEM;
	pmUnloadNameSpace();
	r = pmLoadASCIINameSpace(path, 1);
	if (r < 0) {
		if (path == NULL)
			fprintf(stderr, "dbpmda: Cannot load default namespace: %s\n", pmErrStr(r));
		else
			fprintf(stderr, "dbpmda: Cannot load namespace from \"%s\": %s\n", path,
				pmErrStr(r));
		free(copy);
		return r;
	}
	free(s->names_path);
	s->names_path = copy;
	return 0;
}

/* The PMID of a name that the agent manages. */
static int ask_pmid_of(struct session *s, const char *name, bool quiet, pmID *ret_pmid)
{
	const struct question q = {.kind = ASK_PMID, .name = name, .quiet = quiet};
	struct answer a;
	int r;

	answer_init(&a);
	r = s->agent->ops->ask(s->agent, &q, &a);
	if (r >= 0)
		*ret_pmid = a.pmid;
	answer_done(&a);
	return r;
}

int session_lookup(struct session *s, const char *name, pmID *ret_pmid)
{
	int r = pmLookupName(1, &name, ret_pmid);

	/* If no agent is open, the command reports that later. */
	if (r >= 0 && (pmID_domain(*ret_pmid) != DYNAMIC_DOMAIN || s->agent == NULL))
		return 0;
	if (r >= 0)
		return ask_pmid_of(s, name, false, ret_pmid);
	if (s->agent != NULL && ask_pmid_of(s, name, true, ret_pmid) >= 0)
		return 0;
	return r;
}

/* Counts the names that the agent has for a PMID, and prints them to f unless it is NULL. */
static int agent_names(struct session *s, pmID pmid, FILE *f, const char *between)
{
	const struct question q = {.kind = ASK_NAME, .pmid = pmid, .quiet = true};
	struct answer a;
	int n = 0;

	if (s->agent == NULL)
		return 0;
	answer_init(&a);
	if (s->agent->ops->ask(s->agent, &q, &a) >= 0)
		n = a.n;
	for (int i = 0; f != NULL && i < n; i++)
		fprintf(f, "%s%s", i > 0 ? between : "",
			a.names[i] != NULL ? a.names[i] : "(null)");
	answer_done(&a);
	return n;
}

bool session_named(struct session *s, pmID pmid)
{
	char *name;

	if (pmNameID(pmid, &name) < 0)
		return agent_names(s, pmid, NULL, "") > 0;
	free(name);
	return true;
}

void session_print_names(struct session *s, FILE *f, pmID pmid, const char *between)
{
	char **names;
	int n = pmNameAll(pmid, &names);

	if (n <= 0) {
		if (agent_names(s, pmid, f, between) <= 0)
			fprintf(f, "<noname>");
		return;
	}
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i > 0 ? between : "", names[i]);
	free(names);
}

void session_open(struct session *s, struct agent *agent)
{
	if (s->agent != NULL)
		s->agent->ops->close(s->agent, false);
	s->agent = agent;
}

int session_send_profile(struct session *s)
{
	const struct question q = {.kind = ASK_PROFILE, .profile = &s->profile};
	struct answer a;
	int r;

	if (!s->profile_changed)
		return 0;
	answer_init(&a);
	r = s->agent->ops->ask(s->agent, &q, &a);
	answer_done(&a);
	if (r >= 0)
		s->profile_changed = false;
	return r;
}

void session_warn(const struct session *s, const char *text)
{
	if (s->rc_line > 0)
		fprintf(stderr, "Warning [%s, line %u]\n%s\n", SESSION_RC_FILE, s->rc_line, text);
	else
		fprintf(stderr, "Warning: %s\n", text);
}

void session_done(struct session *s)
{
	if (s->agent != NULL)
		s->agent->ops->close(s->agent, true);
	s->agent = NULL;
	watch_done(&s->watch);
	profile_done(&s->profile);
	free(s->names_path);
	pmUnloadNameSpace();
}

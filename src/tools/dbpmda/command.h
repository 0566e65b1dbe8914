/*
 * command - one line of input, understood (docs/spec/pmda.md 19.4).
 *
 * Names of metrics are looked up while the line is read, as the place of an error in it is told.
 */
#ifndef DBPMDA_COMMAND_H
#define DBPMDA_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"

enum verb {
	VERB_NONE, /* an empty line */
	VERB_ATTR,
	VERB_CHILDREN,
	VERB_CLOSE,
	VERB_DEBUG,
	VERB_DESC,
	VERB_FETCH,
	VERB_GETDESC,
	VERB_GETINAME,
	VERB_HELP,
	VERB_INSTANCE,
	VERB_LABEL,
	VERB_NAME,
	VERB_NAMESPACE,
	VERB_OPEN,
	VERB_PMID,
	VERB_PROFILE,
	VERB_QUIT,
	VERB_STATUS,
	VERB_STORE,
	VERB_TEXT,
	VERB_TIMER,
	VERB_TRAVERSE,
	VERB_WAIT,
	VERB_WATCH,
	VERB_NVERB,
};

/* What follows a verb that has forms. */
enum form {
	FORM_NONE,
	FORM_USAGE, /* the verb alone, where it needs more */
	FORM_METRIC,
	FORM_INDOM,
	FORM_ALL,
	FORM_NOTHING, /* "none" */
	FORM_ADD,
	FORM_DELETE,
	FORM_ON,
	FORM_OFF,
	FORM_CONTEXT,
	FORM_DOMAIN,
	FORM_CLUSTER,
	FORM_ITEM,
	FORM_INSTANCES,
	FORM_DSO,
	FORM_PIPE,
	FORM_UNIX,
	FORM_INET,
	FORM_IPV6,
};

enum { COMMAND_WORDS_MAX = 1024 };

struct command {
	struct arena mem; /* all of the below */
	enum verb verb;
	enum form form;
	enum verb about; /* of help: VERB_NONE for all */
	pmInDom indom;
	int number; /* an instance, a key, a cluster, a port, seconds, a domain */
	bool has_number;
	const char *text; /* a name, a path, a value */
	int npmid;
	pmID pmids[COMMAND_WORDS_MAX];
	int nword; /* arguments of a program, debug options; words[nword] is NULL */
	const char *words[COMMAND_WORDS_MAX + 1];
};

/* Why a line could not be understood, and up to which column (from 1) it had been read. */
struct command_error {
	char text[256];
	int column;
};

/*
 * Finds the PMID of a metric's name: 0, or an error code.
 */
typedef int (*command_lookup)(void *arg, const char *name, pmID *ret_pmid);

/* Who wants to know that a PMID has no name: a warning. */
typedef void (*command_unnamed)(void *arg, pmID pmid);

struct command_context {
	command_lookup lookup;
	command_unnamed check; /* called for each PMID given in figures */
	void (*warn)(void *arg, const char *text);
	void *arg;
};

/*
 * Reads one line (without its newline). 0 and *ret_command, which the caller ends with
 * command_done; or -1 and *ret_error.
 */
int command_parse(const char *line, const struct command_context *ctx, struct command *ret_command,
		  struct command_error *ret_error);
void command_done(struct command *c);

#endif

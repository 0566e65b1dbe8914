/*
 * session - the state of the program, and the commands that use it.
 */
#ifndef DBPMDA_SESSION_H
#define DBPMDA_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "tools/dbpmda/agent.h"

struct command;

/*
 * watch - prints the lines that are added to a log file, between commands.
 */

struct watch {
	char *path; /* NULL: no file is watched */
	FILE *file;
};

/*
 * Watches a file from its end on, instead of the file before. Returns 0, or -errno: then no file is
 * watched.
 */
int watch_begin(struct watch *w, const char *path);

/* Prints the whole lines that were added since the last call, each as "PATH: line". */
void watch_show(struct watch *w, FILE *out);

/*
 * session - the state of the program: the open agent, the name space, the profile, settings.
 */

#define SESSION_RC_FILE ".dbpmdarc"

struct session {
	struct agent_settings settings;
	struct agent *agent; /* NULL: no agent is open */
	char *names_path;    /* NULL: the default name space */
	pmProfile profile;
	bool profile_changed; /* since it was sent to the agent */
	bool timer, getdesc, getiname;
	bool quit;
	unsigned int rc_line; /* the line in the file of commands that is being read, 0: none */
	struct watch watch;
};

/*
 * Loads the name space of a path, or the default one for NULL. Returns 0, or an error code after
 * printing it on standard error. Keeps the path on success.
 */
int session_load_names(struct session *s, const char *path);

/*
 * Looks up the PMID of a metric's name in the name space, or asks the agent for dynamic names and
 * for names that the name space does not have. Returns 0, PM_ERR_NAME, PM_ERR_NONLEAF, ....
 */
int session_lookup(struct session *s, const char *name, pmID *ret_pmid);

/*
 * Prints the names of a PMID, from the name space or the agent, to f, with a separator between
 * them, or "<noname>" if there is none.
 */
void session_print_names(struct session *s, FILE *f, pmID pmid, const char *between);

/* True if the name space or the agent has a name for a PMID. */
bool session_named(struct session *s, pmID pmid);

/* Makes an agent the open one (NULL: none), after closing the one before. */
void session_open(struct session *s, struct agent *agent);

/*
 * Sends the profile to the agent if it has changed. Returns 0, or an error that has been printed.
 */
int session_send_profile(struct session *s);

/* Prints a warning on standard error, with the line in the file of commands if one is read. */
void session_warn(const struct session *s, const char *text);

/* Frees everything at the end of the program. */
void session_done(struct session *s);

/*
 * dump - prints the result of a fetch on standard output (docs/spec/pmda.md 19.6).
 */

/*
 * Prints a result. descs are those of the n requested PMIDs, or NULL: then values are printed in
 * every form that the word could have. Values that were not requested are printed in this way, too.
 * The agent is asked for names of instances if the session wants them.
 */
void dump_result(struct session *s, const pmResult *result, int n, const pmID *pmids,
		 const pmDesc *descs);

/* Prints "PMDA's profile as text": the instances that are included and excluded. */
void dump_profile(const pmProfile *profile);

/*
 * ask - commands that ask the agent a question and print the answer (docs/spec/pmda.md 19.6).
 *
 * An agent is open. Each function returns 0 or more, or an error that has been printed.
 */

int ask_attribute(struct session *s, const struct command *c);
int ask_children(struct session *s, const struct command *c);
int ask_desc(struct session *s, const struct command *c);
int ask_fetch(struct session *s, const struct command *c);
int ask_instance(struct session *s, const struct command *c);
int ask_label(struct session *s, const struct command *c);
int ask_name(struct session *s, const struct command *c);
int ask_pmid(struct session *s, const struct command *c);
int ask_store(struct session *s, const struct command *c);
int ask_text(struct session *s, const struct command *c);
int ask_traverse(struct session *s, const struct command *c);

/*
 * store - replaces every value of a metric by one that is given as text (docs/spec/pmda.md 19.6).
 */

/*
 * Fetches the metric, prints old and new values, and stores. Returns 0, or an error that was
 * printed.
 */
int store_value(struct session *s, pmID pmid, const char *text);

/*
 * run - the commands (docs/spec/pmda.md 19.4 to 19.6).
 */

/* Runs a command. Errors are printed; only "quit" ends the program. */
void run_command(struct session *s, const struct command *c);

#endif

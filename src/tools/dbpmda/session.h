/*
 * session - the state of the program: the open agent, the name space, the profile, settings.
 */
#ifndef DBPMDA_SESSION_H
#define DBPMDA_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "tools/dbpmda/agent.h"
#include "tools/dbpmda/watch.h"

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

#endif

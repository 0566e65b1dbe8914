/*
 * session - what commands work on: the agent that is open, the name space, the profile, settings.
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
	struct agent *agent; /* NULL: none is open */
	char *names_path;    /* NULL: the default name space */
	pmProfile profile;
	bool profile_changed; /* since the agent was told */
	bool timer, getdesc, getiname;
	bool quit;
	unsigned int rc_line; /* of the file of commands that is being read, 0: none */
	struct watch watch;
};

/*
 * Loads the name space of a path, or the default one for NULL. 0, or an error code after telling it
 * on standard error; the path is noted on success.
 */
int session_load_names(struct session *s, const char *path);

/*
 * The PMID of a metric's name: from the name space, or from the agent for names that it makes itself,
 * and for those that the name space does not have. 0, PM_ERR_NAME, PM_ERR_NONLEAF, ....
 */
int session_lookup(struct session *s, const char *name, pmID *ret_pmid);

/* Prints the names of a PMID, from the name space or from the agent, to f with a text between them,
 * "<noname>" where there is none. */
void session_print_names(struct session *s, FILE *f, pmID pmid, const char *between);

/* True if a PMID has a name in the name space, or the agent has one for it. */
bool session_named(struct session *s, pmID pmid);

/* Makes an agent the one that is open (NULL: none), closing the one before. */
void session_open(struct session *s, struct agent *agent);

/* Tells the agent the profile if it does not know it. 0, or an error that has been printed. */
int session_send_profile(struct session *s);

/* Says a warning on standard error, with the place in the file of commands if one is read. */
void session_warn(const struct session *s, const char *text);

/* The end of the program. */
void session_done(struct session *s);

#endif

/*
 * agent - an open agent: in this process, at the other end of a pipe, or of a socket.
 *
 * Questions are the same for each kind. The kinds print their errors on standard output themselves,
 * because each has its own messages (docs/spec/pmda.md 19.5, 19.6).
 */
#ifndef DBPMDA_AGENT_H
#define DBPMDA_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct agent;
struct answer;
struct command;

enum question_kind {
	ASK_DESC,
	ASK_FETCH,
	ASK_INSTANCE,
	ASK_TEXT,
	ASK_STORE,
	ASK_PMID,
	ASK_NAME,
	ASK_CHILDREN,
	ASK_TRAVERSE,
	ASK_ATTRIBUTE,
	ASK_LABEL,
	ASK_PROFILE,
	ASK_NKIND,
};

struct question {
	enum question_kind kind;
	pmID pmid; /* desc, name */
	int n;     /* fetch */
	const pmID *pmids;
	uint32_t ident;   /* instance (domain), text, label */
	int type;         /* text, label: PM_TEXT_*, PM_LABEL_*; attribute: its key */
	int inst;         /* instance */
	const char *name; /* instance, pmid, children, traverse; the value of an attribute */
	pmResult *result; /* store */
	const pmProfile *profile;
	bool quiet; /* pmid, name: the agent may not have it, and its refusal is not printed */
};

struct agent_ops {
	/*
	 * Fills *a. Returns 0 or more, or an error, which has been printed unless the question is
	 * quiet.
	 */
	int (*ask)(struct agent *agent, const struct question *q, struct answer *a);
	/* True if this kind of question is possible; otherwise prints what the agent lacks. */
	bool (*can)(const struct agent *agent, enum question_kind kind);
	/* Prints the lines of "status" about the connection. */
	void (*status)(const struct agent *agent);
	/* Frees the result of a fetch. */
	void (*result_free)(struct agent *agent, pmResult *result);
	/* Closes the connection and frees the agent. last: the program ends. */
	void (*close)(struct agent *agent, bool last);
	bool in_process;
};

struct agent {
	const struct agent_ops *ops;
	char *path; /* as given to "open", for "status" */
};

/* Options for opening agents; the timeout is for the exchange of versions, in seconds. */
struct agent_settings {
	int creds_timeout_s;
	bool keep_dso;    /* do not unload when the program ends */
	bool interactive; /* ^C is for a command, not for the agent */
};

/*
 * Opens the agent that an "open" command names. Returns the agent, or NULL after printing the
 * error.
 */
struct agent *agent_dso_open(const struct command *c, const struct agent_settings *s);
struct agent *agent_pipe_open(const struct command *c, const struct agent_settings *s);
struct agent *agent_socket_open(const struct command *c, const struct agent_settings *s);

#endif

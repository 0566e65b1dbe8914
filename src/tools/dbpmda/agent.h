/*
 * agent - an agent that is open: in this process, at the other end of a pipe, or of a socket.
 *
 * A question is asked in the same way of each; what goes wrong is printed on standard output here,
 * because each kind has its own words for it (docs/spec/pmda.md 19.5, 19.6).
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
	bool quiet; /* pmid, name: the agent may not know; its refusal is not printed */
};

struct agent_ops {
	/* Fills *a; 0 or more, or an error that has been printed (but for quiet questions). */
	int (*ask)(struct agent *agent, const struct question *q, struct answer *a);
	/* True if it can be asked such a thing at all; what it lacks has been printed else. */
	bool (*can)(const struct agent *agent, enum question_kind kind);
	/* The lines of "status" on the kind of connection. */
	void (*status)(const struct agent *agent);
	/* Gives back what a fetch has answered. */
	void (*result_free)(struct agent *agent, pmResult *result);
	/* Takes leave and frees. last: the program ends. */
	void (*close)(struct agent *agent, bool last);
	bool in_process;
};

struct agent {
	const struct agent_ops *ops;
	char *path; /* as opened: what "status" shows */
};

/* How agents are opened; the timeout is for the exchange of versions, in seconds. */
struct agent_settings {
	int creds_timeout_s;
	bool keep_dso;    /* does not unload when the program ends */
	bool interactive; /* ^C is for a command, not for the agent */
};

/* Opens what an "open" command names. The agent, or NULL: what is wrong has been printed. */
struct agent *agent_dso_open(const struct command *c, const struct agent_settings *s);
struct agent *agent_pipe_open(const struct command *c, const struct agent_settings *s);
struct agent *agent_socket_open(const struct command *c, const struct agent_settings *s);

#endif

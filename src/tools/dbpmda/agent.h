/*
 * agent - an open agent: questions, answers, and the ways to reach it.
 */
#ifndef DBPMDA_AGENT_H
#define DBPMDA_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libwire/pdu.h"

struct agent;
struct command;

/*
 * answer - an agent's answer to a question, in host form, for every kind of agent.
 *
 * All of it is valid until answer_done. Parts are in the answer's arena, parts are allocations of
 * an agent in this process, and a text may be in the agent's own memory.
 */

struct answer {
	struct arena mem;
	pmDesc desc;
	pmID pmid;
	const char *text;
	pmResult *result; /* freed by the agent that made it */
	int n;            /* entries of the lists, NULL: not answered */
	const int *insts;
	char *const *names;
	const int *status;
	const pmLabelSet *sets;

	/* Allocations of an agent in this process. */
	pmInResult *owned_in;
	char **owned_names;
	int *owned_status;
	pmLabelSet *owned_sets;
};

void answer_init(struct answer *a);
void answer_done(struct answer *a);

/*
 * agent - an open agent: in this process, at the other end of a pipe, or of a socket.
 *
 * Questions are the same for each kind. The kinds print their errors on standard output themselves,
 * because each has its own messages (docs/spec/pmda.md 19.5, 19.6).
 */

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
	bool untraced; /* not a command's own: nothing is printed where PDUs are traced */
	bool quiet;    /* pmid, name: the agent may not have it, and its refusal is not printed */
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

/*
 * question - the table of question kinds: their names in messages and the interface version they
 * need.
 */

struct question_row {
	const char *method; /* the method of an agent in this process, for messages */
	const char *sent;   /* the PDU that is sent, for messages */
	unsigned int since; /* the first interface version that has the method */
	const char *lacks;  /* the words for it in the message about older agents */
};

const struct question_row *question_row(enum question_kind kind);

/*
 * stream - whole PDUs to and from an agent, over two descriptors, which may be the same; and PDUs
 * as questions and answers.
 */

enum { STREAM_FOREVER = -1 };

struct stream {
	int in, out;
	bool broken; /* part of a PDU was sent, and the rest never will be */
	struct buffer sending, received;
	size_t given; /* bytes of `received` that the next call discards */
};

/* Takes over both descriptors. */
void stream_init(struct stream *s, int in, int out);
void stream_done(struct stream *s);

/*
 * Sends one PDU, or the contents of s->sending. Returns 0, -errno, -EINVAL for a body that a PDU
 * cannot carry, or -EINTR for ^C. After a partly sent PDU it returns PM_ERR_IPC only.
 */
int stream_send(struct stream *s, enum pdu_type type, const union pdu_body *body);
int stream_flush(struct stream *s);

/*
 * Waits for one whole PDU, timeout_ms at most. Returns 1 and the PDU, valid until the next call; 0
 * at the end of the stream; PM_ERR_TIMEOUT; PM_ERR_IPC for a bad header; -EINTR for ^C (the
 * received part of the PDU is kept); -errno.
 */
int stream_receive(struct stream *s, int timeout_ms, struct pdu_header *ret_header,
		   const uint8_t **ret_pdu);

/* Sends a question. Returns 0, or an error as stream_send does. */
int stream_ask(struct stream *s, const struct question *q);

/* The PDU type of the answer to a question; 0: there is no answer. */
enum pdu_type stream_answer_type(enum question_kind kind);

/*
 * Fills *a from the answer to a question. Label sets point into the PDU. Returns 0 or more; the
 * error that the agent sent; PM_ERR_IPC for another PDU; the error of decoding it.
 */
int stream_answer(const struct question *q, const struct pdu_header *h, const uint8_t *pdu,
		  struct answer *a);

/*
 * interrupt - ^C during a command: the command ends, and the prompt comes back.
 *
 * Functions that wait look at the flag. A function of an agent in this process cannot; a second ^C
 * ends it and the program.
 */

/* From here to the end ^C only sets the flag, once. */
void interrupt_begin(void);
void interrupt_end(void);

/* Sleeps for the given seconds, or until ^C. A ^C just before the sleep is not missed. */
void interrupt_sleep(long seconds);

#endif

/*
 * rights - what the collector gives up when root started it, and what some agents keep.
 *
 * The collector becomes an ordinary user before it starts any agent, so agents are that user too.
 * Of root's capabilities it keeps those that agents are to have, in its permitted set alone: it
 * can't use them by mistake, but it can pass them on, at the first start of an agent and at each
 * later one. The agent gets them as ambient capabilities, so it needs to do nothing for them.
 *
 * Who gets what: PMCD_AGENT_CAPS of pcp.conf, "label=name,name label=all ...".
 */
#ifndef PMCD_RIGHTS_H
#define PMCD_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RIGHTS_ROWS_MAX = 64,
	RIGHTS_LABEL_MAX = 64,
};

struct rights_row {
	char label[RIGHTS_LABEL_MAX];
	uint64_t caps; /* bit n: capability n of the kernel */
};

struct rights {
	struct rights_row rows[RIGHTS_ROWS_MAX];
	unsigned int nrow;
	bool dropped;  /* we were root and are not any more */
	uint64_t kept; /* what can be passed on */
};

/* Reads a list like that above; NULL: the one for the agents of PCP's packages. 0, or -EINVAL with
 * the word that is wrong, cut to its buffer. */
int rights_parse(struct rights *r, const char *text, char *ret_word, unsigned int size);

/* Root becomes a user for good; must come before any thread. 0 (also if we are not root), -ENOENT
 * for an unknown user (nothing was done), -errno (the process must not go on). */
int rights_drop(struct rights *r, const char *user);

/* Capabilities for an agent with this label; 0: none, or ours are passed on by themselves. */
uint64_t rights_of(const struct rights *r, const char *label);

/* Processes that this thread starts get these, until rights_take_back. 0 or -errno. */
int rights_lend(uint64_t caps);
void rights_take_back(void);

#endif

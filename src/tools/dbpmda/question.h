/*
 * question - the table of question kinds: their names in messages and the interface version they
 * need.
 */
#ifndef DBPMDA_QUESTION_H
#define DBPMDA_QUESTION_H

#include "tools/dbpmda/agent.h"

struct question_row {
	const char *method; /* the method of an agent in this process, for messages */
	const char *sent;   /* the PDU that is sent, for messages */
	unsigned int since; /* the first interface version that has the method */
	const char *lacks;  /* the words for it in the message about older agents */
};

const struct question_row *question_row(enum question_kind kind);

#endif

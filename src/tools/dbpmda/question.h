/*
 * question - the kinds of questions as a table: what each is called, and how it is asked by wire.
 */
#ifndef DBPMDA_QUESTION_H
#define DBPMDA_QUESTION_H

#include "tools/dbpmda/agent.h"

struct question_row {
	const char *method; /* of an agent in this process, as messages call it */
	const char *sent;   /* the PDU sent, as messages call it */
	unsigned int since; /* interface version that has the method */
	const char *lacks;  /* what older agents do not support */
};

const struct question_row *question_row(enum question_kind kind);

#endif

/*
 * labels - those of the whole context, which the collector gives itself (docs/spec/pmcd.md 8.6).
 *
 * Texts of files and of the system are gathered once (and again on SIGHUP); those of one client
 * (its container, user and group) are added at each request.
 */
#ifndef PMCD_LABELS_H
#define PMCD_LABELS_H

#include <stdbool.h>

#include "libbase/arena.h"
#include "libwire/pdu.h"

struct client;
struct request;

enum {
	LABELS_FILES_MAX = 256,
	LABELS_FILE_MAX = 65535, /* bytes of one file */
};

/* A JSON object and the flags of its labels. */
struct label_text {
	char *json;
	unsigned int flags;
};

struct labels {
	struct label_text *texts; /* in the order of merging: later ones win */
	unsigned int count;
	char *files_json; /* the labels of files alone, merged; "" if there are none */
};

/* Reads everything anew. True if anything differs from before. */
bool labels_load(struct labels *l);
void labels_done(struct labels *l);

/* Answers LABEL_REQ of type CONTEXT. 0 or an error. */
int labels_reply(struct request *req);

/* The labels of an agent that knows none (interface below 7): its name, "pmda" before and " DSO"
 * behind left out. Memory is taken from mem. 0 or -ENOMEM. */
int labels_of_agent(const char *label, struct arena *mem, struct pdu_label *ret_label);

#endif

/*
 * labels - those of the whole context, which the collector gives itself (docs/spec/pmcd.md 8.6).
 *
 * Labels of files and of the system are gathered once (and again on SIGHUP); those of one client
 * (its container, user and group) are added at each request.
 */
#ifndef PMCD_LABELS_H
#define PMCD_LABELS_H

#include <stdbool.h>

#include "libbase/arena.h"
#include "libwire/pdu.h"

struct client;

enum {
	LABELS_MAX = PDU_LABELS_MAX,
};

struct label {
	const char *name;
	const char *value;  /* as JSON: strings have their quotes */
	unsigned int flags; /* PM_LABEL_CONTEXT and others */
};

struct labels {
	struct arena mem;
	struct label all[LABELS_MAX]; /* sorted by name */
	unsigned int count;
	const char *files_json; /* the labels of files alone; "" if there are none */
};

/* Reads everything again. 1 if anything differs from before, 0, or -ENOMEM: nothing has changed. */
int labels_load(struct labels *l);
void labels_done(struct labels *l);

/* A label more, in its place; one with the same name is replaced. name and value are referred to.
 * 0, or -E2BIG when there are too many. */
int labels_add(struct labels *l, const char *name, const char *value, unsigned int flags);

/* The set as it travels, in memory of mem. 0, -E2BIG when the text is too long, -ENOMEM. */
int labels_to_wire(const struct labels *l, struct arena *mem, struct wire_labelset *ret_set);

/* The labels of the context of a client, with its container, user and group; in memory of mem. 0 or
 * an error. */
int labels_of_client(const struct labels *l, const struct client *c, struct arena *mem,
		     struct wire_labelset *ret_set);

/* The labels of an agent that has none (interface below 7): its name, without the prefix "pmda" and
 * the suffix " DSO". Memory is taken from mem. 0 or -ENOMEM. */
int labels_of_agent(const char *label, struct arena *mem, struct pdu_label *ret_label);

#endif

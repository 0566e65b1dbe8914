/*
 * config - a configuration of pmlogger as structs: what to log and who may control it
 * (docs/spec/logger.md A2, A8).
 *
 * A pure function of text that was preprocessed already. Nothing is looked up here; names of hosts
 * and metrics are those of the text.
 */
#ifndef PMLOGGER_CONFIG_H
#define PMLOGGER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"

enum { CONFIG_DELTA_MAX = 0x0fffffff }; /* ms */

/* The form in which an instance is given. */
struct config_inst {
	struct config_inst *next;
	const char *name; /* NULL: by number */
	int number;
};

struct config_metric {
	struct config_metric *next;
	const char *name;
	const char *file;
	unsigned int line;         /* where its specification ends: for messages */
	struct config_inst *insts; /* NULL: all */
};

enum config_state { CONFIG_OFF, CONFIG_MAYBE, CONFIG_ON };

struct config_statement {
	struct config_statement *next;
	bool mandatory;
	enum config_state state;
	uint32_t delta_ms; /* 0: once, or not on */
	struct config_metric *metrics;
};

enum config_op { /* what a client may do: bits */
		 CONFIG_OP_ADVISORY = 1u << 0,
		 CONFIG_OP_MANDATORY = 1u << 1,
		 CONFIG_OP_ENQUIRE = 1u << 2,
		 CONFIG_OP_ALL = 7,
};

struct config_host {
	struct config_host *next;
	const char *name; /* address, wildcard, "unix:…", "local:…", or a name */
};

/* A statement of the [access] section. Operations that it does not name keep their rights. */
struct config_access {
	struct config_access *next;
	const char *file;
	unsigned int line;
	struct config_host *hosts;
	unsigned int specified; /* enum config_op bits that it speaks of */
	unsigned int denied;    /* of these, the denied ones */
};

struct config {
	struct arena mem; /* all below lives here */
	struct config_statement *statements;
	struct config_access *access; /* in the order of the file */
	bool has_access;
	/* The first error: the rest of the file was not read. NULL: none. */
	const char *error;
	const char *error_file;
	unsigned int error_line;
};

void config_init(struct config *c);
void config_done(struct config *c);

/*
 * Reads a text; file is its name until a linemarker says otherwise, default_ms the interval that
 * "default" means. 0; -EINVAL with c->error said (what came before it is in c); -ENOMEM.
 */
int config_parse(struct config *c, const char *text, size_t len, const char *file,
		 uint32_t default_ms);

/* The shortest interval at which it logs; 0: nothing is logged again and again. */
uint32_t config_shortest_ms(const struct config *c);

/* Prints the first mistake of a configuration that was not parsed to its end, on standard error. */
void config_print_error(const struct config *c);

#endif

/*
 * config - pmcd.conf as structs: the agents and the access statements (docs/spec/pmcd.md 5, 6.1).
 *
 * A pure function of text: no file is read and nothing is started or resolved, but for service
 * names of socket agents (getservbyname). Each error is reported with its line, and everything else
 * is kept; whether errors count is the caller's decision.
 */
#ifndef PMCD_CONFIG_H
#define PMCD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libbase/arena.h"

enum {
	CONFIG_LINE_MAX = 2200,    /* bytes of a line, its continuations included */
	CONFIG_TEXT_MAX = 4 << 20, /* bytes of a file */
	CONFIG_DOMAIN_MAX = 510,
};

enum config_kind {
	CONFIG_DSO,
	CONFIG_SOCKET,
	CONFIG_PIPE,
};

struct config_agent {
	struct config_agent *next;
	const char *label;
	unsigned int domain;
	enum config_kind kind;
	unsigned int line;
	/* dso */
	const char *entry; /* entry point; NULL for other kinds */
	const char *path;  /* dso: absolute path of the object; unix socket: its path; else NULL */
	/* socket */
	int family;          /* AF_INET, AF_INET6 or AF_UNIX; 0 for other kinds */
	const char *service; /* the port as a name; NULL when it was a number */
	uint16_t port;       /* in host order; for a name as 6.0.3 uses it: s_port, not swapped */
	/* pipe */
	bool notready;
	/* The command, NULL-terminated; argc 0 when there is none (dso, socket without command). */
	char **argv;
	unsigned int argc;
};

enum config_class {
	CONFIG_HOSTS,
	CONFIG_USERS,
	CONFIG_GROUPS,
};

/* Operations of a client: bits of the masks below. */
enum config_op {
	CONFIG_OP_FETCH = 1u << 0,
	CONFIG_OP_STORE = 1u << 1,
	CONFIG_OP_ALL = CONFIG_OP_FETCH | CONFIG_OP_STORE,
};

struct config_access {
	struct config_access *next;
	enum config_class class;
	bool access_file;             /* it is in the file of statements only */
	unsigned int line;            /* of the word allow or disallow */
	unsigned int specified;       /* enum config_op bits: those that the statement speaks of */
	unsigned int denied;          /* of these, the denied ones */
	unsigned int max_connections; /* 0: no limit */
	const char *const *names;
	unsigned int nname; /* at least 1 */
};

/*
 * One error, with the text as 6.0.3 prints it, no newline: "pmcd config[line 3]: Error: ...", or
 * "access config[line 3]: ..." for the file of statements. line 0: no line in particular.
 */
typedef void (*config_message)(void *arg, const char *file, unsigned int line, const char *text);

struct config {
	struct arena mem;            /* all below lives here */
	struct config_agent *agents; /* in the order of the file; the erroneous ones are missing */
	struct config_access *access;
	struct config_agent **agents_end;
	struct config_access **access_end;
	unsigned int nagent, naccess;
	bool has_access; /* there was an [access] section, or a file of statements */
	unsigned int nerror;
	/* The verdict of 6.0.3 (docs/spec/pmcd.md 5.2): the last agent line was bad, or the scan or
	 * the access section failed. */
	bool failed;
};

void config_init(struct config *c);
void config_done(struct config *c);

/*
 * Adds the contents of a file: agents and an [access] section, or (config_parse_access) access
 * statements alone, as they are in "pmcd.conf.access". file is for messages. message may be NULL.
 *
 * Returns the number of errors reported (0: a clean file), -EFBIG for a text over CONFIG_TEXT_MAX,
 * -ENOMEM. The good part is in c in any case.
 */
int config_parse(struct config *c, const char *text, size_t len, const char *file,
		 config_message message, void *arg);
int config_parse_access(struct config *c, const char *text, size_t len, const char *file,
			config_message message, void *arg);

/* True if both would be started and reached the same way: domain, kind and all parameters, but not
 * the label (docs/spec/pmcd.md 7.1). */
bool config_agent_equal(const struct config_agent *a, const struct config_agent *b);

#endif

/*
 * names - the collector's name space, and who may still be reading an old one.
 *
 * What is loaded: the file of -n or -N; else $PMNS_DEFAULT; else "root" of the folder "pmns" below
 * $PCP_VAR_DIR, and the fragments root_* there. The names of the built-in agent are added when they
 * are missing, and an agent whose domain has no name at all gets the dynamic root "LABEL D:*:*", so
 * that installing an agent is one line of configuration (docs/design.md).
 */
#ifndef PMCD_NAMES_H
#define PMCD_NAMES_H

#include <stdbool.h>

#include <pcp/pmapi.h>

struct pmns;
struct server;

struct names {
	struct pmns *ns;        /* everything */
	struct pmns *fragments; /* those of the folder, to see whether they changed; or NULL */
	unsigned int refs;
};

/* How to reload: bits. */
enum names_reload {
	NAMES_FORCE = 1u << 0,  /* even if no file has changed: the agents have */
	NAMES_LOG = 1u << 1,    /* log also that nothing has changed */
	NAMES_REPORT = 1u << 2, /* server->names_over is to be called at the end */
};

/* Loads and waits, for the start. 0, or the error of a file that was asked for by name, -ENOMEM
 * (the collector is then as before). Everything else is only logged. */
int names_load(struct server *server);

/* A thread looks whether a file has changed, and loads again; requests meanwhile, and those that
 * hold the old name space, use the old one. It also stays when a file is broken. */
void names_reload(struct server *server, enum names_reload how);

/* A request that waits holds what it reads. NULL stays NULL. */
struct names *names_hold(struct names *names);
void names_put(struct names *names);

#endif

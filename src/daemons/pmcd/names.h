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

/* Loads anew; the old name space stays with who holds it. 0, or the error of a file that was asked
 * for by name (the collector is then without a name space). Everything else is only logged. */
int names_load(struct server *server);

/* Loads anew if a file has changed, and says so in the log; if none has, that is said on demand. */
void names_refresh(struct server *server, bool say_unchanged);

/* A request that waits holds what it reads. NULL stays NULL. */
struct names *names_hold(struct names *names);
void names_put(struct names *names);

#endif

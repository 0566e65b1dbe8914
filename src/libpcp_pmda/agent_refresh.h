/*
 * agent_refresh - the handle that a refresh gets: where to read and where to put what it finds.
 *
 * Used by one thread at a time: the fetching one, or the cluster's own (agent_slow). Files that are
 * read at each refresh stay open.
 */
#ifndef LIBPCP_PMDA_AGENT_REFRESH_H
#define LIBPCP_PMDA_AGENT_REFRESH_H

#include <pitot/agent.h>

#include "libbase/buffer.h"

struct agent_state;
struct cluster_state;
struct sample;

/* Files that one cluster keeps open. */
#define REFRESH_MAX_OPEN 16

/* No file under /proc or /sys that an agent reads is larger. */
#define REFRESH_MAX_FILE (64u << 20)

/* Longest path under the root. */
#define REFRESH_MAX_PATH 512

struct refresh_file {
	const char *path; /* borrowed constant */
	int fd;
};

/* Where all clusters of an agent read. */
struct refresh_root {
	char *path; /* owned; "" for / */
	int fd;
};

struct agent_refresh {
	const struct refresh_root *root;
	struct agent_state *state;
	struct cluster_state *cluster;
	struct sample *sample; /* where this refresh puts what it finds */
	struct refresh_file files[REFRESH_MAX_OPEN];
	int nfiles;
	struct buffer text;
	int failed; /* -errno of the last reading that failed in this refresh, or 0 */
	char failed_path[REFRESH_MAX_PATH];
};

/* The root of an agent of this name, by the environment. -errno. */
int refresh_root_init(struct refresh_root *root, const char *agent_name);
void refresh_root_done(struct refresh_root *root);

void refresh_done(struct agent_refresh *r);

#endif

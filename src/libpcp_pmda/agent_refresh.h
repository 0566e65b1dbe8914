/*
 * agent_refresh - the handle that a refresh gets: where to read and where to put what it finds; and
 * the reading, which is what it finds.
 *
 * Used by one thread at a time: the fetching one, or the cluster's own (agent_worker). Files that
 * are read at each refresh stay open.
 */
#ifndef LIBPCP_PMDA_AGENT_REFRESH_H
#define LIBPCP_PMDA_AGENT_REFRESH_H

#include <stddef.h>
#include <stdint.h>

#include <pitot/agent.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"

/* ---- The reading ----------------------------------------------------------------------------- */

/*
 * The findings of one refresh of a cluster: the snapshot, the instances it added in each of its
 * instance domains, and the strings. Owned by the cluster; only the thread that runs the refresh
 * writes it. A reset keeps the memory, so a steady load allocates nothing.
 */

#define READING_NO_NAME UINT32_MAX

/* How an instance was added. */
struct reading_key {
	int32_t id;    /* -1 where the name is the key */
	uint32_t name; /* offset in names, or READING_NO_NAME */
};

/* The instances of one domain, in the order they were added. */
struct reading_table {
	const struct agent_fill *fill;
	const void *blank;   /* borrowed: one absent instance struct */
	unsigned char *data; /* n structs of fill->size */
	struct reading_key *keys;
	size_t n;
	size_t cap;
	struct buffer names; /* each ends with a NUL */
};

struct reading {
	void *snapshot;
	struct reading_table tables[AGENT_CLUSTER_INDOMS];
	struct arena strings;
	int status;       /* what refresh returned */
	uint64_t done_ms; /* CLOCK_MONOTONIC, end of the refresh */
	uint64_t took_ns;
};

/* The absent patterns of a cluster: of its snapshot and of each instance struct. */
struct reading_blank {
	void *snapshot;
	void *tables[AGENT_CLUSTER_INDOMS];
};

/* Absent patterns of the rows of a cluster. -ENOMEM. Released by reading_blank_done. */
int reading_blank_init(struct reading_blank *b, const struct agent_cluster *cluster);
void reading_blank_done(struct reading_blank *b);

/* An empty reading; b outlives it. -ENOMEM. */
int reading_init(struct reading *s, const struct agent_cluster *cluster,
		 const struct reading_blank *b);
void reading_done(struct reading *s);

/* Absent, without instances and strings. */
void reading_reset(struct reading *s, const struct agent_cluster *cluster,
		   const struct reading_blank *b);

/* The table of a domain; NULL if the cluster does not fill it. */
struct reading_table *reading_table(struct reading *s, const struct agent_indom *indom);

/* A new absent instance; name may be NULL. The struct, or NULL when out of memory. */
void *reading_add(struct reading_table *t, int32_t id, const char *name, size_t len);

/* Name of the i-th instance, or NULL. */
static inline const char *reading_name(const struct reading_table *t, size_t i)
{
	if (t->keys[i].name == READING_NO_NAME)
		return NULL;
	return (const char *)t->names.data + t->keys[i].name;
}

/* The value of a row in the struct at base. 1: found; 0: absent. */
int reading_value(const struct agent_metric *m, const void *base, pmAtomValue *ret_atom);

/* ---- The refresh ---------------------------------------------------------------------------- */

struct agent_state;
struct cluster_state;
struct reading;

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
	struct reading *reading; /* where this refresh puts what it finds */
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

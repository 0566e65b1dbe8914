/*
 * nfs - calls of NFS and RPC, as client and as server: /proc/net/rpc/nfs and nfsd, /proc/fs/nfsd.
 *
 *     rpc 21 22 23                    a word, then numbers
 *     proc3 22 201 202 203 ...        the number of operations, then the calls of each
 *
 * The files are there where the modules are loaded. Operations that a kernel has beyond those
 * listed here (PCP's instances) are not counted.
 */
#include <errno.h>

#include "linux.h"
#include "scan.h"

/* clang-format off */
static const struct agent_instance nfs2_ops[] = {
	{0, "null"}, {1, "getattr"}, {2, "setattr"}, {3, "root"}, {4, "lookup"}, {5, "readlink"},
	{6, "read"}, {7, "wrcache"}, {8, "write"}, {9, "create"}, {10, "remove"}, {11, "rename"},
	{12, "link"}, {13, "symlink"}, {14, "mkdir"}, {15, "rmdir"}, {16, "readdir"},
	{17, "statfs"},
};
static const struct agent_instance nfs3_ops[] = {
	{0, "null"}, {1, "getattr"}, {2, "setattr"}, {3, "lookup"}, {4, "access"}, {5, "readlink"},
	{6, "read"}, {7, "write"}, {8, "create"}, {9, "mkdir"}, {10, "symlink"}, {11, "mknod"},
	{12, "remove"}, {13, "rmdir"}, {14, "rename"}, {15, "link"}, {16, "readdir"},
	{17, "readdir+"}, {18, "statfs"}, {19, "fsinfo"}, {20, "pathconf"}, {21, "commit"},
};
static const struct agent_instance nfs4_client_ops[] = {
	{0, "null"}, {1, "read"}, {2, "write"}, {3, "commit"}, {4, "open"}, {5, "open_conf"},
	{6, "open_noat"}, {7, "open_dgrd"}, {8, "close"}, {9, "setattr"}, {10, "fsinfo"},
	{11, "renew"}, {12, "setclntid"}, {13, "confirm"}, {14, "lock"}, {15, "lockt"},
	{16, "locku"}, {17, "access"}, {18, "getattr"}, {19, "lookup"}, {20, "lookup_root"},
	{21, "remove"}, {22, "rename"}, {23, "link"}, {24, "symlink"}, {25, "create"},
	{26, "pathconf"}, {27, "statfs"}, {28, "readlink"}, {29, "readdir"}, {30, "server_caps"},
	{31, "delegreturn"}, {32, "getacl"}, {33, "setacl"}, {34, "fs_locations"},
	{35, "rel_lkowner"}, {36, "secinfo"}, {37, "fsid_present"}, {38, "exchange_id"},
	{39, "create_ses"}, {40, "destroy_ses"}, {41, "sequence"}, {42, "get_lease_t"},
	{43, "reclaim_comp"}, {44, "layoutget"}, {45, "getdevinfo"}, {46, "layoutcommit"},
	{47, "secinfononam"}, {48, "test_stateid"}, {49, "free_stateid"}, {50, "getdevlist"},
	{51, "bind_ses"}, {52, "destroy_clntid"}, {53, "seek"}, {54, "allocate"},
	{55, "deallocate"},
};
static const struct agent_instance nfs4_server_ops[] = {
	{1, "op0-unused"}, {2, "op1-unused"}, {3, "op2-future"}, {4, "access"}, {5, "close"},
	{6, "commit"}, {7, "create"}, {8, "delegpurge"}, {9, "delegreturn"}, {10, "getattr"},
	{11, "getfh"}, {12, "link"}, {13, "lock"}, {14, "lockt"}, {15, "locku"}, {16, "lookup"},
	{17, "lookup_root"}, {18, "nverify"}, {19, "open"}, {20, "openattr"}, {21, "open_conf"},
	{22, "open_dgrd"}, {23, "putfh"}, {24, "putpubfh"}, {25, "putrootfh"}, {26, "read"},
	{27, "readdir"}, {28, "readlink"}, {29, "remove"}, {30, "rename"}, {31, "renew"},
	{32, "restorefh"}, {33, "savefh"}, {34, "secinfo"}, {35, "setattr"}, {36, "setcltid"},
	{37, "setcltidconf"}, {38, "verify"}, {39, "write"}, {40, "rellockowner"}, {41, "bc_ctl"},
	{42, "bind_conn"}, {43, "exchange_id"}, {44, "create_ses"}, {45, "destroy_ses"},
	{46, "free_stateid"}, {47, "getdirdeleg"}, {48, "getdevinfo"}, {49, "getdevlist"},
	{50, "layoutcommit"}, {51, "layoutget"}, {52, "layoutreturn"}, {53, "secinfononam"},
	{54, "sequence"}, {55, "set_ssv"}, {56, "test_stateid"}, {57, "want_deleg"},
	{58, "destroy_clid"}, {59, "reclaim_comp"}, {60, "allocate"}, {61, "copy"},
	{62, "copy_notify"}, {63, "deallocate"}, {64, "io_advise"}, {65, "layouterror"},
	{66, "layoutstats"}, {67, "offload_cancel"}, {68, "offload_status"}, {69, "read_plus"},
	{70, "seek"}, {71, "write_same"},
};
/* clang-format on */

static const struct agent_indom nfs2_indom = {
    7, 1, nfs2_ops, NROWS(nfs2_ops), "Operations of NFS 2", NULL,
};
static const struct agent_indom nfs3_indom = {
    8, 1, nfs3_ops, NROWS(nfs3_ops), "Operations of NFS 3", NULL,
};
static const struct agent_indom nfs4_client_indom = {
    14,   1, nfs4_client_ops, NROWS(nfs4_client_ops), "Operations of NFS 4, as clients count them",
    NULL,
};
static const struct agent_indom nfs4_server_indom = {
    15,   1, nfs4_server_ops, NROWS(nfs4_server_ops), "Operations of NFS 4, as servers count them",
    NULL,
};

enum { NVERSIONS = 3 }; /* 2, 3 and 4 */

/* The numbers of each line, and the calls of each version. */
struct client {
	uint64_t net[4], rpc[3];
	uint64_t calls[NVERSIONS];
};

struct server {
	uint64_t rc[3], fh[5], io[2], th[2], ra[12], net[4], rpc[5];
	uint64_t calls[NVERSIONS];
	uint64_t old_fh[4]; /* reported by kernels before 2.6, in another order */
};

struct pools {
	uint64_t threads;
	uint32_t pools;
	uint64_t stats[4]; /* sums of the columns */
};

struct op {
	uint64_t calls;
};

/* clang-format off */
#define CLIENT(n, name, member, text)                                                              \
	{ name, 7, n, U32, COUNTER, ONE, AGENT_COUNT, FIELD(client, member), text, NULL, 0 }
#define SERVER(n, name, units, member, text)                                                       \
	{ "rpc.server." name, 7, n, U32, COUNTER, ONE, AGENT_##units, FIELD(server, member), text, \
	  NULL, 0 }
#define CALLS(n, name, side, version, text)                                                        \
	{ name ".calls", 7, n, U32, COUNTER, ONE, AGENT_COUNT, FIELD(side, calls[version]), text,  \
	  NULL, 0 }
#define OPS(n, name, indom, text)                                                                  \
	{ name ".reqs", 7, n, U32, COUNTER, &indom, AGENT_COUNT, FIELD(op, calls), text, NULL, 0 }

static const struct agent_metric nfs_client_metrics[] = {
	CALLS(1, "nfs.client", client, 0, "Calls of NFS 2 that this host made"),
	OPS(4, "nfs.client", nfs2_indom, "Calls of NFS 2 that this host made, by operation"),
	CALLS(60, "nfs3.client", client, 1, "Calls of NFS 3 that this host made"),
	OPS(61, "nfs3.client", nfs3_indom, "Calls of NFS 3 that this host made, by operation"),
	CALLS(64, "nfs4.client", client, 2, "Calls of NFS 4 that this host made"),
	OPS(65, "nfs4.client", nfs4_client_indom,
	    "Calls of NFS 4 that this host made, by operation"),

	CLIENT(20, "rpc.client.rpccnt", rpc[0], "Calls that this host made"),
	CLIENT(21, "rpc.client.rpcretrans", rpc[1], "Calls sent again"),
	CLIENT(22, "rpc.client.rpcauthrefresh", rpc[2], "Credentials renewed"),
	CLIENT(24, "rpc.client.netcnt", net[0], "Packets of calls; modern kernels say 0"),
	CLIENT(25, "rpc.client.netudpcnt", net[1], "The same over UDP"),
	CLIENT(26, "rpc.client.nettcpcnt", net[2], "The same over TCP"),
	CLIENT(27, "rpc.client.nettcpconn", net[3], "Connections made for calls"),
};

static const struct agent_metric nfs_server_metrics[] = {
	CALLS(50, "nfs.server", server, 0, "Calls of NFS 2 that this host served"),
	OPS(12, "nfs.server", nfs2_indom, "Calls of NFS 2 that this host served, by operation"),
	CALLS(62, "nfs3.server", server, 1, "Calls of NFS 3 that this host served"),
	OPS(63, "nfs3.server", nfs3_indom, "Calls of NFS 3 that this host served, by operation"),
	CALLS(66, "nfs4.server", server, 2, "Operations of NFS 4 that this host served"),
	OPS(67, "nfs4.server", nfs4_server_indom,
	    "Operations of NFS 4 that this host served, by operation"),

	SERVER(30, "rpccnt", COUNT, rpc[0], "Calls that this host served"),
	SERVER(31, "rpcerr", COUNT, rpc[1], "Calls that were not served, for any reason"),
	SERVER(32, "rpcbadfmt", COUNT, rpc[2], "Calls that made no sense"),
	SERVER(33, "rpcbadauth", COUNT, rpc[3], "Calls with wrong credentials"),
	SERVER(34, "rpcbadclnt", COUNT, rpc[4], "Calls of clients that may not"),
	SERVER(35, "rchits", COUNT, rc[0], "Calls answered from the cache of replies"),
	SERVER(36, "rcmisses", COUNT, rc[1], "Calls not found in the cache of replies"),
	SERVER(37, "rcnocache", COUNT, rc[2], "Calls whose replies are not kept"),
	SERVER(38, "fh_cached", COUNT, old_fh[0], "File handles kept (kernels before 2.6)"),
	SERVER(39, "fh_valid", COUNT, old_fh[1], "File handles in use (kernels before 2.6)"),
	SERVER(40, "fh_fixup", COUNT, old_fh[2], "File handles corrected (kernels before 2.6)"),
	SERVER(41, "fh_lookup", COUNT, fh[1], "File handles looked up"),
	SERVER(42, "fh_stale", COUNT, fh[0], "File handles whose file is gone"),
	SERVER(43, "fh_concurrent", COUNT, old_fh[3],
	       "File handles looked up twice at once (kernels before 2.6)"),
	SERVER(44, "netcnt", COUNT, net[0], "Packets received"),
	SERVER(45, "netudpcnt", COUNT, net[1], "Packets received over UDP"),
	SERVER(46, "nettcpcnt", COUNT, net[2], "Packets received over TCP"),
	SERVER(47, "nettcpconn", COUNT, net[3], "Connections accepted"),
	SERVER(51, "fh_anon", COUNT, fh[2], "File handles without a name"),
	SERVER(52, "fh_nocache_dir", COUNT, fh[3], "Directories not found among the names kept"),
	SERVER(53, "fh_nocache_nondir", COUNT, fh[4], "Files not found among the names kept"),
	SERVER(54, "io_read", BYTE, io[0], "Bytes read by clients"),
	SERVER(55, "io_write", BYTE, io[1], "Bytes written by clients"),
	{ "rpc.server.th_cnt", 7, 56, U32, INSTANT, ONE, AGENT_COUNT, FIELD(server, th[0]),
	  "Threads of the server", NULL, 0 },
	SERVER(57, "th_fullcnt", COUNT, th[1], "Times that all threads were busy"),
	SERVER(68, "ra_size", COUNT, ra[0], "Size of the read-ahead cache"),
	SERVER(69, "ra_hits", COUNT, ra[1],
	       "Reads found in the first tenth of the read-ahead cache"),
	SERVER(70, "ra_misses", COUNT, ra[11], "Reads not found in the read-ahead cache"),
};

#define POOL(n, name, type, sem, member, text)                                                     \
	{ "nfs.server.threads." name, 7, n, type, sem, ONE, AGENT_COUNT, FIELD(pools, member),     \
	  text, NULL, 0 }

static const struct agent_metric nfs_pools_metrics[] = {
	POOL(71, "total", U32, INSTANT, threads, "Threads of the server, in all pools"),
	POOL(72, "pools", U32, INSTANT, pools, "Pools of threads of the server"),
	POOL(73, "requests", U64, COUNTER, stats[0], "Packets that came for the server"),
	POOL(74, "enqueued", U64, COUNTER, stats[1], "Packets that had to wait for a thread"),
	POOL(75, "processed", U64, COUNTER, stats[2], "Times that a thread was woken for a packet"),
	POOL(76, "timedout", U64, COUNTER, stats[3], "Threads that found nothing to do"),
};

/* A word that a line begins with, and where its numbers go. */
struct plain_line {
	const char *word;
	size_t offset;
	int n;
};
#define LINE(type, member)                                                                         \
	{ #member, offsetof(struct type, member),                                                  \
	  sizeof(((struct type *)0)->member) / sizeof(uint64_t) }

static const struct plain_line client_lines[] = { LINE(client, net), LINE(client, rpc) };
static const struct plain_line server_lines[] = {
	LINE(server, rc), LINE(server, fh), LINE(server, io), LINE(server, th), LINE(server, ra),
	LINE(server, net), LINE(server, rpc),
};

/* The lines of operations, of versions 2, 3 and 4. */
struct ops_line {
	const char *word;
	const struct agent_indom *indom;
};
static const struct ops_line client_ops[NVERSIONS] = {
	{ "proc2", &nfs2_indom }, { "proc3", &nfs3_indom }, { "proc4", &nfs4_client_indom },
};
static const struct ops_line server_ops[NVERSIONS] = {
	{ "proc2", &nfs2_indom }, { "proc3", &nfs3_indom }, { "proc4ops", &nfs4_server_indom },
};
/* clang-format on */

static bool nfs_is(const char *word, size_t len, const char *text)
{
	return strncmp(word, text, len) == 0 && text[len] == '\0';
}

/* The calls of each operation, and their sum. */
static int read_ops(struct agent_refresh *r, const struct agent_indom *indom, struct scan *s,
		    uint64_t *ret_calls)
{
	uint64_t n, calls;

	if (!scan_u64(s, &n))
		return 0;
	*ret_calls = 0;
	for (unsigned int i = 0; i < n && i < indom->nfixed && scan_u64(s, &calls); i++) {
		struct op *op = agent_add_id(r, indom, indom->fixed[i].id, NULL);

		if (op == NULL)
			return -ENOMEM;
		op->calls = calls;
		*ret_calls += calls;
	}
	return 0;
}

static int nfs_read_file(struct agent_refresh *r, const char *path, const struct plain_line *lines,
			 size_t nlines, const struct ops_line *ops, void *base, uint64_t *calls)
{
	const char *word;
	size_t len;
	struct scan s;
	long n = agent_read(r, path, &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	do {
		if (!scan_word(&s, &word, &len))
			continue;
		for (size_t i = 0; i < nlines; i++)
			if (nfs_is(word, len, lines[i].word))
				scan_u64s(&s, (void *)((char *)base + lines[i].offset), lines[i].n);
		for (size_t i = 0; i < NVERSIONS && status == 0; i++)
			if (nfs_is(word, len, ops[i].word))
				status = read_ops(r, ops[i].indom, &s, &calls[i]);
	} while (status == 0 && scan_next_line(&s));
	return status;
}

static int nfs_client_refresh(struct agent_refresh *r, void *snapshot)
{
	struct client *client = snapshot;

	return nfs_read_file(r, "proc/net/rpc/nfs", client_lines, NROWS(client_lines), client_ops,
			     client, client->calls);
}

static int nfs_server_refresh(struct agent_refresh *r, void *snapshot)
{
	struct server *server = snapshot;

	return nfs_read_file(r, "proc/net/rpc/nfsd", server_lines, NROWS(server_lines), server_ops,
			     server, server->calls);
}

/* pool_threads: a number a pool. pool_stats: a head line, then a line a pool, its number first. */
static int nfs_pools_refresh(struct agent_refresh *r, void *snapshot)
{
	struct pools *pools = snapshot;
	uint64_t column[5];
	struct scan s;
	long n = agent_read(r, "proc/fs/nfsd/pool_threads", &s.p);

	if (n < 0)
		return (int)n;
	for (pools->threads = 0; scan_u64(&s, &column[0]);)
		pools->threads += column[0];
	n = agent_read(r, "proc/fs/nfsd/pool_stats", &s.p);
	if (n < 0)
		return (int)n;
	pools->pools = 0;
	memset(pools->stats, 0, sizeof(pools->stats));
	do {
		if (scan_u64s(&s, column, 5) != 5)
			continue;
		pools->pools++;
		for (int i = 0; i < 4; i++)
			pools->stats[i] += column[i + 1];
	} while (scan_next_line(&s));
	return 0;
}

const struct agent_cluster nfs_client_cluster = {
    .name = "nfs_client",
    .source = "/proc/net/rpc/nfs",
    .size = sizeof(struct client),
    .refresh = nfs_client_refresh,
    .optional = 1,
    .metrics = nfs_client_metrics,
    .nmetrics = NROWS(nfs_client_metrics),
    .fills = {{&nfs2_indom, sizeof(struct op), 0},
	      {&nfs3_indom, sizeof(struct op), 0},
	      {&nfs4_client_indom, sizeof(struct op), 0}},
};

const struct agent_cluster nfs_server_cluster = {
    .name = "nfs_server",
    .source = "/proc/net/rpc/nfsd",
    .size = sizeof(struct server),
    .refresh = nfs_server_refresh,
    .optional = 1,
    .metrics = nfs_server_metrics,
    .nmetrics = NROWS(nfs_server_metrics),
    .fills = {{&nfs2_indom, sizeof(struct op), 0},
	      {&nfs3_indom, sizeof(struct op), 0},
	      {&nfs4_server_indom, sizeof(struct op), 0}},
};

const struct agent_cluster nfs_pools_cluster = {
    .name = "nfs_pools",
    .source = "/proc/fs/nfsd",
    .size = sizeof(struct pools),
    .refresh = nfs_pools_refresh,
    .optional = 1,
    .metrics = nfs_pools_metrics,
    .nmetrics = NROWS(nfs_pools_metrics),
};

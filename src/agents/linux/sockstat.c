/*
 * sockstat - sockets in use by protocol: /proc/net/sockstat and sockstat6.
 *
 *     TCP: inuse 2 orphan 0 tw 0 alloc 2 mem 222
 */

#include "linux.h"
#include "scan.h"

enum { SOCKSTAT_NITEMS = 17, SOCKSTAT6_NITEMS = 6 };

struct sockstat {
	int64_t item[SOCKSTAT_NITEMS]; /* by the item of the row */
};

struct sockstat6 {
	int64_t item[SOCKSTAT6_NITEMS];
};

/* Where the number after a word goes. */
struct place {
	const char *group; /* the first word of the line */
	const char *word;
	size_t offset;
};

/* clang-format off */

/* X(item, name, group, word, text) */
#define SOCKSTAT_ROWS(X)                                                                           \
	X(0, "tcp.inuse", "TCP:", "inuse", "TCP sockets in use")                                   \
	X(3, "udp.inuse", "UDP:", "inuse", "UDP sockets in use")                                   \
	X(6, "raw.inuse", "RAW:", "inuse", "Raw sockets in use")                                   \
	X(8, "udplite.inuse", "UDPLITE:", "inuse", "UDP-Lite sockets in use")                      \
	X(9, "total", "sockets:", "used", "Sockets in use, of any kind")                           \
	X(10, "tcp.orphan", "TCP:", "orphan", "TCP sockets that no program holds any more")        \
	X(11, "tcp.tw", "TCP:", "tw", "TCP sockets in TIME_WAIT")                                  \
	X(12, "tcp.alloc", "TCP:", "alloc", "TCP sockets allocated, in any state")                 \
	X(13, "tcp.mem", "TCP:", "mem", "Pages of memory of TCP sockets")                          \
	X(14, "udp.mem", "UDP:", "mem", "Pages of memory of UDP sockets")                          \
	X(15, "frag.inuse", "FRAG:", "inuse", "Queues of fragments that wait for more")            \
	X(16, "frag.memory", "FRAG:", "memory", "Bytes of fragments that wait for more")

#define SOCKSTAT6_ROWS(X)                                                                          \
	X(0, "tcp6.inuse", "TCP6:", "inuse", "TCP sockets of IPv6 in use")                         \
	X(1, "udp6.inuse", "UDP6:", "inuse", "UDP sockets of IPv6 in use")                         \
	X(2, "udplite6.inuse", "UDPLITE6:", "inuse", "UDP-Lite sockets of IPv6 in use")            \
	X(3, "raw6.inuse", "RAW6:", "inuse", "Raw sockets of IPv6 in use")                         \
	X(4, "frag6.inuse", "FRAG6:", "inuse", "Queues of fragments of IPv6 that wait for more")   \
	X(5, "frag6.memory", "FRAG6:", "memory", "Bytes of fragments of IPv6 that wait for more")

#define ROW(c, type, n, leaf, text)                                                                \
	{ "network.sockstat." leaf, c, n, S32, INSTANT, ONE, AGENT_COUNT, FIELD(type, item[n]),    \
	  text, NULL, 0 },
#define ROW4(n, leaf, group, word, text)   ROW(11, sockstat, n, leaf, text)
#define ROW6(n, leaf, group, word, text)   ROW(73, sockstat6, n, leaf, text)
#define PLACE4(n, leaf, group, word, text) { group, word, offsetof(struct sockstat, item[n]) },
#define PLACE6(n, leaf, group, word, text) { group, word, offsetof(struct sockstat6, item[n]) },

static const struct agent_metric sockstat_metrics[] = { SOCKSTAT_ROWS(ROW4) };
static const struct agent_metric sockstat6_metrics[] = { SOCKSTAT6_ROWS(ROW6) };
static const struct place places[] = { SOCKSTAT_ROWS(PLACE4) };
static const struct place places6[] = { SOCKSTAT6_ROWS(PLACE6) };
/* clang-format on */

static bool is(const char *word, size_t len, const char *text)
{
	return strncmp(word, text, len) == 0 && text[len] == '\0';
}

static int64_t *find(const struct place *table, size_t n, void *base, const char *group,
		     size_t group_len, const char *word, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (is(group, group_len, table[i].group) && is(word, len, table[i].word))
			return (int64_t *)(void *)((char *)base + table[i].offset);
	return NULL;
}

static int read_file(struct agent_refresh *r, const char *path, const struct place *table, size_t n,
		     void *base)
{
	const char *group, *word;
	size_t group_len, len;
	struct scan s;
	long size = agent_read(r, path, &s.p);
	int64_t value;

	if (size < 0)
		return (int)size;
	do {
		if (!scan_word(&s, &group, &group_len))
			continue;
		while (scan_word(&s, &word, &len) && scan_i64(&s, &value)) {
			int64_t *at = find(table, n, base, group, group_len, word, len);

			if (at != NULL)
				*at = value;
		}
	} while (scan_next_line(&s));
	return 0;
}

static int sockstat_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_file(r, "proc/net/sockstat", places, NROWS(places), snapshot);
}

static int sockstat6_refresh(struct agent_refresh *r, void *snapshot)
{
	return read_file(r, "proc/net/sockstat6", places6, NROWS(places6), snapshot);
}

const struct agent_cluster sockstat_cluster = {
    .name = "sockstat",
    .source = "/proc/net/sockstat",
    .size = sizeof(struct sockstat),
    .refresh = sockstat_refresh,
    .metrics = sockstat_metrics,
    .nmetrics = NROWS(sockstat_metrics),
};

const struct agent_cluster sockstat6_cluster = {
    .name = "sockstat6",
    .source = "/proc/net/sockstat6",
    .size = sizeof(struct sockstat6),
    .refresh = sockstat6_refresh,
    .optional = 1,
    .metrics = sockstat6_metrics,
    .nmetrics = NROWS(sockstat6_metrics),
};

/*
 * fixture - an agent with every kind of value, for the tests of this room.
 *
 * Domain 250; instance domain 3 is a table (red 0, green leaf 1, blue 5), 4 a cache (disk0 hidden,
 * "disk1 foo" 1, disk2 2). A metric's item says what its callback does.
 */
#ifndef TESTS_LIBPCP_PMDA_FIXTURE_H
#define TESTS_LIBPCP_PMDA_FIXTURE_H

#include <sys/types.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum {
	FIXTURE_DOMAIN = 250,
	FIXTURE_TABLE = 3, /* serials of instance domains */
	FIXTURE_CACHE = 4,
};

enum fixture_item {
	ITEM_U32,
	ITEM_COLOR, /* 32, by table: 100 + instance */
	ITEM_U64,
	ITEM_64,
	ITEM_FLOAT,
	ITEM_DISK, /* DOUBLE, by cache: instance * 10 */
	ITEM_STRING,
	ITEM_STRING_DYNAMIC,
	ITEM_AGGREGATE,
	ITEM_AGGREGATE_DYNAMIC,
	ITEM_AGGREGATE_STATIC,
	ITEM_EVENT,
	ITEM_ENOENT,   /* an error of the system */
	ITEM_NO_INST,  /* PM_ERR_INST */
	ITEM_NO_PMID,  /* PM_ERR_PMID */
	ITEM_NO_VALUE, /* 0 */
	ITEM_NO_TYPE,  /* a type that has no values */
	ITEM_PARTLY,   /* U32, by table: instance 1 fails */
	ITEM_COUNT,
};

struct fixture {
	pmdaInterface dispatch;
	pmdaIndom indoms[1];
	pmdaInstid colors[3];
	pmdaMetric metrics[ITEM_COUNT];
};

/* Sets an agent of an interface version up, as a DSO; flags are PMDA_EXT_FLAG_*. */
void fixture_init(struct fixture *f, int version, int flags);

/* The same with the methods and callbacks that the daemon below has. */
void fixture_methods_init(struct fixture *f, int version);

/* Resets the recorded calls of the methods. */
void fixture_forget(void);

/*
 * A daemon of the same tables in a child process, over a pair of sockets: *ret_fd is the
 * collector's end. Beyond the fixture it has a store method (ITEM_U32 takes a value), names
 * (fix.a.one, fix.b), texts (one line for metrics, none for domains), labels ({"item":N} of an
 * item, {"i":N} of an instance, two sets of a domain), and returns in ITEM_STRING its last
 * notification: "attr CONTEXT KEY VALUE LENGTH", "end CONTEXT", "fetch CONTEXT".
 */
pid_t fixture_daemon(int version, int *ret_fd);

/* The daemon waits with poll() for the descriptor of __pmdaInFd instead of calling pmdaMain. */
#define FIXTURE_POLL_ENV "FIXTURE_POLL"

/* As pmdaCheckCallBack of that daemon: 0 or an error code for all requests from now on. */
#define FIXTURE_CHECK_ENV "FIXTURE_CHECK"

static inline pmID fixture_pmid(int item)
{
	return (pmID)FIXTURE_DOMAIN << 22 | (pmID)item;
}

static inline pmInDom fixture_indom(int serial)
{
	return (pmInDom)FIXTURE_DOMAIN << 22 | (pmInDom)serial;
}

#endif

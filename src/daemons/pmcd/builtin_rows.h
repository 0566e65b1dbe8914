/*
 * builtin_rows - the part of the agent "pmcd" that its files share: the tables of metrics, the
 * instance domains, and the functions that store (docs/spec/pmcd.md 11).
 *
 * The rows are those of <pitot/agent_row.h>. The functions of <pitot/agent.h> are in libpcp_pmda,
 * which pmcd does not link, so builtin.c serves the rows. It differs from the library:
 *
 *     data        of a call is the struct request. Values depend on its client (pmcd.client.*,
 *                 pmcd.cputime.per_pdu_in, the rights to store), and texts are in its memory.
 *     from        is the struct of the instance, and without an instance domain the struct server.
 *                 For a store, and for an instance of a fixed domain, it is NULL.
 *     fields      are as wide as their type, and always have a value.
 *     instances   are listed again for each request, in its memory: files of other processes define
 *                 some of them.
 *     store       NULL means PM_ERR_PMID. A store is not checked against the instances: the null
 *                 instance, for example, fences all agents.
 */
#ifndef PMCD_BUILTIN_ROWS_H
#define PMCD_BUILTIN_ROWS_H

#include <stdint.h>

#include <pitot/agent_row.h>

#include "daemons/pmcd/request.h"

struct server;

/* PCP's rows, and those that are Pitot's own, each in name-space order. */
extern const struct agent_metric builtin_metrics[];
extern const unsigned int builtin_nmetric;
extern const struct agent_metric builtin_own_metrics[];
extern const unsigned int builtin_nown_metric;

/*
 * Instances (builtin_instances.c)
 */

/* Serials of the instance domains. */
enum {
	BUILTIN_PMLOGGERS = 1,
	BUILTIN_REGISTERS = 2,
	BUILTIN_AGENTS = 3,
	BUILTIN_PMIES = 4,
	BUILTIN_BUFFERS = 5,
	BUILTIN_CLIENTS = 6,
	BUILTIN_LISTENERS = 7, /* ours */
	BUILTIN_INDOMS,
};

/* By serial; the one line of a serial that is not used is NULL. */
extern const struct agent_indom builtin_indoms[BUILTIN_INDOMS];

struct builtin_inst {
	int id;
	const char *name;
	void *of; /* of the instance domain: the struct that values of its metrics are in */
};

/* The instances of a domain: their number, or PM_ERR_INDOM, -ENOMEM. */
int builtin_instances(struct request *req, unsigned int serial, struct builtin_inst **ret_insts);

/* The contents of a pmlogger's port map file (docs/spec/pdu.md 11). */
struct logger {
	unsigned int port;
	const char *pmcd_host;
	const char *archive;
};

/* A pmie's memory-mapped file, in host order. */
struct pmie {
	char config[4097];
	char log[4097];
	char host[65];
	float expected;
	uint32_t numrules, actions, true_, false_, unknown, actual, version;
};

enum {
	REGISTERS = 16,
};

/* Scratch registers: any client that may store sees what any other put there. */
extern int builtin_registers[REGISTERS];

/*
 * Values (builtin_metrics.c)
 */

static inline struct request *builtin_request(const struct agent_call *call)
{
	return call->data;
}

static inline struct server *builtin_server(const struct agent_call *call)
{
	return builtin_request(call)->server;
}

/* Begins the definition of the call-back get_WORD of a row. */
#define GET(word) static int get_##word(const struct agent_call *call, pmAtomValue *ret)

/* A copy of s as the value. 1 or -ENOMEM. */
int builtin_text(const struct agent_call *call, const char *s, pmAtomValue *ret);

/*
 * The effect of storing, and which clients may store (builtin_control.c; docs/design.md,
 * differences). 0, or the error that the client gets.
 */

#define CONTROL(word) int set_##word(const struct agent_call *call, const pmAtomValue *value)

CONTROL(timeout);
CONTROL(debug);
CONTROL(register);
CONTROL(trace_bit);
CONTROL(tracebufs);
CONTROL(dumptrace);
CONTROL(dumpconn);
CONTROL(sighup);
CONTROL(seqnum);
CONTROL(fenced);
CONTROL(whoami);
CONTROL(container);

/* Takes whatever is stored, without a look at it, and does nothing. */
CONTROL(ignored);

/* Old-style debug bits, as they were last set. */
int control_debug_bits(void);

/*
 * Short words of the tables (builtin_metrics.c, builtin_own.c)
 */

#define U32  PM_TYPE_U32
#define I32  PM_TYPE_32
#define U64  PM_TYPE_U64
#define F32  PM_TYPE_FLOAT
#define F64  PM_TYPE_DOUBLE
#define STR  PM_TYPE_STRING
#define DISC PM_SEM_DISCRETE
#define INST PM_SEM_INSTANT
#define CNT  PM_SEM_COUNTER

#define ONE        NULL
#define OF(domain) (&builtin_indoms[BUILTIN_##domain])

#endif

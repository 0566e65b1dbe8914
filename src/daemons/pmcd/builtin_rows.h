/*
 * builtin_rows - the part of the agent "pmcd" that its files share: the words that its tables of
 * metrics are written in, the values of instances, and the functions that store
 * (docs/spec/pmcd.md 11).
 *
 * A row has get_NAME and set_NAME. GET(NAME), VALUE(NAME) and CONTROL(NAME) begin the definitions
 * of these functions.
 *
 * These rows are not those of <pitot/agent.h>, whose functions are in libpcp_pmda. A value of a row
 * here depends on the request: on the client that asks (pmcd.client.*, pmcd.cputime.per_pdu_in, the
 * rights to store), and texts and instances are in the memory of the request. Each request
 * lists the instances again, because files of other processes define them. Stores differ too:
 * without a function they fail with PM_ERR_PMID, and the null instance fences all agents. And pmcd
 * has a struct agent of its own, so that no file could include both headers.
 */
#ifndef PMCD_BUILTIN_ROWS_H
#define PMCD_BUILTIN_ROWS_H

#include <stdint.h>

#include "daemons/pmcd/builtin.h"

/*
 * Values of instances, and texts (builtin_instances.c)
 */

#define VALUE(word)                                                                                \
	int get_##word(const struct builtin_call *call, const struct builtin_metric *m,            \
		       const struct builtin_inst *inst, pmAtomValue *ret)

/* A copy of s as the value. 1 or -ENOMEM. */
int builtin_text(const struct builtin_call *call, const char *s, pmAtomValue *ret);

/* The name of this host as the value. 1 or an error. */
int builtin_host_name(const struct builtin_call *call, pmAtomValue *ret);

VALUE(register);
VALUE(agent_type);
VALUE(agent_status);
VALUE(agent_fenced);
VALUE(agent_name);
VALUE(whoami);
VALUE(start_date);
VALUE(client_container);
VALUE(logger_port);
VALUE(logger_pmcd_host);
VALUE(logger_archive);
VALUE(logger_host);
VALUE(pmie_config);
VALUE(pmie_log);
VALUE(pmie_host);
VALUE(pmie_count);
VALUE(pmie_expected);
VALUE(pmie_actual);

enum {
	REGISTERS = 16,
};

/* Scratch registers: any client that may store sees what any other put there. */
extern int builtin_registers[REGISTERS];

/*
 * The effect of storing, and which clients may store (builtin_control.c; docs/design.md,
 * differences). 0, or the error that the client gets.
 */

#define CONTROL(word)                                                                              \
	int set_##word(const struct builtin_call *call, const struct builtin_metric *m, int inst,  \
		       const pmAtomValue *value)

CONTROL(timeout);
CONTROL(debug);
CONTROL(register);
CONTROL(traceconn);
CONTROL(tracepdu);
CONTROL(tracenobuf);
CONTROL(tracebufs);
CONTROL(dumptrace);
CONTROL(dumpconn);
CONTROL(sighup);
CONTROL(seqnum);
CONTROL(fenced);
CONTROL(whoami);
CONTROL(container);

/* Old-style debug bits, as they were last set. */
int control_debug_bits(void);

/*
 * Words of the tables (builtin_metrics.c, builtin_own.c)
 */

#define GET(word)                                                                                  \
	static int get_##word(const struct builtin_call *call, const struct builtin_metric *m,     \
			      const struct builtin_inst *inst, pmAtomValue *ret)

/* clang-format off */
#define UNITS(ds, dt, dc, ss, st, sc) \
	{ .dimSpace = ds, .dimTime = dt, .dimCount = dc, .scaleSpace = ss, .scaleTime = st, .scaleCount = sc }
#define NONE     UNITS(0, 0, 0, 0, 0, 0)
#define KBYTE    UNITS(1, 0, 0, PM_SPACE_KBYTE, 0, 0)
#define COUNT    UNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define PER_SEC  UNITS(0, -1, 1, 0, PM_TIME_SEC, PM_COUNT_ONE)
#define MSEC     UNITS(0, 1, 0, 0, PM_TIME_MSEC, 0)
#define SEC      UNITS(0, 1, 0, 0, PM_TIME_SEC, 0)
#define USEC_PER UNITS(0, 1, -1, 0, PM_TIME_USEC, PM_COUNT_ONE)

#define U32  PM_TYPE_U32
#define I32  PM_TYPE_32
#define U64  PM_TYPE_U64
#define F32  PM_TYPE_FLOAT
#define F64  PM_TYPE_DOUBLE
#define STR  PM_TYPE_STRING
#define DISC PM_SEM_DISCRETE
#define INST PM_SEM_INSTANT
#define CNT  PM_SEM_COUNTER
#define ONE  BUILTIN_NO_INDOM
/* clang-format on */

#endif

/*
 * builtin_rows - what the files of the agent "pmcd" share: the words that its tables of metrics are
 * written in, its instance domains, and what storing does (docs/spec/pmcd.md 11).
 *
 * A row says get_NAME and set_NAME; GET(NAME) and CONTROL(NAME) open the definitions of these
 * functions.
 */
#ifndef PMCD_BUILTIN_ROWS_H
#define PMCD_BUILTIN_ROWS_H

#include <stdint.h>

#include "daemons/pmcd/builtin.h"

/*
 * Instance domains, and what their metrics read (builtin_instances.c)
 */

enum {
	REGISTERS = 16,
	PMIE_PATH_LEN = 4097,
	PMIE_HOST_LEN = 65,
};

/* The contents of a pmlogger's port map file (docs/spec/pdu.md 11). */
struct logger {
	unsigned int port;
	const char *pmcd_host;
	const char *archive;
};

/* A pmie's memory-mapped file, in host order. */
struct pmie {
	char config[PMIE_PATH_LEN];
	char log[PMIE_PATH_LEN];
	char host[PMIE_HOST_LEN];
	float expected;
	uint32_t numrules, actions, true_, false_, unknown, actual, version;
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

/* A copy of s as the value. 1 or -ENOMEM. */
int builtin_text(const struct builtin_call *call, const char *s, pmAtomValue *ret);

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

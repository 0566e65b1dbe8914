/*
 * builtin_rows - the words that the tables of metrics are written in (builtin_metrics.c,
 * builtin_own.c).
 *
 * A row says get_NAME; GET(NAME) opens the definition of that function.
 */
#ifndef PMCD_BUILTIN_ROWS_H
#define PMCD_BUILTIN_ROWS_H

#include "daemons/pmcd/builtin.h"

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

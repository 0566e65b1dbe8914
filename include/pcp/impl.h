/*
 * impl.h - names that older interface pages and the programs written after them place here.
 *
 * Split views of identifiers, the other name of pmAtomValue, and the control interface of
 * pmlogger (docs/spec/logger.md B3.1 and B6, docs/spec/pmda.md 1.2). New code needs none of it.
 */
#ifndef PCP_IMPL_H
#define PCP_IMPL_H

#include "pmapi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pmID and a pmInDom, taken apart (docs/spec/pdu.md 4.1, 4.2); copy or cast the word. */
typedef struct __pmID_int {
#ifdef HAVE_BITFIELDS_LTOR
	unsigned int flag : 1;
	unsigned int domain : 9;
	unsigned int cluster : 12;
	unsigned int item : 10;
#else
	unsigned int item : 10;
	unsigned int cluster : 12;
	unsigned int domain : 9;
	unsigned int flag : 1;
#endif
} __pmID_int;

typedef struct __pmInDom_int {
#ifdef HAVE_BITFIELDS_LTOR
	unsigned int flag : 1;
	unsigned int domain : 9;
	unsigned int serial : 22;
#else
	unsigned int serial : 22;
	unsigned int domain : 9;
	unsigned int flag : 1;
#endif
} __pmInDom_int;

typedef pmAtomValue pmdaAtomValue;

/* Which pmlogger: pid and port arguments of __pmConnectLogger. */
#define PM_LOG_PRIMARY_PID  0 /* the primary one */
#define PM_LOG_PRIMARY_PORT 0
#define PM_LOG_ALL_PIDS     -1
#define PM_LOG_NO_PID       -2 /* not given */
#define PM_LOG_NO_PORT      -2

/* Arguments of __pmControlLog: a class of control, and a state. */
#define PM_LOG_MANDATORY 11
#define PM_LOG_ADVISORY  12
#define PM_LOG_ENQUIRE   13
#define PM_LOG_OFF       0
#define PM_LOG_MAYBE     1
#define PM_LOG_ON        2

/* The status word of one metric and instance: four flags and the interval in milliseconds. */
#define PMLC_MAX_DELTA            0x0fffffff
#define PMLC_GET_ON(val)          ((val)&0x1)
#define PMLC_GET_MAND(val)        (((val)&0x2) >> 1)
#define PMLC_GET_AVAIL(val)       (((val)&0x4) >> 2)
#define PMLC_GET_INLOG(val)       (((val)&0x8) >> 3)
#define PMLC_GET_STATE(val)       ((val)&0xf)
#define PMLC_GET_DELTA(val)       ((((val) & ~0xf) >> 4) & PMLC_MAX_DELTA)
#define PMLC_SET_ON(val, flag)    ((val) = ((val) & ~0x1) | ((flag)&0x1))
#define PMLC_SET_MAND(val, flag)  ((val) = ((val) & ~0x2) | (((flag)&0x1) << 1))
#define PMLC_SET_AVAIL(val, flag) ((val) = ((val) & ~0x4) | (((flag)&0x1) << 2))
#define PMLC_SET_INLOG(val, flag) ((val) = ((val) & ~0x8) | (((flag)&0x1) << 3))
#define PMLC_SET_STATE(val, s)    ((val) = ((val) & ~0xf) | ((s)&0xf))
#define PMLC_SET_DELTA(val, d)    ((val) = ((val)&0xf) | ((d) << 4))

#pragma GCC visibility push(default)

/*
 * Connects to the control port of a pmlogger. spec is a host, "local:" or "unix:" with an optional
 * socket path; pid and port select and are set to what was found. A descriptor, or -ECONNREFUSED,
 * -EHOSTUNREACH, PM_ERR_PERMISSION, PM_ERR_IPC, PM_ERR_TIMEOUT, -errno.
 */
int __pmConnectLogger(const char *spec, int *pid, int *port);

/*
 * Asks the pmlogger at fd to change or report (control) the state of the metrics and instances of
 * request; delta is the interval in milliseconds. 0, and the caller frees *status with
 * pmFreeResult; PM_ERR_TOOSMALL, -EINVAL, PM_ERR_TIMEOUT, PM_ERR_IPC or the error of the reply.
 */
int __pmControlLog(int fd, const pmResult *request, int control, int state, int delta,
		   pmResult **status);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

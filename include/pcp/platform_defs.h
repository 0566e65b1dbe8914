/*
 * platform_defs.h - what <pcp/pmapi.h> needs from the system, and what programs written for PCP
 * expect to get with it: the usual system headers, printf formats, limits, the version macros.
 *
 * Facts: docs/spec/pmapi.md 1, 2.
 */
#ifndef PCP_PLATFORM_DEFS_H
#define PCP_PLATFORM_DEFS_H

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The PCP version whose interface this is: 6.0.3. */
#define PM_VERSION(a, b, c) (((a) << 16) | ((b) << 8) | (c))
#define PM_VERSION_CURRENT  393219

/* Bit fields of pmUnits, pmValueBlock and the event structures run from the high end of the word
 * on big-endian machines and from the low end on the others; the word itself is the same. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HAVE_BITFIELDS_LTOR    1
#define HAVE_NETWORK_BYTEORDER 1
#endif

#if __SIZEOF_POINTER__ == 8
#define HAVE_64BIT_PTR 1
#else
#define HAVE_32BIT_PTR 1
#endif
#if __SIZEOF_LONG__ == 8
#define HAVE_64BIT_LONG       1
#define PM_SIZEOF_TIME_T      8
#define PM_SIZEOF_SUSECONDS_T 8
#define FMT_INT64             "ld"
#define FMT_UINT64            "lu"
#else
#define HAVE_32BIT_LONG 1
#if defined(__USE_TIME_BITS64)
#define PM_SIZEOF_TIME_T      8
#define PM_SIZEOF_SUSECONDS_T 8
#else
#define PM_SIZEOF_TIME_T      4
#define PM_SIZEOF_SUSECONDS_T 4
#endif
#define FMT_INT64  "lld"
#define FMT_UINT64 "llu"
#endif

/* More printf: a process id, a pthread_t, and what goes before %p (which brings its own 0x). */
#define FMT_PID      "d"
#define FMT_PTHREAD  "lu"
#define PRINTF_P_PFX ""

#ifndef ULONGLONG_MAX
#define ULONGLONG_MAX 18446744073709551615ULL
#endif
#ifndef LONGLONG_MAX
#define LONGLONG_MAX 9223372036854775807LL
#endif

/* An integer as wide as a pointer. */
typedef long __psint_t;

typedef uid_t __pmUserID;
typedef gid_t __pmGroupID;
typedef socklen_t __pmSockLen;

#ifndef MAXNAMELEN
#define MAXNAMELEN FILENAME_MAX
#endif
#ifndef MAXPATHLEN
#define MAXPATHLEN PATH_MAX
#endif
#ifndef MAXHOSTNAMELEN
#define MAXHOSTNAMELEN 64
#endif
#ifndef MAXDOMAINNAMELEN
#define MAXDOMAINNAMELEN 64
#endif
#ifndef MAXMACHINEIDLEN
#define MAXMACHINEIDLEN 256
#endif
#ifndef WORD_BIT
#define WORD_BIT 32
#endif

/* Words that old sources use for what is the same everywhere now. */
#ifndef RETSIGTYPE
#define RETSIGTYPE void
#endif
typedef void (*SIG_PF)(int);
#ifndef FNDELAY
#define FNDELAY O_NDELAY
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif
#ifndef FD_CLOEXEC
#define FD_CLOEXEC 0
#endif
#define flog10(x)               (float)log10((double)x)
#define const_dirent            const struct dirent
#define mkdir2(path, mode)      mkdir(path, mode)
#define rename2(path, target)   rename(path, target)
#define pipe1(fds)              pipe(fds)
#define setoserror(n)           (errno = (n))
#define oserror()               errno
#define neterror()              errno
#define hosterror()             h_errno
#define osstrerror()            strerror(errno)
#define osstrerror_r(buf, len)  pmErrStr_r(-errno, buf, len)
#define netstrerror()           strerror(errno)
#define netstrerror_r(buf, len) pmErrStr_r(-errno, buf, len)
#define hoststrerror()          hstrerror(h_errno)

/* Decoration of exported names; nothing is needed on the systems we run on. */
#define PCP_CALL
#define PCP_DATA

#pragma GCC visibility push(default)

/*
 * First white-space-delimited word of /etc/machine-id into buf (always terminated). Length of
 * what was put there; -EINVAL: the file has no word; -ENOTSUP: it cannot be opened.
 */
int getmachineid(char *buf, size_t buflen);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

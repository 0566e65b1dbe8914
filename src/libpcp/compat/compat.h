/*
 * compat - functions that only PCP's own programs import from libpcp.so.3 (docs/spec/pmapi.md 24).
 *
 * They are here so that these programs run with this library in place of PCP's. Nothing is compiled
 * against this header but the files of this room: programs use <pcp/pmapi.h> and <pcp/libpcp.h>.
 * README.md lists the programs, and the functions that are left out.
 *
 * Where a comment gives no other result, a function returns the result of the system call whose
 * name it has, with errno.
 */
#ifndef LIBPCP_COMPAT_COMPAT_H
#define LIBPCP_COMPAT_COMPAT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#pragma GCC visibility push(default)

/* ---- Descriptors and sockets: table.c -------------------------------------------------------- */

void __pmFD_CLR(int fd, fd_set *set);
int __pmFD_ISSET(int fd, fd_set *set);
void __pmFD_SET(int fd, fd_set *set);
void __pmFD_ZERO(fd_set *set);
int __pmSelectRead(int n, fd_set *set, struct timeval *timeout);
int __pmSelectWrite(int n, fd_set *set, struct timeval *timeout);

int __pmAccept(int fd, void *addr, socklen_t *len);
int __pmBind(int fd, void *addr, socklen_t len);
int __pmConnect(int fd, void *addr, socklen_t len);
int __pmListen(int fd, int backlog);
ssize_t __pmRead(int fd, void *buf, size_t len);
ssize_t __pmRecv(int fd, void *buf, size_t len, int flags);
ssize_t __pmSend(int fd, const void *buf, size_t len, int flags);
ssize_t __pmWrite(int fd, const void *buf, size_t len);
int __pmGetFileDescriptorFlags(int fd);
int __pmGetFileStatusFlags(int fd);
int __pmSetFileDescriptorFlags(int fd, int flags);
int __pmSetFileStatusFlags(int fd, int flags);

/* ---- Addresses and connections: address.c -----------------------------------------------------
 */

/* An address of the families AF_INET, AF_INET6 and AF_UNIX. Programs only handle pointers to it. */
typedef struct __pmSockAddr __pmSockAddr;

/* The addresses of a host. */
typedef struct __pmHostEnt __pmHostEnt;

/* A new socket, with TCP_NODELAY and without a delayed close. The descriptor, or -errno. */
int __pmCreateSocket(void);
int __pmCreateIPv6Socket(void);
int __pmCreateUnixSocket(void);

/*
 * Begins to connect, without waiting: the flags of the descriptor for __pmConnectRestoreFlags. On
 * failure the descriptor is closed, and the result is -errno.
 */
int __pmConnectTo(int fd, const __pmSockAddr *addr, int port);

/* The error of the connection that __pmConnectTo began: 0, or an errno value. */
int __pmConnectCheckError(int fd);

/* Ends what __pmConnectTo began: the descriptor, or -errno, and the descriptor is closed. */
int __pmConnectRestoreFlags(int fd, int flags);

/* 1 if errno says that the peer has closed the connection, else 0. */
int __pmSocketClosed(void);

/* 1 if a descriptor is a socket, else 0. */
int __pmSocketIPC(int fd);

/* An address of zeros, which __pmSockAddrFree frees; its size. NULL: no memory. */
__pmSockAddr *__pmSockAddrAlloc(void);
void __pmSockAddrFree(__pmSockAddr *addr);
size_t __pmSockAddrSize(void);

/* Fills an address in: a family, an INADDR_* value and a port, all in host order. */
void __pmSockAddrInit(__pmSockAddr *addr, int family, int address, int port);
void __pmSockAddrSetFamily(__pmSockAddr *addr, int family);
void __pmSockAddrSetPath(__pmSockAddr *addr, const char *path);
void __pmSockAddrSetPort(__pmSockAddr *addr, int port);

int __pmSockAddrGetFamily(const __pmSockAddr *addr);
int __pmSockAddrIsInet(const __pmSockAddr *addr);
int __pmSockAddrIsIPv6(const __pmSockAddr *addr);

/* The text of an address; the name of its host, or its text. The caller frees both. */
char *__pmSockAddrToString(const __pmSockAddr *addr);
char *__pmGetNameInfo(__pmSockAddr *addr);

/* The addresses of a host: NULL for an unknown host. __pmHostEntFree frees the result. */
__pmHostEnt *__pmGetAddrInfo(const char *name);
void __pmHostEntFree(__pmHostEnt *host);

/* The name of the host of the first address. The caller frees it. */
char *__pmHostEntGetName(__pmHostEnt *host);

/* A copy of the next address: the first one if *iter is NULL, NULL after the last one. */
__pmSockAddr *__pmHostEntGetSockAddr(const __pmHostEnt *host, void **iter);

/* ---- Daemons: server.c ----------------------------------------------------------------------- */

/*
 * Continues in a child process, in a session of its own; the calling process exits with status 0.
 * flags not 0: the standard input is closed.
 */
void __pmServerStart(int argc, char **argv, int flags);

/* Writes NAME.pid in PCP_RUN_DIR: 0, or -errno; verbose not 0: the error is reported. */
int __pmServerCreatePIDFile(const char *name, int verbose);

/* Messages to the service manager: 1 if it was notified, PM_ERR_GENERIC if there is none. */
int __pmServerNotifyServiceManagerReady(pid_t pid);
int __pmServerNotifyServiceManagerStopping(pid_t pid);

/* The path of the Unix socket of a server. Only servers of ports use it, which are left out. */
void __pmServerSetLocalSocket(const char *path);

/* pmOpenLog for a log that is replaced: old ends with a line that says so. */
FILE *__pmRotateLog(const char *progname, const char *path, FILE *old, int *status);

/* Prints the calls that led here on stderr; Init prepares it. */
void __pmDumpStackInit(void *unused);
void __pmDumpStack(void);

/* 1 for a path that begins at the root. */
int __pmAbsolutePath(char *path);

/* mkdir for a path and the missing folders above it: 0, or -1 with errno. */
int __pmMakePath(const char *path, mode_t mode);

/* Starts a program with pipes to its standard input and from its standard output: its id, or
 * -errno. */
pid_t __pmProcessCreate(char **argv, int *to, int *from);

/* Ends a process: SIGKILL with force not 0, else SIGTERM. 0, or -errno. */
int __pmProcessTerminate(pid_t pid, int force);

/* The command line with blanks between the words, which the caller frees. */
char *__pmGetClientId(int argc, char **argv);

/* ---- Options: table.c -------------------------------------------------------------------------
 */

/* The option -L. */
void __pmSetLocalContextFlag(pmOptions *opts);

/* The option -K, with its argument. */
void __pmSetLocalContextTable(pmOptions *opts, char *spec);

/* Applies the long option at opts->index: 0; 1 if it is not a standard one, or asks for help. */
int __pmGetLongOptions(pmOptions *opts);

/* ---- PDUs: pdu.c ----------------------------------------------------------------------------- */

typedef struct __pmResult {
	__pmTimestamp timestamp;
	int numpmid;
	pmValueSet *vset[1];
} __pmResult;

/* Send one PDU: the bytes sent, or -errno. */
int __pmSendDesc(int fd, int from, pmDesc *desc);
int __pmSendInstance(int fd, int from, pmInResult *result);
int __pmSendResult(int fd, int from, const __pmResult *result);
int __pmSendText(int fd, int from, int ident, const char *text);

/* Take a PDU of __pmGetPDU apart: 0 or more, or PM_ERR_IPC, -ENOMEM. The caller frees lists, texts
 * and profiles, and a result with __pmFreeResult. */
int __pmDecodeDesc(__pmPDU *pdu, pmDesc *desc);
int __pmDecodeDescReq(__pmPDU *pdu, pmID *pmid);
int __pmDecodeFetch(__pmPDU *pdu, int *slot, void *when, int *numpmid, pmID **pmids);
int __pmDecodeInstanceReq(__pmPDU *pdu, pmInDom *indom, int *inst, char **name);
int __pmDecodeProfile(__pmPDU *pdu, int *slot, pmProfile **profile);
int __pmDecodeResult(__pmPDU *pdu, __pmResult **result);
int __pmDecodeTextReq(__pmPDU *pdu, int *ident, int *type);

/* Says on f that this library keeps no list of recent PDUs. */
void __pmDumpPDUTrace(FILE *f);

/* The version of the PDUs on the descriptor that was used last: this library needs no such call. */
void __pmOverrideLastFd(int fd);

/* ---- Access lists: access.c --------------------------------------------------------------------
 */

/* Defines an operation, which is one bit. 0, -EINVAL. */
int __pmAccAddOp(unsigned int op);

/*
 * Adds a statement: the operations that it is about, those of them that it denies, and a maximum of
 * connections (0: none). 0; -EINVAL for a contradiction or an unknown account, -EHOSTUNREACH for an
 * unknown host, which are reported; -ENOMEM.
 */
int __pmAccAddHost(const char *name, unsigned int specified, unsigned int denied, int max);
int __pmAccAddUser(const char *name, unsigned int specified, unsigned int denied, int max);
int __pmAccAddGroup(const char *name, unsigned int specified, unsigned int denied, int max);

/* A client comes from an address: 0 and the operations that it may not use, PM_ERR_PERMISSION,
 * PM_ERR_CONNLIMIT. It is counted until __pmAccDelClient. */
int __pmAccAddClient(__pmSockAddr *addr, unsigned int *denied);
void __pmAccDelClient(__pmSockAddr *addr);

/* Adds to the denied operations of a client those of its user and group, which are numbers: 1, or
 * the same errors. */
int __pmAccAddAccount(const char *user, const char *group, unsigned int *denied);

void __pmAccDumpUsers(FILE *f);
void __pmAccDumpGroups(FILE *f);

/* ---- Archives below the API: archive.c, archive_file.c -----------------------------------------
 */

/*
 * The parts of a context that pmdumplog reads. The structures have the members of PCP's, so that
 * they have its sizes and offsets; members that no program reads are zero.
 */
typedef struct {
	void *fops;
	off_t position;
	void *priv; /* struct member */
} __pmFILE;

typedef struct __pmLogInDom {
	struct __pmLogInDom *next;  /* older */
	struct __pmLogInDom *prior; /* newer */
	pmInDom indom;
	__pmTimestamp stamp;
	int isdelta;
	int numinst;
	int alloc; /* COMPAT_* */
	int *instlist;
	char **namelist; /* in a delta NULL: the instance is gone */
	int32_t *buf;
} __pmLogInDom;

enum {
	COMPAT_SELF = 1,     /* bits of alloc: the structure itself is to be freed, */
	COMPAT_INSTLIST = 2, /* its lists, */
	COMPAT_NAMELIST = 4,
	COMPAT_NAMES = 8, /* and each name */
};

typedef struct __pmLogLabelSet {
	struct __pmLogLabelSet *next; /* older */
	__pmTimestamp stamp;
	int type;
	int ident;
	int nsets;
	pmLabelSet *labelsets;
} __pmLogLabelSet;

typedef struct {
	int magic;
	int pid;
	__pmTimestamp start;
	int vol;
	uint32_t features;
	char *hostname;
	char *timezone;
	char *zoneinfo;
} __pmLogLabel;

typedef struct {
	__pmTimestamp stamp;
	int vol;
	off_t off_meta;
	off_t off_data;
} __pmLogTI;

typedef struct {
	pthread_mutex_t lc_lock;
	int refcnt;
	char *name;
	__pmFILE *tifp;
	__pmFILE *mdfp;
	int state;
	__pmHashCtl hashpmid; /* pmDesc */
	__pmHashCtl hashrange;
	__pmHashCtl hashindom; /* __pmLogInDom, the newest */
	__pmHashCtl trimindom;
	__pmHashCtl hashlabels; /* by type a table by identifier of __pmLogLabelSet, the newest */
	__pmHashCtl hashtext;   /* by type a table by identifier of texts */
	int minvol;
	int maxvol;
	int numseen;
	int *seen;
	__pmLogLabel label;
	off_t physend;
	__pmTimestamp endtime;
	int numti;
	__pmLogTI *ti;
	struct __pmnsTree *pmns;
	int multi;
} __pmLogCtl;

typedef struct {
	__pmLogCtl *ac_log;
	__pmFILE *ac_mfp;
	int ac_curvol;
	long ac_offset;
	int ac_vol;
	int ac_serial;
	int ac_chkfeatures;
	__pmHashCtl ac_pmid_hc;
	double ac_end;
	void *ac_want;
	void *ac_unbound;
	void *ac_cache;
	int ac_cache_idx;
	int ac_mark_done;
	int ac_num_logs;
	int ac_cur_log;
	void **ac_log_list;
} __pmArchCtl;

typedef struct {
	pthread_mutex_t c_lock;
	int c_type;
	int c_mode;
	void *c_pmcd;
	__pmArchCtl *c_archctl;
	__pmTimestamp c_origin;
	__pmTimestamp c_delta;
	int c_direction;
	int c_sent;
	pmProfile *c_instprof;
	void *c_dm;
	int c_flags;
	__pmHashCtl c_attrs;
	int c_handle;
	int c_slot;
} __pmContext;

/* A copy of an archive context, which the library keeps: NULL for a handle of no archive. */
__pmContext *__pmHandleToPtr(int handle);

/* 0: a copy needs no lock. */
int __pmUnlock(void *lock, const char *file, int line);

/* The next record, or mark, as pmFetchArchive has it; n and pmids are not used. */
int __pmLogFetch(__pmContext *ctx, int n, pmID *pmids, __pmResult **result);

int __pmGetArchiveEnd(__pmArchCtl *control, __pmTimestamp *end);
size_t __pmLogLabelSize(const __pmLogCtl *log);

/* The text of the feature bits of a label, which the caller frees. */
char *__pmLogFeaturesStr(uint32_t features);

/* Reads a record of an instance domain whose header has been read: length and type are the
 * header's. 0 or more, or an error of the file. */
int __pmLogLoadInDom(__pmArchCtl *control, int length, int type, __pmLogInDom *indom,
		     int32_t **buf);

/* Makes a delta whole: it gets the instances of the older observations. */
void __pmLogUndeltaInDom(pmInDom indom, __pmLogInDom *last);
void __pmFreeLogInDom(__pmLogInDom *indom);

/* Reads the label at the beginning of a file: 0, or an error. */
int __pmLogLoadLabel(__pmFILE *f, __pmLogLabel *label);

/* As their namesakes of stdio, for files of archives, which may be compressed. */
size_t __pmFread(void *buf, size_t size, size_t n, __pmFILE *f);
int __pmFseek(__pmFILE *f, long offset, int whence);
int __pmFeof(__pmFILE *f);
int __pmFerror(__pmFILE *f);
int __pmStat(const char *path, struct stat *st);

/* As strcmp for times; the difference in seconds. */
int __pmTimestampCmp(const __pmTimestamp *a, const __pmTimestamp *b);
double __pmTimestampSub(const __pmTimestamp *a, const __pmTimestamp *b);

#pragma GCC visibility pop

struct meta_indom;

static inline __pmTimestamp compat_stamp(const struct timespec *ts)
{
	return (__pmTimestamp){.sec = ts->tv_sec, .nsec = (int32_t)ts->tv_nsec};
}

/* A record as an observation, which __pmFreeLogInDom frees. NULL: -ENOMEM. Of this room alone. */
__pmLogInDom *compat_indom_new(const struct meta_indom *record, bool delta);

#endif

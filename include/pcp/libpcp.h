/*
 * libpcp.h - functions of the library that are not part of the API, but that PCP's own programs and
 * agents use: docs/spec/pmapi.md 24. Prefer <pcp/pmapi.h> where it has the like.
 */
#ifndef PCP_LIBPCP_H
#define PCP_LIBPCP_H

#include "pmapi.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Values -------------------------------------------------------------------------------- */

/*
 * A value for a result: in place for 32-bit integers; else a block, which is the caller's to free
 * for PM_VAL_DPTR, and is the atom's own for PM_VAL_SPTR (static aggregates, events). The value
 * format, or PM_ERR_TYPE, -ENOMEM.
 */
int __pmStuffValue(const pmAtomValue *atom, pmValue *value, int type);

/* Text as a value of type; a string is copied, and the caller frees it. 0, PM_ERR_TYPE, -ERANGE,
 * -ENOMEM. */
int __pmStringValue(const char *text, pmAtomValue *atom, int type);

/* Frees the value sets of a result made of separate allocations, but not the result. */
void __pmFreeResultValues(pmResult *result);

/* Frees the answer of an instance request: names, lists, structure. NULL does nothing. */
void __pmFreeInResult(pmInResult *result);

/* ---- Times --------------------------------------------------------------------------------- */

/* Over signals, for an interval or until a time. */
void __pmtimevalSleep(struct timeval interval);
void __pmtimevalPause(struct timeval until);
void __pmtimespecSleep(struct timespec interval);
void __pmtimespecPause(struct timespec until);

/* TZ, or if it names a file or nothing the zone of now as for TZ: "CET-1". The first form's text is
 * the library's. */
char *__pmTimezone(void);
char *__pmTimezone_r(char *buf, int buflen);

/* ":Europe/Vienna", if /etc/localtime is a link to it; otherwise the text of __pmTimezone. The
 * caller frees it. */
char *__pmZoneinfo(void);

/* mktime in the reporting zone. */
time_t __pmMktime(struct tm *tm);

/*
 * "@ctime" text as broken-down time: fields that are not given are -1 [15.2]. 0, or -1 with
 * *errmsg, which the caller frees.
 */
int __pmParseCtime(const char *text, struct tm *tm, char **errmsg);

/* A time string as in -S and -T, within a start and an end. 0, or -1 with *errmsg. */
int __pmParseTime(const char *text, struct timeval *start, struct timeval *end,
		  struct timeval *result, char **errmsg);
int __pmParseHighResTime(const char *text, struct timespec *start, struct timespec *end,
			 struct timespec *result, char **errmsg);

/* ---- Messages and debugging ---------------------------------------------------------------- */

/* All codes of ours with name and text; NULL is stdout. */
void __pmDumpErrTab(FILE *f);

/* Names of the debug flags that are on. */
void __pmDumpDebug(FILE *f);

/* Names with sep between them; "<nonames>" for none. */
void __pmPrintMetricNames(FILE *f, int n, char **names, char *sep);

#define PM_STATE_APPL 0 /* a client */
#define PM_STATE_PMCS 1 /* a daemon or an agent */

/* The kind of a program. */
void __pmSetInternalState(int state);

/* ---- Options: the steps of pmGetOptions [19.3] ---------------------------------------------- */

void __pmStartOptions(pmOptions *opts);
int __pmEndOptions(pmOptions *opts);
void __pmAddOptHost(pmOptions *opts, char *host);
void __pmAddOptHostList(pmOptions *opts, char *hosts);
void __pmAddOptArchive(pmOptions *opts, char *archive);
void __pmAddOptArchiveList(pmOptions *opts, char *archives);
void __pmAddOptArchiveFolio(pmOptions *opts, char *folio);
void __pmAddOptArchivePath(pmOptions *opts);
void __pmAddOptContainer(pmOptions *opts, char *container);

/* ---- Labels -------------------------------------------------------------------------------- */

/* A set from JSON text; flags of PM_LABEL_* for each label; adding later ones. 0 or the count, or
 * -EINVAL, -E2BIG, -ENOMEM. */
int __pmParseLabelSet(const char *json, int length, int flags, pmLabelSet **set);
int __pmAddLabels(pmLabelSet **set, const char *json, int flags);
pmLabelSet *__pmDupLabelSets(pmLabelSet *sets, int n);

/* The labels of this host's files, and {"agent":"name"}: 1, 0 if there are none, or -errno. */
int __pmGetContextLabels(pmLabelSet **set);
int __pmGetDomainLabels(int domain, const char *name, pmLabelSet **set);

/* "InDom 60.1" and "context"; buf is returned. */
char *__pmLabelIdentString(int ident, int type, char *buf, size_t buflen);
const char *__pmLabelTypeString(int type);

/* ---- Instances that are wanted -------------------------------------------------------------- */

/* 1 if the profile wants this instance of a domain, else 0; NULL wants all. */
int __pmInProfile(pmInDom indom, const pmProfile *profile, int inst);

/* ---- Hash tables: from numbers to pointers --------------------------------------------------- */

typedef struct __pmHashNode {
	struct __pmHashNode *next; /* of the chain */
	unsigned int key;
	void *data; /* the caller's */
} __pmHashNode;

/* All zero is an empty table. */
typedef struct __pmHashCtl {
	int nodes;
	int hsize; /* chains */
	__pmHashNode **hash;
	__pmHashNode *next; /* of a walk that is under way */
	unsigned int index;
} __pmHashCtl;

/* Operations of a walk (start, next), and the return values of its callback. */
typedef enum {
	PM_HASH_WALK_START,
	PM_HASH_WALK_NEXT,
	PM_HASH_WALK_STOP,
	PM_HASH_WALK_DELETE_NEXT,
	PM_HASH_WALK_DELETE_STOP,
} __pmHashWalkState;

typedef __pmHashWalkState (*__pmHashWalkCallback)(const __pmHashNode *node, void *arg);

void __pmHashInit(__pmHashCtl *table);

/* Makes room for n entries in an empty table. 0, or -ENOMEM. */
int __pmHashPreAlloc(int n, __pmHashCtl *table);

/* Adds an entry before others of its key: 1, or -ENOMEM. */
int __pmHashAdd(unsigned int key, void *data, __pmHashCtl *table);

/* The entry of a key that was added last, or NULL. */
__pmHashNode *__pmHashSearch(unsigned int key, __pmHashCtl *table);

/* Forgets the entry of a key with this pointer: 1, or 0 if there is none. */
int __pmHashDel(unsigned int key, void *data, __pmHashCtl *table);

/* Calls for each entry; the callback may have the entry that it is given deleted. */
void __pmHashWalkCB(__pmHashWalkCallback callback, void *arg, const __pmHashCtl *table);

/* The first, or the next entry; NULL at the end. One walk a table; the entry may be deleted. */
__pmHashNode *__pmHashWalk(__pmHashCtl *table, __pmHashWalkState state);

/* Forgets all entries; Free is the same. Pointers in them are the caller's to free. */
void __pmHashClear(__pmHashCtl *table);
void __pmHashFree(__pmHashCtl *table);

/* ---- Work at intervals ----------------------------------------------------------------------- */

/*
 * Calls func(id, data) each delta, from a handler of SIGALRM: the first time after start (NULL:
 * delta). The id, above 0, or -errno. Blocked calls are made up for once, when unblocked.
 */
int __pmAFsetup(const struct timeval *start, const struct timeval *delta, void *data,
		void (*func)(int id, void *data));
int __pmAFregister(const struct timeval *delta, void *data, void (*func)(int id, void *data));

/* Removes the call-back of an id: 0, or -1 if there is none. */
int __pmAFunregister(int id);

void __pmAFblock(void);
void __pmAFunblock(void);

/* 1 if nothing is registered, else 0. */
int __pmAFisempty(void);

/* ---- Programs that are run ------------------------------------------------------------------- */

/* A command line that grows; NULL is an empty one. */
typedef struct __pmExecCtl __pmExecCtl_t;

#define PM_EXEC_TOSS_NONE   0 /* the streams of the command that are redirected to /dev/null */
#define PM_EXEC_TOSS_STDIN  1
#define PM_EXEC_TOSS_STDOUT 2
#define PM_EXEC_TOSS_STDERR 4
#define PM_EXEC_TOSS_ALL    7

/* Adds one argument; or the words of a text, where "..." and '...' hold blanks. 0; -ENOMEM,
 * -E2BIG, or PM_ERR_GENERIC (a quote is not closed), and the line is gone. No shell sees them. */
int __pmProcessAddArg(__pmExecCtl_t **line, const char *arg);
int __pmProcessUnpickArgs(__pmExecCtl_t **line, const char *text);

/*
 * As popen for the line, which is freed; mode is "r" or "w". 0 and *f; PM_ERR_TOOSMALL for an empty
 * line, -EINVAL for a mode, -errno: a program that is not there is -ENOENT.
 */
int __pmProcessPipe(__pmExecCtl_t **line, const char *mode, int toss, FILE **f);

/* The exit status, 1000 and a signal's number, or -errno (-EINVAL: not of __pmProcessPipe). */
int __pmProcessPipeClose(FILE *f);

/* A file in memory: read only, or with writable not 0 shared and writable. NULL: see errno. */
void *__pmMemoryMap(int fd, size_t size, int writable);
void __pmMemoryUnmap(void *memory, size_t size);

/* The time of day: 0, or -errno. */
int __pmGetTimespec(struct timespec *ts);

/* Sends an error PDU: the number of bytes, or -errno. */
int __pmSendError(int fd, int from, int code);

/* ---- The process ----------------------------------------------------------------------------- */

/* Installs a handler that stays, and restarts interrupted calls not. */
typedef void (*__pmSignalHandler)(int);
int __pmSetSignalHandler(int signal, __pmSignalHandler handler);

/* 1 if there is a process with this id, else 0. */
int __pmProcessExists(pid_t pid);

/* Kbytes of data and heap (NULL: not wanted): 0, or -errno. */
int __pmProcessDataSize(unsigned long *kbytes);

/* User and system time in seconds: 0, or -errno. */
int __pmProcessRunTimes(double *user, double *system);

/* PDUs received and sent by this process, a counter a type from 0x7000 on; see pmprobe -V. */
extern unsigned int *__pmPDUCntIn;
extern unsigned int *__pmPDUCntOut;

/* Prints those that are not zero. */
void __pmDumpPDUCnt(FILE *f);

/* Sends the collector of the current context a text about this client: "host (address) " and the
 * argument, or the command line. 0, PM_ERR_NOCONTEXT, or an error of pmStore. */
int __pmSetClientId(const char *id);
int __pmSetClientIdArgv(int argc, char **argv);

/* ---- PDUs outside of contexts ---------------------------------------------------------------- */

typedef unsigned int __pmPDU;

#define ANY_SIZE        0  /* mode of __pmGetPDU: a peer of ours */
#define LIMIT_SIZE      2  /* a stranger: at most 64 Kbytes */
#define TIMEOUT_NEVER   0  /* timeout of __pmGetPDU, or seconds */
#define TIMEOUT_DEFAULT -1 /* as for requests to a collector */

/*
 * Waits for a whole PDU: its type with *pdu, 0 at the end of the stream, PM_ERR_TIMEOUT,
 * PM_ERR_IPC, PM_ERR_TOOBIG, -errno. The words of its header are in host order, the rest is as it
 * came.
 * __pmUnpinPDUBuf frees it.
 */
int __pmGetPDU(int fd, int mode, int timeout, __pmPDU **pdu);

/* 1; 0 for a buffer that __pmGetPDU has not returned, or that has been released. */
int __pmUnpinPDUBuf(void *pdu);

/* The code of an ERROR: 0 with *code, or PM_ERR_IPC. */
int __pmDecodeError(__pmPDU *pdu, int *code);

/* "FETCH", or "TYPE-<number>?"; the first form's text is the library's. */
const char *__pmPDUTypeStr(int type);
char *__pmPDUTypeStr_r(int type, char *buf, int buflen);

/* The protocol version agreed on at a descriptor: 2 where nothing else was set. */
int __pmVersionIPC(int fd);
int __pmSetVersionIPC(int fd, int version);

/* Closes a descriptor of __pmConnectLogger. */
void __pmCloseSocket(int fd);

/* Room for a result of n value sets, which pmFreeResult and __pmFreeResult free; NULL: -ENOMEM. */
pmResult *__pmAllocResult(int n);
void __pmFreeResult(pmResult *result);

/* ---- Recorders: docs/spec/logger.md B6 (more in <pcp/impl.h>) -------------------------------- */

typedef struct __pmTimestamp {
	int64_t sec;
	int32_t nsec;
} __pmTimestamp;

/* "HH:MM:SS.nnnnnnnnn" in the reporting zone. */
void __pmPrintTimestamp(FILE *f, const __pmTimestamp *stamp);

/* A recorder that runs. */
typedef struct {
	int pid; /* 0: the primary one */
	int port;
	char *pmcd_host;
	char *archive;
	char *name; /* of its file: the process id, or "primary" */
} __pmLogPort;

/*
 * The recorders that run on a host (NULL: here): pid, PM_LOG_PRIMARY_PID or PM_LOG_ALL_PIDS. The
 * number of entries, which are the library's until the next call; the errors of a connection to
 * the host's collector. Not for several threads.
 */
int __pmLogFindPort(const char *host, int pid, __pmLogPort **list);

/* 1 if this names the host that we run on, else 0. */
int __pmIsLocalhost(const char *host);

/* Seconds to wait for an answer, PMLOGGER_REQUEST_TIMEOUT; 0: without limit. */
int __pmLoggerTimeout(void);

typedef struct {
	__pmTimestamp start; /* zero: nothing is recorded yet */
	__pmTimestamp last;
	__pmTimestamp now;
	int state; /* PM_LOG_STATE_* */
	int vol;
	int64_t size; /* of this volume, in bytes */
	struct {
		char *hostname;
		char *fqdn; /* how the recorder reaches it: "local:", a host name */
		char *timezone;
		char *zoneinfo;
	} pmcd;
	struct {
		char *timezone;
		char *zoneinfo;
	} pmlogger;
} __pmLoggerStatus; /* texts that were not sent are NULL */

#define PM_LOG_STATE_NEW  0 /* nothing recorded yet */
#define PM_LOG_STATE_INIT 1 /* recording */

#define LOG_REQUEST_NEWVOLUME 1 /* __pmSendLogRequest */
#define LOG_REQUEST_STATUS    2
#define LOG_REQUEST_SYNC      3

/*
 * The PDUs of a control port. Send returns the number of bytes sent, or -errno; Decode returns 0,
 * PM_ERR_IPC or -ENOMEM. The caller frees a request with pmFreeResult and a status with
 * __pmFreeLogStatus: all of it if whole is not 0, or its texts alone.
 */
int __pmSendLogControl(int fd, const pmResult *request, int control, int state, int delta);
int __pmDecodeLogControl(const __pmPDU *pdu, pmResult **request, int *control, int *state,
			 int *delta);
int __pmSendLogRequest(int fd, int request);
int __pmDecodeLogRequest(const __pmPDU *pdu, int *request);
int __pmSendLogStatus(int fd, const __pmLoggerStatus *status);
int __pmDecodeLogStatus(const __pmPDU *pdu, __pmLoggerStatus **status);
void __pmFreeLogStatus(__pmLoggerStatus *status, int whole);

/*
 * Asks the recorder at fd (LOG_REQUEST_*) and waits for the answer: its number from 0 up, or 0 with
 * *status for LOG_REQUEST_STATUS; the answer's error, PM_ERR_TIMEOUT, PM_ERR_IPC, -EPIPE. Ours.
 */
int pitot_logger_request(int fd, int request, __pmLoggerStatus **status);

/*
 * As pmNameAll of n ids, without waiting for each: names[i] is a block that the caller frees, or
 * NULL, counts[i] how many names, or the error of this one. 0; PM_ERR_TOOSMALL for n below 1; the
 * error of the context. Ours.
 */
int pitot_names_all(int n, const pmID *pmids, char ***names, int *counts);

/*
 * While wrap is not 0, counters of the archives of a context that fall between two records have
 * wrapped once where values are interpolated, as PCP_COUNTER_WRAP has it for all contexts. 0,
 * PM_ERR_NOCONTEXT, PM_ERR_NOTARCHIVE. Ours.
 */
int pitot_context_wrap(int handle, int wrap);

/* ---- Connections that others serve --------------------------------------------------------- */

/*
 * Takes the connection out of a context of a collector. The caller gets the descriptor, after the
 * handshake and without a reply under way, and closes it; the features that were agreed on; and the
 * time limit of a reply (0: none). The context has then lost its connection. PM_ERR_NOCONTEXT,
 * PM_ERR_NOTHOST, PM_ERR_IPC. Ours.
 */
int pitot_context_detach(int handle, unsigned int *features, int *timeout_ms);

/*
 * A result for pmFreeHighResResult from the bytes of a whole RESULT or HIGHRES_RESULT. 0;
 * PM_ERR_IPC, -EINVAL for another PDU, -ENOMEM. Ours.
 */
int pitot_result_decode(const void *pdu, size_t len, pmHighResResult **result);

/*
 * dlopen(path, RTLD_NOW) of an agent's shared object. The agent library beside this library is
 * loaded first: an object that was built elsewhere has no path to it, and gets the one that is
 * loaded. NULL: dlerror() has the reason.
 */
void *pitot_dso_open(const char *path);

/* ---- Trees of names: the functions under pmdaNameSpace (docs/spec/pmda.md 3.6, 17.2) --------- */

typedef struct __pmnsNode {
	struct __pmnsNode *parent;
	struct __pmnsNode *next;  /* sibling */
	struct __pmnsNode *first; /* child */
	struct __pmnsNode *hash;  /* next of the chain */
	char *name;               /* one component */
	pmID pmid;                /* PM_ID_NULL: not a leaf */
} __pmnsNode;

typedef struct __pmnsTree {
	__pmnsNode *root;
	__pmnsNode **htab; /* chains of leaves by PMID */
	int htabsize;
	int mark_state;
} __pmnsTree;

/* Prints a tree of names: one line a node, and with verbose its PMID. */
void __pmDumpNameNode(FILE *f, const __pmnsNode *node, int verbose);

/* The node of a name below the first of some siblings, or NULL. In libpcp_pmda. */
__pmnsNode *pmdaNodeLookup(__pmnsNode *node, const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

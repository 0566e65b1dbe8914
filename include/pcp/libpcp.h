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

/* ":Europe/Vienna", as far as /etc/localtime tells, else what __pmTimezone says. The caller frees.
 */
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

/* What kind of program this is. */
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

/* ---- What agents in shared objects use [24] ------------------------------------------------- */

typedef struct __pmHashNode {
	struct __pmHashNode *next;
	unsigned int key;
	void *data;
} __pmHashNode;

/* Zeroed: an empty table. The last two are for walks. */
typedef struct __pmHashCtl {
	int nodes;
	int hsize;
	__pmHashNode **hash;
	__pmHashNode *next;
	unsigned int index;
} __pmHashCtl;

/* Adds a node: 1 or -ENOMEM. Finds the newest node of a key. Takes out the node with this key and
 * data: 1, or 0 if there is none. Clearing frees the nodes, not what they point to. */
int __pmHashAdd(unsigned int key, void *data, __pmHashCtl *table);
__pmHashNode *__pmHashSearch(unsigned int key, __pmHashCtl *table);
int __pmHashDel(unsigned int key, void *data, __pmHashCtl *table);
void __pmHashInit(__pmHashCtl *table);
void __pmHashClear(__pmHashCtl *table);

/* 1 if a profile (NULL: everything) includes an instance, else 0. */
int __pmInProfile(pmInDom indom, const pmProfile *profile, int inst);

/* Maps size bytes of a file, shared: NULL on failure. 0 or -errno. */
void *__pmMemoryMap(int fd, size_t size, int writable);
int __pmMemoryUnmap(void *at, size_t size);

/* 0 or -errno. */
int __pmGetTimespec(struct timespec *now);

/* Sends an ERROR: bytes sent, or -errno. */
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

/* Tells the collector of the current context who we are: "host (address) " and this text, or the
 * command line. 0, PM_ERR_NOCONTEXT, or as pmStore. */
int __pmSetClientId(const char *id);
int __pmSetClientIdArgv(int argc, char **argv);

/* ---- Trees of names: what is behind pmdaNameSpace (docs/spec/pmda.md 3.6, 17.2) ------------- */

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

/* The node of a name below the first of some siblings, or NULL. In libpcp_pmda. */
__pmnsNode *pmdaNodeLookup(__pmnsNode *node, const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

/*
 * pmda.h - the agent library: an agent (PMDA) is a table of metrics, a table of instance domains
 * and a few callbacks; the library talks to pmcd.
 *
 * The interface is that of PCP 6.0.3; the numbers in brackets are sections of docs/spec/pmda.md.
 * Include <pcp/pmapi.h> first. Set-up functions report failure in dispatch->status (< 0); the
 * others return >= 0, or PM_ERR_* or -errno.
 */
#ifndef PCP_PMDA_H
#define PCP_PMDA_H

#include <stdarg.h>

#include "pmapi.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Interface versions [2.1] ------------------------------------------------------------ */

#define PMDA_INTERFACE_2      2
#define PMDA_INTERFACE_3      3 /* fetch callback may say: no value */
#define PMDA_INTERFACE_4      4 /* names known to the agent alone */
#define PMDA_INTERFACE_5      5 /* which client asks; values to be freed */
#define PMDA_INTERFACE_6      6 /* attributes of the client */
#define PMDA_INTERFACE_7      7 /* labels */
#define PMDA_INTERFACE_LATEST 7

/* How the agent is connected to pmcd. */
typedef enum { pmdaPipe, pmdaInet, pmdaUnix, pmdaUnknown, pmdaIPv6 } pmdaIoType;

typedef struct __pmnsTree pmdaNameSpace;
typedef struct __pmHashCtl pmdaHashTable;

/* ---- Tables [3.1] ------------------------------------------------------------------------ */

typedef struct pmdaInstid {
	int i_inst;
	char *i_name;
} pmdaInstid;

typedef struct pmdaIndom {
	pmInDom it_indom; /* serial; pmdaInit puts the domain in */
	int it_numinst;
	pmdaInstid *it_set;
} pmdaIndom;

typedef struct pmdaMetric {
	void *m_user; /* the agent's */
	pmDesc m_desc;
} pmdaMetric;

/* ---- Callbacks [2.8] --------------------------------------------------------------------- */

/* The value of one instance of one metric: PMDA_FETCH_* or an error. */
typedef int (*pmdaFetchCallBack)(pmdaMetric *, unsigned int, pmAtomValue *);

#define PMDA_FETCH_NOVALUES 0
#define PMDA_FETCH_STATIC   1
#define PMDA_FETCH_DYNAMIC  2 /* the library frees atom->cp or atom->vbp */

/* After the result was sent; not 0: go on with this PDU; after it was dealt with. */
typedef void (*pmdaResultCallBack)(pmResult *);
typedef int (*pmdaCheckCallBack)(void);
typedef void (*pmdaDoneCallBack)(void);

/* A client is gone; labels of one instance, added with pmdaAddLabels. */
typedef void (*pmdaEndContextCallBack)(int);
typedef int (*pmdaLabelCallBack)(pmInDom, unsigned int, pmLabelSet **);

/* ---- The agent's state [3.2] ------------------------------------------------------------- */

/* Made by the library. Agents may read what is the tables, the client and the connection. */
typedef struct pmdaExt {
	unsigned int e_flags; /* PMDA_EXT_* */
	void *e_ext;          /* the library's */
	char *e_sockname;
	const char *e_name;
	const char *e_logfile;
	const char *e_helptext;
	int e_status;
	int e_infd;
	int e_outfd;
	int e_port;
	int e_singular; /* position of the walk over instances */
	int e_ordinal;
	int e_direct; /* item is index in e_metrics */
	int e_domain;
	int e_nmetrics;
	int e_nindoms;
	int e_help;        /* handle of the help text, or < 0 */
	pmProfile *e_prof; /* NULL: everything */
	pmdaIoType e_io;
	pmdaIndom *e_indoms;
	pmdaIndom *e_idp;
	pmdaMetric *e_metrics;
	pmdaResultCallBack e_resultCallBack;
	pmdaFetchCallBack e_fetchCallBack;
	pmdaCheckCallBack e_checkCallBack;
	pmdaDoneCallBack e_doneCallBack;
	int e_context; /* the client, from interface 5 */
	pmdaEndContextCallBack e_endCallBack;
	pmdaLabelCallBack e_labelCallBack;
} pmdaExt;

#define PMDA_EXT_FLAG_DIRECT  (1 << 0) /* item numbers are meant to be indexes */
#define PMDA_EXT_FLAG_HASHED  (1 << 1) /* find metrics by hash */
#define PMDA_EXT_SETUPDONE    (1 << 2)
#define PMDA_EXT_CONNECTED    (1 << 3)
#define PMDA_EXT_NOTREADY     (1 << 4)
#define PMDA_EXT_LABEL_CHANGE (1 << 5) /* to be reported to clients with the next fetch */
#define PMDA_EXT_NAMES_CHANGE (1 << 6)

#ifdef __GNUC__
#define __PMDA_INIT_CALL __attribute__((visibility("default")))
#else
#define __PMDA_INIT_CALL
#endif
#define PMDA_CALL

/* The interface between pmcd and the library: versions, status, and a method for each kind of
 * request. The first seven slots are the same in all versions [3.3]. */
typedef struct pmdaInterface {
	int domain;
	struct {
		unsigned int pmda_interface : 8;
		unsigned int pmapi_version : 8;
		unsigned int flags : 16; /* PMDA_FLAG_* */
	} comm;
	int status;
	union {
		struct {
			pmdaExt *ext;
			int (*profile)(pmProfile *, pmdaExt *);
			int (*fetch)(int, pmID *, pmResult **, pmdaExt *);
			int (*desc)(pmID, pmDesc *, pmdaExt *);
			int (*instance)(pmInDom, int, char *, pmInResult **, pmdaExt *);
			int (*text)(int, int, char **, pmdaExt *);
			int (*store)(pmResult *, pmdaExt *);
		} any, two, three;
		struct {
			pmdaExt *ext;
			int (*profile)(pmProfile *, pmdaExt *);
			int (*fetch)(int, pmID *, pmResult **, pmdaExt *);
			int (*desc)(pmID, pmDesc *, pmdaExt *);
			int (*instance)(pmInDom, int, char *, pmInResult **, pmdaExt *);
			int (*text)(int, int, char **, pmdaExt *);
			int (*store)(pmResult *, pmdaExt *);
			int (*pmid)(const char *, pmID *, pmdaExt *);
			int (*name)(pmID, char ***, pmdaExt *);
			int (*children)(const char *, int, char ***, int **, pmdaExt *);
		} four, five;
		struct {
			pmdaExt *ext;
			int (*profile)(pmProfile *, pmdaExt *);
			int (*fetch)(int, pmID *, pmResult **, pmdaExt *);
			int (*desc)(pmID, pmDesc *, pmdaExt *);
			int (*instance)(pmInDom, int, char *, pmInResult **, pmdaExt *);
			int (*text)(int, int, char **, pmdaExt *);
			int (*store)(pmResult *, pmdaExt *);
			int (*pmid)(const char *, pmID *, pmdaExt *);
			int (*name)(pmID, char ***, pmdaExt *);
			int (*children)(const char *, int, char ***, int **, pmdaExt *);
			int (*attribute)(int, int, const char *, int, pmdaExt *);
		} six;
		struct {
			pmdaExt *ext;
			int (*profile)(pmProfile *, pmdaExt *);
			int (*fetch)(int, pmID *, pmResult **, pmdaExt *);
			int (*desc)(pmID, pmDesc *, pmdaExt *);
			int (*instance)(pmInDom, int, char *, pmInResult **, pmdaExt *);
			int (*text)(int, int, char **, pmdaExt *);
			int (*store)(pmResult *, pmdaExt *);
			int (*pmid)(const char *, pmID *, pmdaExt *);
			int (*name)(pmID, char ***, pmdaExt *);
			int (*children)(const char *, int, char ***, int **, pmdaExt *);
			int (*attribute)(int, int, const char *, int, pmdaExt *);
			int (*label)(int, int, pmLabelSet **, pmdaExt *);
		} seven;
	} version;
} pmdaInterface;

/* comm.flags: what the agent wants to know of its clients; then the attributes' keys [2.5]. */
#define PMDA_FLAG_AUTHORIZE (1 << 2)
#define PMDA_FLAG_CONTAINER (1 << 6)

#define PMDA_ATTR_USERNAME  5
#define PMDA_ATTR_USERID    11
#define PMDA_ATTR_GROUPID   12
#define PMDA_ATTR_PROCESSID 14
#define PMDA_ATTR_CONTAINER 15

/* An agent loaded into a process. */
typedef struct __pmDSO {
	int domain;
	char *name;
	char *init;
	void *handle;
	int ctx_last_prof;
	pmdaInterface dispatch;
} __pmDSO;

/* Identifier without domain, and units, for the initialisers of tables. */
#define PMDA_PMID(cluster, item) ((((cluster)&0xfff) << 10) | ((item)&0x3ff))
#ifdef HAVE_BITFIELDS_LTOR
#define PMDA_PMUNITS(a, b, c, d, e, f)                                                             \
	{                                                                                          \
		a, b, c, d, e, f, 0                                                                \
	}
#else
#define PMDA_PMUNITS(a, b, c, d, e, f)                                                             \
	{                                                                                          \
		0, f, e, d, c, b, a                                                                \
	}
#endif

/* ---- Command line [2.6, 3.5, 6] ------------------------------------------------------------- */

/* clang-format off */
#define PMDA_OPTIONS           "D:d:h:i:l:pu:U:"
#define PMDA_OPTIONS_HEADER(s) { "", 0, '-', 0, (s) }
#define PMDA_OPTIONS_TEXT(s)   { "", 0, '|', 0, (s) }
#define PMDA_OPTIONS_END       { NULL, 0, 0, 0, NULL }

#define PMDAOPT_DEBUG    { "debug", 1, 'D', "DBG", \
	NULL }
#define PMDAOPT_DOMAIN   { "domain", 1, 'd', "NUM", \
	"use domain (numeric) for metrics domain of PMDA" }
#define PMDAOPT_HELPTEXT { "helpfile", 1, 'h', "FILE", \
	"path to PMDA metrics help text file" }
#define PMDAOPT_INET     { "inet", 1, 'i', "PORT", \
	"pmcd IPv4 connection service name or numeric port" }
#define PMDAOPT_IPV6     { "ipv6", 1, '6', "PORT", \
	"pmcd IPv6 connection service name or numeric port" }
#define PMDAOPT_LOGFILE  { "log", 1, 'l', "FILE", \
	"write log to FILE rather than using default log name" }
#define PMDAOPT_PIPE     { "pipe", 0, 'p', 0, \
	"use a pipe for communication with pmcd" }
#define PMDAOPT_UNIX     { "unix", 1, 'u', "FILE", \
	"use a unix domain socket for communication with pmcd" }
#define PMDAOPT_USERNAME { "username", 1, 'U', "USER", \
	"run the PMDA using the named user account" }
/* clang-format on */

struct pmdaOptions;
#define __pmdaOptions pmdaOptions
typedef int (*pmdaOptionOverride)(int, struct pmdaOptions *);

/* Begins as pmOptions does. */
typedef struct pmdaOptions {
	int version;
	int flags;
	const char *short_options;
	pmLongOptions *long_options;
	const char *short_usage;
	pmdaOptionOverride override;

	int index;
	int optind;
	int opterr;
	int optopt;
	char *optarg;

	int __initialized;
	char *__nextchar;
	int __ordering;
	int __posixly_correct;
	int __first_nonopt;
	int __last_nonopt;

	int errors;
	char *username; /* out: -U */
} pmdaOptions;

/* As getopt, with PMDA_OPTIONS taken care of; *errors counts mistakes. */
int pmdaGetOpt(int argc, char *const *argv, const char *optstring, pmdaInterface *dispatch,
	       int *errors);
int pmdaGetOptions(int argc, char *const *argv, pmdaOptions *opts, pmdaInterface *dispatch);
void pmdaUsageMessage(pmdaOptions *opts);

/* ---- Life of an agent [5, 7, 8, 9] ---------------------------------------------------------- */

/* Fills dispatch with defaults, for a process or for an agent loaded by pmcd. name is kept. */
void pmdaDaemon(pmdaInterface *dispatch, int interface_version, const char *name, int domain,
		const char *logfile, const char *helptext);
void pmdaDSO(pmdaInterface *dispatch, int interface_version, char *name, char *helptext);

/* Sends stderr into the log file. */
void pmdaOpenLog(pmdaInterface *dispatch);

/* A pointer of the agent's own. */
void pmdaSetData(pmdaInterface *dispatch, void *data);
void pmdaExtSetData(pmdaExt *ext, void *data);
void *pmdaExtGetData(pmdaExt *ext);

/* PMDA_EXT_* and PMDA_FLAG_*: they add up. */
void pmdaSetFlags(pmdaInterface *dispatch, int flags);
void pmdaExtSetFlags(pmdaExt *ext, int flags);
void pmdaSetCommFlags(pmdaInterface *dispatch, int flags);

/* Takes the tables, which stay the agent's and must last. */
void pmdaInit(pmdaInterface *dispatch, pmdaIndom *indoms, int nindoms, pmdaMetric *metrics,
	      int nmetrics);
void pmdaRehash(pmdaExt *ext, pmdaMetric *metrics, int nmetrics);

void pmdaConnect(pmdaInterface *dispatch);

/* Serves pmcd until it closes the connection. */
void pmdaMain(pmdaInterface *dispatch);

/* Tells pmcd PM_ERR_PMDANOTREADY or PM_ERR_PMDAREADY, say. */
void pmdaSendError(pmdaInterface *dispatch, int error);

/* For an agent with a loop of its own: the descriptor to wait for, and one PDU. */
int __pmdaInFd(pmdaInterface *dispatch);
int __pmdaMainPDU(pmdaInterface *dispatch);

/* Whoever copies or moves a dispatch says so. */
void pmdaInterfaceMoved(pmdaInterface *dispatch);

void pmdaSetResultCallBack(pmdaInterface *dispatch, pmdaResultCallBack callback);
void pmdaSetFetchCallBack(pmdaInterface *dispatch, pmdaFetchCallBack callback);
void pmdaSetCheckCallBack(pmdaInterface *dispatch, pmdaCheckCallBack callback);
void pmdaSetDoneCallBack(pmdaInterface *dispatch, pmdaDoneCallBack callback);
void pmdaSetEndContextCallBack(pmdaInterface *dispatch, pmdaEndContextCallBack callback);
void pmdaSetLabelCallBack(pmdaInterface *dispatch, pmdaLabelCallBack callback);

/* ---- Methods: what dispatch has by default [10] ------------------------------------------- */

int pmdaProfile(pmProfile *profile, pmdaExt *ext);
int pmdaFetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext);
int pmdaInstance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext);
int pmdaDesc(pmID pmid, pmDesc *desc, pmdaExt *ext);
int pmdaText(int ident, int type, char **text, pmdaExt *ext);
int pmdaStore(pmResult *result, pmdaExt *ext);
int pmdaPMID(const char *name, pmID *pmid, pmdaExt *ext);
int pmdaName(pmID pmid, char ***names, pmdaExt *ext);
int pmdaChildren(const char *name, int traverse, char ***offspring, int **status, pmdaExt *ext);
int pmdaAttribute(int context, int attr, const char *value, int length, pmdaExt *ext);
int pmdaLabel(int ident, int type, pmLabelSet **sets, pmdaExt *ext);

/* The client whose request is being served. */
int pmdaGetContext(void);
void __pmdaSetContext(int context);

/* Walk over the instances that the profile selects: how many; rewind; 1 and the next, or 0. */
int __pmdaCntInst(pmInDom indom, pmdaExt *ext);
void __pmdaStartInst(pmInDom indom, pmdaExt *ext);
int __pmdaNextInst(int *inst, pmdaExt *ext);

/* ---- Help text files [15] ----------------------------------------------------------------- */

/* Handle, or -errno. The text is the library's; NULL if there is none. */
int pmdaOpenHelp(const char *path);
void pmdaCloseHelp(int handle);
char *pmdaGetHelp(int handle, pmID pmid, int type);
char *pmdaGetInDomHelp(int handle, pmInDom indom, int type);

/* ---- Labels [11] ------------------------------------------------------------------------- */

/* Adds the labels of a JSON object, printed; notes are optional labels. Count, or -EINVAL, -E2BIG.
 */
int pmdaAddLabels(pmLabelSet **set, const char *fmt, ...) __PM_PRINTFLIKE(2, 3);
int pmdaAddNotes(pmLabelSet **set, const char *fmt, ...) __PM_PRINTFLIKE(2, 3);
int pmdaAddLabelFlags(pmLabelSet *set, int flags);

/* ---- Names and metrics that come and go [17] --------------------------------------------- */

typedef int (*pmdaUpdatePMNS)(pmdaExt *, pmdaNameSpace **);
typedef int (*pmdaUpdateText)(pmdaExt *, pmID, int, char **);
typedef void (*pmdaUpdateMetric)(pmdaMetric *, pmdaMetric *, int);
typedef void (*pmdaCountMetrics)(int *, int *);

/* Registers callbacks for the subtree prefix and the clusters. */
void pmdaExtDynamicPMNS(const char *prefix, int *clusters, int nclusters, pmdaUpdatePMNS pmns,
			pmdaUpdateText text, pmdaUpdateMetric metric, pmdaCountMetrics count,
			pmdaMetric *metrics, int nmetrics, pmdaExt *ext);
void pmdaDynamicPMNS(const char *prefix, int *clusters, int nclusters, pmdaUpdatePMNS pmns,
		     pmdaUpdateText text, pmdaUpdateMetric metric, pmdaCountMetrics count,
		     pmdaMetric *metrics, int nmetrics);
int pmdaDynamicSetClusterMask(const char *prefix, unsigned int mask);
pmdaNameSpace *pmdaDynamicLookupName(pmdaExt *ext, const char *name);
pmdaNameSpace *pmdaDynamicLookupPMID(pmdaExt *ext, pmID pmid);
int pmdaDynamicLookupText(pmID pmid, int type, char **text, pmdaExt *ext);
void pmdaDynamicMetricTable(pmdaExt *ext);

/* Name space trees for those callbacks. */
int pmdaTreeCreate(pmdaNameSpace **tree);
int pmdaTreeInsert(pmdaNameSpace *tree, pmID pmid, const char *name);
void pmdaTreeRebuildHash(pmdaNameSpace *tree, int nmetrics);
void pmdaTreeRelease(pmdaNameSpace *tree);
int pmdaTreePMID(pmdaNameSpace *tree, const char *name, pmID *pmid);
int pmdaTreeName(pmdaNameSpace *tree, pmID pmid, char ***names);
int pmdaTreeChildren(pmdaNameSpace *tree, const char *name, int traverse, char ***offspring,
		     int **status);
int pmdaTreeSize(pmdaNameSpace *tree);

/* ---- Instances that come and go: the cache [12] ------------------------------------------ */

/* The instance number, its state, or a negative code. The pointer is the agent's. */
int pmdaCacheStore(pmInDom indom, int op, const char *name, void *data);
int pmdaCacheStoreKey(pmInDom indom, int op, const char *name, int keylen, const void *key,
		      void *data);
int pmdaCacheLookup(pmInDom indom, int inst, char **name, void **data);
int pmdaCacheLookupName(pmInDom indom, const char *name, int *inst, void **data);
int pmdaCacheLookupKey(pmInDom indom, const char *name, int keylen, const void *key,
		       char **ret_name, int *inst, void **data);
int pmdaCacheOp(pmInDom indom, int op);

/* Forgets instances not seen for recent seconds: how many. */
int pmdaCachePurge(pmInDom indom, time_t recent);
int pmdaCachePurgeCallback(pmInDom indom, time_t recent, void (*callback)(void *));
int pmdaCacheResize(pmInDom indom, int max);

#define PMDA_CACHE_LOAD          1
#define PMDA_CACHE_ADD           2
#define PMDA_CACHE_HIDE          3
#define PMDA_CACHE_CULL          4
#define PMDA_CACHE_EMPTY         5
#define PMDA_CACHE_SAVE          6
#define PMDA_CACHE_STRINGS       7
#define PMDA_CACHE_ACTIVE        8 /* a state */
#define PMDA_CACHE_INACTIVE      9 /* a state */
#define PMDA_CACHE_SIZE          10
#define PMDA_CACHE_SIZE_ACTIVE   11
#define PMDA_CACHE_SIZE_INACTIVE 12
#define PMDA_CACHE_REUSE         13
#define PMDA_CACHE_WALK_REWIND   14
#define PMDA_CACHE_WALK_NEXT     15
#define PMDA_CACHE_CHECK         16
#define PMDA_CACHE_REORG         17
#define PMDA_CACHE_SYNC          18
#define PMDA_CACHE_DUMP          19
#define PMDA_CACHE_DUMP_ALL      20

void __pmdaCacheDumpAll(FILE *f, int states);
void __pmdaCacheDump(FILE *f, pmInDom indom, int states);

/* ---- Event arrays [13] ------------------------------------------------------------------- */

/* A handle of 0 or more, or -ENOMEM; the others return 0, PM_ERR_NOCONTEXT for an unknown handle,
 * -ENOMEM, or -E2BIG beyond 16 MB. A call that fails leaves the array as it was. */
int pmdaEventNewArray(void);
int pmdaEventResetArray(int handle);
int pmdaEventReleaseArray(int handle);

/*
 * Adds a record (flags: PM_EVENT_FLAG_*, otherwise PM_ERR_CONV), a record with a count of missed
 * records, or a parameter to the newest record. PM_ERR_TYPE; PM_ERR_CONV without a value; -EINVAL
 * without a record.
 */
int pmdaEventAddRecord(int handle, struct timeval *stamp, int flags);
int pmdaEventAddMissedRecord(int handle, struct timeval *stamp, int missed);
int pmdaEventAddParam(int handle, pmID pmid, int type, pmAtomValue *atom);

/* The array, the library's and valid until the next call that adds, or NULL. */
pmEventArray *pmdaEventGetAddr(int handle);

/* The same with nanoseconds. */
int pmdaEventNewHighResArray(void);
int pmdaEventResetHighResArray(int handle);
int pmdaEventReleaseHighResArray(int handle);
int pmdaEventAddHighResRecord(int handle, struct timespec *stamp, int flags);
int pmdaEventAddHighResMissedRecord(int handle, struct timespec *stamp, int missed);
int pmdaEventAddHighResParam(int handle, pmID pmid, int type, pmAtomValue *atom);
pmHighResEventArray *pmdaEventGetHighResAddr(int handle);

/* Old names of the last two. */
int pmdaEventHighResAddParam(int handle, pmID pmid, int type, pmAtomValue *atom);
pmHighResEventArray *pmdaEventHighResGetAddr(int handle);

/* ---- Event queues: each client sees each event once [14] --------------------------------- */

/* Handle of a queue that holds up to maxbytes of events, the first ones for clients still to come;
 * -EINVAL, -EEXIST, -ENOMEM. */
int pmdaEventNewQueue(const char *name, size_t maxbytes);
int pmdaEventNewActiveQueue(const char *name, size_t maxbytes, unsigned int clients);

/* The end of a queue, at once or with its last client. 0 or -EINVAL. */
int pmdaEventQueueShutdown(int queue);

/* The handle of a name, or -ESRCH. */
int pmdaEventQueueHandle(const char *name);

/* Copies an event to the end: 0, -EINVAL, -ENOMEM; -EBUSY from a call back of the queue. */
int pmdaEventQueueAppend(int queue, void *data, size_t size, struct timeval *stamp);

/* For metrics: clients, events and bytes ever appended, bytes held now. 1 or -EINVAL. */
int pmdaEventQueueClients(int queue, pmAtomValue *atom);
int pmdaEventQueueCounter(int queue, pmAtomValue *atom);
int pmdaEventQueueBytes(int queue, pmAtomValue *atom);
int pmdaEventQueueMemory(int queue, pmAtomValue *atom);

/* Adds one event to an array: how many records, or an error code. */
typedef int (*pmdaEventDecodeCallBack)(int, void *, size_t, struct timeval *, void *);

/* The events that a client has not had, as an array in atom->vbp: 1, or 0 if there are none, or
 * -EINVAL, -ENOMEM, the decoder's error. */
int pmdaEventQueueRecords(int queue, pmAtomValue *atom, int context, pmdaEventDecodeCallBack decode,
			  void *data);

/* Slot of a client, which is a context; its end; how many there are. */
int pmdaEventNewClient(int context);
int pmdaEventEndClient(int context);
int pmdaEventClients(pmAtomValue *atom);

/* Not 0: this client does not see this event. */
typedef int (*pmdaEventApplyFilterCallBack)(void *, void *, size_t);
typedef void (*pmdaEventReleaseFilterCallBack)(void *);

/* Sets which events of a queue a client gets; at first it gets none. 0, -EINVAL, -ENOMEM. */
int pmdaEventSetFilter(int context, int queue, void *data, pmdaEventApplyFilterCallBack apply,
		       pmdaEventReleaseFilterCallBack release);
int pmdaEventSetAccess(int context, int queue, int allow);

/* Printable form of an event, cut to size. */
char *__pmdaEventPrint(const char *event, int length, char *buf, int size);

/* ---- The privileged helper pmdaroot [16] ------------------------------------------------- */

/* Descriptor, or a negative code. */
int pmdaRootConnect(const char *path);
void pmdaRootShutdown(int fd);
int pmdaRootContainerHostName(int fd, const char *name, int namelen, char *buf, int buflen);
int pmdaRootContainerProcessID(int fd, const char *name, int namelen);
int pmdaRootContainerCGroupName(int fd, const char *name, int namelen, char *buf, int buflen);
int pmdaRootProcessStart(int fd, int ipctype, const char *label, int labellen, const char *args,
			 int argslen, int *pid, int *infd, int *outfd);
int pmdaRootProcessWait(int fd, int pid, int *status);
int pmdaRootProcessTerminate(int fd, int pid);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

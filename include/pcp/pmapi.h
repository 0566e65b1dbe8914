/*
 * pmapi.h - the Performance Metrics API: contexts, names, values, labels, options.
 *
 * The interface is that of PCP 6.0.3; the numbers in brackets are sections of
 * docs/spec/pmapi.md, which has the exact behaviour. Conventions:
 *
 *  - An int result is >= 0 on success and negative on failure: -errno for the system's failures,
 *    PM_ERR_* for ours. pmErrStr_r gives the text of both.
 *  - Functions ending in _r write into a buffer of the caller and return it; their twins without
 *    _r use one static buffer and belong to one thread. Everything else may be called from any
 *    thread, except where it is said otherwise [1.2].
 *  - What a call allocates is freed by the caller: with the function named, else with free().
 *    A list of names is one block: one free() releases the array and its strings.
 *  - The current context is a property of the calling thread.
 *
 * PMAPI_VERSION chooses between struct timeval (2, the default) and struct timespec (3) in
 * pmOptions; define it before the first inclusion.
 */
#ifndef PCP_PMAPI_H
#define PCP_PMAPI_H

#include "platform_defs.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/stat.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMAPI_VERSION_2 2
#define PMAPI_VERSION_3 3
#ifndef PMAPI_VERSION
#define PMAPI_VERSION PMAPI_VERSION_2
#endif

#ifdef __GNUC__
#define __PM_PRINTFLIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define __PM_PRINTFLIKE(fmt, args)
#endif

#pragma GCC visibility push(default)

/* ---- Identifiers [2.1] ------------------------------------------------------------------- */

/* Metric: domain (9 bits), cluster (12), item (10); instance domain: domain (9), serial (22). */
typedef unsigned int pmID;
typedef unsigned int pmInDom;

#define PM_ID_NULL    0xffffffff
#define PM_INDOM_NULL 0xffffffff /* the metric has one value and no instances */
#define PM_IN_NULL    0xffffffff /* the instance of such a value */
#define PM_NS_DEFAULT NULL

/* Build masks each field to its width; the others take one field out. */
pmID pmID_build(unsigned int domain, unsigned int cluster, unsigned int item);
unsigned int pmID_domain(pmID pmid);
unsigned int pmID_cluster(pmID pmid);
unsigned int pmID_item(pmID pmid);
pmInDom pmInDom_build(unsigned int domain, unsigned int serial);
unsigned int pmInDom_domain(pmInDom indom);
unsigned int pmInDom_serial(pmInDom indom);

/* Domain 511 is not an agent's: with item 0 it is the root of a subtree whose names the agent of
 * domain "cluster" knows, else a derived metric (in an archive its cluster has the top bit set). */
#define DYNAMIC_PMID       511
#define IS_DYNAMIC_ROOT(x) (pmID_domain(x) == DYNAMIC_PMID && pmID_item(x) == 0)
#define IS_DERIVED(x)                                                                              \
	(pmID_domain(x) == DYNAMIC_PMID && (pmID_cluster(x) & 2048) == 0 && pmID_item(x) != 0)

/* ---- Descriptors: type, semantics, units [2.2, 2.4] -------------------------------------- */

/* Dimension (-8..7) and scale in space, time and count: bytes per second is dimSpace 1, dimTime -1,
 * scaleSpace PM_SPACE_BYTE, scaleTime PM_TIME_SEC. */
typedef struct pmUnits {
#ifdef HAVE_BITFIELDS_LTOR
	signed int dimSpace : 4;
	signed int dimTime : 4;
	signed int dimCount : 4;
	unsigned int scaleSpace : 4;
	unsigned int scaleTime : 4;
	signed int scaleCount : 4;
	unsigned int pad : 8;
#else
	unsigned int pad : 8;
	signed int scaleCount : 4;   /* power of ten */
	unsigned int scaleTime : 4;  /* PM_TIME_* */
	unsigned int scaleSpace : 4; /* PM_SPACE_* */
	signed int dimCount : 4;
	signed int dimTime : 4;
	signed int dimSpace : 4;
#endif
} pmUnits;

/* Powers of 1024. */
#define PM_SPACE_BYTE  0
#define PM_SPACE_KBYTE 1
#define PM_SPACE_MBYTE 2
#define PM_SPACE_GBYTE 3
#define PM_SPACE_TBYTE 4
#define PM_SPACE_PBYTE 5
#define PM_SPACE_EBYTE 6
#define PM_SPACE_ZBYTE 7
#define PM_SPACE_YBYTE 8

#define PM_TIME_NSEC 0
#define PM_TIME_USEC 1
#define PM_TIME_MSEC 2
#define PM_TIME_SEC  3
#define PM_TIME_MIN  4
#define PM_TIME_HOUR 5

#define PM_COUNT_ONE 0

typedef struct pmDesc {
	pmID pmid;
	int type; /* PM_TYPE_* */
	pmInDom indom;
	int sem; /* PM_SEM_* */
	pmUnits units;
} pmDesc;

#define PM_TYPE_NOSUPPORT        -1 /* the metric exists elsewhere, not on this host */
#define PM_TYPE_32               0
#define PM_TYPE_U32              1
#define PM_TYPE_64               2
#define PM_TYPE_U64              3
#define PM_TYPE_FLOAT            4
#define PM_TYPE_DOUBLE           5
#define PM_TYPE_STRING           6
#define PM_TYPE_AGGREGATE        7   /* any bytes */
#define PM_TYPE_AGGREGATE_STATIC 8   /* any bytes, in memory that is never freed */
#define PM_TYPE_EVENT            9   /* pmEventArray */
#define PM_TYPE_HIGHRES_EVENT    10  /* pmHighResEventArray */
#define PM_TYPE_UNKNOWN          255 /* in a value block only */

#define PM_SEM_COUNTER  1 /* grows for ever */
#define PM_SEM_INSTANT  3 /* current value of something continuous */
#define PM_SEM_DISCRETE 4 /* current value of something that changes seldom */

/* ---- Errors [2.4, 2.5] ------------------------------------------------------------------- */

#define PM_ERR_BASE2 12345
#define PM_ERR_BASE  PM_ERR_BASE2

#define PM_ERR_GENERIC (-PM_ERR_BASE - 0) /* already reported, see the messages above */
#define PM_ERR_PMNS    (-PM_ERR_BASE - 1) /* name space file does not parse */
#define PM_ERR_NOPMNS  (-PM_ERR_BASE - 2) /* no name space */
#define PM_ERR_DUPPMNS (-PM_ERR_BASE - 3) /* a name space is loaded already */
#define PM_ERR_TEXT    (-PM_ERR_BASE - 4) /* no help text */
#define PM_ERR_APPVERSION                                                                          \
	(-PM_ERR_BASE - 5) /* this version of the application has no such metric */
#define PM_ERR_VALUE         (-PM_ERR_BASE - 6)  /* no value */
#define PM_ERR_TIMEOUT       (-PM_ERR_BASE - 8)  /* pmcd or an agent did not answer in time */
#define PM_ERR_NODATA        (-PM_ERR_BASE - 9)  /* archive without data */
#define PM_ERR_RESET         (-PM_ERR_BASE - 10) /* pmcd was restarted or reconfigured */
#define PM_ERR_NAME          (-PM_ERR_BASE - 12) /* no such metric name */
#define PM_ERR_PMID          (-PM_ERR_BASE - 13) /* no such metric identifier */
#define PM_ERR_INDOM         (-PM_ERR_BASE - 14) /* no such instance domain */
#define PM_ERR_INST          (-PM_ERR_BASE - 15) /* no such instance */
#define PM_ERR_UNIT          (-PM_ERR_BASE - 16) /* bad pmUnits */
#define PM_ERR_CONV          (-PM_ERR_BASE - 17) /* types or dimensions do not convert */
#define PM_ERR_TRUNC         (-PM_ERR_BASE - 18) /* too big for the wanted type */
#define PM_ERR_SIGN          (-PM_ERR_BASE - 19) /* negative, wanted unsigned */
#define PM_ERR_PROFILE       (-PM_ERR_BASE - 20) /* instances must be named in the profile */
#define PM_ERR_IPC           (-PM_ERR_BASE - 21) /* bytes that break the protocol */
#define PM_ERR_EOF           (-PM_ERR_BASE - 23) /* connection closed */
#define PM_ERR_NOTHOST       (-PM_ERR_BASE - 24) /* needs a host context */
#define PM_ERR_EOL           (-PM_ERR_BASE - 25) /* end of the archive */
#define PM_ERR_MODE          (-PM_ERR_BASE - 26) /* no such mode here */
#define PM_ERR_LABEL         (-PM_ERR_BASE - 27) /* bad label at the start of an archive */
#define PM_ERR_LOGREC        (-PM_ERR_BASE - 28) /* damaged record in an archive */
#define PM_ERR_NOTARCHIVE    (-PM_ERR_BASE - 29) /* needs an archive context */
#define PM_ERR_LOGFILE       (-PM_ERR_BASE - 30) /* a file of the archive is missing */
#define PM_ERR_NOCONTEXT     (-PM_ERR_BASE - 31) /* no such context */
#define PM_ERR_PROFILESPEC   (-PM_ERR_BASE - 32) /* instances without instance domain */
#define PM_ERR_PMID_LOG      (-PM_ERR_BASE - 33) /* metric is not in the archive */
#define PM_ERR_INDOM_LOG     (-PM_ERR_BASE - 34) /* instance domain is not in the archive */
#define PM_ERR_INST_LOG      (-PM_ERR_BASE - 35) /* instance is not in the archive */
#define PM_ERR_NOPROFILE     (-PM_ERR_BASE - 36) /* fetch before any profile */
#define PM_ERR_NOAGENT       (-PM_ERR_BASE - 41) /* no agent for this domain */
#define PM_ERR_PERMISSION    (-PM_ERR_BASE - 42) /* not allowed */
#define PM_ERR_CONNLIMIT     (-PM_ERR_BASE - 43) /* too many connections from this host */
#define PM_ERR_AGAIN         (-PM_ERR_BASE - 44) /* not now, try again */
#define PM_ERR_ISCONN        (-PM_ERR_BASE - 45) /* connected already */
#define PM_ERR_NOTCONN       (-PM_ERR_BASE - 46) /* not connected */
#define PM_ERR_NEEDPORT      (-PM_ERR_BASE - 47) /* a port is needed */
#define PM_ERR_NONLEAF       (-PM_ERR_BASE - 49) /* the name is not a leaf */
#define PM_ERR_TYPE          (-PM_ERR_BASE - 52) /* bad type */
#define PM_ERR_THREAD        (-PM_ERR_BASE - 53) /* belongs to another thread */
#define PM_ERR_NOCONTAINER   (-PM_ERR_BASE - 54) /* no such container */
#define PM_ERR_BADSTORE      (-PM_ERR_BASE - 55) /* value cannot be stored */
#define PM_ERR_LOGOVERLAP    (-PM_ERR_BASE - 56) /* archives overlap in time */
#define PM_ERR_LOGHOST       (-PM_ERR_BASE - 57) /* archives of different hosts */
#define PM_ERR_LOGCHANGETYPE (-PM_ERR_BASE - 59) /* type of a metric differs between archives */
#define PM_ERR_LOGCHANGESEM  (-PM_ERR_BASE - 60) /* semantics differ between archives */
#define PM_ERR_LOGCHANGEINDOM                                                                      \
	(-PM_ERR_BASE - 61) /* instance domain of a metric differs between archives */
#define PM_ERR_LOGCHANGEUNITS (-PM_ERR_BASE - 62)   /* units of a metric differ between archives */
#define PM_ERR_NEEDCLIENTCERT (-PM_ERR_BASE - 63)   /* pmcd wants a client certificate */
#define PM_ERR_BADDERIVE      (-PM_ERR_BASE - 64)   /* derived metric cannot be computed */
#define PM_ERR_NOLABELS       (-PM_ERR_BASE - 65)   /* the server knows no labels */
#define PM_ERR_PMDAFENCED     (-PM_ERR_BASE - 66)   /* the agent is fenced off */
#define PM_ERR_RECTYPE        (-PM_ERR_BASE - 67)   /* record of a wrong type in an archive */
#define PM_ERR_FEATURE        (-PM_ERR_BASE - 68)   /* archive uses a feature we do not know */
#define PM_ERR_TLS            (-PM_ERR_BASE - 69)   /* failure of transport security */
#define PM_ERR_BOTCH          (-PM_ERR_BASE - 97)   /* our own mistake */
#define PM_ERR_TOOSMALL       (-PM_ERR_BASE - 98)   /* too few elements */
#define PM_ERR_TOOBIG         (-PM_ERR_BASE - 99)   /* too many elements */
#define PM_ERR_FAULT          (-PM_ERR_BASE - 100)  /* failure injected by a test */
#define PM_ERR_PMDAREADY      (-PM_ERR_BASE - 1048) /* agent says: ready again */
#define PM_ERR_PMDANOTREADY   (-PM_ERR_BASE - 1049) /* agent says: not ready */
#define PM_ERR_NYI            (-PM_ERR_BASE - 8999) /* not implemented */

/* A buffer of this size holds the text of every code. */
#define PM_MAXERRMSGLEN 128

/* Text of a code of ours, a negated errno, or 0 ("No error"). Never NULL. */
char *pmErrStr(int code);
char *pmErrStr_r(int code, char *buf, int buflen);

/* ---- Contexts: where values come from [3] ------------------------------------------------ */

#define PM_CONTEXT_UNDEF            -1
#define PM_CONTEXT_HOST             1 /* a pmcd */
#define PM_CONTEXT_ARCHIVE          2 /* archives */
#define PM_CONTEXT_LOCAL            3 /* agents loaded into this process */
#define PM_CONTEXT_TYPEMASK         0xff
#define PM_CTXFLAG_SHALLOW          (1U << 8)  /* ignored */
#define PM_CTXFLAG_EXCLUSIVE        (1U << 9)  /* ignored */
#define PM_CTXFLAG_SECURE           (1U << 10) /* encrypted, or no connection */
#define PM_CTXFLAG_COMPRESS         (1U << 11) /* refused */
#define PM_CTXFLAG_RELAXED          (1U << 12) /* encrypted if the server can */
#define PM_CTXFLAG_AUTH             (1U << 13)
#define PM_CTXFLAG_CONTAINER        (1U << 14)
#define PM_CTXFLAG_NO_FEATURE_CHECK (1U << 15) /* open archives with unknown features */

/*
 * Connects to, or opens, a source and makes it current. type is PM_CONTEXT_* with PM_CTXFLAG_*;
 * name a host specification [3.3], a list of archives [3.4] or NULL (local). The handle, or
 * PM_ERR_NOCONTEXT, PM_ERR_GENERIC (bad host specification, reported), PM_ERR_*, -errno.
 */
int pmNewContext(int type, const char *name);

/* A second context on the source of the current one, with its profile and position; current. */
int pmDupContext(void);

/* Makes a context current for this thread. 0 or PM_ERR_NOCONTEXT. */
int pmUseContext(int handle);

/* The current handle or PM_ERR_NOCONTEXT. */
int pmWhichContext(void);

/* Closes and frees. 0 or PM_ERR_NOCONTEXT. */
int pmDestroyContext(int handle);

/* Connects again, with growing pauses between attempts. The handle, or -ETIMEDOUT while it cannot
 * be or may not yet be tried, or PM_ERR_NOCONTEXT. */
int pmReconnectContext(int handle);

/* Name of the host the values of a context come from; "" for an unknown handle. pmGetHostName
 * also gives the status of the question. */
int pmGetHostName(int handle, char *buf, int buflen);
const char *pmGetContextHostName(int handle);
char *pmGetContextHostName_r(int handle, char *buf, int buflen);

/* ---- Instance profile [4] ---------------------------------------------------------------- */

/*
 * Which instances a fetch of the current context gives. Add selects, Del deselects: n instances of
 * indom; all of indom (n 0, list NULL); all of everything (indom PM_INDOM_NULL). The list is
 * copied. 0, PM_ERR_PROFILESPEC, PM_ERR_NOCONTEXT, -errno.
 */
int pmAddProfile(pmInDom indom, int n, int *list);
int pmDelProfile(pmInDom indom, int n, int *list);

#define PM_PROFILE_INCLUDE 0 /* all but those listed */
#define PM_PROFILE_EXCLUDE 1 /* none but those listed */

/* A profile as agents see it. */
typedef struct pmInDomProfile {
	pmInDom indom;
	int state; /* PM_PROFILE_* */
	int instances_len;
	int *instances;
} pmInDomProfile;

typedef struct pmProfile {
	int state; /* for instance domains without entry */
	int profile_len;
	pmInDomProfile *profile;
} pmProfile;

/* ---- Names [5] --------------------------------------------------------------------------- */

/*
 * Name spaces in files, for callers that do not want the name space of the source. dupok: a PMID
 * may have several names. 0, PM_ERR_DUPPMNS, PM_ERR_PMNS (reported), -errno.
 */
int pmLoadNameSpace(const char *path);
int pmLoadASCIINameSpace(const char *path, int dupok);
void pmUnloadNameSpace(void);

#define PMNS_LOCAL   1
#define PMNS_REMOTE  2
#define PMNS_ARCHIVE 3

/* Where names are looked up now: PMNS_*, or PM_ERR_NOPMNS. */
int pmGetPMNSLocation(void);

/* Hides the names of a loaded name space that the archive has no metric for. */
int pmTrimNameSpace(void);

/*
 * Identifiers of n names. The number of names found; those not found get PM_ID_NULL. For n 1 the
 * reason instead of 0: PM_ERR_NAME, PM_ERR_NONLEAF, PM_ERR_NOAGENT. PM_ERR_TOOSMALL for n < 1.
 */
int pmLookupName(int n, const char **names, pmID *pmids);

#define PMNS_LEAF_STATUS    0
#define PMNS_NONLEAF_STATUS 1

/* Names one level below; *offspring and *status are freed by the caller, each as one block. The
 * number of children, 0 for a leaf, PM_ERR_NAME. */
int pmGetChildren(const char *name, char ***offspring);
int pmGetChildrenStatus(const char *name, char ***offspring, int **status);

/* One name (freed by the caller; result 0) or all of them (result: how many). PM_ERR_PMID. */
int pmNameID(pmID pmid, char **name);
int pmNameAll(pmID pmid, char ***names);

/* Calls func for each leaf at or below name, which may call us back. The number of leaves, or
 * PM_ERR_NAME. */
int pmTraversePMNS(const char *name, void (*func)(const char *));
int pmTraversePMNS_r(const char *name, void (*func)(const char *, void *), void *closure);

/* ---- Descriptors, instances, help text [6] ----------------------------------------------- */

/* 0, or PM_ERR_PMID, PM_ERR_PMID_LOG, PM_ERR_NOAGENT, PM_ERR_BADDERIVE. */
int pmLookupDesc(pmID pmid, pmDesc *desc);

/* n at once. The number found; the others get the pmid PM_ID_NULL. */
int pmLookupDescs(int n, pmID *pmids, pmDesc *descs);

/* Instance of this name, name of this instance (freed by the caller), all instances (the two lists
 * are freed by the caller; result: how many). PM_ERR_INDOM, PM_ERR_INST, and _LOG for archives. */
int pmLookupInDom(pmInDom indom, const char *name);
int pmNameInDom(pmInDom indom, int inst, char **name);
int pmGetInDom(pmInDom indom, int **instlist, char ***namelist);

/* The same over the whole length of an archive. PM_ERR_NOTARCHIVE elsewhere. */
int pmLookupInDomArchive(pmInDom indom, const char *name);
int pmNameInDomArchive(pmInDom indom, int inst, char **name);
int pmGetInDomArchive(pmInDom indom, int **instlist, char ***namelist);

#define PM_TEXT_ONELINE 1
#define PM_TEXT_HELP    2  /* uses the one-line text if there is no long one ... */
#define PM_TEXT_PMID    4  /* (on the wire) */
#define PM_TEXT_INDOM   8  /* (on the wire) */
#define PM_TEXT_DIRECT  16 /* ... unless this is or'ed in */

/* Help text, freed by the caller. 0, PM_ERR_TEXT, PM_ERR_PMID, PM_ERR_INDOM, PM_ERR_NOAGENT. */
int pmLookupText(pmID pmid, int level, char **text);
int pmLookupInDomText(pmInDom indom, int level, char **text);

/* Instances in answer to an agent's callback. */
typedef struct pmInResult {
	pmInDom indom;
	int numinst;
	int *instlist;   /* may be NULL */
	char **namelist; /* may be NULL */
} pmInResult;

/* ---- Values [2.3, 7] --------------------------------------------------------------------- */

/* Any value that does not fit into an int. vlen counts the header and, in strings, the NUL. */
typedef struct pmValueBlock {
#ifdef HAVE_BITFIELDS_LTOR
	unsigned int vtype : 8;
	unsigned int vlen : 24;
#else
	unsigned int vlen : 24;
	unsigned int vtype : 8;   /* PM_TYPE_* */
#endif
	char vbuf[1]; /* as long as it is */
} pmValueBlock;

#define PM_VAL_HDR_SIZE 4
#define PM_VAL_VLEN_MAX 0x00ffffff

typedef struct pmValue {
	int inst;
	union {
		pmValueBlock *pval;
		int lval;
	} value;
} pmValue;

/* The values of one metric. numval < 0 is an error code; vlist exists only if numval > 0. */
typedef struct pmValueSet {
	pmID pmid;
	int numval;
	int valfmt;       /* PM_VAL_* */
	pmValue vlist[1]; /* as many as numval */
} pmValueSet;

#define PM_VAL_INSITU 0 /* value.lval */
#define PM_VAL_DPTR   1 /* value.pval, freed with the result */
#define PM_VAL_SPTR   2 /* value.pval, not freed */

/* A fetch: the value sets are in the order of the request. */
typedef struct pmResult {
	struct timeval timestamp;
	int numpmid;
	pmValueSet *vset[1]; /* as many as numpmid */
} pmResult;

typedef struct pmHighResResult {
	struct timespec timestamp;
	int numpmid;
	pmValueSet *vset[1];
} pmHighResResult;

typedef union {
	int32_t l;
	uint32_t ul;
	int64_t ll;
	uint64_t ull;
	float f;
	double d;
	char *cp;
	pmValueBlock *vbp;
} pmAtomValue;

/* Bits that a fetch returns beside the values: changes since the fetch before. */
#define PMCD_NO_CHANGE     0
#define PMCD_ADD_AGENT     (1 << 0)
#define PMCD_RESTART_AGENT (1 << 1)
#define PMCD_DROP_AGENT    (1 << 2)
#define PMCD_AGENT_CHANGE  (PMCD_ADD_AGENT | PMCD_RESTART_AGENT | PMCD_DROP_AGENT)
#define PMCD_LABEL_CHANGE  (1 << 3)
#define PMCD_NAMES_CHANGE  (1 << 4)

/*
 * Values of n metrics from the current context; the caller frees them with pmFreeResult or
 * pmFreeHighResResult. PMCD_* bits, or PM_ERR_TOOSMALL, PM_ERR_NOCONTEXT, PM_ERR_IPC,
 * PM_ERR_TIMEOUT, PM_ERR_EOL. The error of a single metric is in its numval. pmHighResFetch is the
 * old name.
 */
int pmFetch(int n, pmID *pmids, pmResult **result);
int pmFetchHighRes(int n, pmID *pmids, pmHighResResult **result);
int pmHighResFetch(int n, pmID *pmids, pmHighResResult **result);

/* The next (or previous) record of an archive, whole. PM_ERR_NOTARCHIVE, PM_ERR_MODE, PM_ERR_EOL.
 */
int pmFetchArchive(pmResult **result);
int pmFetchHighResArchive(pmHighResResult **result);

/* Once for each result. NULL does nothing. */
void pmFreeResult(pmResult *result);
void pmFreeHighResResult(pmHighResResult *result);

/* Orders the values of each metric by instance. */
void pmSortInstances(pmResult *result);
void pmSortHighResInstances(pmHighResResult *result);

/* Changes values; the result stays the caller's. 0, PM_ERR_TOOSMALL, PM_ERR_VALUE,
 * PM_ERR_PERMISSION, PM_ERR_BADSTORE, PM_ERR_NOTHOST, or what the agent said. */
int pmStore(const pmResult *result);
int pmStoreHighRes(const pmHighResResult *result);

#define PM_MODE_LIVE   0
#define PM_MODE_INTERP 1 /* every delta, values interpolated */
#define PM_MODE_FORW   2 /* records as logged, forwards */
#define PM_MODE_BACK   3 /* backwards */

/* Unit of the delta of pmSetMode: PM_TIME_* in bits 16..23 of mode, else milliseconds. */
#define PM_XTB_FLAG   0x1000000
#define PM_XTB_SET(m) (PM_XTB_FLAG | ((m) << 16))
#define PM_XTB_GET(m) (((m)&PM_XTB_FLAG) ? (((m)&0xff0000) >> 16) : -1)

/* How the following fetches move through an archive [9]. 0, PM_ERR_MODE, PM_ERR_NOCONTEXT. */
int pmSetMode(int mode, const struct timeval *when, int delta);
int pmSetModeHighRes(int mode, const struct timespec *when, const struct timespec *delta);

/*
 * One value as otype, from the format valfmt and type itype; strings and aggregates are copied, and
 * the caller frees atom->cp or atom->vbp [8]. 0, PM_ERR_CONV, PM_ERR_TRUNC, PM_ERR_SIGN.
 */
int pmExtractValue(int valfmt, const pmValue *value, int itype, pmAtomValue *atom, int otype);

/* From one scale to another of the same dimension; in and out may be the same [10]. 0,
 * PM_ERR_CONV, PM_ERR_UNIT. */
int pmConvScale(int type, const pmAtomValue *in, const pmUnits *iunits, pmAtomValue *out,
		const pmUnits *ounits);

/* Prints one value, at least minwidth wide [12]. */
void pmPrintValue(FILE *f, int valfmt, int type, const pmValue *value, int minwidth);

/* ---- Archive labels [9] ------------------------------------------------------------------ */

#define PM_LOG_MAGIC        0x50052600 /* or'ed with the version */
#define PM_LOG_VERS02       0x2
#define PM_LOG_VERS03       0x3
#define PM_LOG_VOL_TI       -2
#define PM_LOG_VOL_META     -1
#define PM_LOG_MAXHOSTLEN   64 /* version 2 */
#define PM_TZ_MAXLEN        40 /* version 2 */
#define PM_MAX_HOSTNAMELEN  256
#define PM_MAX_TIMEZONELEN  256
#define PM_MAX_ZONEINFOLEN  256
#define PM_LOG_FEATURE_NONE 0
#define PM_LOG_FEATURE_QA   (1U << 31)
#define PM_LOG_FEATURES     (PM_LOG_FEATURE_NONE | PM_LOG_FEATURE_QA)

typedef struct pmLogLabel {
	int ll_magic;
	pid_t ll_pid; /* of the pmlogger */
	struct timeval ll_start;
	char ll_hostname[PM_LOG_MAXHOSTLEN];
	char ll_tz[PM_TZ_MAXLEN];
} pmLogLabel;

typedef struct pmHighResLogLabel {
	int magic;
	pid_t pid;
	struct timespec start;
	char hostname[PM_MAX_HOSTNAMELEN];
	char timezone[PM_MAX_TIMEZONELEN]; /* as for TZ, no slashes */
	char zoneinfo[PM_MAX_ZONEINFOLEN]; /* name of the zone, if known */
} pmHighResLogLabel;

/* Label, and time of the last record, of the current archive. 0, PM_ERR_NOTARCHIVE,
 * PM_ERR_LOGREC. */
int pmGetArchiveLabel(pmLogLabel *label);
int pmGetHighResArchiveLabel(pmHighResLogLabel *label);
int pmGetArchiveEnd(struct timeval *end);
int pmGetHighResArchiveEnd(struct timespec *end);

/* Times as records in version 2 and version 3 archives and in event records have them. */
typedef struct pmTimeval {
	int32_t tv_sec;
	int32_t tv_usec;
} pmTimeval;

typedef struct pmTimespec {
	int64_t tv_sec;
	int64_t tv_nsec;
} pmTimespec;

/* ---- Labels of metrics [20] -------------------------------------------------------------- */

/* One label: the offsets of its name and its value in the JSON text. */
typedef struct pmLabel {
	unsigned int name : 16;
	unsigned int namelen : 8;
	unsigned int flags : 8;
	unsigned int value : 16;
	unsigned int valuelen : 16;
} pmLabel;

#define PM_LABEL_COMPOUND (1 << 6) /* name has several parts */
#define PM_LABEL_OPTIONAL (1 << 7) /* not part of the identity */

typedef struct pmLabelSet {
	unsigned int inst; /* or PM_IN_NULL */
	int nlabels;       /* or an error code */
	char *json;
	unsigned int jsonlen : 16;
	unsigned int padding : 15;
	unsigned int compound : 1;
	pmLabel *labels; /* sorted by name */
	void *hash;      /* ours */
} pmLabelSet;

#define PM_MAXLABELS       ((1 << 8) - 1)
#define PM_MAXLABELJSONLEN ((1 << 16) - 1)

/* Levels of the hierarchy, low to high precedence. */
#define PM_LABEL_CONTEXT   (1 << 0)
#define PM_LABEL_DOMAIN    (1 << 1)
#define PM_LABEL_INDOM     (1 << 2)
#define PM_LABEL_CLUSTER   (1 << 3)
#define PM_LABEL_ITEM      (1 << 4)
#define PM_LABEL_INSTANCES (1 << 5)

/* The sets of one level of the current context, freed with pmFreeLabelSets(sets, result). How many,
 * or PM_ERR_NOLABELS, PM_ERR_NOCONTEXT, an agent's error. */
int pmGetContextLabels(pmLabelSet **sets);
int pmGetDomainLabels(int domain, pmLabelSet **sets);
int pmGetInDomLabels(pmInDom indom, pmLabelSet **sets);
int pmGetClusterLabels(pmID pmid, pmLabelSet **sets);
int pmGetItemLabels(pmID pmid, pmLabelSet **sets);
int pmGetInstancesLabels(pmInDom indom, pmLabelSet **sets);

/* All levels but the instances, low to high; empty sets are left out. */
int pmLookupLabels(pmID pmid, pmLabelSet **sets);

/*
 * One JSON text from n texts or sets; later ones win; names sorted. filter returns 0 to leave a
 * label out. Length of the text; -EINVAL, -E2BIG, -ENOMEM.
 */
int pmMergeLabels(char **jsons, int n, char *buf, int buflen);
int pmMergeLabelSets(pmLabelSet **sets, int n, char *buf, int buflen,
		     int (*filter)(const pmLabel *, const char *, void *), void *arg);
void pmFreeLabelSets(pmLabelSet *sets, int n);
void pmPrintLabelSets(FILE *f, int ident, int type, pmLabelSet *sets, int n);

/* ---- Text forms [11] --------------------------------------------------------------------- */

const char *pmIDStr(pmID pmid);
char *pmIDStr_r(pmID pmid, char *buf, int buflen);
const char *pmInDomStr(pmInDom indom);
char *pmInDomStr_r(pmInDom indom, char *buf, int buflen);
const char *pmTypeStr(int type);
char *pmTypeStr_r(int type, char *buf, int buflen);
const char *pmSemStr(int sem);
char *pmSemStr_r(int sem, char *buf, int buflen);

/* "Kbyte / sec"; NULL if buflen < 60. */
const char *pmUnitsStr(const pmUnits *units);
char *pmUnitsStr_r(const pmUnits *units, char *buf, int buflen);

const char *pmAtomStr(const pmAtomValue *atom, int type);
char *pmAtomStr_r(const pmAtomValue *atom, int type, char *buf, int buflen);

/* Seven characters: " 12.35K". */
const char *pmNumberStr(double value);
char *pmNumberStr_r(double value, char *buf, int buflen);

/* "start,id"; NULL if buflen < 26. */
const char *pmEventFlagsStr(int flags);
char *pmEventFlagsStr_r(int flags, char *buf, int buflen);

/* Two lines: type, instance domain, semantics, units [13]. */
void pmPrintDesc(FILE *f, const pmDesc *desc);

/* ---- Parsers of what users type [14, 15, 16] --------------------------------------------- */

/*
 * "Kbyte / 5 sec" as units and the factor that takes a value in those units to the wanted one. 0,
 * or PM_ERR_CONV with *errmsg, which the caller frees.
 */
int pmParseUnitsStr(const char *str, pmUnits *units, double *mult, char **errmsg);

/* "1min 30sec". 0, or -1 with *errmsg, which the caller frees. */
int pmParseInterval(const char *spec, struct timeval *interval, char **errmsg);
int pmParseHighResInterval(const char *spec, struct timespec *interval, char **errmsg);

/* No end: this in the seconds of an end time. */
#if PM_SIZEOF_TIME_T == 8
#define PM_MAX_TIME_T LONGLONG_MAX
#else
#define PM_MAX_TIME_T INT_MAX
#endif

/*
 * The options -S, -T, -A and -O (each may be NULL) within what is there: 1; 0 with *errmsg if the
 * alignment does not fit; -1 with *errmsg, which the caller frees.
 */
int pmParseTimeWindow(const char *start, const char *end, const char *align, const char *offset,
		      const struct timeval *log_start, const struct timeval *log_end,
		      struct timeval *ret_start, struct timeval *ret_end,
		      struct timeval *ret_offset, char **errmsg);
int pmParseHighResTimeWindow(const char *start, const char *end, const char *align,
			     const char *offset, const struct timespec *log_start,
			     const struct timespec *log_end, struct timespec *ret_start,
			     struct timespec *ret_end, struct timespec *ret_offset, char **errmsg);

/* "host:metric[inst,...]". */
typedef struct pmMetricSpec {
	int isarch;   /* 0 host, 1 archive, 2 local */
	char *source; /* host or archive */
	char *metric;
	int ninst;     /* 0: all */
	char *inst[1]; /* as many as ninst */
} pmMetricSpec;

/* isarch and source are used where the text has no source of its own. 0 with *spec to be freed with
 * pmFreeMetricSpec, or PM_ERR_GENERIC with *errmsg, which the caller frees; -ENOMEM. */
int pmParseMetricSpec(const char *str, int isarch, char *source, pmMetricSpec **spec,
		      char **errmsg);
void pmFreeMetricSpec(pmMetricSpec *spec);

/* ---- Reporting time zone [17] ------------------------------------------------------------ */

/* Registers a zone (as for TZ, or that of the current context's source) and makes it current. Its
 * handle, or PM_ERR_NOCONTEXT, PM_ERR_VALUE, -errno. */
int pmNewZone(const char *tz);
int pmNewContextZone(void);
int pmUseZone(const int handle);

/* The current handle and its text, which is the library's; -1 if there is none. */
int pmWhichZone(char **tz);

/* ctime_r and localtime_r in the current zone. */
char *pmCtime(const time_t *clock, char *buf);
struct tm *pmLocaltime(const time_t *clock, struct tm *result);

/* ---- Derived metrics [18] ---------------------------------------------------------------- */

/* Definitions from files: how many were added, or a negative code. */
int pmLoadDerivedConfig(const char *path);

/* One definition, for all contexts (Register) or the current one (Add). The int forms: 0, or
 * negative with *errmsg, which the caller frees. The old forms: NULL, or where in expr the mistake
 * is, with the reason in pmDerivedErrStr. */
int pmRegisterDerivedMetric(const char *name, const char *expr, char **errmsg);
char *pmRegisterDerived(const char *name, const char *expr);
int pmAddDerivedMetric(const char *name, const char *expr, char **errmsg);
char *pmAddDerived(const char *name, const char *expr);
char *pmDerivedErrStr(void);

#define PCP_DERIVED_GLOBAL_LIMIT    1
#define PCP_DERIVED_CONTEXT_LIMIT   2
#define PCP_DERIVED_DEBUG_SYNTAX    3
#define PCP_DERIVED_DEBUG_SEMANTICS 4
#define PCP_DERIVED_DEBUG_EVAL      5

int pmGetDerivedControl(int what, int *value);
int pmSetDerivedControl(int what, int value);

/* ---- Event records [21.1] ---------------------------------------------------------------- */

/* Followed by its value, padded to four bytes. */
typedef struct pmEventParameter {
	pmID ep_pmid;
#ifdef HAVE_BITFIELDS_LTOR
	unsigned int ep_type : 8;
	unsigned int ep_len : 24;
#else
	unsigned int ep_len : 24; /* with these four bytes */
	unsigned int ep_type : 8; /* PM_TYPE_* */
#endif
} pmEventParameter;

typedef struct pmEventRecord {
	pmTimeval er_timestamp;
	unsigned int er_flags; /* PM_EVENT_FLAG_* */
	int er_nparams;        /* or how many were missed */
	pmEventParameter er_param[1];
} pmEventRecord;

typedef struct pmHighResEventRecord {
	pmTimespec er_timestamp;
	unsigned int er_flags;
	int er_nparams;
	pmEventParameter er_param[1];
} pmHighResEventRecord;

#define PM_EVENT_FLAG_POINT  (1U << 0)
#define PM_EVENT_FLAG_START  (1U << 1)
#define PM_EVENT_FLAG_END    (1U << 2)
#define PM_EVENT_FLAG_ID     (1U << 3)  /* first parameter is an identifier */
#define PM_EVENT_FLAG_PARENT (1U << 4)  /* second parameter is the parent's */
#define PM_EVENT_FLAG_MISSED (1U << 31) /* er_nparams events are missing here */

typedef struct pmEventArray {
#ifdef HAVE_BITFIELDS_LTOR
	unsigned int ea_type : 8;
	unsigned int ea_len : 24;
#else
	unsigned int ea_len : 24;
	unsigned int ea_type : 8;
#endif
	int ea_nrecords;
	pmEventRecord ea_record[1];
} pmEventArray;

typedef struct pmHighResEventArray {
#ifdef HAVE_BITFIELDS_LTOR
	unsigned int ea_type : 8;
	unsigned int ea_len : 24;
#else
	unsigned int ea_len : 24;
	unsigned int ea_type : 8;
#endif
	int ea_nrecords;
	pmHighResEventRecord ea_record[1];
} pmHighResEventArray;

/* The records of value idx as a NULL-terminated list of results, freed with the functions below.
 * How many, or the numval, PM_ERR_CONV, PM_ERR_TYPE, PM_ERR_TOOSMALL, PM_ERR_TOOBIG, -errno. */
int pmUnpackEventRecords(pmValueSet *vset, int idx, pmResult ***records);
int pmUnpackHighResEventRecords(pmValueSet *vset, int idx, pmHighResResult ***records);
void pmFreeEventResult(pmResult **records);
void pmFreeHighResEventResult(pmHighResResult **records);

/* ---- Fetch groups: values where you want them [21.2] ------------------------------------- */

typedef struct __pmFetchGroup *pmFG;

/* A group with a context of its own (as pmNewContext). 0, -EINVAL, -ENOMEM, or pmNewContext's. */
int pmCreateFetchGroup(pmFG *group, int type, const char *name);
int pmGetFetchGroupContext(pmFG group);
int pmDestroyFetchGroup(pmFG group);

/* Forgets the items, keeps the context. */
int pmClearFetchGroup(pmFG group);

/*
 * Adds what each pmFetchGroup shall write: one value, the values of an instance domain, the fields
 * of events, the time. Outputs may be NULL; strings are the group's. 0, or PM_ERR_INDOM,
 * PM_ERR_INST, PM_ERR_TYPE, PM_ERR_CONV, a lookup's error. _timestamp is the old _timeval.
 */
int pmExtendFetchGroup_item(pmFG group, const char *metric, const char *instance, const char *scale,
			    pmAtomValue *value, int otype, int *status);
int pmExtendFetchGroup_indom(pmFG group, const char *metric, const char *scale, int codes[],
			     char *names[], pmAtomValue values[], int otype, int statuses[],
			     unsigned int max, unsigned int *num, int *status);
int pmExtendFetchGroup_event(pmFG group, const char *metric, const char *instance,
			     const char *field, const char *scale, struct timespec times[],
			     pmAtomValue values[], int otype, int statuses[], unsigned int max,
			     unsigned int *num, int *status);
int pmExtendFetchGroup_timestamp(pmFG group, struct timeval *stamp);
int pmExtendFetchGroup_timeval(pmFG group, struct timeval *stamp);
int pmExtendFetchGroup_timespec(pmFG group, struct timespec *stamp);

/* Fetches all and writes the outputs. As pmFetch. */
int pmFetchGroup(pmFG group);

/* ---- Messages, logs, debugging [22] ------------------------------------------------------ */

/* The program's name in messages: the last part of the path, which is kept, not copied. */
void pmSetProgname(const char *path);
char *pmGetProgname(void);

/* Collects a message for the user; pmflush shows it, on stderr or where PCP_STDERR says. Number of
 * characters; 0 or -errno. */
int pmprintf(const char *fmt, ...) __PM_PRINTFLIKE(1, 2);
int pmflush(void);

/* One line on stderr with time, program and level (of <syslog.h>), and in the system log too after
 * pmSyslog(1). */
void pmNotifyErr(int level, const char *fmt, ...) __PM_PRINTFLIKE(2, 3);
void pmSyslog(int on);

#define PM_FATAL_ERR 1
#define PM_RECOV_ERR 0

/* Tells that size bytes were not to be had; PM_FATAL_ERR ends the program with exit status 1. */
void pmNoMem(const char *where, size_t size, int fatal);

/* Sends old (stderr, say) into a log file with a heading. *status 1, or 0 if that failed (reported)
 * and old is as it was. */
FILE *pmOpenLog(const char *progname, const char *path, FILE *old, int *status);

/* Turns tracing on or off by names: "pdu,fetch", "all", or numbers of old. 0 or PM_ERR_CONV. */
int pmSetDebug(const char *spec);
int pmClearDebug(const char *spec);

/* One flag a subject; not 0 is on. */
typedef struct {
	int pdu;
	int fetch;
	int profile;
	int value;
	int context;
	int indom;
	int pdubuf;
	int log;
	int logmeta;
	int optfetch;
	int af;
	int appl0;
	int appl1;
	int appl2;
	int pmns;
	int libpmda;
	int timecontrol;
	int pmc;
	int derive;
	int lock;
	int interp;
	int config;
	int pmapi;
	int fault;
	int auth;
	int discovery;
	int attr;
	int http;
	int desperate;
	int deprecated;
	int exec;
	int labels;
	int series;
	int libweb;
	int alloc;
	int services;
	int appl3;
	int appl4;
	int appl5;
	int access;
	int qa;
	int search;
	int query;
	int compress;
	int dev0;
	int dev1;
	int dev2;
	int pmlc;
	int appl6;
	int appl7;
	int appl8;
	int appl9;
	int tls;
} pmdebugoptions_t;

extern pmdebugoptions_t pmDebugOptions;

/* ---- Strings and times [13] -------------------------------------------------------------- */

/* snprintf that always terminates. Length of what was written. */
int pmsprintf(char *buf, size_t size, const char *fmt, ...) __PM_PRINTFLIKE(3, 4);

/* The next word of a file, freed by the caller. Its length, 0 at the end of a line, -1 at the end
 * of the file, -2 without memory. */
ssize_t pmfstring(FILE *f, char **word);

/* strlen of NULL is 0; copying and appending are bounded by the size of dst: 0, or -1 if cut. */
size_t pmstrlen(const char *s);
int pmstrncpy(char *dst, size_t size, const char *src);
int pmstrncat(char *dst, size_t size, const char *src);

/* Now; a += b; a -= b; a + b and a - b in seconds; to and from seconds. pmtimespecNow: 0 or -1. */
void pmtimevalNow(struct timeval *tv);
void pmtimevalInc(struct timeval *a, const struct timeval *b);
void pmtimevalDec(struct timeval *a, const struct timeval *b);
double pmtimevalAdd(const struct timeval *a, const struct timeval *b);
double pmtimevalSub(const struct timeval *a, const struct timeval *b);
double pmtimevalToReal(const struct timeval *tv);
void pmtimevalFromReal(double seconds, struct timeval *tv);
int pmtimespecNow(struct timespec *ts);
void pmtimespecInc(struct timespec *a, const struct timespec *b);
void pmtimespecDec(struct timespec *a, const struct timespec *b);
double pmtimespecAdd(const struct timespec *a, const struct timespec *b);
double pmtimespecSub(const struct timespec *a, const struct timespec *b);
double pmtimespecToReal(const struct timespec *ts);
void pmtimespecFromReal(double seconds, struct timespec *ts);

/* HH:MM:SS.mmm, HH:MM:SS.nnnnnnnnn in the reporting zone. */
void pmPrintStamp(FILE *f, const struct timeval *tv);
void pmPrintHighResStamp(FILE *f, const struct timespec *ts);

/* ---- Configuration, identity, discovery [23] --------------------------------------------- */

/*
 * A variable of pcp.conf or of the environment, which has precedence. For a variable that is not
 * set pmGetConfig returns "", and pmGetOptionalConfig NULL. Without a pcp.conf pmGetConfig ends the
 * program, and pmGetOptionalConfig returns NULL.
 */
char *pmGetConfig(const char *name);
char *pmGetOptionalConfig(const char *name);

/* A capability of this library: its text, or NULL for an unknown name. */
const char *pmGetAPIConfig(const char *name);

/* PM_VERSION_CURRENT of the library. */
int pmGetVersion(void);

int pmPathSeparator(void);

/* The user that daemons run as: 1 if PCP_USER names it, 0 for the default. */
int pmGetUsername(char **name);

/* Becomes that user, or ends the program (reported). 0. */
int pmSetProcessIdentity(const char *username);

#define PM_SERVER_SERVICE_SPEC "pmcd"
#define PM_SERVER_PROXY_SPEC   "pmproxy"
#define PM_SERVER_WEBAPI_SPEC  "pmwebapi"

/*
 * Servers on the network by a mechanism (NULL: all), as URLs in one block. How many: 0 here, as no
 * mechanism is built in, and *urls is left alone; -EOPNOTSUPP for an unknown mechanism.
 */
int pmDiscoverServices(const char *service, const char *mechanism, char ***urls);

/* Edits the list of agents of local contexts [3.5]. NULL, or a message that is not freed. */
char *pmSpecLocalPMDA(const char *spec);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include "pmapi_options.h" /* command line options [19] */

#endif

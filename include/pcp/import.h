/*
 * import - writes PCP archives from a program: libpcp_import.so.1 (docs/spec/import.md).
 *
 * A context is an archive that is being written: its metrics, instances, handles, texts and labels,
 * and the values of the next record. pmiStart makes one, and makes it the current one of the
 * process; the other calls work on the current context. Calls of several threads exclude each
 * other. Calls return 0 or more, or a negative code for pmiErrStr.
 */
#ifndef PCP_IMPORT_H
#define PCP_IMPORT_H

#include <pcp/pmapi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMI_CALL

#pragma GCC visibility push(default)

/*
 * A new context for this archive: its number, from 1. With inherit it has the metadata of the
 * current context; without a current one it has none. No file is made before the first record. NULL
 * is a context that only keeps metadata for others.
 */
PMI_CALL extern int pmiStart(const char *archive, int inherit);
PMI_CALL extern int pmiUseContext(int context);
/* Completes and closes the archive. The metadata stays, to be inherited. */
PMI_CALL extern int pmiEnd(void);

/* The label of the archive; later than the first record they have no effect. */
PMI_CALL extern int pmiSetHostname(const char *value);
PMI_CALL extern int pmiSetTimezone(const char *value);
PMI_CALL extern int pmiSetVersion(int version);

/* Metadata. PM_ID_NULL asks for a free identifier. */
PMI_CALL extern int pmiAddMetric(const char *name, pmID pmid, int type, pmInDom indom, int sem,
				 pmUnits units);
PMI_CALL extern int pmiAddInstance(pmInDom indom, const char *instance, int inst);
PMI_CALL extern int pmiPutText(unsigned int type, unsigned int class_, unsigned int id,
			       const char *content);
PMI_CALL extern int pmiPutLabel(unsigned int type, unsigned int id, unsigned int inst,
				const char *name, const char *value);

/* Values of the next record, as text. A handle is a number from 1. */
PMI_CALL extern int pmiPutValue(const char *name, const char *instance, const char *value);
PMI_CALL extern int pmiGetHandle(const char *name, const char *instance);
PMI_CALL extern int pmiPutValueHandle(int handle, const char *value);

/* Writes the record and all metadata that is new. A negative sec is the present time. */
PMI_CALL extern int pmiWrite(int sec, int usec);
PMI_CALL extern int pmiWrite2(long long sec, int usec);
PMI_CALL extern int pmiHighResWrite(long long sec, int nsec);
/* Writes this record; values that wait for pmiWrite are dropped. */
PMI_CALL extern int pmiPutResult(const pmResult *result);
PMI_CALL extern int pmiPutHighResResult(const pmHighResResult *result);
/* A gap, one millisecond after the last record. */
PMI_CALL extern int pmiPutMark(void);

PMI_CALL extern pmID pmiID(int domain, int cluster, int item);
PMI_CALL extern pmID pmiCluster(int domain, int cluster);
PMI_CALL extern pmInDom pmiInDom(int domain, int serial);
PMI_CALL extern pmUnits pmiUnits(int dimSpace, int dimTime, int dimCount, int scaleSpace,
				 int scaleTime, int scaleCount);

/* The text of a code; -1 is the last code of the current context. */
#define PMI_MAXERRMSGLEN 128
PMI_CALL extern char *pmiErrStr_r(int code, char *buf, int buflen);
PMI_CALL extern const char *pmiErrStr(int code);
/* The current context, on standard error. */
PMI_CALL extern void pmiDump(void);

#pragma GCC visibility pop

#define PMI_ERR_BASE             20000
#define PMI_ERR_DUPMETRICNAME    (-PMI_ERR_BASE - 1)  /* Metric name already defined */
#define PMI_ERR_DUPMETRICID      (-PMI_ERR_BASE - 2)  /* Metric pmID already defined */
#define PMI_ERR_DUPINSTNAME      (-PMI_ERR_BASE - 3)  /* External instance name already defined */
#define PMI_ERR_DUPINSTID        (-PMI_ERR_BASE - 4)  /* Internal instance id already defined */
#define PMI_ERR_INSTNOTNULL      (-PMI_ERR_BASE - 5)  /* Instance given for a singular metric */
#define PMI_ERR_INSTNULL         (-PMI_ERR_BASE - 6)  /* No instance for a non-singular metric */
#define PMI_ERR_BADHANDLE        (-PMI_ERR_BASE - 7)  /* Illegal handle */
#define PMI_ERR_DUPVALUE         (-PMI_ERR_BASE - 8)  /* Value already assigned */
#define PMI_ERR_BADTYPE          (-PMI_ERR_BASE - 9)  /* Illegal metric type */
#define PMI_ERR_BADSEM           (-PMI_ERR_BASE - 10) /* Illegal metric semantics */
#define PMI_ERR_NODATA           (-PMI_ERR_BASE - 11) /* No data to output */
#define PMI_ERR_BADMETRICNAME    (-PMI_ERR_BASE - 12) /* Illegal metric name */
#define PMI_ERR_BADTIMESTAMP     (-PMI_ERR_BASE - 13) /* Illegal result timestamp */
#define PMI_ERR_BADTEXTTYPE      (-PMI_ERR_BASE - 14) /* Illegal text type */
#define PMI_ERR_BADTEXTCLASS     (-PMI_ERR_BASE - 15) /* Illegal text class */
#define PMI_ERR_BADTEXTID        (-PMI_ERR_BASE - 16) /* Illegal text identifier */
#define PMI_ERR_EMPTYTEXTCONTENT (-PMI_ERR_BASE - 17) /* Empty text content */
#define PMI_ERR_DUPTEXT          (-PMI_ERR_BASE - 18) /* Duplicate text */
#define PMI_ERR_BADLABELTYPE     (-PMI_ERR_BASE - 19) /* Illegal label type */
#define PMI_ERR_BADLABELID       (-PMI_ERR_BASE - 20) /* Illegal label id */
#define PMI_ERR_BADLABELINSTANCE (-PMI_ERR_BASE - 21) /* Illegal label instance */
#define PMI_ERR_EMPTYLABELNAME   (-PMI_ERR_BASE - 22) /* Empty label name */
#define PMI_ERR_EMPTYLABELVALUE  (-PMI_ERR_BASE - 23) /* Empty label value */
#define PMI_ERR_ADDLABELERROR    (-PMI_ERR_BASE - 24) /* Error adding label */
#define PMI_ERR_BADVERSION       (-PMI_ERR_BASE - 25) /* Illegal log version */

#ifdef __cplusplus
}
#endif

#endif

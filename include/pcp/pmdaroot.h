/*
 * pmdaroot.h - PDUs between pmcd, some agents and their privileged helper pmdaroot: list the
 * processes of a container, start an agent, stop it. Facts: docs/spec/pmda.md 16.
 *
 * Include <pcp/pmda.h> first. Send and Recv return bytes or 0, or a negative code; Decode parses a
 * PDU that was received.
 */
#ifndef PCP_PMDAROOT_H
#define PCP_PMDAROOT_H

#include "pmapi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ROOT_PDU_VERSION1 1
#define ROOT_PDU_VERSION2 2
#define ROOT_PDU_VERSION  ROOT_PDU_VERSION2

#define PDUROOT_INFO           0x9000
#define PDUROOT_HOSTNAME_REQ   0x9001
#define PDUROOT_HOSTNAME       0x9002
#define PDUROOT_PROCESSID_REQ  0x9003
#define PDUROOT_PROCESSID      0x9004
#define PDUROOT_CGROUPNAME_REQ 0x9005
#define PDUROOT_CGROUPNAME     0x9006
#define PDUROOT_STARTPMDA_REQ  0x9007
#define PDUROOT_STARTPMDA      0x9008
#define PDUROOT_STOPPMDA_REQ   0x9009
#define PDUROOT_STOPPMDA       0x900a

/* Capabilities of the helper. */
typedef enum {
	PDUROOT_FLAG_HOSTNAME = (1 << 0),
	PDUROOT_FLAG_PROCESSID = (1 << 1),
	PDUROOT_FLAG_CGROUPNAME = (1 << 2),
} __pmdaRootServerFeature;

typedef struct {
	int type;
	int length;
	int status;
	int version;
} __pmdaRootPDUHdr;

typedef struct {
	__pmdaRootPDUHdr hdr;
	int features;
	int zeroed;
} __pmdaRootPDUInfo;

typedef struct {
	__pmdaRootPDUHdr hdr;
	int pid;
	int namelen;
	char name[MAXPATHLEN];
} __pmdaRootPDUContainer;

#define MAXPMDALEN 64

typedef struct {
	__pmdaRootPDUHdr hdr;
	int pid;   /* answer */
	int infd;  /* answer */
	int outfd; /* answer */
	int ipctype;
	int namelen;
	int argslen;
	char name[MAXPMDALEN];
	char args[MAXPATHLEN];
} __pmdaRootPDUStart;

typedef struct {
	__pmdaRootPDUHdr hdr;
	int pid;
	int code;  /* as from waitpid */
	int force; /* end it, don't wait */
	int zeroed;
} __pmdaRootPDUStop;

#pragma GCC visibility push(default)

int __pmdaSendRootPDUInfo(int fd, int features, int status);
int __pmdaRecvRootPDUInfo(int fd, int *version, int *features);
int __pmdaSendRootPDUContainer(int fd, int type, int pid, const char *name, int namelen,
			       int status);
int __pmdaRecvRootPDUContainer(int fd, int type, void *buf, int buflen);
int __pmdaDecodeRootPDUContainer(void *pdu, int pdulen, int *pid, char *name, int buflen);
int __pmdaSendRootPDUStartReq(int fd, int ipctype, const char *name, int namelen, const char *args,
			      int argslen);
int __pmdaRecvRootPDUStartReq(int fd, void *buf, int buflen);
int __pmdaSendRootPDUStart(int fd, int pid, int infd, int outfd, const char *name, int namelen,
			   int status);
int __pmdaRecvRootPDUStart(int fd, void *buf, int buflen);
int __pmdaDecodeRootPDUStart(void *pdu, int pdulen, int *pid, int *infd, int *outfd, int *ipctype,
			     char *name, int namelen, char *args, int argslen);
int __pmdaSendRootPDUStop(int fd, int type, int pid, int code, int force, int status);
int __pmdaRecvRootPDUStop(int fd, int type, void *buf, int buflen);
int __pmdaDecodeRootPDUStop(void *pdu, int pdulen, int *pid, int *code, int *force);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

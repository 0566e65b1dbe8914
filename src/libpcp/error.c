/*
 * error - texts of result codes: docs/spec/pmapi.md 2.5, docs/spec/pdu.md 15.
 *
 * One row a code, in the order in which `pmerr -l` lists them; the compiler checks each number
 * against the installed header.
 */
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"

/* clang-format off */
#define PM_ERRORS(X) \
	X(PM_ERR_GENERIC,        -12345, "Generic error, already reported above") \
	X(PM_ERR_PMNS,           -12346, "Problems parsing PMNS definitions") \
	X(PM_ERR_NOPMNS,         -12347, "PMNS not accessible") \
	X(PM_ERR_DUPPMNS,        -12348, "Attempt to reload the PMNS") \
	X(PM_ERR_TEXT,           -12349, "One-line or help text is not available") \
	X(PM_ERR_APPVERSION,     -12350, "Metric not supported by this version of monitored application") \
	X(PM_ERR_VALUE,          -12351, "Missing metric value(s)") \
	X(PM_ERR_TIMEOUT,        -12353, "Timeout waiting for a response from PMCD") \
	X(PM_ERR_NODATA,         -12354, "Empty archive log file") \
	X(PM_ERR_RESET,          -12355, "PMCD reset or configuration change") \
	X(PM_ERR_NAME,           -12357, "Unknown metric name") \
	X(PM_ERR_PMID,           -12358, "Unknown or illegal metric identifier") \
	X(PM_ERR_INDOM,          -12359, "Unknown or illegal instance domain identifier") \
	X(PM_ERR_INST,           -12360, "Unknown or illegal instance identifier") \
	X(PM_ERR_TYPE,           -12397, "Unknown or illegal metric type") \
	X(PM_ERR_UNIT,           -12361, "Illegal pmUnits specification") \
	X(PM_ERR_CONV,           -12362, "Impossible value or scale conversion") \
	X(PM_ERR_TRUNC,          -12363, "Truncation in value conversion") \
	X(PM_ERR_SIGN,           -12364, "Negative value in conversion to unsigned") \
	X(PM_ERR_PROFILE,        -12365, "Explicit instance identifier(s) required") \
	X(PM_ERR_IPC,            -12366, "IPC protocol failure") \
	X(PM_ERR_TLS,            -12414, "TLS protocol failure") \
	X(PM_ERR_EOF,            -12368, "IPC channel closed") \
	X(PM_ERR_NOTHOST,        -12369, "Operation requires context with host source of metrics") \
	X(PM_ERR_EOL,            -12370, "End of PCP archive log") \
	X(PM_ERR_MODE,           -12371, "Illegal mode specification") \
	X(PM_ERR_LABEL,          -12372, "Illegal label record at start of a PCP archive log file") \
	X(PM_ERR_LOGREC,         -12373, "Corrupted record in a PCP archive log") \
	X(PM_ERR_LOGFILE,        -12375, "Missing PCP archive log file") \
	X(PM_ERR_NOTARCHIVE,     -12374, "Operation requires context with archive source of metrics") \
	X(PM_ERR_NOCONTEXT,      -12376, "Attempt to use an illegal context") \
	X(PM_ERR_PROFILESPEC,    -12377, "NULL pmInDom with non-NULL instlist") \
	X(PM_ERR_PMID_LOG,       -12378, "Metric not defined in the PCP archive log") \
	X(PM_ERR_INDOM_LOG,      -12379, "Instance domain identifier not defined in the PCP archive log") \
	X(PM_ERR_INST_LOG,       -12380, "Instance identifier not defined in the PCP archive log") \
	X(PM_ERR_NOPROFILE,      -12381, "Missing profile - protocol botch") \
	X(PM_ERR_NOAGENT,        -12386, "No PMCD agent for domain of request") \
	X(PM_ERR_PERMISSION,     -12387, "No permission to perform requested operation") \
	X(PM_ERR_CONNLIMIT,      -12388, "PMCD connection limit for this host exceeded") \
	X(PM_ERR_AGAIN,          -12389, "Try again. Information not currently available") \
	X(PM_ERR_ISCONN,         -12390, "Already Connected") \
	X(PM_ERR_NOTCONN,        -12391, "Not Connected") \
	X(PM_ERR_NEEDPORT,       -12392, "A non-null port name is required") \
	X(PM_ERR_NONLEAF,        -12394, "Metric name is not a leaf in PMNS") \
	X(PM_ERR_PMDANOTREADY,   -13394, "PMDA is not yet ready to respond to requests") \
	X(PM_ERR_PMDAREADY,      -13393, "PMDA is now responsive to requests") \
	X(PM_ERR_BOTCH,          -12442, "Internal inconsistency detected or assertion failed") \
	X(PM_ERR_TOOSMALL,       -12443, "Insufficient elements in list") \
	X(PM_ERR_TOOBIG,         -12444, "Result size exceeded") \
	X(PM_ERR_FAULT,          -12445, "QA fault injected") \
	X(PM_ERR_THREAD,         -12398, "Operation not supported for multi-threaded applications") \
	X(PM_ERR_NOCONTAINER,    -12399, "Container not found") \
	X(PM_ERR_BADSTORE,       -12400, "Bad input to pmstore") \
	X(PM_ERR_LOGOVERLAP,     -12401, "Archives overlap in time") \
	X(PM_ERR_LOGHOST,        -12402, "Archives differ by host") \
	X(PM_ERR_LOGCHANGETYPE,  -12404, "The type of a metric has changed in an archive") \
	X(PM_ERR_LOGCHANGESEM,   -12405, "The semantics of a metric has changed in an archive") \
	X(PM_ERR_LOGCHANGEINDOM, -12406, "The instance domain of a metric has changed in an archive") \
	X(PM_ERR_LOGCHANGEUNITS, -12407, "The units of a metric have changed in an archive") \
	X(PM_ERR_NEEDCLIENTCERT, -12408, "PMCD requires a client certificate") \
	X(PM_ERR_BADDERIVE,      -12409, "Derived metric definition failed") \
	X(PM_ERR_NOLABELS,       -12410, "No support for metric label metadata") \
	X(PM_ERR_PMDAFENCED,     -12411, "PMDA is currently fenced and unable to respond to requests") \
	X(PM_ERR_RECTYPE,        -12412, "Incorrect record type in an archive") \
	X(PM_ERR_FEATURE,        -12413, "Archive feature not supported") \
	X(PM_ERR_NYI,            -21344, "Functionality not yet implemented")
/* clang-format on */

#define X(sym, num, text) _Static_assert((sym) == (num), #sym " is wire format");
PM_ERRORS(X)
#undef X

/* Codes of the authentication library come shifted below ours: -21344 - 1 .. -21344 - 1000. */
#define AUTH_LOWEST -1000

struct error {
	int code;
	const char *name;
	const char *text;
};

static const struct error errors[] = {
#define X(sym, num, text) {sym, #sym, text},
    PM_ERRORS(X)
#undef X
};

static const char *error_text(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i].code == code)
			return errors[i].text;
	return NULL;
}

/* The texts of the authentication library, by the number below zero. */
/* clang-format off */
static const char *const auth_texts[] = {
	[1] = "generic failure",
	[2] = "no memory available",
	[3] = "overflowed buffer",
	[4] = "no mechanism available",
	[5] = "bad protocol / cancel",
	[6] = "can't request information until later in exchange",
	[7] = "invalid parameter supplied",
	[8] = "transient failure (e.g., weak key)",
	[9] = "integrity check failed",
	[10] = "server failed mutual authentication step",
	[11] = "mechanism doesn't support requested feature",
	[12] = "SASL library is not initialized",
	[13] = "authentication failure",
	[14] = "authorization failure",
	[15] = "mechanism too weak for this user",
	[16] = "encryption needed to use mechanism",
	[17] = "One time use of a plaintext password will enable requested mechanism for user",
	[18] = "passphrase expired, has to be reset",
	[19] = "account disabled",
	[20] = "user not found",
	[21] = "passphrase locked",
	[22] = "requested change was not needed",
	[23] = "version mismatch with plug-in",
	[24] = "remote authentication server unavailable",
	[26] = "user exists, but no verifier for user",
	[27] = "passphrase is too weak for security policy",
	[28] = "user supplied passwords are not permitted",
	[29] = "sasl_setpass needs old password in order to perform password change",
	[30] = "sasl_setpass can't store a property because of a constraint violation",
	[32] = "channel binding failure",
	[100] = "error when parsing configuration file",
};
/* clang-format on */

static const char *auth_text(int code)
{
	size_t i = (size_t)-code;

	return i < ARRAY_SIZE(auth_texts) && auth_texts[i] != NULL ? auth_texts[i]
								   : "undefined error!";
}

static void below_ours(int code, char *buf, size_t buflen)
{
	int shifted = code - PM_ERR_NYI;

	if (shifted >= AUTH_LOWEST)
		pmsprintf(buf, buflen, "Authentication - %s", auth_text(shifted));
	else
		pmsprintf(buf, buflen, "Unknown secure sockets error %d (%d)", code, shifted);
}

char *pmErrStr_r(int code, char *buf, int buflen)
{
	size_t size = buflen > 0 ? (size_t)buflen : 0;
	const char *text = error_text(code);
	char system[PM_MAXERRMSGLEN];

	if (code == 0)
		text = "No error";
	if (text != NULL)
		pmstrncpy(buf, size, text);
	else if (code < PM_ERR_NYI)
		below_ours(code, buf, size);
	else if (code < 0 && code > -PM_ERR_BASE)
		pmstrncpy(buf, size, strerror_r(-code, system, sizeof(system)));
	else
		pmsprintf(buf, size, "No such PMAPI error code (%d)", code);
	return buf;
}

char *pmErrStr(int code)
{
	static char buf[PM_MAXERRMSGLEN];

	return pmErrStr_r(code, buf, sizeof(buf));
}

void __pmDumpErrTab(FILE *f)
{
	if (f == NULL)
		f = stdout;
	fprintf(f, "  Code  Symbolic Name          Message\n");
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		fprintf(f, "%6d  %-22s %s\n", errors[i].code, errors[i].name, errors[i].text);
}

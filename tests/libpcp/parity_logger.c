/*
 * parity_logger - PDUs outside of contexts, those of a control port, and where recorders are; see
 * parity.py.
 */
#include <fcntl.h>
#include <netdb.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/impl.h>
#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

static int pair[2];

static void open_pair(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		exit(1);
	__pmSetVersionIPC(pair[0], 3);
	__pmSetVersionIPC(pair[1], 3);
}

static void close_pair(void)
{
	__pmCloseSocket(pair[0]);
	__pmCloseSocket(pair[1]);
}

/* The bytes that were sent, and the PDU put back for decoding. */
static void show_sent(const char *what, int sts)
{
	unsigned char bytes[1024];
	ssize_t n = recv(pair[0], bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	printf("%s: %d, %zd bytes", what, sts, n);
	for (ssize_t i = 0; i < n; i++)
		printf("%s%02x", i % 4 == 0 ? " " : "", bytes[i]);
	printf("\n");
}

static __pmPDU *take(const char *what)
{
	__pmPDU *pdu = NULL;
	int type = __pmGetPDU(pair[0], ANY_SIZE, 5, &pdu);

	printf("%s: %s", what, __pmPDUTypeStr(type));
	if (type > 0)
		printf(" len %u type %u from %u", pdu[0], pdu[1], pdu[2]);
	printf("\n");
	return pdu;
}

static void release(__pmPDU *pdu)
{
	int first = __pmUnpinPDUBuf(pdu);
	int again = __pmUnpinPDUBuf(pdu);

	printf("unpin %d %d\n", first, again);
}

/* Metric i has i instances. */
static pmResult *make_request(int n)
{
	pmResult *request = __pmAllocResult(n);

	for (int i = 0; i < n; i++) {
		pmValueSet *vset = calloc(1, sizeof(*vset) + 8 * sizeof(pmValue));

		vset->pmid = pmID_build(29, 0, 7 + i);
		vset->numval = i;
		for (int j = 0; j < i; j++) {
			vset->vlist[j].inst = 100 * (j + 1);
			vset->vlist[j].value.lval = 0;
		}
		request->vset[i] = vset;
	}
	request->numpmid = n;
	return request;
}

static void control(int n, int what, int state, int delta)
{
	pmResult *request = make_request(n);
	pmResult *got = NULL;
	__pmPDU *pdu;
	int w = -1, s = -1, d = -1, sts;

	open_pair();
	show_sent("send control", __pmSendLogControl(pair[1], request, what, state, delta));
	pdu = take("control");
	sts = __pmDecodeLogControl(pdu, &got, &w, &s, &d);
	printf("decode control: %d, %d %d %d, %d metrics\n", sts, w, s, d, got->numpmid);
	for (int i = 0; i < got->numpmid; i++) {
		printf("  %s:", pmIDStr(got->vset[i]->pmid));
		for (int j = 0; j < got->vset[i]->numval; j++)
			printf(" %d", got->vset[i]->vlist[j].inst);
		printf("\n");
	}
	__pmFreeResult(got);
	release(pdu);
	__pmFreeResult(request);
	close_pair();
}

static void request(int type)
{
	__pmPDU *pdu;
	int got = -1, sts;

	open_pair();
	show_sent("send request", __pmSendLogRequest(pair[1], type));
	pdu = take("request");
	sts = __pmDecodeLogRequest(pdu, &got);
	printf("decode request: %d, %d\n", sts, got);
	release(pdu);
	close_pair();
}

static const char *shown(const char *s)
{
	return s == NULL ? "-" : s;
}

static void status(int version, __pmLoggerStatus *s)
{
	__pmLoggerStatus *got = NULL;
	__pmPDU *pdu;
	int sts;

	open_pair();
	__pmSetVersionIPC(pair[0], version);
	__pmSetVersionIPC(pair[1], version);
	printf("version %d %d\n", __pmVersionIPC(pair[0]), __pmVersionIPC(pair[1]));
	sts = __pmSendLogStatus(pair[1], s);
	show_sent("send status", version > 2 ? sts : 0);
	pdu = take("status");
	sts = __pmDecodeLogStatus(pdu, &got);
	printf("decode status: %d, %d %d %lld, %lld.%09d %lld.%09d %lld.%09d\n", sts, got->state,
	       got->vol, (long long)got->size, (long long)got->start.sec, got->start.nsec,
	       (long long)got->last.sec, got->last.nsec, (long long)got->now.sec, got->now.nsec);
	printf("  %s %s %s | %s\n", shown(got->pmcd.hostname), shown(got->pmcd.fqdn),
	       shown(got->pmcd.timezone), shown(got->pmlogger.timezone));
	if (version > 2)
		printf("  %s %s\n", shown(got->pmcd.zoneinfo), shown(got->pmlogger.zoneinfo));
	release(pdu);
	__pmFreeLogStatus(got, 1);
	close_pair();
}

static void statuses(void)
{
	static char host[] = "vm", fqdn[] = "local:", tz[] = "UTC", zone[] = ":Etc/UTC",
		    two[] = "CET-1";
	__pmLoggerStatus s = {
	    .start = {1795346428, 142594000},
	    .last = {1795346429, 162268190},
	    .now = {1795346429, 662814903},
	    .state = 1,
	    .vol = 5,
	    .size = 600,
	    .pmcd = {host, fqdn, tz, zone},
	    .pmlogger = {two, zone},
	};

	status(3, &s);
	status(2, &s);
	s.size = 0x123456789abLL;
	s.pmcd.zoneinfo = s.pmlogger.zoneinfo = NULL;
	status(3, &s);
}

static void errors(void)
{
	__pmPDU *pdu;
	int code = 99, sts;

	open_pair();
	__pmSendError(pair[1], 4711, PM_ERR_PERMISSION);
	pdu = take("error");
	sts = __pmDecodeError(pdu, &code);
	printf("decode error: %d, %d\n", sts, code);
	release(pdu);
	close(pair[1]);
	printf("end: %d\n", __pmGetPDU(pair[0], ANY_SIZE, 5, &pdu));
	close(pair[0]);
	open_pair();
	printf("silence: %d\n", __pmGetPDU(pair[0], ANY_SIZE, 1, &pdu));
	close_pair();
	for (int type = 0x8000; type < 0x8005; type++)
		printf("type %d %s\n", type, __pmPDUTypeStr(type));
	printf("version of nothing %d\n", __pmVersionIPC(77));
	printf("unpin nothing %d\n", __pmUnpinPDUBuf(&code));
}

/* Requests that are not sent at all. */
static void refused(void)
{
	pmResult *two = make_request(2);
	pmResult *none = make_request(0);
	pmResult *got;

	printf("no metric: %d\n", __pmControlLog(-1, none, PM_LOG_ENQUIRE, 0, 0, &got));
	printf("below zero: %d\n", __pmControlLog(-1, two, PM_LOG_MANDATORY, PM_LOG_ON, -1, &got));
	printf("advisory maybe: %d\n",
	       __pmControlLog(-1, two, PM_LOG_ADVISORY, PM_LOG_MAYBE, 0, &got));
	__pmFreeResult(two);
	__pmFreeResult(none);
}

static void make_map(const char *folder, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	pmsprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (f == NULL)
		exit(1);
	fputs(text, f);
	fclose(f);
}

static void find(int pid, const char *what)
{
	__pmLogPort *list = NULL;
	int n = __pmLogFindPort("local:", pid, &list);

	printf("find %s: %d\n", what, n);
	for (int i = 0; i < n; i++)
		printf("  %s port %d host %s archive %s\n",
		       list[i].pid == getpid() && atoi(list[i].name) == getpid() ? "own"
										 : list[i].name,
		       list[i].port, list[i].pmcd_host, list[i].archive);
}

static bool own_name_has_address(void)
{
	struct addrinfo *list;
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) < 0 || getaddrinfo(name, NULL, NULL, &list) != 0)
		return false;
	freeaddrinfo(list);
	return true;
}

static void ports(void)
{
	char folder[512], own[16];
	__pmLogPort *list;

	pmsprintf(own, sizeof(own), "%d", (int)getpid());
	pmsprintf(folder, sizeof(folder), "%s/pmlogger", getenv("PITOT_SCRATCH"));
	setenv("PCP_TMP_DIR", getenv("PITOT_SCRATCH"), 1);
	mkdir(folder, 0755);
	find(PM_LOG_ALL_PIDS, "none");
	make_map(folder, own, "4330\nvm\n/a/b\n");
	make_map(folder, "99999999", "4331\nvm\n/a/gone\n");
	make_map(folder, "notes", "4332\nvm\n/a/notes\n");
	find(PM_LOG_ALL_PIDS, "all");
	find(getpid(), "own");
	find(99999999, "gone");
	find(PM_LOG_PRIMARY_PID, "primary");
	make_map(folder, "primary", "4333\nother\n/a/c\nnote\n");
	find(PM_LOG_PRIMARY_PID, "primary");
	find(PM_LOG_ALL_PIDS, "all");
	printf("nowhere: %d\n", __pmLogFindPort("no-such-host.invalid", 1, &list));
	printf("localhost %d %d\n", __pmIsLocalhost("localhost"), __pmIsLocalhost("unix:/x"));
	/* Where this machine's name has no address PCP says 0 to every other; see
	 * test_logger_ports.c. */
	if (own_name_has_address())
		printf("localhost %d %d\n", __pmIsLocalhost("127.0.0.1"),
		       __pmIsLocalhost("no-such-host.invalid"));
}

static void stamps(void)
{
	static const __pmTimestamp stamp = {1000000000, 5};

	__pmPrintTimestamp(stdout, &stamp);
	setenv("PMLOGGER_REQUEST_TIMEOUT", "17", 1);
	printf("\ntimeout %d\n", __pmLoggerTimeout());
}

int main(int argc, char **argv)
{
	pmSetProgname("prog");
	setvbuf(stdout, NULL, _IONBF, 0);
	control(1, PM_LOG_ENQUIRE, 0, 0);
	control(4, PM_LOG_MANDATORY, PM_LOG_ON, 1000);
	control(2, PM_LOG_ADVISORY, PM_LOG_OFF, 0);
	for (int type = 1; type < 4; type++)
		request(type);
	statuses();
	errors();
	refused();
	ports();
	stamps();
	return 0;
}

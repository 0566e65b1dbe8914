/*
 * fuzz_root - any bytes as a message of pmdaroot, received from a socket and decoded as each kind,
 * into memory of exactly the size that a caller provides.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/pmdaroot.h>

#include "fuzz.h"

enum { STREAM_MAX = 20000 };

/* Discards the library's messages. */
void pmNotifyErr(int priority, const char *format, ...)
{
}

/* Returns a socket from which the bytes, and then the end of file, can be read. */
static int incoming(const uint8_t *data, size_t size)
{
	int fds[2];

	FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	FUZZ_REQUIRE(send(fds[1], data, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size);
	close(fds[1]);
	return fds[0];
}

static void try_container_text(void *pdu, int len, int room)
{
	char *text = malloc((size_t)room + 1);
	int pid = 0, n;

	FUZZ_REQUIRE(text != NULL);
	n = __pmdaDecodeRootPDUContainer(pdu, len, &pid, text, room);
	if (n >= 0 && room > 0)
		FUZZ_REQUIRE(n < room && text[n] == '\0');
	free(text);
}

static void try_container(const uint8_t *data, size_t size, int type)
{
	__pmdaRootPDUContainer *pdu = malloc(sizeof(*pdu));
	int fd = incoming(data, size);
	int n = __pmdaRecvRootPDUContainer(fd, type, pdu, sizeof(*pdu));

	for (int room = 0; n >= 0 && room < 300; room += 7)
		try_container_text(pdu, n, room);
	close(fd);
	free(pdu);
}

static void decode_start(void *pdu, int len)
{
	char name[16], args[64];
	int pid, in, out, ipc;

	if (__pmdaDecodeRootPDUStart(pdu, len, &pid, &in, &out, &ipc, name, sizeof(name), args,
				     sizeof(args)) >= 0)
		FUZZ_REQUIRE(memchr(name, '\0', sizeof(name)) != NULL &&
			     memchr(args, '\0', sizeof(args)) != NULL);
}

static void try_start(const uint8_t *data, size_t size)
{
	__pmdaRootPDUStart *pdu = malloc(sizeof(*pdu));
	int fd = incoming(data, size);
	int n = __pmdaRecvRootPDUStart(fd, pdu, sizeof(*pdu));

	if (n >= 0) {
		FUZZ_REQUIRE(pdu->infd == -1 && pdu->outfd == -1); /* no descriptor was received */
		decode_start(pdu, n);
	}
	close(fd);
	fd = incoming(data, size);
	n = __pmdaRecvRootPDUStartReq(fd, pdu, sizeof(*pdu));
	if (n >= 0)
		decode_start(pdu, n);
	close(fd);
	free(pdu);
}

static void try_stop(const uint8_t *data, size_t size)
{
	int fd = incoming(data, size), pid, code, force, n;
	__pmdaRootPDUStop pdu;

	n = __pmdaRecvRootPDUStop(fd, PDUROOT_STOPPMDA, &pdu, sizeof(pdu));
	if (n >= 0)
		FUZZ_REQUIRE(__pmdaDecodeRootPDUStop(&pdu, n, &pid, &code, &force) >= 0);
	close(fd);
}

static void try_info(const uint8_t *data, size_t size)
{
	int fd = incoming(data, size), version, features;

	if (__pmdaRecvRootPDUInfo(fd, &version, &features) >= 0)
		FUZZ_REQUIRE(version <= ROOT_PDU_VERSION);
	close(fd);
}

/* Decodes a message that the caller itself has received. */
static void try_raw(const uint8_t *data, size_t size)
{
	void *pdu = malloc(size > 0 ? size : 1);

	FUZZ_REQUIRE(pdu != NULL);
	memcpy(pdu, data, size);
	try_container_text(pdu, (int)size, 20);
	decode_start(pdu, (int)size);
	free(pdu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > STREAM_MAX)
		return 0;
	try_info(data, size);
	try_container(data, size, PDUROOT_HOSTNAME);
	try_container(data, size, PDUROOT_CGROUPNAME);
	try_start(data, size);
	try_stop(data, size);
	try_raw(data, size);
	return 0;
}

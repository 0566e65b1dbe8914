/*
 * first - measures the time from the start of a collector to its first answer.
 *
 *     first SOCKET PMID PROGRAM [ARGUMENT...]
 *
 * Starts the program, connects to the Unix socket as soon as it exists, does the handshake, and
 * fetches the metric until it has a value. Prints the nanoseconds since the start, then ends the
 * program.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/clock.h"
#include "libbase/endian_be.h"
#include "libbase/file.h"
#include "libwire/pdu.h"

enum { REPLY_MAX = 4096, GIVE_UP_S = 20 };

static int try_connect(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(un.sun_path, path, sizeof(un.sun_path) - 1);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&un, sizeof(un)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* True if the reply to the fetch holds a value. */
static int fetch_once(int fd, const struct buffer *request)
{
	uint8_t reply[REPLY_MAX];
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	struct pdu_header h;
	int ok = 0;

	if (file_write_full(fd, buffer_head(request), buffer_pending(request)) < 0 ||
	    file_read_full(fd, reply, PDU_HEADER_LEN) < 0 || pdu_header_get(reply, &h) < 0 ||
	    h.len > REPLY_MAX ||
	    file_read_full(fd, reply + PDU_HEADER_LEN, h.len - PDU_HEADER_LEN) < 0)
		return -1;
	if (h.type == PDU_RESULT && pdu_decode(reply, h.len, &mem, &body) == 0)
		ok = body.result.numpmid == 1 && body.result.vsets[0].numval > 0;
	arena_done(&mem);
	return ok;
}

static int run(const char *path, pmID pmid, uint64_t start)
{
	const uint32_t cred = pdu_cred_version(PDU_VERSION, 0);
	const union pdu_body creds = {.creds = {1, &cred}};
	const union pdu_body profile = {.profile = {0}};
	const union pdu_body fetch = {.fetch = {0, 1, &pmid}};
	struct buffer hello = BUFFER_INIT, request = BUFFER_INIT;
	uint8_t challenge[20];
	int fd, got = 0;

	pdu_encode(&hello, PDU_CREDS, (int32_t)getpid(), &creds);
	pdu_encode(&hello, PDU_PROFILE, 0, &profile);
	pdu_encode(&request, PDU_FETCH, 0, &fetch);
	while ((fd = try_connect(path)) < 0 && clock_mono_ns() - start < GIVE_UP_S * 1000000000ull)
		usleep(100);
	if (fd < 0 || file_read_full(fd, challenge, sizeof(challenge)) < 0 ||
	    file_write_full(fd, buffer_head(&hello), buffer_pending(&hello)) < 0)
		return -1;
	while ((got = fetch_once(fd, &request)) == 0 &&
	       clock_mono_ns() - start < GIVE_UP_S * 1000000000ull)
		usleep(100);
	close(fd);
	buffer_done(&hello);
	buffer_done(&request);
	return got == 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
	unsigned int domain, cluster, item;
	uint64_t start, took;
	int r;
	pid_t pid;

	if (argc < 4 || sscanf(argv[2], "%u.%u.%u", &domain, &cluster, &item) != 3) {
		fprintf(stderr, "usage: first SOCKET PMID PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	start = clock_mono_ns();
	pid = fork();
	if (pid == 0) {
		execv(argv[3], argv + 3);
		_exit(127);
	}
	r = run(argv[1], (pmID)(domain << 22 | cluster << 10 | item), start);
	took = clock_mono_ns() - start;
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	if (r < 0) {
		fprintf(stderr, "first: no value from %s\n", argv[3]);
		return 1;
	}
	printf("%llu\n", (unsigned long long)took);
	return 0;
}

/*
 * echo - a collector that does nothing, to measure the kernel's part of a fetch.
 *
 *     echo SOCKET BYTES
 *
 * Serves one client of bench-load at a time over a Unix socket: waits (epoll), reads, and sends the
 * same BYTES for each FETCH, with the three system calls that every collector needs.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libbase/endian_be.h"
#include "libbase/file.h"
#include "libwire/pdu.h"

enum { RECEIVE = 1 << 16, REPLY_MAX = 4 << 20, CHALLENGE = 20 };

static uint8_t reply[REPLY_MAX];

static void die(const char *what)
{
	fprintf(stderr, "echo: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int listen_at(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(un.sun_path, path, sizeof(un.sun_path) - 1);
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, sizeof(un)) < 0 || listen(fd, 5) < 0)
		die(path);
	return fd;
}

/* Answers the FETCHes in the received bytes; returns the number of remaining bytes. */
static size_t answer(int fd, uint8_t *bytes, size_t have, size_t len)
{
	struct pdu_header h;

	while (have >= PDU_HEADER_LEN && pdu_header_get(bytes, &h) == 0 && have >= h.len) {
		have -= h.len;
		memmove(bytes, bytes + h.len, have);
		if (h.type == PDU_FETCH && file_write_full(fd, reply, len) < 0)
			return 0;
	}
	return have;
}

static void serve(int fd, size_t len)
{
	static uint8_t bytes[2 * RECEIVE];
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(EPOLL_CLOEXEC);
	size_t have = 0;
	ssize_t n;

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) < 0)
		die("epoll");
	if (file_write_full(fd, reply, CHALLENGE) < 0)
		die("challenge");
	while (epoll_wait(ep, &e, 1, -1) == 1 && have < RECEIVE) {
		n = read(fd, bytes + have, RECEIVE);
		if (n <= 0)
			break;
		have = answer(fd, bytes, have + (size_t)n, len);
	}
	close(ep);
}

int main(int argc, char **argv)
{
	const size_t len = argc == 3 ? (size_t)atol(argv[2]) : 0;
	int listener, fd;

	if (len < PDU_HEADER_LEN || len > REPLY_MAX) {
		fprintf(stderr, "usage: echo SOCKET BYTES\n");
		return 2;
	}
	store_be32(reply, (uint32_t)len);
	store_be32(reply + 4, PDU_RESULT);
	signal(SIGPIPE, SIG_IGN); /* a client may leave in the middle of a reply */
	listener = listen_at(argv[1]);
	for (;;) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			die("accept");
		serve(fd, len);
		close(fd);
	}
}

/*
 * crowd - many heavy clients of a collector, and the delay that a light one sees.
 *
 *     crowd SOCKET CLIENTS MODE SECONDS <PMIDS
 *
 * A child opens CLIENTS connections and repeats a request on each of them. By default the request
 * fetches all PMIDs of standard input. MODE is one of:
 *
 *     read        reads each answer before the next request
 *     mute        never reads
 *     walk        walks the whole name space instead
 *     small       sends 100 fetches of one metric at once, and reads the answers
 *     COUNT:FILE  sends the bytes of FILE instead, and reads COUNT answers; 0: never reads
 *
 * The parent fetches the first two PMIDs meanwhile, with a pause of 1 ms between an answer and the
 * next request. It prints the median, 99th percentile and maximum of its round trips in us, their
 * number, and the number of the crowd's answers. It ends at SECONDS, or PATIENCE_NS later without
 * the last answer: a collector may wait for mute clients for ever.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A request, and the number of its answers. */
struct load {
	uint32_t words[1 << 17];
	size_t n;
	unsigned int answers;
};

enum {
	FETCH = 0x7003,
	PROFILE = 0x7002,
	CREDS = 0x700c,
	TRAVERSE = 0x7010,
	PMIDS_MAX = 100000,
	BURST = 100
};
#define PATIENCE_NS 1000000000ull

static uint32_t pmids[PMIDS_MAX];
static size_t npmid;
static char answer[1 << 20];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Writes all of it, or as much as a mute client may, whose answers fill the socket. */
static void put(int fd, const uint32_t *words, size_t n)
{
	const char *p = (const char *)words;

	for (size_t done = 0; done < n * 4;) {
		ssize_t r = send(fd, p + done, n * 4 - done, MSG_NOSIGNAL);

		if (r < 0 && errno != EINTR)
			fail("send");
		done += r > 0 ? (size_t)r : 0;
	}
}

static void get(int fd, char *to, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t r = recv(fd, to + done, n - done, 0);

		if (r == 0 || (r < 0 && errno != EINTR))
			fail("recv");
		done += r > 0 ? (size_t)r : 0;
	}
}

/* One PDU; what is larger than the buffer is read and dropped. */
static void get_pdu(int fd)
{
	uint32_t len;

	get(fd, answer, 4);
	memcpy(&len, answer, 4);
	len = be32toh(len) - 4;
	for (size_t n; len > 0; len -= (uint32_t)n) {
		n = len < sizeof(answer) ? len : sizeof(answer);
		get(fd, answer, n);
	}
}

static int connect_client(const char *path)
{
	static const uint32_t hello[] = {20, CREDS, 1, 1, 0x01020000};
	static const uint32_t profile[] = {28, PROFILE, 0, 0, 0, 0, 0};
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	uint32_t words[12];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(a.sun_path, path, sizeof(a.sun_path) - 1);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		fail("connect");
	get_pdu(fd);
	for (int i = 0; i < 5; i++)
		words[i] = htobe32(hello[i]);
	for (int i = 0; i < 7; i++)
		words[5 + i] = htobe32(profile[i]);
	put(fd, words, 12);
	return fd;
}

/* A fetch of the first n PMIDs; returns its words. */
static size_t make_fetch(uint32_t *words, size_t n)
{
	words[0] = htobe32((uint32_t)(28 + 4 * n));
	words[1] = htobe32(FETCH);
	words[2] = words[3] = words[4] = words[5] = 0;
	words[6] = htobe32((uint32_t)n);
	memcpy(words + 7, pmids, 4 * n);
	return 7 + n;
}

static void read_request(struct load *load, const char *path)
{
	FILE *f = fopen(path, "r");

	if (f == NULL)
		fail(path);
	load->n = fread(load->words, 4, sizeof(load->words) / 4, f);
	fclose(f);
}

static void make_request(struct load *load, const char *mode)
{
	static const uint32_t traverse[] = {20, TRAVERSE, 0, 0, 0};
	const char *path = strchr(mode, ':');

	load->answers = 1;
	if (path != NULL) {
		read_request(load, path + 1);
		load->answers = (unsigned int)atoi(mode);
	} else if (strcmp(mode, "walk") == 0) {
		for (load->n = 0; load->n < 5; load->n++)
			load->words[load->n] = htobe32(traverse[load->n]);
	} else if (strcmp(mode, "small") == 0) {
		load->answers = BURST;
		for (int i = 0; i < BURST; i++)
			load->n += make_fetch(load->words + load->n, 1);
	} else {
		load->n = make_fetch(load->words, npmid);
	}
}

/* Sends what the sockets take. */
static void send_only(const struct pollfd *all, size_t n, const struct load *load)
{
	for (size_t i = 0; i < n; i++)
		fcntl(all[i].fd, F_SETFL, O_NONBLOCK);
	for (;;) {
		for (size_t i = 0; i < n; i++)
			(void)!send(all[i].fd, load->words, load->n * 4, MSG_NOSIGNAL);
		usleep(1000);
	}
}

static void crowd(const char *path, size_t n, const char *mode, _Atomic uint64_t *answers)
{
	static struct load load;
	struct pollfd *all = calloc(n, sizeof(*all));

	make_request(&load, mode);
	for (size_t i = 0; i < n; i++)
		all[i] = (struct pollfd){.fd = connect_client(path), .events = POLLIN};
	for (size_t i = 0; i < n; i++)
		put(all[i].fd, load.words, load.n);
	*answers = 1; /* all are there */
	if (strcmp(mode, "mute") == 0 || load.answers == 0)
		send_only(all, n, &load);
	for (;;) {
		poll(all, n, -1);
		for (size_t i = 0; i < n; i++) {
			if ((all[i].revents & POLLIN) == 0)
				continue;
			for (unsigned int k = 0; k < load.answers; k++)
				get_pdu(all[i].fd);
			++*answers;
			put(all[i].fd, load.words, load.n);
		}
	}
}

/* Something comes before that moment. */
static int comes(int fd, uint64_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t now = now_ns();

	return now < until_ns && poll(&p, 1, (int)((until_ns - now) / 1000000) + 1) > 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	struct rlimit files = {65536, 65536};
	static uint32_t us[1000000], words[16];
	_Atomic uint64_t *answers;
	unsigned int pmid;
	size_t n = 0, len;
	uint64_t end;
	pid_t child;
	int fd;

	if (argc != 5)
		return 2;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	while (npmid < PMIDS_MAX && scanf("%u", &pmid) == 1)
		pmids[npmid++] = htobe32(pmid);
	answers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fd = connect_client(argv[1]);
	child = fork();
	if (child == 0) {
		crowd(argv[1], (size_t)atol(argv[2]), argv[3], answers);
		return 0;
	}
	while (*answers == 0 && waitpid(child, NULL, WNOHANG) == 0)
		usleep(1000);
	len = make_fetch(words, 2);
	end = now_ns() + (uint64_t)atol(argv[4]) * 1000000000u;
	while (now_ns() < end && n < sizeof(us) / sizeof(us[0])) {
		uint64_t start = now_ns();

		int answered;

		put(fd, words, len);
		answered = comes(fd, end + PATIENCE_NS);
		if (answered)
			get_pdu(fd);
		us[n++] = (uint32_t)((now_ns() - start) / 1000);
		if (!answered)
			break;
		usleep(1000);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	qsort(us, n, sizeof(us[0]), compare);
	printf("%u %u %u %zu %lu\n", us[n / 2], us[n * 99 / 100], us[n - 1], n,
	       (unsigned long)*answers);
	return 0;
}

/*
 * trace_worker - the program that test_trace.py traces; compiled against what is installed.
 *
 *     burst N          N events "tick" with their numbers
 *     steady FILE      one after the other until killed; FILE holds how many calls have returned
 *     kinds            one of every kind of field, and data that does not fit its description
 *     family           events of itself, of a child, and of a program that it spawns
 *     exit STATUS      one event, then that status
 *     signal N         one event, then it kills itself
 *     threads N M      N threads that record M events each
 */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <trace_np.h>
#include <unistd.h>

#define FIELD(type, member, kind)                                                                  \
	{                                                                                          \
#member, POSIX_TRACE_FIELD_##kind##_NP, offsetof(type, member),                    \
		    sizeof(((type *)0)->member), 0                                                 \
	}

extern char **environ;

struct tick {
	uint64_t number;
};

struct kinds {
	int8_t i1;
	uint8_t u1;
	int16_t i2;
	uint16_t x2;
	int32_t i4;
	float f4;
	int64_t i8;
	uint64_t u8;
	double f8;
	char text[12];
	uint8_t bytes[4];
	char rest[16];
};

static trace_event_id_t tick;

static trace_event_id_t open_type(const char *name)
{
	trace_event_id_t id;

	if (posix_trace_eventid_open(name, &id) != 0)
		exit(99);
	return id;
}

static void record_tick(uint64_t number)
{
	const struct tick t = {.number = number};

	posix_trace_event(tick, &t, sizeof(t));
}

static void steady(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	volatile uint64_t *done;

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		exit(98);
	done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (uint64_t n = 0;; n++) {
		record_tick(n);
		*done = n + 1;
		if (n % 10 == 0)
			usleep(500);
	}
}

static void kinds(void)
{
	static const struct posix_trace_field_np fields[] = {
	    FIELD(struct kinds, i1, INT),
	    FIELD(struct kinds, u1, UINT),
	    FIELD(struct kinds, i2, INT),
	    FIELD(struct kinds, x2, HEX),
	    FIELD(struct kinds, i4, INT),
	    FIELD(struct kinds, f4, FLOAT),
	    FIELD(struct kinds, i8, INT),
	    FIELD(struct kinds, u8, UINT),
	    FIELD(struct kinds, f8, FLOAT),
	    FIELD(struct kinds, text, CHARS),
	    FIELD(struct kinds, bytes, BYTES),
	    {"rest", POSIX_TRACE_FIELD_CHARS_NP, offsetof(struct kinds, rest), 0, 0},
	};
	static const struct posix_trace_field_np event_field[] = {
	    {"event", POSIX_TRACE_FIELD_UINT_NP, 0, 4, 0}};
	struct kinds k = {
	    -5,         200,   -3000,      0xbeef,           -7,        0.5f, INT64_MIN,
	    UINT64_MAX, -2.25, "te\"x\\t", {0, 1, 254, 255}, "the rest"};
	trace_event_id_t all = open_type("all kinds"), keyword = open_type("stream");
	uint8_t big[200];

	if (posix_trace_eventid_describe_np(all, fields, sizeof(fields) / sizeof(fields[0])) != 0 ||
	    posix_trace_eventid_describe_np(keyword, event_field, 1) != 0)
		exit(97);
	memset(big, 0xa5, sizeof(big));
	posix_trace_event(all, &k, sizeof(k));
	posix_trace_event(all, &k, 5); /* less than described */
	posix_trace_event(keyword, &(uint32_t){42}, 4);
	posix_trace_event(keyword, big, 9); /* more than described */
	posix_trace_event(open_type("plain"), "some text", 9);
	posix_trace_event(open_type("plain"), big, 20);
	posix_trace_event(open_type("nothing"), NULL, 0);
	posix_trace_event(open_type("quo\"te \\ \001\xc3\xa4\xff"), "x", 1);
	posix_trace_event(open_type(""), "y", 1);
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, "z", 1);
}

static void family(char *self)
{
	char *const argv[] = {self, "burst", "2", NULL};
	pid_t pid;

	record_tick(0);
	pid = fork();
	if (pid == 0) {
		record_tick(100);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	if (posix_spawn(&pid, self, NULL, NULL, argv, environ) == 0)
		waitpid(pid, NULL, 0);
	record_tick(1);
}

/* Becomes a daemon, makes a file after some ticks, and goes on until that file has gone. */
static void become_daemon(const char *file)
{
	record_tick(0);
	if (daemon(1, 0) < 0)
		exit(96);
	for (uint64_t i = 1; i <= 30; i++)
		record_tick(i);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	while (access(file, F_OK) == 0)
		usleep(5000);
}

static void *thread(void *count)
{
	for (long i = 0; i < *(long *)count; i++)
		record_tick((uint64_t)i);
	return NULL;
}

static void threads(int n, long count)
{
	pthread_t ids[64];

	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&ids[i], NULL, thread, &count);
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct posix_trace_field_np fields[] = {FIELD(struct tick, number, UINT)};
	const char *mode = argc > 1 ? argv[1] : "", *word = argc > 2 ? argv[2] : "0";

	tick = open_type("tick");
	if (posix_trace_eventid_describe_np(tick, fields, 1) != 0)
		return 97;
	if (strcmp(mode, "burst") == 0) {
		for (long i = 0; i < atol(word); i++)
			record_tick((uint64_t)i);
	} else if (strcmp(mode, "steady") == 0) {
		steady(word);
	} else if (strcmp(mode, "kinds") == 0) {
		kinds();
	} else if (strcmp(mode, "family") == 0) {
		family(argv[0]);
	} else if (strcmp(mode, "daemon") == 0) {
		become_daemon(word);
	} else if (strcmp(mode, "threads") == 0) {
		threads(atoi(word), argc > 3 ? atol(argv[3]) : 1);
	} else {
		record_tick(0);
		if (strcmp(mode, "signal") == 0)
			raise(atoi(word));
		return atoi(word);
	}
	return 0;
}

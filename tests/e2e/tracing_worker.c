/*
 * tracing_worker - the program that test_tracing_agent.py traces: reads commands from standard
 * input, one per line, and answers each with a line.
 *
 *     emit N        records N events "tick", each with the next number
 *     text WORD     an event "said" with fields of each kind
 *     odd           records events with invalid names
 *     types N       N event types with two fields each, an event of each
 *     scribble MS   overwrites all memory that it shares with its controllers with random words
 *     kill          records an event "last", then kills itself
 *     brood N       N children, 50 at a time, each of which records an event and ends
 *     fork          a child that records an event of its own
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <trace_np.h>
#include <unistd.h>

#define FIELD(type, member, kind)                                                                  \
	{                                                                                          \
#member, POSIX_TRACE_FIELD_##kind##_NP, offsetof(type, member),                    \
		    sizeof(((type *)0)->member), 0                                                 \
	}

struct said {
	int8_t i1;
	uint16_t x2;
	int32_t i4;
	float f4;
	int64_t i8;
	uint64_t u8;
	double f8;
	uint8_t bytes[4];
	char text[24];
};

static trace_event_id_t open_type(const char *name)
{
	trace_event_id_t id;

	if (posix_trace_eventid_open(name, &id) != 0)
		exit(99);
	return id;
}

static void emit(long n)
{
	static const struct posix_trace_field_np field = {"number", POSIX_TRACE_FIELD_UINT_NP, 0, 8,
							  0};
	static trace_event_id_t tick;
	static uint64_t number;

	if (tick == 0) {
		tick = open_type("tick");
		posix_trace_eventid_describe_np(tick, &field, 1);
	}
	for (long i = 0; i < n; i++, number++)
		posix_trace_event(tick, &number, sizeof(number));
}

static void say(const char *word)
{
	static const struct posix_trace_field_np fields[] = {
	    FIELD(struct said, i1, INT),     FIELD(struct said, x2, HEX),
	    FIELD(struct said, i4, INT),     FIELD(struct said, f4, FLOAT),
	    FIELD(struct said, i8, INT),     FIELD(struct said, u8, UINT),
	    FIELD(struct said, f8, FLOAT),   FIELD(struct said, bytes, BYTES),
	    FIELD(struct said, text, CHARS),
	};
	struct said s = {-5,         0xbeef, -70000,           0.5f, INT64_MIN,
			 UINT64_MAX, -2.25,  {0, 1, 254, 255}, ""};
	trace_event_id_t said = open_type("said");

	posix_trace_eventid_describe_np(said, fields, sizeof(fields) / sizeof(fields[0]));
	snprintf(s.text, sizeof(s.text), "%s", word);
	posix_trace_event(said, &s, sizeof(s));
	posix_trace_event(said, &s, 7); /* less than described */
}

static void odd(void)
{
	static const char *const names[] = {
	    "", "a b", "a.b", "9", "quo\"te \\ \001\xc3\xa4\xff", "\xc3\xa4"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		posix_trace_event(open_type(names[i]), names[i], strlen(names[i]));
}

static void types(long n)
{
	static const struct posix_trace_field_np fields[] = {
	    {"one", POSIX_TRACE_FIELD_UINT_NP, 0, 4, 0},
	    {"rest", POSIX_TRACE_FIELD_BYTES_NP, 4, 0, 0}};
	char name[32];

	for (long i = 0; i < n; i++) {
		trace_event_id_t id;

		snprintf(name, sizeof(name), "type %ld", i);
		id = open_type(name);
		posix_trace_eventid_describe_np(id, fields, 2);
		posix_trace_event(id, name, sizeof(name));
	}
}

/* A file of ours below /dev/shm that is mapped, as it says in /proc/self/maps; and memfds. */
static void scribble(long ms)
{
	struct {
		uint64_t *at;
		size_t words;
	} areas[64];
	size_t n = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t lot = (uint64_t)getpid() * 2654435761u;
	struct timespec t, end;

	while (maps != NULL && n < 64 && fgets(line, sizeof(line), maps) != NULL) {
		unsigned long from, to;

		if (strstr(line, " rw-s ") != NULL &&
		    (strstr(line, "/dev/shm/") != NULL || strstr(line, "memfd") != NULL) &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2) {
			areas[n].at = (uint64_t *)from;
			areas[n++].words = (to - from) / 8;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000;
	do {
		for (int i = 0; n > 0 && i < 1000; i++) {
			lot = lot * 6364136223846793005u + 1442695040888963407u;
			size_t which = (lot >> 33) % n, word = (lot >> 20) % areas[which].words;

			/* The first words, where the counts are, as often as all others. */
			areas[which].at[i % 2 ? word : word % 64] = i % 3 ? lot : lot >> 60;
		}
		emit(10);
		clock_gettime(CLOCK_MONOTONIC, &t);
	} while (t.tv_sec < end.tv_sec || (t.tv_sec == end.tv_sec && t.tv_nsec < end.tv_nsec));
}

static void brood(long n)
{
	for (long i = 0; i < n; i++) {
		if (i >= 50)
			wait(NULL);
		if (fork() == 0) {
			emit(1);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static void obey(const char *line)
{
	const char *rest = strchr(line, ' ') != NULL ? strchr(line, ' ') + 1 : "";

	if (strncmp(line, "emit ", 5) == 0)
		emit(atol(rest));
	else if (strncmp(line, "text ", 5) == 0)
		say(rest);
	else if (strcmp(line, "odd") == 0)
		odd();
	else if (strncmp(line, "types ", 6) == 0)
		types(atol(rest));
	else if (strncmp(line, "scribble ", 9) == 0)
		scribble(atol(rest));
	else if (strncmp(line, "brood ", 6) == 0)
		brood(atol(rest));
	else if (strcmp(line, "kill") == 0) {
		posix_trace_event(open_type("last"), NULL, 0);
		raise(SIGKILL);
	} else if (strcmp(line, "fork") == 0 && fork() == 0) {
		posix_trace_event(open_type("child"), NULL, 0);
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	char line[256];

	emit(0); /* so that it can be found */
	if (argc > 1) {
		emit(1);
		return 0;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		obey(line);
		puts("done");
		fflush(stdout);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

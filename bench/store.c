/*
 * store - the cost of recording: nanoseconds per value and system calls per record through the
 * writer of archives.
 *
 * Three shapes of 64-bit values, which change with each record: 1,000 singular metrics, one metric
 * with 10,000 instances, and 250 metrics with 2,745 values, like the agent of a host. "new
 * instances" writes an instance domain of 10,000 of which one changes with each record. Argument: a
 * folder (default /dev/shm, else /tmp). Figures are the best of several rounds.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/file.h"
#include "libdisk/log_label.h"
#include "libstore/archive_writer.h"
#include "libvalue/value_block.h"

enum { ROUNDS = 7, RECORDS = 200, INSTS = 10000, BLOCK_WORDS = 3 };

struct shape {
	const char *name;
	uint32_t sets, values; /* of all sets together */
	bool domain;           /* an instance domain changes with each record */
};

static const struct shape shapes[] = {
    {"1000 singular", 1000, 1000, false},
    {"1 x 10000 instances", 1, 10000, false},
    {"250 metrics, 2745 values", 250, 2745, false},
    {"1 x 10000, new instances", 1, 10000, true},
};

static void *need(void *p)
{
	if (p == NULL) {
		perror("malloc");
		exit(1);
	}
	return p;
}

static void must(int r, const char *what)
{
	if (r < 0) {
		fprintf(stderr, "%s: %d\n", what, r);
		exit(1);
	}
}

static pmValueSet **sets_new(const struct shape *shape, uint32_t **ret_blocks)
{
	pmValueSet **sets = need(calloc(shape->sets, sizeof(*sets)));
	uint32_t *block = need(calloc(shape->values, 4 * BLOCK_WORDS));

	*ret_blocks = block;
	for (uint32_t i = 0, left = shape->values; i < shape->sets; i++) {
		uint32_t n = left / (shape->sets - i);

		sets[i] = need(calloc(1, sizeof(pmValueSet) + n * sizeof(pmValue)));
		sets[i]->pmid = i + 1;
		sets[i]->numval = (int)n;
		sets[i]->valfmt = PM_VAL_DPTR;
		for (uint32_t j = 0; j < n; j++, block += BLOCK_WORDS) {
			*block = (uint32_t)PM_TYPE_U64 << 24 | VALUE_BLOCK_64;
			sets[i]->vlist[j].inst = n == 1 ? (int)PM_IN_NULL : (int)j;
			sets[i]->vlist[j].value.pval = (pmValueBlock *)(void *)block;
		}
		left -= n;
	}
	return sets;
}

static void sets_free(const struct shape *shape, pmValueSet **sets, uint32_t *blocks)
{
	for (uint32_t i = 0; i < shape->sets; i++)
		free(sets[i]);
	free(sets);
	free(blocks);
}

static void put_descs(struct archive_writer *w, const struct shape *shape)
{
	for (uint32_t i = 0; i < shape->sets; i++) {
		char text[32];
		int len = snprintf(text, sizeof(text), "bench.metric%u", i);
		struct wire_str name = {text, (uint32_t)len};
		union meta_body body = {
		    .desc = {{i + 1, PM_TYPE_U64, 1, PM_SEM_COUNTER, {0}}, 1, &name}};

		must(archive_writer_meta(w, META_DESC, &body), "descriptor");
	}
}

/* All instances; the first one changes with each record. */
static void put_domain(struct archive_writer *w, struct wire_inst *insts, int k,
		       const struct timespec *stamp)
{
	union meta_body body = {.indom = {*stamp, 1, INSTS, insts}};

	insts[INSTS - 1].inst = INSTS + k;
	must(archive_writer_meta(w, META_INDOM, &body), "instances");
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds to write RECORDS records, or a run of some records while a parent counts system calls. */
static double run(const struct shape *shape, const char *dir, int records, bool raise_stops)
{
	struct log_label label = {.version = DISK_V3, .host = "bench", .timezone = "UTC"};
	struct wire_inst *insts = need(calloc(INSTS, sizeof(*insts)));
	struct timespec stamp = {1700000000, 0};
	struct archive_writer *w;
	uint32_t *blocks;
	pmValueSet **sets = sets_new(shape, &blocks);
	char base[256];
	double begin = 0, took;

	snprintf(base, sizeof(base), "%s/a", dir);
	for (int i = 0; i < INSTS; i++)
		insts[i] = (struct wire_inst){i, {"eth0-queue-12", 13}};
	must(archive_writer_new(base, &label, &w), base);
	put_descs(w, shape);
	for (int k = 0; k <= records; k++) {
		if (k == 1) {
			if (raise_stops)
				raise(SIGSTOP);
			begin = now_s();
		}
		stamp.tv_sec++;
		for (uint32_t i = 0; i < shape->values; i++)
			blocks[i * BLOCK_WORDS + 1] = (uint32_t)k + i;
		if (shape->domain)
			put_domain(w, insts, k, &stamp);
		must(archive_writer_result(w, &stamp, sets, shape->sets), "record");
	}
	took = now_s() - begin;
	if (raise_stops)
		raise(SIGSTOP);
	must(archive_writer_end(w), "end");
	sets_free(shape, sets, blocks);
	free(insts);
	return took;
}

/* Traces a child from its first stop to its second; each system call stops it twice. */
static double calls_a_record(const struct shape *shape, const char *dir)
{
	pid_t pid = fork();
	int status;
	long stops = 0;
	bool counting = false;

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(1);
		raise(SIGSTOP);
		run(shape, dir, RECORDS, true);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status))
		return -1;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD);
	for (;;) {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			break;
		if (WSTOPSIG(status) == SIGSTOP)
			counting = !counting;
		else if (counting)
			stops++;
	}
	/* Calls that are not the writer's: at most two of the clock, and those of raise(). */
	return (double)stops / 2 / RECORDS;
}

static void clear(const char *dir)
{
	must(file_remove_tree(dir), dir);
	must(file_mkdirs(dir, 0700), dir);
}

int main(int argc, char **argv)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/bench_store.XXXXXX",
		 argc > 1                        ? argv[1]
		 : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
						 : "/tmp");
	if (mkdtemp(dir) == NULL) {
		perror(dir);
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct shape *shape = &shapes[i];
		double best = 1e9, calls;

		for (int j = 0; j < ROUNDS; j++) {
			double took;

			clear(dir);
			took = run(shape, dir, RECORDS, false);
			if (took < best)
				best = took;
		}
		clear(dir);
		calls = calls_a_record(shape, dir);
		printf("%-26s %6.2f ns/value %8.1f us/record %6.2f system calls/record\n",
		       shape->name, best * 1e9 / RECORDS / shape->values, best * 1e6 / RECORDS,
		       calls);
	}
	must(file_remove_tree(dir), dir);
	return 0;
}

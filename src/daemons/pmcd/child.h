/*
 * child - processes of agents: how they begin, and how their end is noticed.
 *
 * A process that is no longer needed has lost its descriptors and is expected to exit by itself;
 * its line in the log waits a moment for the exit status. One that stays for too long is killed,
 * because its successor is running.
 */
#ifndef PMCD_CHILD_H
#define PMCD_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libbase/list.h"

struct agent;
struct server;

/*
 * agent_record - the history of an agent since it was configured: the source of the metrics
 * pitot.agent.*.
 *
 * Nothing here decides anything. An agent may have a new process when the exit status of the old
 * one comes in, so the record has the process whose status is awaited.
 */
enum { AGENT_RECORD_TEXT = 160 };

struct agent_record {
	uint32_t starts;   /* times that it was up */
	uint32_t ends;     /* times that it ended, or could not be started */
	uint32_t timeouts; /* questions that it did not answer in time */
	uint64_t asked;
	uint64_t up_ms;    /* when it was up last */
	uint64_t error_ms; /* of the last error, server time */
	const char *error; /* in words; NULL: there was none */
	int code;          /* -errno with it, or 0 */
	pid_t pid;         /* the process that ended with it; 0: none */
	bool exit_known;
	int wait_status;
};

/*
 * It ended. error: words that follow its name; code: -errno, any other is ignored; pid: its process
 * if the status of that is still to come, else 0 and, where there was one, its status.
 */
void agent_record_end(struct agent_record *rec, uint64_t now_ms, const char *error, int code,
		      pid_t pid, const int *wait_status);

/* A question was not answered in time. */
void agent_record_timeout(struct agent_record *rec, uint64_t now_ms);

/* The exit status of a process; of interest if the last end was its end. */
void agent_record_exit(struct agent_record *rec, pid_t pid, int wait_status);

/* The last error in words, "" if there was none; text holds at least AGENT_RECORD_TEXT. */
const char *agent_record_text(const struct agent_record *rec, char *text, size_t size);

struct endings {
	struct list all;
};

/*
 * Starts a program (searched for in PATH) with these descriptors as standard input and output (-1:
 * none, /dev/null); its errors go where ours go. Signals are as a shell would give them. It
 * is given these capabilities (rights.h; 0: none but what we have). 0 or -errno.
 */
int child_start(char *const argv[], int in_fd, int out_fd, uint64_t caps, pid_t *ret_pid);

void endings_init(struct endings *l);
void endings_done(struct endings *l);

/* Takes over the process of a failed agent (it may have none) and logs its end; what is
 * in the words of docs/spec/pmcd.md 8.3. The agent's status gets the exit status if known. */
void endings_add(struct endings *l, struct agent *a, const char *what);

/* Collects children that have exited: processes of agents, and processes that are no longer
 * needed. */
void endings_reap(struct server *server);

/* Log lines that waited long enough, processes that stayed too long. True if any are left. */
bool endings_tick(struct server *server, uint64_t now_ms);

/* At the end: waits at most wait_ms, then kills the rest. */
void endings_finish(struct server *server, unsigned int wait_ms);

#endif

/*
 * agent_record - the history of an agent since it was configured: the source of the metrics
 * pitot.agent.*.
 *
 * Nothing here decides anything. An agent may have a new process when the exit status of the old
 * one comes in, so the record has the process whose status is awaited.
 */
#ifndef PMCD_AGENT_RECORD_H
#define PMCD_AGENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

#endif

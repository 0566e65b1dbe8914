/*
 * process - a process of this host, as the kernel describes it below /proc.
 *
 * A field that may not be read (another user's) stays unknown: -1.
 */
#ifndef PITOT_PROCESS_H
#define PITOT_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid;     /* 0: none of this host */
	char name[32]; /* as the kernel has it */
	int64_t uid;
	int64_t start_ms;   /* since boot */
	int64_t rss_kb;     /* resident */
	int64_t pss_kb;     /* of it, pages that others share by their part */
	int64_t cpu_us;     /* used so far */
	double cpu_percent; /* of one processor, over the window; NAN: unknown */
	int64_t fds;        /* open descriptors */
	int64_t fds_limit;
	bool stopped;      /* by a signal or a debugger */
	bool program_gone; /* its file was replaced or removed */
};

/* True if there is such a process. */
bool process_read(pid_t pid, struct process *ret_process);

/* An empty one: nothing is known. */
void process_init(struct process *p);

#endif

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
#include <stdint.h>
#include <sys/types.h>

#include "libbase/list.h"

struct agent;
struct server;

struct leavers {
	struct list all;
};

/*
 * Starts a program (searched for in PATH) with these descriptors as standard input and output (-1:
 * none, /dev/null); its errors go where ours go. Signals are as a shell would give them. It
 * is given these capabilities (rights.h; 0: none but what we have). 0 or -errno.
 */
int child_start(char *const argv[], int in_fd, int out_fd, uint64_t caps, pid_t *ret_pid);

void leavers_init(struct leavers *l);
void leavers_done(struct leavers *l);

/* Takes over the process of a failed agent (it may have none) and says its end in the log; what is
 * said in the words of docs/spec/pmcd.md 8.3. The agent's status gets the exit status if known. */
void leavers_add(struct leavers *l, struct agent *a, const char *what);

/* Collects children that have exited: processes of agents, and processes that are no longer
 * needed. */
void leavers_reap(struct server *server);

/* Log lines that waited long enough, processes that stayed too long. True if any are left. */
bool leavers_tick(struct server *server, uint64_t now_ms);

/* At the end: waits at most wait_ms, then kills the rest. */
void leavers_finish(struct server *server, unsigned int wait_ms);

#endif

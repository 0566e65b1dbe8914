/*
 * trace_target - the process that is traced: one that runs, or a command that we start.
 *
 * A command is held before its first instruction until the stream exists. Signals to stop are taken
 * synchronously: nothing runs in a handler.
 */
#ifndef PITOT_TRACE_TARGET_H
#define PITOT_TRACE_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum trace_event_kind {
	TRACE_WAIT_TIMEOUT,
	TRACE_WAIT_ENDED,  /* the process has ended */
	TRACE_WAIT_SIGNAL, /* a signal stops us: target->signal */
};

struct trace_target {
	pid_t pid;
	const char *word; /* of our command line, for messages */
	bool child; /* of ours */
	int pidfd;  /* -1: the kernel has none, or it is a child */
	int gate;   /* closed or written to: the command goes on */
	int report; /* errno of a failed exec comes here */
	int signals;
	sigset_t mask; /* of signals, as it was */
	void (*sigpipe)(int); /* the same of SIGPIPE, which we ignore */
	int signal;	   /* the last that stopped us; 0: none */
	bool from_terminal; /* which has signalled the command too */
	bool family;        /* of a command: its descendants count, too, even when it has ended (set before spawning) */
	bool ended;         /* with a family: all have */
	bool command_ended; /* it has its status */
	int status; /* of a child, as waitpid gives it */
};

/* Attaches to a process. 0, or -1 after a message. */
int trace_target_attach(struct trace_target *t, const char *command, const char *pid);

/*
 * Is there a program of this name? To be asked before anything is opened for it. 0, or the exit
 * status that a shell would give after a message: 126, 127.
 */
int trace_target_find(const char *command, const char *name);

/*
 * Starts argv, held. 0, or -1 after a message. family: the target has not ended before all descendants of the command
 * have, also those whose parents end (daemon(3)). We become their parent then, which needs PR_SET_CHILD_SUBREAPER.
 */
int trace_target_spawn(struct trace_target *t, const char *command, char *const argv[], bool family);

/* Lets a command go. 0, or the exit status that a shell would give after a message: 126, 127. */
int trace_target_release(struct trace_target *t, const char *command, const char *name);

/* Waits for the end, a signal, or the time. */
enum trace_event_kind trace_target_wait(struct trace_target *t, int timeout_ms);

/* Hands the signal that we got on to the command, unless it had it. */
void trace_target_forward(const struct trace_target *t);

/* Waits a while for a command that got the signal; a message if it goes on, or if a signal cut that
 * short. */
void trace_target_leave(struct trace_target *t, const char *command);

/*
 * The exit status: the command's status, 128 + the signal that killed it or that made us leave a
 * command running; 0 for a process.
 */
int trace_target_exit_status(const struct trace_target *t);

/* Gives up what was held; a command that was not released dies. */
void trace_target_done(struct trace_target *t);

#endif

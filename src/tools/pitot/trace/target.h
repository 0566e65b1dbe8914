/*
 * target - the process that is traced: a running one, or a command that is started.
 *
 * A command is held before its first instruction until the stream exists. Signals to stop are read
 * synchronously: nothing runs in a signal handler.
 */
#ifndef PITOT_TRACE_TARGET_H
#define PITOT_TRACE_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum trace_event_kind {
	TRACE_WAIT_TIMEOUT,
	TRACE_WAIT_ENDED,  /* the process has ended */
	TRACE_WAIT_SIGNAL, /* a signal to stop: target->signal */
};

struct trace_target {
	pid_t pid;
	const char *word; /* name of the command, for messages */
	bool child;       /* a child of this process */
	int pidfd;        /* -1: the kernel does not have it, or the process is a child */
	int gate;         /* closed or written to: the command goes on */
	int report;       /* receives errno of a failed exec */
	int signals;
	sigset_t mask;        /* signal mask before */
	void (*sigpipe)(int); /* the action for SIGPIPE, which is ignored meanwhile */
	int signal;           /* the last signal to stop; 0: none */
	bool from_terminal;   /* which the command has received too */
	bool family;          /* wait for its descendants, too (set before spawning) */
	bool ended;           /* with a family: all have ended */
	bool command_ended;   /* status is set */
	int status;           /* of a child, from waitpid */
};

/* Attaches to a process. Returns 0, or -1 after a message. */
int trace_target_attach(struct trace_target *t, const char *command, const char *pid);

/*
 * Checks that there is a program of this name, before anything is opened for it. Returns 0, or the
 * exit status of a shell after a message: 126, 127.
 */
int trace_target_find(const char *command, const char *name);

/*
 * Starts argv, held. Returns 0, or -1 after a message. family: the target has ended only when all
 * descendants of the command have, also those whose parents end (daemon(3)). This process becomes
 * their parent then, which needs PR_SET_CHILD_SUBREAPER.
 */
int trace_target_spawn(struct trace_target *t, const char *command, char *const argv[],
		       bool family);

/* Lets a command go on. Returns 0, or the exit status of a shell after a message: 126, 127. */
int trace_target_release(struct trace_target *t, const char *command, const char *name);

/* Waits for the end, a signal, or the time. */
enum trace_event_kind trace_target_wait(struct trace_target *t, int timeout_ms);

/* Forwards the received signal to the command, unless the command has received it. */
void trace_target_forward(const struct trace_target *t);

/*
 * Gives a command that received the signal some time to end; prints a message if it goes on, or if
 * a signal ended the wait.
 */
void trace_target_leave(struct trace_target *t, const char *command);

/*
 * The exit status: the command's status, 128 + the signal that killed it or that made this program
 * leave it running; 0 for a process.
 */
int trace_target_exit_status(const struct trace_target *t);

/* Frees the target; a held command is killed. */
void trace_target_done(struct trace_target *t);

#endif

/* agent_pipe - agents that are started as children (docs/spec/pmda.md 19.5). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/dbpmda/agent_daemon.h"
#include "tools/dbpmda/command.h"

enum { EXIT_NOT_STARTED = 127 };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static void announce(const struct command *c)
{
	printf("Start %s PMDA: %s", base_of(c->text), c->text);
	for (int i = 0; i < c->nword; i++)
		printf(" %s", c->words[i]);
	putchar('\n');
	fflush(stdout);
}

/* Runs in the child: its standard input and output become the pipes. */
static void run(const struct command *c, int in, int out, bool own_group)
{
	const char *argv[COMMAND_WORDS_MAX + 2];

	argv[0] = c->text;
	memcpy(&argv[1], c->words, (size_t)c->nword * sizeof(argv[0]));
	argv[c->nword + 1] = NULL;
	if (own_group)
		setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
		execv(c->text, (char *const *)argv);
	fprintf(stderr, "Cannot start \"%s\": %s\n", c->text, strerror(errno));
	_exit(EXIT_NOT_STARTED);
}

/* to: the pipe that the agent reads; from: the pipe that it writes. */
static int start(const struct command *c, const int to[2], const int from[2], bool own_group)
{
	int pid = fork();

	if (pid == 0)
		run(c, to[0], from[1], own_group);
	close(to[0]);
	close(from[1]);
	if (pid < 0) {
		fprintf(stderr, "openpmda: fork: %s\n", strerror(errno));
		close(to[1]);
		close(from[0]);
	}
	return pid;
}

struct agent *agent_pipe_open(const struct command *c, const struct agent_settings *s)
{
	struct stat st;
	int to[2], from[2];
	int pid;

	if (stat(c->text, &st) < 0) {
		fprintf(stderr, "openpmda: stat %s failed: %s\n", c->text, strerror(errno));
		return NULL;
	}
	if (pipe2(to, O_CLOEXEC) < 0) {
		fprintf(stderr, "openpmda: pipe: %s\n", strerror(errno));
		return NULL;
	}
	if (pipe2(from, O_CLOEXEC) < 0) {
		fprintf(stderr, "openpmda: pipe: %s\n", strerror(errno));
		close(to[0]);
		close(to[1]);
		return NULL;
	}
	announce(c);
	pid = start(c, to, from, s->interactive);
	return pid < 0 ? NULL : agent_daemon_new(c->text, from[0], to[1], pid, s);
}

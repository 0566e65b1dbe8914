/* child - see child.h. */
#include "daemons/pmcd/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/rights.h"
#include "daemons/pmcd/server.h"
#include "libbase/clock.h"

enum {
	ENDING_LOG_MS = 50,    /* the log line waits so long for the exit status */
	ENDING_STAY_MS = 5000, /* then the process is killed */
	ENDING_NAP_MS = 10,
	LAST_ERRNO = 4095, /* the greatest number that can be -errno */
};

struct ending {
	struct list node;
	pid_t pid;
	unsigned int domain;
	uint64_t since_ms;
	bool logged, killed;
	const char *what; /* after the label */
	char label[];     /* the agent may be gone before its process */
};

/*
 * Records
 */

void agent_record_end(struct agent_record *rec, uint64_t now_ms, const char *error, int code,
		      pid_t pid, const int *wait_status)
{
	rec->ends++;
	rec->error = error;
	rec->error_ms = now_ms;
	/* A broken pipe is how every end looks from here: it explains nothing. */
	rec->code = code < 0 && code >= -LAST_ERRNO && code != -EPIPE ? code : 0;
	rec->pid = pid;
	rec->exit_known = wait_status != NULL;
	if (wait_status != NULL)
		rec->wait_status = *wait_status;
}

void agent_record_timeout(struct agent_record *rec, uint64_t now_ms)
{
	rec->timeouts++;
	rec->error = "did not answer in time";
	rec->error_ms = now_ms;
	rec->code = 0;
	rec->pid = 0;
	rec->exit_known = false;
}

void agent_record_exit(struct agent_record *rec, pid_t pid, int wait_status)
{
	if (pid <= 0 || rec->pid != pid)
		return;
	rec->exit_known = true;
	rec->wait_status = wait_status;
}

const char *agent_record_text(const struct agent_record *rec, char *text, size_t size)
{
	const char *error = rec->error != NULL ? rec->error : "";

	if (rec->exit_known && WIFSIGNALED(rec->wait_status))
		snprintf(text, size, "%s (signal %d, %s)", error, WTERMSIG(rec->wait_status),
			 strsignal(WTERMSIG(rec->wait_status)));
	else if (rec->exit_known && WIFEXITED(rec->wait_status))
		snprintf(text, size, "%s (exit status %d)", error, WEXITSTATUS(rec->wait_status));
	else if (rec->code != 0)
		snprintf(text, size, "%s (%s)", error, strerror(-rec->code));
	else
		snprintf(text, size, "%s", error);
	return text;
}

/*
 * Processes
 */

extern char **environ;

/* Ignored signals would stay ignored over exec, and blocked ones blocked. */
static int set_signals(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int r;

	sigemptyset(&none);
	sigfillset(&all);
	r = posix_spawnattr_setsigmask(attr, &none);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attr, &all);
	if (r == 0)
		r = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return r;
}

static int set_descriptor(posix_spawn_file_actions_t *actions, int from, int to, int flags)
{
	if (from < 0)
		return posix_spawn_file_actions_addopen(actions, to, "/dev/null", flags, 0);
	return posix_spawn_file_actions_adddup2(actions, from, to);
}

static int child_spawn(char *const argv[], const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, uint64_t caps, pid_t *ret_pid)
{
	int r = caps != 0 ? -rights_lend(caps) : 0;

	if (r != 0)
		return r;
	r = posix_spawnp(ret_pid, argv[0], actions, attr, argv, environ);
	if (caps != 0)
		rights_take_back();
	return r;
}

int child_start(char *const argv[], int in_fd, int out_fd, uint64_t caps, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int r = posix_spawn_file_actions_init(&actions);

	if (r != 0)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (r == 0) {
		r = set_signals(&attr);
		if (r == 0)
			r = set_descriptor(&actions, in_fd, STDIN_FILENO, O_RDONLY);
		if (r == 0)
			r = set_descriptor(&actions, out_fd, STDOUT_FILENO, O_WRONLY);
		if (r == 0)
			r = child_spawn(argv, &actions, &attr, caps, ret_pid);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

void endings_init(struct endings *l)
{
	list_init(&l->all);
}

static void ending_free(struct ending *v)
{
	list_del(&v->node);
	free(v);
}

void endings_done(struct endings *l)
{
	LIST_FOR_EACH (pos, &l->all)
		ending_free(LIST_ENTRY(pos, struct ending, node));
}

/* exit(E), signal(S) and the word about a core, as far as they apply. */
static void log_end(const char *label, unsigned int domain, const char *what, bool known,
		    int wstatus)
{
	char how[64] = "";

	if (known && WIFEXITED(wstatus))
		snprintf(how, sizeof(how), ", exit(%d)", WEXITSTATUS(wstatus));
	else if (known && WIFSIGNALED(wstatus))
		snprintf(how, sizeof(how), ", signal(%d)%s", WTERMSIG(wstatus),
			 WCOREDUMP(wstatus) ? ", dumped core" : "");
	log_info("Cleanup \"%s\" agent (dom %u): %s%s", label, domain, what, how);
}

/* Bits 8.. of an agent's status. */
static int status_bits(int wstatus)
{
	if (WIFEXITED(wstatus))
		return WEXITSTATUS(wstatus) << 8;
	return WIFSIGNALED(wstatus) ? WTERMSIG(wstatus) << 16 : 0;
}

static void ending_exited(struct server *server, struct ending *v, int wstatus)
{
	struct agent *a = server_agent(server, v->domain);

	/* Its successor may run already: then the status is not that of the agent any more. */
	if (a != NULL && a->state == AGENT_DOWN)
		a->status |= status_bits(wstatus);
	if (a != NULL)
		agent_record_exit(&a->record, v->pid, wstatus);
	if (!v->logged)
		log_end(v->label, v->domain, v->what, true, wstatus);
	ending_free(v);
}

static bool child_reap(pid_t pid, int *ret_wstatus)
{
	pid_t got;

	do
		got = waitpid(pid, ret_wstatus, WNOHANG);
	while (got < 0 && errno == EINTR);
	return got == pid;
}

void endings_add(struct endings *l, struct agent *a, const char *what)
{
	const char *label = a->config->label;
	size_t len = strlen(label) + 1;
	size_t what_len = strlen(what) + 1;
	struct ending *v;
	int wstatus;

	if (a->pid == 0 || child_reap(a->pid, &wstatus)) {
		bool known = a->pid != 0;

		if (known)
			agent_record_exit(&a->record, a->pid, wstatus);
		if (known || a->exited)
			a->status |= status_bits(known ? wstatus : a->wait_status);
		log_end(label, a->config->domain, what, known || a->exited,
			known ? wstatus : a->wait_status);
		a->pid = 0;
		return;
	}
	v = calloc(1, sizeof(*v) + len + what_len);
	if (v == NULL)
		return; /* the process stays a zombie until we end: the lesser evil */
	v->pid = a->pid;
	v->domain = a->config->domain;
	v->since_ms = loop_run_ms(&a->server->loop);
	memcpy(v->label, label, len);
	v->what = memcpy(v->label + len, what, what_len);
	list_add_tail(&l->all, &v->node);
	a->pid = 0;
}

void endings_reap(struct server *server)
{
	int wstatus;

	LIST_FOR_EACH (pos, &server->agents.endings.all) {
		struct ending *v = LIST_ENTRY(pos, struct ending, node);

		if (child_reap(v->pid, &wstatus))
			ending_exited(server, v, wstatus);
	}
	for (unsigned int i = 0; i < server->agents.count; i++) {
		struct agent *a = server->agents.all[i];

		if (a->pid > 0 && child_reap(a->pid, &wstatus)) {
			a->pid = 0;
			a->exited = true;
			a->wait_status = wstatus;
			a->status |= status_bits(wstatus);
			if (a->state != AGENT_DOWN && a->ops->exited != NULL)
				a->ops->exited(a);
		}
	}
}

bool endings_tick(struct server *server, uint64_t now_ms)
{
	LIST_FOR_EACH (pos, &server->agents.endings.all) {
		struct ending *v = LIST_ENTRY(pos, struct ending, node);

		if (!v->logged && now_ms - v->since_ms >= ENDING_LOG_MS) {
			log_end(v->label, v->domain, v->what, false, 0);
			v->logged = true;
		}
		if (!v->killed && now_ms - v->since_ms >= ENDING_STAY_MS) {
			kill(v->pid, SIGKILL);
			v->killed = true;
		}
	}
	return !list_empty(&server->agents.endings.all);
}

void endings_finish(struct server *server, unsigned int wait_ms)
{
	uint64_t end_ms = clock_mono_ms() + wait_ms;
	struct timespec nap = {.tv_nsec = ENDING_NAP_MS * 1000000};

	endings_reap(server);
	while (!list_empty(&server->agents.endings.all) && clock_mono_ms() < end_ms) {
		nanosleep(&nap, NULL);
		endings_reap(server);
	}
	LIST_FOR_EACH (pos, &server->agents.endings.all) {
		struct ending *v = LIST_ENTRY(pos, struct ending, node);
		int wstatus;

		kill(v->pid, SIGKILL);
		waitpid(v->pid, &wstatus, 0);
		ending_exited(server, v, wstatus);
	}
}

/*
 * up - everything in one command: finds a place, starts the collector, watches it, cleans up.
 *
 *     options -> place -> port free? -> start -> answers -> banner -> watch -> stop
 *
 * The collector is a child that dies with us. If it dies first it is started again, after a pause
 * that doubles from one second to a minute. Signals are taken synchronously: nothing runs in a
 * handler.
 */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "banner.h"
#include "child.h"
#include "options.h"
#include "pitot.h"
#include "place.h"
#include "port.h"

enum {
	UP_PORT = 44321,
	UP_ARGS_MAX = 24 + 2 * PORT_ADDRESSES_MAX,
	UP_START_MS = 10000, /* how long the collector may take to answer */
	UP_STOP_MS = 5000,   /* how long it may take to end */
	UP_PAUSE_MAX_MS = 60000,
	UP_STEADY_MS = 60000, /* a run of this length forgets earlier deaths */
};

struct up {
	struct place place;
	struct child pmcd;
	const char *config; /* NULL: the installed one */
	char *addresses[PORT_ADDRESSES_MAX];
	int naddresses;
	int port;
	long seconds;     /* 0: until interrupted */
	const char *user; /* whom the collector becomes, NULL: nobody else */
	uid_t uid;
	gid_t gid;
};

/* clang-format off */
enum { UP_SECONDS = OPTIONS_NO_LETTER, UP_PORT_NUMBER, UP_LISTEN, UP_CONFIG };

static const pmLongOptions rows[] = {
	{ "seconds", 1, UP_SECONDS,     "N",       "stop after N seconds" },
	{ "port",    1, UP_PORT_NUMBER, "N",       "TCP port instead of 44321; 0 chooses a free one" },
	{ "listen",  1, UP_LISTEN,      "ADDRESS", "listen on this IPv4 or IPv6 address instead of loopback; repeatable" },
	{ "config",  1, UP_CONFIG,      "FILE",    "a pmcd.conf of your own" },
	{ NULL, 0, 0, NULL, NULL },
};
/* clang-format on */

static int take_option(void *arg, int letter, const char *value)
{
	struct up *up = arg;
	long port;

	switch (letter) {
	case UP_SECONDS:
		return options_integer("seconds", value, INT_MAX, &up->seconds);
	case UP_PORT_NUMBER:
		if (options_integer("port", value, 65535, &port) < 0)
			return -1;
		up->port = (int)port;
		return 0;
	case UP_LISTEN:
		if (up->naddresses == PORT_ADDRESSES_MAX) {
			pitot_complain("--listen: at most %d addresses", PORT_ADDRESSES_MAX);
			return -1;
		}
		up->addresses[up->naddresses++] = (char *)value;
		return 0;
	default:
		up->config = value;
		return 0;
	}
}

static const struct options options = {
    .command = "up",
    .purpose =
	"Collects this host's metrics and serves them to the tools of Pitot and of PCP until "
	"interrupted.",
    .rows = rows,
    .take = take_option,
};

/* Can this user run the installed collector? Asked in a child that becomes the user. */
static int user_can_run(const char *path, uid_t uid, gid_t gid)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (setgid(gid) < 0 || setuid(uid) < 0)
			_exit(1);
		_exit(access(path, R_OK | X_OK) < 0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

/* As root the collector becomes PCP_USER (default pcp); where that can't be, we say so. */
static void choose_user(struct up *up, const char *program)
{
	const char *name = getenv("PCP_USER");
	struct passwd *pw;

	up->uid = (uid_t)-1;
	up->gid = (gid_t)-1;
	if (geteuid() != 0)
		return;
	if (name == NULL || name[0] == '\0')
		name = "pcp";
	pw = getpwnam(name);
	if (pw == NULL) {
		printf("There is no user '%s': the collector runs as root.\n", name);
		return;
	}
	if (!user_can_run(program, pw->pw_uid, pw->pw_gid)) {
		printf("User '%s' cannot run %s: the collector runs as root.\n", name, program);
		return;
	}
	up->user = strdup(name);
	up->uid = pw->pw_uid;
	up->gid = pw->pw_gid;
}

static int start_pmcd(struct up *up, const char *program, char *config)
{
	char *argv[UP_ARGS_MAX];
	char port[16];
	int n = 0, r;

	snprintf(port, sizeof(port), "%d", up->port);
	argv[n++] = (char *)program;
	argv[n++] = "-f";
	argv[n++] = "-A";
	argv[n++] = "-c";
	argv[n++] = config;
	argv[n++] = "-p";
	argv[n++] = port;
	argv[n++] = "-s";
	argv[n++] = up->place.socket;
	argv[n++] = "-l";
	argv[n++] = up->place.pmcd_log;
	for (int i = 0; i < up->naddresses; i++) {
		argv[n++] = "-i";
		argv[n++] = up->addresses[i];
	}
	argv[n] = NULL;
	r = child_start(&up->pmcd, argv, up->user, up->uid, up->gid);
	if (r < 0)
		pitot_complain("cannot start %s: %s", program, strerror(-r));
	return r;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static sigset_t watched_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	return set;
}

/* The next signal within timeout_ms (< 0: for ever), or 0. */
static int wait_signal(int64_t timeout_ms)
{
	const sigset_t set = watched_signals();
	struct timespec ts = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000};
	int sig;

	do {
		sig = timeout_ms < 0 ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &ts);
	} while (sig < 0 && errno == EINTR && timeout_ms < 0);
	return sig > 0 ? sig : 0;
}

/* 0 once the collector answers, -1 after a message, 1 if we were told to stop. */
static int wait_ready(struct up *up)
{
	const int64_t end = now_ms() + UP_START_MS;
	char text[64];

	while (banner_print(&up->place, up->port, up->addresses, up->naddresses) < 0) {
		int sig = wait_signal(10);

		if (sig == SIGINT || sig == SIGTERM)
			return 1;
		if (child_ended(&up->pmcd)) {
			pitot_complain("the collector %s; its log says why: %s",
				       child_status_text(&up->pmcd, text, sizeof(text)),
				       up->place.pmcd_log);
			return -1;
		}
		if (now_ms() > end) {
			pitot_complain("the collector does not answer on %s within %d s; see %s",
				       up->place.socket, UP_START_MS / 1000, up->place.pmcd_log);
			return -1;
		}
	}
	return 0;
}

/* Starts the collector again after its death; the pause is ended by a signal to stop. */
static int restart(struct up *up, const char *program, char *config, int *pause_ms)
{
	char text[64];
	int sig;

	pitot_complain("the collector %s; starting it again in %d s (log: %s)",
		       child_status_text(&up->pmcd, text, sizeof(text)), *pause_ms / 1000,
		       up->place.pmcd_log);
	do {
		sig = wait_signal(*pause_ms);
	} while (sig == SIGCHLD || sig == SIGHUP);
	if (sig != 0)
		return 1;
	*pause_ms = *pause_ms * 2 > UP_PAUSE_MAX_MS ? UP_PAUSE_MAX_MS : *pause_ms * 2;
	start_pmcd(up, program, config);
	return 0;
}

static void watch(struct up *up, const char *program, char *config)
{
	const int64_t end = up->seconds > 0 ? now_ms() + up->seconds * 1000 : INT64_MAX;
	int64_t started = now_ms();
	int pause_ms = 1000;

	for (;;) {
		int64_t now;
		int sig;

		if (child_ended(&up->pmcd)) {
			if (now_ms() - started > UP_STEADY_MS)
				pause_ms = 1000;
			if (restart(up, program, config, &pause_ms) != 0)
				return;
			started = now_ms();
		}
		now = now_ms();
		if (now >= end)
			return;
		sig = wait_signal(end == INT64_MAX ? -1 : end - now);
		if (sig == SIGINT || sig == SIGTERM)
			return;
		if (sig == SIGHUP && up->pmcd.pid != 0)
			kill(up->pmcd.pid, SIGHUP);
	}
}

int up_run(int argc, char **argv)
{
	struct up up = {.port = UP_PORT};
	const sigset_t signals = watched_signals();
	char program[PLACE_PATH + 16], config[PLACE_PATH + 32];
	int status = options_parse(&options, argc, argv, &up);
	int r;

	if (status >= 0)
		return status;
	if (place_find(&up.place) < 0)
		return PITOT_FAILED;
	snprintf(program, sizeof(program), "%s/bin/pmcd", up.place.prefix);
	if (up.config != NULL)
		snprintf(config, sizeof(config), "%s", up.config);
	else
		snprintf(config, sizeof(config), "%s/etc/pcp/pmcd/pmcd.conf", up.place.prefix);
	if (access(config, R_OK) < 0) {
		pitot_complain("cannot read the configuration %s: %s", config, strerror(errno));
		return PITOT_FAILED;
	}
	choose_user(&up, program);
	if (place_make(&up.place, up.uid, up.gid) < 0)
		return PITOT_FAILED;
	sigprocmask(SIG_BLOCK, &signals, NULL);
	status = PITOT_FAILED;
	if (port_check(&up.port, up.addresses, up.naddresses) < 0 || place_export(&up.place) < 0 ||
	    start_pmcd(&up, program, config) < 0)
		goto out;
	r = wait_ready(&up);
	if (r == 0)
		watch(&up, program, config);
	if (r >= 0)
		status = PITOT_OK;
out:
	child_stop(&up.pmcd, UP_STOP_MS);
	place_clean(&up.place);
	if (status == PITOT_OK)
		puts("Stopped");
	return status;
}

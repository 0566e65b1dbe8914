/*
 * up - the command `pitot up`: starts the daemons, and says what runs.
 */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/pitot/collector.h"
#include "tools/pitot/pitot.h"
#include "tools/pitot/process.h"
#include "tools/pitot/up/up.h"

/*
 * banner - printed by `pitot up` when the collector answers: what runs, where, and commands to try.
 */

static void print_word(const char *word)
{
	char text[4 * PLACE_PATH];

	fputs(word_quote(word, text, sizeof(text)), stdout);
}

static void print_try(const struct place *p, const char *tool, const char *arguments)
{
	char word[2 * PLACE_PATH];

	fputs("    ", stdout);
	snprintf(word, sizeof(word), "%s/bin/%s", p->prefix, tool);
	print_word(word);
	fputs(" -h ", stdout);
	snprintf(word, sizeof(word), "unix:%s", p->socket);
	print_word(word);
	printf(" %s\n", arguments);
}

static void print_listening(const struct place *p, int port, char *const addresses[], int count)
{
	printf("  listening on %s\n", p->socket);
	if (count == 0)
		printf("               127.0.0.1 port %d (loopback only; more with --listen "
		       "ADDRESS)\n",
		       port);
	for (int i = 0; i < count; i++)
		printf("               %s port %d\n", addresses[i], port);
}

/* "2.0 GB"; text holds at least 32 bytes. */
static const char *size_text(uint64_t bytes, char *text)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	double v = (double)bytes;
	size_t i = 0;

	for (; v >= 1024 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		v /= 1024;
	snprintf(text, 32, "%.3g %s", v, units[i]);
	return text;
}

static void print_recording(const struct place *p, const struct recorder *recorder)
{
	char text[32];

	if (recorder->off) {
		puts("  records      nothing (--no-record)");
		return;
	}
	fputs("  records into ", stdout);
	print_word(p->archive_dir);
	printf(" (at most %s, oldest go first)\n", size_text(recorder->keep, text));
}

/* Connects to the collector at the socket. Returns 0, or a PMAPI error if it does not answer. */
static int banner_print(const struct place *p, const struct recorder *recorder, int port,
			char *const addresses[], int count)
{
	struct collector c;
	char source[PLACE_PATH + 8];
	char host[256];
	int context, r;

	snprintf(source, sizeof(source), "unix:%s", p->socket);
	context = pmNewContext(PM_CONTEXT_HOST, source);
	if (context < 0)
		return context;
	collector_init(&c);
	r = collector_count_names(&c);
	pmGetContextHostName_r(context, host, sizeof(host));
	pmDestroyContext(context);
	if (r < 0)
		return r;
	printf("Pitot " PITOT_VERSION " collects %lld metrics of %s\n", (long long)c.metrics, host);
	print_listening(p, port, addresses, count);
	printf("  log          %s\n", p->pmcd_log);
	print_recording(p, recorder);
	puts("  try in another shell:");
	print_try(p, "pminfo", "-f kernel.all.load mem.util.free");
	print_try(p, "pmval", "-s 5 kernel.all.cpu.user");
	print_try(p, "pmprobe", "-v network.interface.in.bytes");
	puts("  Ctrl-C stops; `pitot status` tells how it is");
	fflush(stdout);
	return 0;
}

/*
 * The command
 *
 *     options -> place -> port free? -> start -> answers -> banner -> supervise -> stop
 *
 * The collector is a child that dies with us, and is started again if it dies first.
 */

enum {
	UP_PORT = 44321,
	UP_START_MS = 10000, /* the time that the collector may take to answer */
	UP_LOOK_MS = 10,
};

struct up {
	pmOptions pm;
	struct place place;
	struct daemon pmcd;
	struct recorder recorder;
	struct daemon_user user;
	const char *config; /* NULL: the installed one */
	char *addresses[PORT_ADDRESSES_MAX];
	int naddresses;
	int port;
	long seconds; /* 0: until it is interrupted */
	/* The memory of the daemons' arguments. */
	char pmcd_program[PLACE_PATH + 16];
	char pmcd_config[PLACE_PATH + 32];
	char pmcd_port[16];
};

static void add_address(void *options)
{
	struct up *up = options;

	if (up->naddresses < PORT_ADDRESSES_MAX) {
		up->addresses[up->naddresses++] = up->pm.optarg;
		return;
	}
	pitot_complain("--listen: at most %d addresses", PORT_ADDRESSES_MAX);
	up->pm.errors++;
}

static void set_keep(void *options)
{
	struct up *up = options;

	if (recorder_take_keep(&up->recorder, up->pm.optarg) < 0)
		up->pm.errors++;
}

#define AT(member) offsetof(struct up, member)

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ { "seconds", 1, 0, "N",       "stop after N seconds" }, CMDLINE_LONG, AT(seconds), .max = INT_MAX },
	{ { "port",    1, 0, "N",       "TCP port instead of 44321; 0 chooses a free one" }, CMDLINE_INT, AT(port), .max = 65535 },
	{ { "listen",  1, 0, "ADDRESS", "listen on this IPv4 or IPv6 address instead of loopback; repeatable" }, CMDLINE_CALL, .call = add_address },
	{ { "config",  1, 0, "FILE",    "a pmcd.conf of your own" }, CMDLINE_TEXT, AT(config) },
	{ { "record",  1, 0, "FILE",    "a configuration of pmlogger of your own" }, CMDLINE_TEXT, AT(recorder.config) },
	{ { "keep",    1, 0, "SIZE",    "keep archives of this size in all, such as 500m [2g, or 5 % of the disk]" }, CMDLINE_CALL, .call = set_keep },
	{ { "no-record", 0, 0, NULL,    "record nothing" }, CMDLINE_FLAG, AT(recorder.off) },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

static const struct options options = {
    .command = "up",
    .purpose =
	"Collects this host's metrics, serves them to the tools of Pitot and of PCP, and records "
	"them, until interrupted.",
    .rows = rows,
};

/* Checks in a child, which becomes the user, that this user can run the installed collector. */
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

/*
 * For root, the daemons run as PCP_USER (default pcp); if that is not possible, a message says so.
 */
static void choose_user(struct daemon_user *user, const char *program)
{
	const char *name = getenv("PCP_USER");
	struct passwd *pw;

	*user = (struct daemon_user){NULL, (uid_t)-1, (gid_t)-1};
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
	*user = (struct daemon_user){strdup(name), pw->pw_uid, pw->pw_gid};
}

static void describe_pmcd(struct up *up)
{
	struct daemon *d = &up->pmcd;
	int n = 0;

	snprintf(up->pmcd_port, sizeof(up->pmcd_port), "%d", up->port);
	d->what = "the collector";
	d->log = up->place.pmcd_log;
	d->rereads = true;
	d->argv[n++] = up->pmcd_program;
	d->argv[n++] = "-f";
	d->argv[n++] = "-A";
	d->argv[n++] = "-c";
	d->argv[n++] = up->pmcd_config;
	d->argv[n++] = "-p";
	d->argv[n++] = up->pmcd_port;
	d->argv[n++] = "-s";
	d->argv[n++] = up->place.socket;
	d->argv[n++] = "-l";
	d->argv[n++] = up->place.pmcd_log;
	for (int i = 0; i < up->naddresses; i++) {
		d->argv[n++] = "-i";
		d->argv[n++] = up->addresses[i];
	}
}

/* Returns 0 when the collector answers, -1 after a message, 1 after a signal to stop. */
static int wait_ready(struct up *up)
{
	char text[64];

	for (int waited = 0; waited <= UP_START_MS; waited += UP_LOOK_MS) {
		int sig;

		if (banner_print(&up->place, &up->recorder, up->port, up->addresses,
				 up->naddresses) == 0)
			return 0;
		sig = supervise_wait(UP_LOOK_MS);
		if (sig == SIGINT || sig == SIGTERM)
			return 1;
		if (child_ended(&up->pmcd.child)) {
			pitot_complain("the collector %s; its log says why: %s",
				       child_status_text(&up->pmcd.child, text, sizeof(text)),
				       up->place.pmcd_log);
			return -1;
		}
	}
	pitot_complain("the collector does not answer on %s within %d s; see %s", up->place.socket,
		       UP_START_MS / 1000, up->place.pmcd_log);
	return -1;
}

/* Checks for the files that are required. Returns 0, or -1 after a message. */
static int find_files(struct up *up)
{
	if (place_find(&up->place) < 0)
		return -1;
	snprintf(up->pmcd_program, sizeof(up->pmcd_program), "%s/bin/pmcd", up->place.prefix);
	if (up->config != NULL)
		snprintf(up->pmcd_config, sizeof(up->pmcd_config), "%s", up->config);
	else
		snprintf(up->pmcd_config, sizeof(up->pmcd_config), "%s/etc/pcp/pmcd/pmcd.conf",
			 up->place.prefix);
	if (access(up->pmcd_config, R_OK) < 0) {
		pitot_complain("cannot read the configuration %s: %s", up->pmcd_config,
			       strerror(errno));
		return -1;
	}
	return 0;
}

int up_run(int argc, char **argv)
{
	static struct up up = {.port = UP_PORT};
	struct daemon *const daemons[] = {&up.pmcd, &up.recorder.daemon};
	const sigset_t signals = child_parent_signals();
	int status = options_parse(&options, argc, argv, &up);
	pid_t recorder;
	int r;

	if (status >= 0)
		return status;
	if (find_files(&up) < 0)
		return PITOT_FAILED;
	choose_user(&up.user, up.pmcd_program);
	if (place_make(&up.place, up.user.uid, up.user.gid) < 0)
		return PITOT_FAILED;
	sigprocmask(SIG_BLOCK, &signals, NULL);
	status = PITOT_FAILED;
	if (port_check(&up.port, up.addresses, up.naddresses) < 0 || place_export(&up.place) < 0)
		goto out;
	recorder_state_remove(&up.place); /* files of one that was killed */
	describe_pmcd(&up);
	if (!up.recorder.off &&
	    (place_lock_archives(&up.place) < 0 || recorder_describe(&up.recorder, &up.place) < 0))
		goto out;
	if (daemon_start(&up.pmcd, &up.user) < 0)
		goto out;
	r = wait_ready(&up);
	if (r == 0 && !up.recorder.off && daemon_start(&up.recorder.daemon, &up.user) < 0)
		goto out;
	if (r == 0)
		supervise(daemons, up.recorder.off ? 1 : 2, &up.user, up.seconds);
	if (r >= 0)
		status = PITOT_OK;
out:
	recorder = up.recorder.daemon.child.pid;
	daemon_stop(&up.recorder.daemon);
	recorder_clean(&up.place, recorder);
	recorder_state_remove(&up.place);
	daemon_stop(&up.pmcd);
	place_clean(&up.place);
	if (status == PITOT_OK)
		puts("Stopped");
	return status;
}

/* main - pmlogger: the recorder (docs/spec/logger.md Part A). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/bounds.h"
#include "daemons/pmlogger/config_file.h"
#include "daemons/pmlogger/logger.h"
#include "daemons/pmlogger/options.h"
#include "daemons/pmlogger/reexec.h"
#include "libbase/file.h"
#include "libbase/terminal.h"

static struct logger logger;

/* After SIGUSR2 the log of before goes on. */
static bool is_again(void)
{
	return getenv("PMLOGGER_REEXEC") != NULL;
}

static void finish_on_stderr(void)
{
	char stamp[32];
	time_t now = time(NULL);

	fprintf(stderr, "\nLog finished %s", ctime_r(&now, stamp));
}

/* Recording goes on without a log file: the messages go where standard error goes. */
static void log_on_stderr(const char *path)
{
	char host[HOST_NAME_MAX + 1] = "", stamp[32];
	time_t now = time(NULL);

	gethostname(host, sizeof(host) - 1);
	fprintf(stderr, "Log for %s on %s started %s\n", pmGetProgname(), host,
		ctime_r(&now, stamp));
	fprintf(stderr, "%s: Warning: log file (%s) creation failed\n", pmGetProgname(), path);
	atexit(finish_on_stderr);
	pmNotifyErr(LOG_INFO, "Start");
}

static void main_open_log(const struct options *o)
{
	int ok = 1;

	if (o->check_only) { /* who asks sits at a terminal */
		pmNotifyErr(LOG_INFO, "Start");
		return;
	}
	if (!is_again())
		pmOpenLog(pmGetProgname(), o->log_path, stderr, &ok);
	else
		setlinebuf(stderr);
	if (!ok) {
		log_on_stderr(o->log_path);
		return;
	}
	if (!is_again() && strcmp(o->log_path, "-") == 0)
		dup2(STDOUT_FILENO, STDERR_FILENO);
	else
		dup2(STDERR_FILENO, STDOUT_FILENO);
	pmNotifyErr(LOG_INFO, "Start");
}

static void pid_path(char *buf, size_t size)
{
	snprintf(buf, size, "%s/pmlogger.pid", pmGetConfig("PCP_RUN_DIR"));
}

static void write_pid(void)
{
	char path[PATH_MAX], number[16];
	int fd, n;

	pid_path(path, sizeof(path));
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0) {
		pmNotifyErr(LOG_WARNING, "Cannot write PID file: path=\"%s\", error=%s", path,
			    strerror(errno));
		return;
	}
	n = snprintf(number, sizeof(number), "%d", (int)getpid());
	file_write_full(fd, number, (size_t)n);
	close(fd);
}

/* Root becomes the recorder's user where there is one. */
static void become_user(const struct options *o)
{
	const char *name = o->user != NULL ? o->user : pmGetConfig("PCP_USER");

	if (geteuid() != 0)
		return;
	if (name[0] == '\0')
		name = "pcp";
	if (getpwnam(name) == NULL)
		pmNotifyErr(LOG_WARNING, "There is no user \"%s\": pmlogger stays root", name);
	else
		pmSetProcessIdentity(name);
}

static int load_names(const struct options *o)
{
	int r = o->namespace_file != NULL ? pmLoadNameSpace(o->namespace_file) : 0;

	if (r < 0)
		fprintf(stderr, "%s: Cannot load namespace from \"%s\": %s\n", pmGetProgname(),
			o->namespace_file, pmErrStr(r));
	return r;
}

static int main_run(const struct options *o)
{
	char path[PATH_MAX];
	int status;

	if (o->daemon) {
		setpgid(getpid(), 0);
		write_pid();
		become_user(o);
	}
	if (load_names(o) < 0)
		return EXIT_FAILURE;
	logger.options = o;
	status = logger_run(&logger);
	if (o->daemon) {
		pid_path(path, sizeof(path));
		unlink(path);
	}
	if (logger.bounds.again) {
		fflush(NULL);
		pmNotifyErr(LOG_ERR, "Cannot start again: %s", pmErrStr(reexec(o->argv)));
		return EXIT_FAILURE;
	}
	return status;
}

int main(int argc, char **argv)
{
	static struct options options;
	int status;

	reexec_remember();
	pmSetProgname(argv[0]);
	umask(022);
	/* A recorder is back soon after its collector is. */
	setenv("PMCD_RECONNECT_TIMEOUT", "1,1,2,5,10", 0);
	if (!options_parse(&options, argc, argv, &status))
		return status;
	if (options.compress_file != NULL)
		return compress_file(options.compress_file, options.form);
	if (options.syntax_only)
		return config_check(options.config, options.interval_ms);
	signals_early();
	terminal_keep();
	main_open_log(&options);
	status = main_run(&options);
	if (status == EXIT_FAILURE && !options.check_only)
		terminal_tell(pmGetProgname(), options.log_path, 0);
	return status;
}

/* main - pmcd: the collector (docs/spec/pmcd.md). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include <pcp/pmapi.h>

#include "daemons/pmcd/configure.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/file.h"
#include "libbase/service.h"
#include "libbase/terminal.h"

/* Why we do not start: in the log, and where the administrator sits. */
static int die(const struct options *o)
{
	const char *path = o->fatal_path != NULL ? o->fatal_path : "/dev/tty";
	FILE *f;

	log_text("pmcd not started due to errors!\n");
	if (terminal_tell(pmGetProgname(), o->log_path, log_begin()) == 0)
		return EXIT_FAILURE;
	f = isatty(STDERR_FILENO) ? NULL : fopen(path, "w");
	if (f != NULL) {
		fprintf(f, "pmcd not started due to errors! Log file \"%s\" says why:\n",
			o->log_path);
		fflush(f);
		log_copy(o->log_path, fileno(f));
		fclose(f);
	}
	return EXIT_FAILURE;
}

/* As many clients as the system lets us have. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int into_background(void)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid > 0)
		_exit(EXIT_SUCCESS);
	setsid();
	if (close(STDIN_FILENO) == 0)
		open("/dev/null", O_RDONLY);
	return 0;
}

static void pid_path(char *buf, size_t size)
{
	snprintf(buf, size, "%s/pmcd.pid", pmGetConfig("PCP_RUN_DIR"));
}

static void write_pid(void)
{
	char path[PATH_MAX], text[16];
	int fd, n;

	pid_path(path, sizeof(path));
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0) {
		log_error("Cannot write PID file: path=\"%s\", error=%s", path, strerror(errno));
		return;
	}
	n = snprintf(text, sizeof(text), "%d", (int)getpid());
	file_write_full(fd, text, (size_t)n);
	close(fd);
}

/* Root becomes the collector's user before it starts an agent (rights.h). */
static int become_user(struct server *server, const struct options *o)
{
	char word[64] = "";
	int r = rights_parse(&server->rights, pmGetOptionalConfig("PMCD_AGENT_CAPS"), word,
			     sizeof(word));

	if (r < 0) {
		log_error("PMCD_AGENT_CAPS: expected \"label=capability,...\", not \"%s\"", word);
		return r;
	}
	r = rights_drop(&server->rights, o->user);
	if (r == -ENOENT) {
		log_error("There is no user \"%s\": pmcd and its agents stay root", o->user);
		return 0;
	}
	if (r < 0)
		log_error("Cannot become user \"%s\": %s", o->user, strerror(-r));
	return r;
}

static int main_open_log(const struct options *o)
{
	int r = log_open(o->log_path);

	if (r < 0)
		fprintf(stderr, "pmcd: cannot open log \"%s\": %s\n", o->log_path, strerror(-r));
	for (unsigned int i = 0; r == 0 && i < o->nnote; i++)
		log_info("%s", o->notes[i]);
	return r;
}

/* From nothing to a collector that is ready to run. */
static int main_start(struct server *server, const struct options *o)
{
	int r = server_listen(server);

	if (r < 0) {
		log_error("Cannot open any request socket: %s", strerror(-r));
		return r;
	}
	r = configure_read(server);
	if (r == 0 && !o->foreground) {
		write_pid();
		r = become_user(server, o);
	}
	if (r == 0)
		configure_start(server);
	return r;
}

static int main_serve(const struct options *o)
{
	char path[PATH_MAX];
	static struct server server;
	int r;

	r = server_init(&server, o);
	if (r == 0)
		r = loop_watch_signals(&server.loop);
	if (r == 0)
		r = main_start(&server, o);
	if (r == 0) {
		terminal_release();
		service_ready();
		server_run(&server);
		service_stopping();
	}
	server_done(&server);
	if (!o->foreground) {
		pid_path(path, sizeof(path));
		unlink(path);
	}
	if (r < 0)
		return die(o);
	log_info("pmcd Shutdown");
	log_close();
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static struct options options;

	pmSetProgname(argv[0]);
	umask(022);
	if (options_parse(&options, argc, argv) < 0)
		return EXIT_FAILURE;
	if (options.help) {
		options_usage();
		return EXIT_SUCCESS;
	}
	if (options.version) {
		printf("pmcd version %s (Pitot %s)\n", PCP_VERSION_STRING, PITOT_VERSION);
		return EXIT_SUCCESS;
	}
	if (options.verify)
		return configure_verify(&options) ? EXIT_SUCCESS : EXIT_FAILURE;
	terminal_keep();
	uv_disable_stdio_inheritance();
	raise_descriptors();
	if (!options.foreground && into_background() < 0)
		return EXIT_FAILURE;
	if (main_open_log(&options) < 0)
		return EXIT_FAILURE;
	return main_serve(&options);
}

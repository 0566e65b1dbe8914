/* configure - see configure.h. */
#include "daemons/pmcd/configure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/background.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/handshake.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

/*
 * Reading
 */

/* The text names the line; it has no prefix, because scripts know its form. */
static void configure_log(void *arg, const char *file, unsigned int line, const char *text)
{
	log_plain("%s", text);
}

static int configure_read_file(const char *path, struct buffer *b)
{
	return file_read_all(path, CONFIG_TEXT_MAX, b);
}

/* The file of access statements may be missing. */
static int parse_files(struct config *c, const struct options *o, config_message message)
{
	struct buffer b = BUFFER_INIT;
	int r = configure_read_file(o->config_path, &b);

	if (r == 0)
		r = config_parse(c, (const char *)buffer_head(&b), buffer_pending(&b),
				 o->config_path, message, NULL);
	else
		log_error("Cannot open configuration file \"%s\": %s", o->config_path,
			  strerror(-r));
	buffer_reset(&b);
	if (r >= 0 && configure_read_file(o->access_path, &b) == 0)
		r = config_parse_access(c, (const char *)buffer_head(&b), buffer_pending(&b),
					o->access_path, message, NULL);
	buffer_done(&b);
	return r < 0 ? r : 0;
}

/* 0 with both, or an error that was reported. parsing: gets errors of the text; or NULL. */
static int read_config(const struct options *o, const struct access_names *names,
		       config_message parsing, struct config *c, struct access **ret_access)
{
	int r = parse_files(c, o, parsing);

	if (r == 0 && c->failed)
		r = PM_ERR_GENERIC;
	if (r == 0)
		r = access_new(c, o->config_path, names, configure_log, NULL, ret_access);
	return r > 0 ? PM_ERR_GENERIC : r;
}

bool configure_verify(const struct options *options)
{
	struct access_names names = access_names_system();
	struct access *access = NULL;
	struct config c;
	int r;

	config_init(&c);
	r = read_config(options, &names, configure_log, &c, &access);
	access_free(access);
	config_done(&c);
	return r == 0;
}

static bool file_time(const char *path, struct timespec *ret_time)
{
	struct stat st;

	*ret_time = (struct timespec){0};
	if (stat(path, &st) < 0)
		return false;
	*ret_time = st.st_mtim;
	return true;
}

static bool time_differs(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec || a->tv_nsec != b->tv_nsec;
}

/* Notes the times of both files. True if either has changed. */
static bool files_changed(struct server *server)
{
	struct timespec config, access;
	bool changed;

	file_time(server->options->config_path, &config);
	file_time(server->options->access_path, &access);
	changed = time_differs(&config, &server->config_time) ||
		  time_differs(&access, &server->access_time);
	server->config_time = config;
	server->access_time = access;
	return changed;
}

/* The next SIGHUP reads the files, changed or not. */
static void forget_times(struct server *server)
{
	server->config_time = (struct timespec){.tv_nsec = -1};
}

/*
 * Host names in access statements are looked up, which may take as long as it likes: a thread reads
 * the configuration, and the loop takes it over.
 */
struct reading {
	struct server *server;
	const struct options *options;
	bool first; /* the agents run already: only the lists are wanted */
	struct config config;
	struct access *access;
	int status;
};

static void read_in_thread(void *arg)
{
	struct access_names names = access_names_system();
	struct reading *job = arg;

	/* Errors of the text were reported at the first reading. */
	job->status = read_config(job->options, &names, job->first ? NULL : configure_log,
				  &job->config, &job->access);
	if (job->status == 0 && job->config.nagent == 0)
		job->status = PM_ERR_GENERIC;
}

static void reading_free(void *arg)
{
	struct reading *job = arg;

	access_free(job->access);
	config_done(&job->config);
	free(job);
}

/* Everybody's rights under the new lists. */
static void use_access(struct server *server, struct access *access)
{
	access_free(server->access);
	server->access = access;
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		struct client *c = server->clients.all[i];

		if (c == NULL)
			continue;
		c->host_entered = false;
		c->account_entered = false;
		handshake_again(c);
	}
}

static void configure_take_over(struct server *server, struct reading *job)
{
	if (job->status == 0 && !job->first)
		job->status = configure_use(server, &job->config);
	if (job->status == -ENOMEM)
		forget_times(server);
	if (job->status < 0) {
		log_error("Reconfiguration failed: agents and access lists stay as they were");
		return;
	}
	config_init(&job->config); /* it is the server's */
	use_access(server, TAKE(job->access));
	configure_start(server);
}

static void configure_log_lists(struct server *server)
{
	struct buffer out = BUFFER_INIT;

	agents_dump(server, &out);
	access_dump(server->access, &out);
	buffer_printf(&out, "\n");
	log_buffer(&out);
}

static void take_lists(struct server *server, struct reading *job)
{
	if (job->status < 0)
		log_error("The access lists could not be completed: clients of the network stay "
			  "refused");
	else
		use_access(server, TAKE(job->access));
	configure_log_lists(server);
}

static void have_read(void *arg)
{
	struct reading *job = arg;
	struct server *server = job->server;
	bool first = job->first;

	server->reading_job = NULL;
	if (first)
		take_lists(server, job);
	else
		configure_take_over(server, job);
	reading_free(job);
	if (first)
		server->reconfiguring = false;
	else /* an agent may have come that needs a dynamic root */
		names_reload(server, NAMES_FORCE | NAMES_REPORT);
}

/* 0, or an error: everything stays as it is. */
static int start_reading(struct server *server, bool first)
{
	static const struct background_ops ops = {read_in_thread, have_read, reading_free};
	struct reading *job = calloc(1, sizeof(*job));
	int r;

	if (job == NULL)
		return -ENOMEM;
	config_init(&job->config);
	job->server = server;
	job->options = server->options;
	job->first = first;
	r = background_start(&server->loop.uv, &ops, job, &server->reading_job);
	if (r < 0)
		reading_free(job);
	else
		server->reconfiguring = true;
	return r;
}

/*
 * The start: what is not known without the network is denied to the network until it is known
 */

static int read_first(struct server *server)
{
	struct access_names names = access_names_quick();
	struct access *access = NULL;
	struct config c;
	int r;

	config_init(&c);
	files_changed(server);
	r = read_config(server->options, &names, configure_log, &c, &access);
	if (r == 0 && c.nagent == 0) {
		log_error("No PMDAs found in the configuration file");
		r = PM_ERR_GENERIC;
	}
	if (r == 0)
		r = configure_use(server, &c);
	if (r < 0) {
		access_free(access);
		config_done(&c);
		return r;
	}
	server->access = access;
	return access_is_provisional(access) ? start_reading(server, true) : 0;
}

/* The last part of what SIGHUP asked for is done. */
static void names_are_over(struct server *server)
{
	server->reconfiguring = false;
	if (!server->stopping)
		configure_log_lists(server);
}

/* An agent may have changed the files of the name space while it was not ready. */
static void agent_is_ready(struct server *server)
{
	names_reload(server, 0);
}

int configure_read(struct server *server)
{
	int r;

	server->names_over = names_are_over;
	server->agents.ready = agent_is_ready;
	r = read_first(server);
	if (r < 0)
		return r;
	labels_load(&server->labels);
	return names_load(server);
}

/*
 * Once more
 */

static void start_deceased(struct server *server)
{
	unsigned int n = 0;

	log_info("Configuration file '%s' unchanged", server->options->config_path);
	log_info("Restarting any deceased agents:");
	for (unsigned int i = 0; i < server->agents.count; i++) {
		const struct agent *a = server->agents.all[i];

		if (a->state != AGENT_DOWN)
			continue;
		log_info("    \"%s\" agent", a->config->label);
		n++;
	}
	if (n == 0) {
		log_info("    (no agents required restarting)");
		return;
	}
	configure_start(server);
	clients_change_all(server, PMCD_RESTART_AGENT);
	server->counts.seqnum++;
}

static void log_restarted(struct server *server)
{
	char when[32];
	time_t now = time(NULL);

	ctime_r(&now, when);
	when[strcspn(when, "\n")] = '\0';
	log_info("pmcd RESTARTED at %s", when);
	clients_log(server);
}

void configure_again(struct server *server)
{
	log_restarted(server);
	log_forget_hosts();
	endings_reap(server);
	if (labels_load(&server->labels) > 0)
		clients_change_all(server, PMCD_LABEL_CHANGE);
	if (files_changed(server)) {
		if (start_reading(server, false) < 0) {
			log_error("No memory to read the configuration: it stays as it was");
			forget_times(server);
		}
		return;
	}
	start_deceased(server);
	server->reconfiguring = true;
	names_reload(server, NAMES_LOG | NAMES_REPORT);
}

/*
 * builtin_instances - the instance domains of the agent "pmcd", whose instances builtin_instances()
 * lists (builtin_rows.h).
 */
#include "daemons/pmcd/builtin_rows.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/server.h"
#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

enum {
	LOGGER_FILE_MAX = 8192,
	LOGGERS_MAX = 1024,
	PMIES_MAX = 1024,
};

int builtin_registers[REGISTERS];

static char *number_name(struct arena *mem, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	return arena_strndup(mem, text, (size_t)len);
}

static bool instances_is_alive(const char *pid)
{
	return kill((pid_t)atol(pid), 0) == 0 || errno == EPERM;
}

/* The next line of *text, cut off; "" at the end. */
static char *instances_next_line(char **text)
{
	char *line = *text;
	size_t n = strcspn(line, "\n");

	*text = line + n + (line[n] != '\0');
	line[n] = '\0';
	return line;
}

static struct logger *read_logger(struct arena *mem, const char *path)
{
	struct buffer b = BUFFER_INIT;
	struct logger *one = NULL;
	char *text;

	if (file_read_all(path, LOGGER_FILE_MAX, &b) == 0) {
		one = arena_alloc(mem, sizeof(*one));
		text = arena_strndup(mem, buffer_str(&b), buffer_pending(&b));
		if (one != NULL && text != NULL) {
			one->port = (unsigned int)atoi(instances_next_line(&text));
			one->pmcd_host = instances_next_line(&text);
			one->archive = instances_next_line(&text);
		}
		if (text == NULL)
			one = NULL;
	}
	buffer_done(&b);
	return one;
}

static struct pmie *read_pmie(struct arena *mem, const char *path)
{
	struct buffer b = BUFFER_INIT;
	struct pmie *one = NULL;

	if (file_read_all(path, 2 * sizeof(*one), &b) == 0 && buffer_pending(&b) >= sizeof(*one)) {
		one = arena_alloc(mem, sizeof(*one));
		if (one != NULL) {
			memcpy(one, buffer_head(&b), sizeof(*one));
			one->config[sizeof(one->config) - 1] = '\0';
			one->log[sizeof(one->log) - 1] = '\0';
			one->host[sizeof(one->host) - 1] = '\0';
		}
	}
	buffer_done(&b);
	return one;
}

/* Files named by the pid of a live process, in a folder of $PCP_TMP_DIR. */
static int list_processes(struct request *req, const char *folder, int max,
			  void *(*read)(struct arena *mem, const char *path),
			  struct builtin_inst *insts)
{
	char dir[1024], path[1300];
	struct dirent *e;
	DIR *d;
	int n = 0;

	snprintf(dir, sizeof(dir), "%s/%s", pmGetConfig("PCP_TMP_DIR"), folder);
	d = opendir(dir);
	if (d == NULL)
		return 0;
	while (n < max && (e = readdir(d)) != NULL) {
		if (e->d_name[strspn(e->d_name, "0123456789")] != '\0' ||
		    !instances_is_alive(e->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (!file_is_regular(path))
			continue;
		insts[n].id = atoi(e->d_name);
		insts[n].name = arena_strndup(&req->mem, e->d_name, strlen(e->d_name));
		insts[n].of = read(&req->mem, path);
		if (insts[n].of != NULL && insts[n].name != NULL)
			n++;
	}
	closedir(d);
	return n;
}

static void *read_logger_any(struct arena *mem, const char *path)
{
	return read_logger(mem, path);
}

static void *read_pmie_any(struct arena *mem, const char *path)
{
	return read_pmie(mem, path);
}

/* The primary one is there twice: under its pid, and as 0. */
static int list_loggers(struct request *req, struct builtin_inst **ret)
{
	struct builtin_inst *insts = arena_calloc(&req->mem, LOGGERS_MAX + 1, sizeof(*insts));
	char path[1024], target[PATH_MAX];
	ssize_t len;
	int n;

	if (insts == NULL)
		return -ENOMEM;
	n = list_processes(req, "pmlogger", LOGGERS_MAX, read_logger_any, insts);
	snprintf(path, sizeof(path), "%s/pmlogger/primary", pmGetConfig("PCP_TMP_DIR"));
	len = readlink(path, target, sizeof(target) - 1);
	for (int i = 0; len > 0 && i < n; i++) {
		const char *base;

		target[len] = '\0';
		base = strrchr(target, '/') != NULL ? strrchr(target, '/') + 1 : target;
		if (strcmp(base, insts[i].name) == 0) {
			insts[n] = (struct builtin_inst){0, "primary", insts[i].of};
			n++;
			break;
		}
	}
	*ret = insts;
	return n;
}

static int list_pmies(struct request *req, struct builtin_inst **ret)
{
	struct builtin_inst *insts = arena_calloc(&req->mem, PMIES_MAX, sizeof(*insts));

	if (insts == NULL)
		return -ENOMEM;
	*ret = insts;
	return list_processes(req, "pmie", PMIES_MAX, read_pmie_any, insts);
}

static int instances_by_id(const void *a, const void *b)
{
	return ((const struct builtin_inst *)a)->id - ((const struct builtin_inst *)b)->id;
}

static int list_agents(struct request *req, struct builtin_inst **ret)
{
	const struct server *server = req->server;
	struct builtin_inst *insts = arena_calloc(&req->mem, server->agents.count, sizeof(*insts));

	if (insts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < server->agents.count; i++) {
		struct agent *a = server->agents.all[i];

		insts[i] = (struct builtin_inst){(int)a->config->domain, a->config->label, a};
	}
	qsort(insts, server->agents.count, sizeof(*insts), instances_by_id);
	*ret = insts;
	return (int)server->agents.count;
}

static int list_clients(struct request *req, struct builtin_inst **ret)
{
	const struct server *server = req->server;
	struct builtin_inst *insts = arena_calloc(&req->mem, server->clients.count, sizeof(*insts));
	int n = 0;

	if (insts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		struct client *c = server->clients.all[i];

		if (c == NULL)
			continue;
		insts[n] = (struct builtin_inst){(int)c->seq, number_name(&req->mem, c->seq), c};
		if (insts[n].name == NULL)
			return -ENOMEM;
		n++;
	}
	*ret = insts;
	return n;
}

/* As a client would name it: "127.0.0.1:44321", "[::1]:44321", "unix:/run/pmcd.socket". */
static char *listener_name(struct arena *mem, const struct listener *one)
{
	const char *address = one->text != NULL ? one->text : "";
	size_t room = strlen(address) + sizeof("[]:65535 unix");
	char *name = arena_alloc(mem, room);

	if (name == NULL)
		return NULL;
	if (one->family == AF_UNIX)
		snprintf(name, room, "unix:%s", address);
	else
		snprintf(name, room, one->family == AF_INET6 ? "[%s]:%u" : "%s:%u", address,
			 one->port);
	return name;
}

static int list_listeners(struct request *req, struct builtin_inst **ret)
{
	struct listeners *l = &req->server->listeners;
	struct builtin_inst *insts = arena_calloc(&req->mem, l->count, sizeof(*insts));

	if (insts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < l->count; i++) {
		insts[i] =
		    (struct builtin_inst){(int)i, listener_name(&req->mem, &l->all[i]), &l->all[i]};
		if (insts[i].name == NULL)
			return -ENOMEM;
	}
	*ret = insts;
	return (int)l->count;
}

static int list_fixed(struct request *req, const struct agent_indom *indom,
		      struct builtin_inst **ret)
{
	struct builtin_inst *insts = arena_calloc(&req->mem, indom->nfixed, sizeof(*insts));

	if (insts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < indom->nfixed; i++)
		insts[i] = (struct builtin_inst){indom->fixed[i].id, indom->fixed[i].name, NULL};
	*ret = insts;
	return (int)indom->nfixed;
}

static const struct agent_instance registers[REGISTERS] = {
    {0, "0"}, {1, "1"}, {2, "2"},   {3, "3"},   {4, "4"},   {5, "5"},   {6, "6"},   {7, "7"},
    {8, "8"}, {9, "9"}, {10, "10"}, {11, "11"}, {12, "12"}, {13, "13"}, {14, "14"}, {15, "15"},
};

static const struct agent_instance buffers[] = {
    {12, "0012"},   {20, "0020"},   {1024, "1024"},  {2048, "2048"},
    {4196, "4196"}, {8192, "8192"}, {8193, "8192+"},
};

#define LISTED(serial_, text) [serial_] = {.serial = serial_, .own = 1, .oneline = text}
#define FIXED(serial_, table, text)                                                                \
	[serial_] = {                                                                              \
	    .serial = serial_, .fixed = table, .nfixed = ARRAY_SIZE(table), .oneline = text}

const struct agent_indom builtin_indoms[BUILTIN_INDOMS] = {
    LISTED(BUILTIN_PMLOGGERS, "pmlogger processes on this host"),
    FIXED(BUILTIN_REGISTERS, registers, "scratch registers"),
    LISTED(BUILTIN_AGENTS, "configured agents, by domain"),
    LISTED(BUILTIN_PMIES, "pmie processes on this host"),
    FIXED(BUILTIN_BUFFERS, buffers, "sizes of PDU buffers"),
    LISTED(BUILTIN_CLIENTS, "clients, in the order of their arrival"),
    LISTED(BUILTIN_LISTENERS, "where the collector listens, as a host specification"),
};

int builtin_instances(struct request *req, unsigned int serial, struct builtin_inst **ret_insts)
{
	static int (*const lists[BUILTIN_INDOMS])(struct request *, struct builtin_inst **) = {
	    [BUILTIN_PMLOGGERS] = list_loggers,   [BUILTIN_AGENTS] = list_agents,
	    [BUILTIN_PMIES] = list_pmies,         [BUILTIN_CLIENTS] = list_clients,
	    [BUILTIN_LISTENERS] = list_listeners,
	};

	if (serial >= BUILTIN_INDOMS || builtin_indoms[serial].serial == 0)
		return PM_ERR_INDOM;
	if (builtin_indoms[serial].fixed != NULL)
		return list_fixed(req, &builtin_indoms[serial], ret_insts);
	return lists[serial](req, ret_insts);
}

/*
 * builtin_instances - the instances of the agent "pmcd", which builtin_instances() lists, and the
 * values that their metrics read (builtin_rows.h).
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
#include "daemons/pmcd/builtin.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/server.h"
#include "libbase/arena.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

enum {
	LOGGER_FILE_MAX = 8192,
	LOGGERS_MAX = 1024,
	PMIES_MAX = 1024,
	PMIE_PATH_LEN = 4097,
	PMIE_HOST_LEN = 65,
};

/* The contents of a pmlogger's port map file (docs/spec/pdu.md 11). */
struct logger {
	unsigned int port;
	const char *pmcd_host;
	const char *archive;
};

/* A pmie's memory-mapped file, in host order. */
struct pmie {
	char config[PMIE_PATH_LEN];
	char log[PMIE_PATH_LEN];
	char host[PMIE_HOST_LEN];
	float expected;
	uint32_t numrules, actions, true_, false_, unknown, actual, version;
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
			one->config[PMIE_PATH_LEN - 1] = '\0';
			one->log[PMIE_PATH_LEN - 1] = '\0';
			one->host[PMIE_HOST_LEN - 1] = '\0';
		}
	}
	buffer_done(&b);
	return one;
}

/* Files named by the pid of a live process, in a folder of $PCP_TMP_DIR. */
static int list_processes(const struct builtin_call *call, const char *folder, int max,
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
		insts[n].name = arena_strndup(call->mem, e->d_name, strlen(e->d_name));
		insts[n].of = read(call->mem, path);
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
static int list_loggers(const struct builtin_call *call, struct builtin_inst **ret)
{
	struct builtin_inst *insts = arena_calloc(call->mem, LOGGERS_MAX + 1, sizeof(*insts));
	char path[1024], target[PATH_MAX];
	ssize_t len;
	int n;

	if (insts == NULL)
		return -ENOMEM;
	n = list_processes(call, "pmlogger", LOGGERS_MAX, read_logger_any, insts);
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

static int list_pmies(const struct builtin_call *call, struct builtin_inst **ret)
{
	struct builtin_inst *insts = arena_calloc(call->mem, PMIES_MAX, sizeof(*insts));

	if (insts == NULL)
		return -ENOMEM;
	*ret = insts;
	return list_processes(call, "pmie", PMIES_MAX, read_pmie_any, insts);
}

static int list_registers(const struct builtin_call *call, struct builtin_inst **ret)
{
	static struct builtin_inst insts[REGISTERS];
	static char names[REGISTERS][4];

	for (int i = 0; i < REGISTERS; i++) {
		snprintf(names[i], sizeof(names[i]), "%d", i);
		insts[i] = (struct builtin_inst){i, names[i], &builtin_registers[i]};
	}
	*ret = insts;
	return REGISTERS;
}

static int instances_by_id(const void *a, const void *b)
{
	return ((const struct builtin_inst *)a)->id - ((const struct builtin_inst *)b)->id;
}

static int list_agents(const struct builtin_call *call, struct builtin_inst **ret)
{
	const struct server *server = call->server;
	struct builtin_inst *insts = arena_calloc(call->mem, server->agents.count, sizeof(*insts));

	if (insts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < server->agents.count; i++) {
		const struct agent *a = server->agents.all[i];

		insts[i] = (struct builtin_inst){(int)a->config->domain, a->config->label, a};
	}
	qsort(insts, server->agents.count, sizeof(*insts), instances_by_id);
	*ret = insts;
	return (int)server->agents.count;
}

static int list_buffers(const struct builtin_call *call, struct builtin_inst **ret)
{
	static struct builtin_inst insts[] = {
	    {12, "0012", NULL},   {20, "0020", NULL},   {1024, "1024", NULL},  {2048, "2048", NULL},
	    {4196, "4196", NULL}, {8192, "8192", NULL}, {8193, "8192+", NULL},
	};

	*ret = insts;
	return ARRAY_SIZE(insts);
}

static int list_clients(const struct builtin_call *call, struct builtin_inst **ret)
{
	const struct server *server = call->server;
	struct builtin_inst *insts = arena_calloc(call->mem, server->clients.count, sizeof(*insts));
	int n = 0;

	if (insts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		const struct client *c = server->clients.all[i];

		if (c == NULL)
			continue;
		insts[n] = (struct builtin_inst){(int)c->seq, number_name(call->mem, c->seq), c};
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

static int list_listeners(const struct builtin_call *call, struct builtin_inst **ret)
{
	const struct listeners *l = &call->server->listeners;
	struct builtin_inst *insts = arena_calloc(call->mem, l->count, sizeof(*insts));

	if (insts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < l->count; i++) {
		insts[i] =
		    (struct builtin_inst){(int)i, listener_name(call->mem, &l->all[i]), &l->all[i]};
		if (insts[i].name == NULL)
			return -ENOMEM;
	}
	*ret = insts;
	return (int)l->count;
}

int builtin_instances(const struct builtin_call *call, int serial, struct builtin_inst **ret_insts)
{
	static int (*const lists[])(const struct builtin_call *, struct builtin_inst **) = {
	    [BUILTIN_PMLOGGERS] = list_loggers,   [BUILTIN_REGISTERS] = list_registers,
	    [BUILTIN_AGENTS] = list_agents,       [BUILTIN_PMIES] = list_pmies,
	    [BUILTIN_BUFFERS] = list_buffers,     [BUILTIN_CLIENTS] = list_clients,
	    [BUILTIN_LISTENERS] = list_listeners,
	};

	if (serial < 0 || (size_t)serial >= ARRAY_SIZE(lists) || lists[serial] == NULL)
		return PM_ERR_INDOM;
	return lists[serial](call, ret_insts);
}

/*
 * Values
 */

int builtin_text(const struct builtin_call *call, const char *s, pmAtomValue *ret)
{
	ret->cp = arena_strndup(call->mem, s, strlen(s));
	return ret->cp != NULL ? 1 : -ENOMEM;
}

int builtin_host_name(const struct builtin_call *call, pmAtomValue *ret)
{
	char name[HOST_NAME_MAX + 1];

	if (gethostname(name, sizeof(name)) < 0)
		return -errno;
	name[sizeof(name) - 1] = '\0';
	return builtin_text(call, name, ret);
}

VALUE(register)
{
	ret->l = *(const int *)inst->of;
	return 1;
}

VALUE(agent_type)
{
	ret->ul = ((const struct agent *)inst->of)->ops->type;
	return 1;
}

VALUE(agent_status)
{
	const struct agent *a = inst->of;

	if (a->state == AGENT_DOWN)
		ret->l = a->status;
	else
		ret->l = a->state == AGENT_READY ? 0 : 1;
	return 1;
}

VALUE(agent_fenced)
{
	ret->ul = ((const struct agent *)inst->of)->fenced;
	return 1;
}

VALUE(agent_name)
{
	return builtin_text(call, ((const struct agent *)inst->of)->config->label, ret);
}

VALUE(whoami)
{
	const struct client *c = inst->of;

	return builtin_text(call, c->whoami != NULL ? c->whoami : "", ret);
}

VALUE(start_date)
{
	const struct client *c = inst->of;
	char when[32];

	ctime_r(&c->start, when);
	when[strcspn(when, "\n")] = '\0';
	return builtin_text(call, when, ret);
}

VALUE(client_container)
{
	const struct client *c = inst->of;

	return builtin_text(call, c->container != NULL ? c->container : "", ret);
}

VALUE(logger_port)
{
	ret->ul = ((const struct logger *)inst->of)->port;
	return 1;
}

VALUE(logger_pmcd_host)
{
	return builtin_text(call, ((const struct logger *)inst->of)->pmcd_host, ret);
}

VALUE(logger_archive)
{
	return builtin_text(call, ((const struct logger *)inst->of)->archive, ret);
}

VALUE(logger_host)
{
	return builtin_host_name(call, ret);
}

VALUE(pmie_config)
{
	return builtin_text(call, ((const struct pmie *)inst->of)->config, ret);
}

VALUE(pmie_log)
{
	return builtin_text(call, ((const struct pmie *)inst->of)->log, ret);
}

VALUE(pmie_host)
{
	return builtin_text(call, ((const struct pmie *)inst->of)->host, ret);
}

VALUE(pmie_count)
{
	const struct pmie *p = inst->of;
	const uint32_t counts[] = {p->numrules, p->actions, p->true_, p->false_, p->unknown};

	ret->ul = counts[m->item - 3];
	return 1;
}

VALUE(pmie_expected)
{
	ret->f = ((const struct pmie *)inst->of)->expected;
	return 1;
}

VALUE(pmie_actual)
{
	ret->ul = ((const struct pmie *)inst->of)->actual;
	return 1;
}

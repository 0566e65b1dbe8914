/* local_agent - see local_agent.h. */
#include "libpcp/local_agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/libpcp.h>

#include "libbase/cleanup.h"
#include "libwire/host_agent.h"

enum {
	ANY_INTERFACE = 0xff, /* the version that is offered to the agent */
	PMAPI_MIN = 2,
	PMAPI_MAX = 3,
};

#define LINUX_LABEL  "linux"
#define LINUX_DOMAIN 60

static struct {
	bool configured;
	struct local_agent *first;
	struct local_agent *parked; /* loaded, and no longer in the list */
} agents;

static struct {
	pthread_mutex_t lock;
	bool taken;
	pthread_t thread;
} owner = {.lock = PTHREAD_MUTEX_INITIALIZER};

int local_agent_thread(void)
{
	int r;

	pthread_mutex_lock(&owner.lock);
	if (!owner.taken) {
		owner.taken = true;
		owner.thread = pthread_self();
	}
	r = pthread_equal(owner.thread, pthread_self()) ? 0 : PM_ERR_THREAD;
	pthread_mutex_unlock(&owner.lock);
	return r;
}

struct local_agent *local_agent_first(void)
{
	return agents.first;
}

struct local_agent *local_agent_find(unsigned int domain)
{
	for (struct local_agent *a = agents.first; a != NULL; a = a->next) {
		if (a->up && (unsigned int)a->domain == domain)
			return a;
	}
	return NULL;
}

void local_agent_set_context(struct local_agent *agent, int handle)
{
	if (local_agent_has(agent, PMDA_INTERFACE_5) && local_agent_ext(agent) != NULL)
		local_agent_ext(agent)->e_context = handle;
}

/* ---- The list ------------------------------------------------------------------------------- */

static void agent_free(struct local_agent *a)
{
	if (a == NULL)
		return;
	free(a->label);
	free(a->path);
	free(a->init);
	free(a);
}

static bool fits(const struct local_agent *a, int domain, const char *path, const char *init)
{
	return a->domain == domain && strcmp(a->path, path) == 0 && strcmp(a->init, init) == 0;
}

/* Agents that were loaded before stay as they are. */
static struct local_agent *unpark(int domain, const char *path, const char *init)
{
	for (struct local_agent **at = &agents.parked; *at != NULL; at = &(*at)->next) {
		struct local_agent *a = *at;

		if (fits(a, domain, path, init)) {
			*at = a->next;
			return a;
		}
	}
	return NULL;
}

static struct local_agent *agent_new(const char *label, int domain, const char *path,
				     const char *init)
{
	struct local_agent *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->label = strdup(label);
	a->path = strdup(path);
	a->init = strdup(init);
	if (a->label == NULL || a->path == NULL || a->init == NULL) {
		agent_free(a);
		return NULL;
	}
	a->domain = domain;
	a->profile_of = -1;
	return a;
}

int local_agent_add(const char *label, int domain, const char *path, const char *init)
{
	struct local_agent **at = &agents.first;
	struct local_agent *a = unpark(domain, path, init);

	if (a == NULL)
		a = agent_new(label, domain, path, init);
	if (a == NULL)
		return -ENOMEM;
	while (*at != NULL)
		at = &(*at)->next;
	a->next = NULL;
	*at = a;
	return 0;
}

/* Takes the entry at a place of the list out of it. */
static void take_out(struct local_agent **at)
{
	struct local_agent *a = *at;

	*at = a->next;
	if (!a->up) {
		agent_free(a);
		return;
	}
	a->next = agents.parked;
	agents.parked = a;
}

int local_agent_del(int domain, const char *path)
{
	struct local_agent **at = &agents.first;
	int r = PM_ERR_INDOM;

	while (*at != NULL) {
		const struct local_agent *a = *at;

		if ((domain < 0 || a->domain == domain) &&
		    (path == NULL || strcmp(a->path, path) == 0)) {
			take_out(at);
			r = 0;
		} else {
			at = &(*at)->next;
		}
	}
	return r;
}

void local_agent_clear(void)
{
	while (agents.first != NULL)
		take_out(&agents.first);
}

/* ---- The configuration ---------------------------------------------------------------------- */

/* The kernel's agent can always be loaded, also where pmcd has it in a process of its own. */
static int add_linux(void)
{
	const char *dir = pmGetOptionalConfig("PCP_PMDAS_DIR");
	char path[PATH_MAX];

	if (dir == NULL)
		return 0;
	snprintf(path, sizeof(path), "%s/linux/pmda_linux.so", dir);
	if (access(path, F_OK) < 0)
		snprintf(path, sizeof(path), "%s/pmda_linux.so", dir);
	return local_agent_add(LINUX_LABEL, LINUX_DOMAIN, path, "linux_init");
}

/* "label domain dso init path"; other lines, and those of pmcd's own agent, are not for us. */
static int read_line(char *line)
{
	char *save = NULL;
	char *words[5] = {NULL};
	char *end;
	long domain;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = strtok_r(i == 0 ? line : NULL, " \t\r\n", &save);
	if (words[2] == NULL || words[0][0] == '#' || strcmp(words[0], "pmcd") == 0)
		return 0;
	if (strcmp(words[0], LINUX_LABEL) == 0 && (words[4] == NULL || access(words[4], F_OK) < 0))
		return add_linux();
	if (strcmp(words[2], "dso") != 0)
		return 0;
	domain = strtol(words[1], &end, 10);
	if (words[4] == NULL || *end != '\0' || domain < 0 || domain >= DYNAMIC_PMID)
		return 0;
	return local_agent_add(words[0], (int)domain, words[4], words[3]);
}

static int agent_read_file(FILE *f)
{
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	int r = 0;

	while (r == 0 && getline(&line, &size, f) > 0) {
		if (strncmp(line, "[access]", 8) == 0)
			break;
		r = read_line(line);
	}
	return r;
}

int local_agent_configure(void)
{
	const char *path;
	FILE *f;
	int r;

	if (agents.configured)
		return 0;
	path = pmGetOptionalConfig("PCP_PMCDCONF_PATH");
	if (path == NULL || *path == '\0')
		return PM_ERR_GENERIC;
	f = fopen(path, "re");
	if (f == NULL)
		return -errno;
	r = agent_read_file(f);
	fclose(f);
	if (r < 0)
		local_agent_clear();
	else
		agents.configured = true;
	return r;
}

/* ---- Loading -------------------------------------------------------------------------------- */

/* Where the agent's object is: false, and the place looked at last, if it is nowhere. */
static bool find_object(const struct local_agent *a, char *path, size_t size)
{
	const char *dir = pmGetOptionalConfig("PCP_PMDAS_DIR");
	const char *const patterns[] = {"%2$s", "%1$s/%2$s", "%1$s/%2$s.so", "%2$s.so"};

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		pmsprintf(path, size, patterns[i], dir == NULL ? "" : dir, a->path);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

__attribute__((format(printf, 1, 2))) static void warn(const char *fmt, ...)
{
	char text[PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pmprintf("__pmConnectLocal: %s\n", text);
	pmflush();
}

static bool check(const struct local_agent *a, const char *path)
{
	const pmdaInterface *dispatch = &a->dispatch;
	char text[PM_MAXERRMSGLEN];

	if (dispatch->status != 0)
		warn("Warning: initialization routine \"%s\" failed in DSO \"%s\": %s", a->init,
		     path, pmErrStr_r(dispatch->status, text, sizeof(text)));
	else if (dispatch->comm.pmda_interface < PMDA_INTERFACE_2 ||
		 dispatch->comm.pmda_interface > PMDA_INTERFACE_LATEST)
		warn("Error: Unknown PMDA interface version %d in \"%s\" DSO",
		     dispatch->comm.pmda_interface, a->path);
	else if (dispatch->comm.pmapi_version < PMAPI_MIN ||
		 dispatch->comm.pmapi_version > PMAPI_MAX)
		warn("Error: Unknown PMAPI version %d in \"%s\" DSO", dispatch->comm.pmapi_version,
		     a->path);
	else
		return true;
	return false;
}

/* False: the object was loaded but its agent did not start, so it can be unloaded. */
static bool start(struct local_agent *a, void *handle, const char *path)
{
	void (*init)(pmdaInterface *);

	*(void **)&init = dlsym(handle, a->init);
	if (init == NULL) {
		warn("Warning: couldn't find init function \"%s\" in DSO \"%s\"", a->init, path);
		return false;
	}
	a->dispatch.domain = a->domain;
	a->dispatch.comm.pmda_interface = ANY_INTERFACE;
	a->dispatch.comm.pmapi_version = PMAPI_MIN;
	init(&a->dispatch);
	if (!check(a, path))
		return false;
	(void)host_agent_complete(&a->dispatch);
	return true;
}

void *pitot_dso_open(const char *path)
{
	/* Stays loaded. If it is missing, the object may have its own. */
	(void)dlopen("libpcp_pmda.so.3", RTLD_LAZY);
	return dlopen(path, RTLD_NOW);
}

static void agent_load(struct local_agent *a)
{
	char path[PATH_MAX];
	void *handle;

	a->tried = true;
	if (!find_object(a, path, sizeof(path))) {
		warn("Warning: cannot find DSO at \"%s\" or \"%s\"", path, a->path);
		return;
	}
	handle = pitot_dso_open(path);
	if (handle == NULL)
		warn("Warning: error attaching DSO \"%s\"\n%s\n", path, dlerror());
	else if (start(a, handle, path))
		a->up = true;
	else
		dlclose(handle);
}

int local_agent_load_all(void)
{
	int r = local_agent_configure();

	if (r < 0)
		return r;
	for (struct local_agent *a = agents.first; a != NULL; a = a->next) {
		if (!a->tried)
			agent_load(a);
	}
	return 0;
}

/* ---- For a context -------------------------------------------------------------------------- */

int local_agent_for(const struct context *ctx, unsigned int domain, struct local_agent **ret_agent)
{
	struct local_agent *agent;
	int r = local_agent_thread();

	if (r < 0)
		return r;
	agent = local_agent_find(domain);
	if (agent == NULL)
		return PM_ERR_NOAGENT;
	local_agent_set_context(agent, ctx->handle);
	*ret_agent = agent;
	return 0;
}

int local_agent_give_profile(struct context *ctx, struct local_agent *agent)
{
	int r;

	if (!ctx->profile_sent) {
		for (struct local_agent *a = local_agent_first(); a != NULL; a = a->next)
			a->profile_of = a->profile_of == ctx->handle ? -1 : a->profile_of;
		ctx->profile_sent = true;
	}
	if (agent->profile_of == ctx->handle)
		return 0;
	r = agent->dispatch.version.any.profile(&ctx->profile, local_agent_ext(agent));
	if (r < 0)
		return r;
	agent->profile_of = ctx->handle;
	return 0;
}

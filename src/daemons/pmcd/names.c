/* names - see names.h. */
#include "daemons/pmcd/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/builtin.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/options.h"
#include "daemons/pmcd/server.h"
#include "libbase/cleanup.h"
#include "libpmns/pmns.h"

enum {
	NAMES_PATH_MAX = 4096 - 8,
};

static void say(void *arg, const char *text)
{
	log_error("%s", text);
}

static const char *file_name(const struct options *o)
{
	if (o->namespace_file != NULL)
		return o->namespace_file;
	return getenv("PMNS_DEFAULT");
}

static int add_leaf(void *arg, const struct pmns_entry *e)
{
	int r = pmns_add(arg, e->name, e->name_len, e->pmid);

	if (r == PM_ERR_PMNS)
		log_error("Name space: \"%s\" is there with another PMID", e->name);
	return r == -ENOMEM ? r : 0;
}

/* "root" may be missing when there are fragments, and the fragments when there is a root. */
static int load_default(struct names *n)
{
	struct pmns_options opt = {.message = say};
	char dir[NAMES_PATH_MAX], root[NAMES_PATH_MAX + 8];
	int r;

	snprintf(dir, sizeof(dir), "%s/pmns", pmGetConfig("PCP_VAR_DIR"));
	snprintf(root, sizeof(root), "%s/root", dir);
	if (access(root, R_OK) == 0) {
		r = pmns_load_file(root, &opt, &n->ns);
		if (r < 0)
			log_error("Name space %s: %s", root, pmErrStr(r));
	}
	r = pmns_load_folder(dir, &opt, &n->fragments);
	if (r < 0 && n->ns == NULL)
		log_error("No name space: neither %s nor fragments beside it", root);
	if (n->ns == NULL)
		n->ns = TAKE(n->fragments);
	if (n->ns == NULL)
		n->ns = pmns_new();
	if (n->ns == NULL)
		return -ENOMEM;
	return n->fragments == NULL ? 0 : pmns_traverse(n->fragments, "", 0, add_leaf, n->ns);
}

static int load_named(struct names *n, const struct options *o, const char *path)
{
	struct pmns_options opt = {.message = say};
	int r;

	if (o->namespace_file != NULL)
		opt.flags |= PMNS_PREPROCESS;
	if (o->unique_names)
		opt.flags |= PMNS_UNIQUE_PMIDS;
	r = pmns_load_file(path, &opt, &n->ns);
	if (r < 0)
		log_error("Cannot load the name space %s: %s", path, pmErrStr(r));
	return r;
}

static int mark_domain(void *arg, const struct pmns_entry *e)
{
	bool *has = arg;

	if (e->kind == PMNS_DYNAMIC)
		has[pmns_dynamic_domain(e->pmid) % SERVER_DOMAINS] = true;
	else
		has[e->pmid >> 22 & 0x1ff] = true;
	return 0;
}

/* Its label is the name of the subtree; the agent knows what is below. */
static void give_dynamic_root(struct pmns *ns, const struct agent *a)
{
	const char *label = a->config->label;

	if (pmns_add(ns, label, strlen(label), pmns_dynamic_pmid(a->config->domain)) < 0)
		log_error("Name space: no dynamic root \"%s\" for domain %u: the name is taken",
			  label, a->config->domain);
}

static void add_agents(struct server *server, struct pmns *ns)
{
	bool has[SERVER_DOMAINS] = {false};

	for (unsigned int i = 0; i < server->nagent; i++) {
		if (server->agents[i]->ops == &agent_builtin_ops)
			builtin_add_names(ns);
	}
	pmns_traverse(ns, "", 0, mark_domain, has);
	for (unsigned int i = 0; i < server->nagent; i++) {
		const struct agent *a = server->agents[i];

		if (!has[a->config->domain] && a->config->domain != 0)
			give_dynamic_root(ns, a);
	}
}

int names_load(struct server *server)
{
	const struct options *o = server->options;
	const char *path = file_name(o);
	struct names *n = calloc(1, sizeof(*n));
	int r;

	names_put(server->names);
	server->names = NULL;
	if (n == NULL)
		return -ENOMEM;
	n->refs = 1;
	r = path != NULL ? load_named(n, o, path) : load_default(n);
	if (r < 0) {
		names_put(n);
		return r;
	}
	add_agents(server, n->ns);
	server->names = n;
	return 0;
}

void names_refresh(struct server *server, bool say_unchanged)
{
	const struct names *n = server->names;
	const char *path = file_name(server->options);

	if (path == NULL)
		path = "DEFAULT";
	if (n != NULL && !pmns_changed(n->ns) &&
	    (n->fragments == NULL || !pmns_changed(n->fragments))) {
		if (say_unchanged)
			log_info("PMNS file \"%s\" is unchanged", path);
		return;
	}
	log_info("Reloading PMNS \"%s\"", path);
	names_load(server);
}

struct names *names_hold(struct names *names)
{
	if (names != NULL)
		names->refs++;
	return names;
}

void names_put(struct names *names)
{
	if (names == NULL || --names->refs > 0)
		return;
	pmns_free(names->ns);
	pmns_free(names->fragments);
	free(names);
}

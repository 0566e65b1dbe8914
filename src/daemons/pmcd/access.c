/* access - see access.h: the three lists, from statements to decisions. */
#include "daemons/pmcd/access.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "daemons/pmcd/access_accounts.h"
#include "libaccess/access_hosts.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"

struct access {
	struct access_hosts hosts;
	struct access_accounts users;
	struct access_accounts groups;
};

static struct access_rule rule_of(const struct config_access *s)
{
	return (struct access_rule){
	    .specified = s->specified, .denied = s->denied, .max_connections = s->max_connections};
}

/* State while the lists are built. */
struct building {
	struct access *a;
	const struct access_names *names;
	const char *file;
	config_message message;
	void *arg;
	struct buffer why;   /* the reason of the last failure */
	unsigned int nentry; /* names that took effect */
	int nerror;
};

void access_free(struct access *a)
{
	if (a == NULL)
		return;
	access_hosts_done(&a->hosts);
	access_accounts_done(&a->users);
	access_accounts_done(&a->groups);
	free(a);
}

/*
 * Building: one function a class, for one name of a statement. The number of entries, or an error
 * with its reason in b->why.
 */

static int access_add_host(struct building *b, const char *name, const struct access_rule *rule)
{
	return access_hosts_add(&b->a->hosts, b->names, name, rule, &b->why);
}

static int lookup_failed(struct building *b, const char *noun, const char *name)
{
	buffer_reset(&b->why);
	buffer_printf(&b->why, "Failed to lookup %s \"%s\"", noun, name);
	return -EINVAL;
}

/* Takes members. */
static int add_account(struct building *b, struct access_accounts *list, const char *name,
		       uint32_t id, uint32_t *members, int nmember, const struct access_rule *rule)
{
	uint32_t *fitted = NULL;
	int r;

	if (nmember > 0)
		fitted = reallocarray(members, (size_t)nmember, sizeof(*members));
	if (fitted == NULL)
		free(members);
	if (fitted == NULL && nmember > 0)
		return -ENOMEM;
	r = access_accounts_add(list, name, id, fitted, (unsigned int)nmember, rule, &b->why);
	if (r < 0)
		free(fitted);
	return r < 0 ? r : 1;
}

static uint32_t *new_members(void)
{
	return malloc(ACCESS_MEMBERS_MAX * sizeof(uint32_t));
}

static int add_user(struct building *b, const char *name, const struct access_rule *rule)
{
	AUTO_FREE gid_t *gids = NULL;
	uid_t uid;
	int n;

	if (strcmp(name, "*") == 0)
		return add_account(b, &b->a->users, name, 0, NULL, 0, rule);
	gids = new_members();
	if (gids == NULL)
		return -ENOMEM;
	n = b->names->user(b->names->arg, name, &uid, gids, ACCESS_MEMBERS_MAX);
	if (n <= 0)
		return lookup_failed(b, "user", name);
	return add_account(b, &b->a->users, name, uid, TAKE(gids), n, rule);
}

static int add_group(struct building *b, const char *name, const struct access_rule *rule)
{
	AUTO_FREE uid_t *uids = NULL;
	gid_t gid;
	int n;

	if (strcmp(name, "*") == 0)
		return add_account(b, &b->a->groups, name, 0, NULL, 0, rule);
	uids = new_members();
	if (uids == NULL)
		return -ENOMEM;
	n = b->names->group(b->names->arg, name, &gid, uids, ACCESS_MEMBERS_MAX);
	if (n < 0)
		return lookup_failed(b, "group", name);
	return add_account(b, &b->a->groups, name, gid, TAKE(uids), n, rule);
}

static const struct {
	const char *noun;
	int (*add)(struct building *b, const char *name, const struct access_rule *rule);
} classes[] = {
    [CONFIG_HOSTS] = {"host", access_add_host},
    [CONFIG_USERS] = {"user", add_user},
    [CONFIG_GROUPS] = {"group", add_group},
};

static void access_report(struct building *b, const struct config_access *s, const char *what,
			  const char *name)
{
	struct buffer text = BUFFER_INIT;

	buffer_printf(&text, "%s config[line %u]: %s", s->access_file ? "access" : "pmcd", s->line,
		      what);
	if (name != NULL)
		buffer_printf(&text, " for %s '%s': %s", classes[s->class].noun, name,
			      buffer_str(&b->why));
	if (b->message != NULL)
		b->message(b->arg, b->file, s->line, buffer_str(&text));
	buffer_done(&text);
}

static int add_statement(struct building *b, const struct config_access *s)
{
	for (unsigned int i = 0; i < s->nname; i++) {
		struct access_rule rule = rule_of(s);
		unsigned int later = b->a->hosts.later;
		int r = classes[s->class].add(b, s->names[i], &rule);

		if (r == -ENOMEM || r == -E2BIG)
			return r;
		if (r > 0 || b->a->hosts.later > later) {
			b->nentry++;
			continue;
		}
		/* An unknown host is not an error: it may be down for a while. */
		b->nerror += r < 0;
		access_report(b, s, "Warning: access control error", s->names[i]);
	}
	return 0;
}

static int build(struct building *b, const struct config *c)
{
	const struct config_access *last = NULL;
	int r = 0;

	for (const struct config_access *s = c->access; s != NULL && r == 0; s = s->next) {
		r = add_statement(b, s);
		last = s;
	}
	if (r < 0)
		return r;
	if (last != NULL && b->nentry == 0 && b->nerror == 0) {
		access_report(b, last, "Error: no valid statements in [access] section", NULL);
		b->nerror++;
	}
	if (access_accounts_close(&b->a->users) < 0 || access_accounts_close(&b->a->groups) < 0 ||
	    access_accounts_name(&b->a->users, b->names->group_name, b->names->arg) < 0 ||
	    access_accounts_name(&b->a->groups, b->names->user_name, b->names->arg) < 0)
		return -ENOMEM;
	return b->nerror;
}

/* Without statements about hosts the address of this one is not needed. */
static bool speaks_of_hosts(const struct config *c)
{
	for (const struct config_access *s = c->access; s != NULL; s = s->next) {
		if (s->class == CONFIG_HOSTS)
			return true;
	}
	return false;
}

int access_new(const struct config *c, const char *file, const struct access_names *names,
	       config_message message, void *arg, struct access **ret_access)
{
	struct building b = {.names = names, .file = file, .message = message, .arg = arg};
	int r;

	b.a = calloc(1, sizeof(*b.a));
	if (b.a == NULL)
		return -ENOMEM;
	if (speaks_of_hosts(c))
		access_hosts_init(&b.a->hosts, names, CONFIG_OP_ALL);
	r = build(&b, c);
	buffer_done(&b.why);
	if (r != 0)
		access_free(b.a);
	else
		*ret_access = b.a;
	return r;
}

/*
 * Deciding
 */

bool access_is_provisional(const struct access *a)
{
	return a->hosts.later > 0;
}

bool access_wants_account(const struct access *a)
{
	return a->users.count > 0 || a->groups.count > 0;
}

int access_host_enter(struct access *a, const struct sockaddr *peer, unsigned int *ret_denied)
{
	return access_hosts_enter(&a->hosts, peer, ret_denied);
}

void access_host_leave(struct access *a, const struct sockaddr *peer)
{
	access_hosts_leave(&a->hosts, peer);
}

static void count_account(struct access *a, const struct access_account *who, bool in)
{
	access_accounts_count(&a->users, who->uid, who->gid, in);
	access_accounts_count(&a->groups, who->gid, who->uid, in);
}

int access_account_enter(struct access *a, const struct access_account *who, unsigned int *denied)
{
	unsigned int by_user, by_group, all;
	int r;

	if (!access_wants_account(a))
		return 0;
	if (!who->known)
		return PM_ERR_PERMISSION;
	r = access_accounts_ask(&a->users, who->uid, who->gid, &by_user);
	if (r == 0)
		r = access_accounts_ask(&a->groups, who->gid, who->uid, &by_group);
	if (r < 0)
		return r;
	all = *denied | by_user | by_group;
	if (all == CONFIG_OP_ALL)
		return PM_ERR_PERMISSION;
	count_account(a, who, true);
	*denied = all;
	return 0;
}

void access_account_leave(struct access *a, const struct access_account *who)
{
	if (access_wants_account(a) && who->known)
		count_account(a, who, false);
}

/*
 * The log
 */

void access_dump(struct access *a, struct buffer *out)
{
	static const struct access_account_kind user = {"User", "user", "uid", "group-list"};
	static const struct access_account_kind group = {"Group", "group", "gid", "user-list"};

	access_hosts_dump(&a->hosts, out);
	access_accounts_dump(&a->users, &user, out);
	access_accounts_dump(&a->groups, &group, out);
}

/*
 * access - the access lists of agents that have clients of their own: pmdatrace (hosts), pmdapipe
 * (users and groups). Hosts are libaccess; docs/spec/pmcd.md 6.2 to 6.4 has the rules.
 *
 * The lists belong to the process, and its first thread sets them up before it serves anyone.
 */
#include <stdbool.h>

#include "libaccess/access_hosts.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/compat/compat.h"

enum { MEMBERS_MAX = 1024 };

/* A user with its groups, or a group with its users. */
struct account {
	struct account *next;
	char *name;
	bool any; /* "*" */
	uint32_t id;
	uint32_t members[MEMBERS_MAX];
	int nmembers;
	struct access_rule rule;
};

static struct {
	unsigned int ops;
	bool ready;
	struct access_names names;
	struct access_hosts hosts;
	bool any_host; /* there are statements about hosts */
	struct account *users;
	struct account *groups; /* the newest first */
} lists;

static void report(struct buffer *why)
{
	pmNotifyErr(LOG_ERR, "%s", buffer_str(why));
	buffer_done(why);
}

/* ---- Hosts ---------------------------------------------------------------------------------- */

/* An operation is one bit, and each is new. */
int __pmAccAddOp(unsigned int op)
{
	if (op == 0 || (op & (op - 1)) != 0 || (lists.ops & op) != 0)
		return -EINVAL;
	lists.ops |= op;
	lists.hosts.all = lists.ops;
	return 0;
}

static struct access_rule rule_of(unsigned int specified, unsigned int denied, int max)
{
	return (struct access_rule){
	    .specified = specified, .denied = denied, .max_connections = (unsigned int)max};
}

/* The bits of an operation that is not defined, or a maximum below 0, are the caller's mistake. */
static bool rule_is_wrong(unsigned int specified, unsigned int denied, int max)
{
	return (specified & ~lists.ops) != 0 || (denied & ~specified) != 0 || max < 0;
}

int __pmAccAddHost(const char *name, unsigned int specified, unsigned int denied, int max)
{
	const struct access_rule rule = rule_of(specified, denied, max);
	struct buffer why = BUFFER_INIT;
	int r;

	if (rule_is_wrong(specified, denied, max))
		return -EINVAL;
	if (!lists.ready) {
		lists.names = access_names_system();
		access_hosts_init(&lists.hosts, &lists.names, lists.ops);
		lists.ready = true;
	}
	r = access_hosts_add(&lists.hosts, &lists.names, name, &rule, &why);
	if (r > 0)
		lists.any_host = true;
	if (r <= 0)
		report(&why);
	else
		buffer_done(&why);
	return r > 0 ? 0 : r == 0 ? -EHOSTUNREACH : r;
}

int __pmAccAddClient(__pmSockAddr *addr, unsigned int *denied)
{
	int r;

	*denied = 0;
	if (!lists.any_host)
		return 0;
	r = access_hosts_enter(&lists.hosts, (const struct sockaddr *)addr, denied);
	if (r < 0)
		*denied = lists.ops;
	return r;
}

void __pmAccDelClient(__pmSockAddr *addr)
{
	if (lists.any_host)
		access_hosts_leave(&lists.hosts, (const struct sockaddr *)addr);
}

/* ---- Users and groups ----------------------------------------------------------------------- */

static struct account *find(struct account *list, const char *name)
{
	while (list != NULL && strcmp(list->name, name) != 0)
		list = list->next;
	return list;
}

/* Adds a statement to a list: 0, -EINVAL for one that contradicts another, -ENOMEM. */
static int add(struct account **list, const struct account *like, const char *name)
{
	struct account *a = find(*list, name);

	if (a != NULL)
		return access_rule_merge(&a->rule, &like->rule) ? 0 : -EINVAL;
	a = malloc(sizeof(*a));
	if (a == NULL)
		return -ENOMEM;
	*a = *like;
	a->name = strdup(name);
	if (a->name == NULL) {
		free(a);
		return -ENOMEM;
	}
	a->next = *list;
	*list = a;
	return 0;
}

static int lookup_failed(const char *what, const char *name)
{
	pmNotifyErr(LOG_ERR, "Failed to lookup %s \"%s\": %s", what, name, strerror(ENOENT));
	return -EINVAL;
}

int __pmAccAddUser(const char *name, unsigned int specified, unsigned int denied, int max)
{
	const struct access_names names = access_names_system();
	struct account a = {.rule = rule_of(specified, denied, max), .any = strcmp(name, "*") == 0};

	if (rule_is_wrong(specified, denied, max))
		return -EINVAL;
	if (!a.any) {
		a.nmembers = names.user(names.arg, name, &a.id, a.members, MEMBERS_MAX);
		if (a.nmembers <= 0)
			return lookup_failed("user", name);
	}
	return add(&lists.users, &a, name);
}

int __pmAccAddGroup(const char *name, unsigned int specified, unsigned int denied, int max)
{
	const struct access_names names = access_names_system();
	struct account a = {.rule = rule_of(specified, denied, max), .any = strcmp(name, "*") == 0};

	if (rule_is_wrong(specified, denied, max))
		return -EINVAL;
	if (!a.any) {
		a.nmembers = names.group(names.arg, name, &a.id, a.members, MEMBERS_MAX);
		if (a.nmembers < 0)
			return lookup_failed("group", name);
	}
	return add(&lists.groups, &a, name);
}

static bool matches(const struct account *a, uint32_t id, uint32_t other)
{
	bool found = !a->any && a->id == id;

	for (int i = 0; !a->any && i < a->nmembers; i++)
		found = found || a->members[i] == other;
	return found;
}

/* The operations that a list denies: by all entries that match, by "*" if none does; all of them
 * where there is no "*". 0, or PM_ERR_CONNLIMIT. */
static int ask(const struct account *list, uint32_t id, uint32_t other, unsigned int *denied)
{
	const struct account *any = find((struct account *)list, "*");
	bool found = false;

	for (const struct account *a = list; a != NULL; a = a->next) {
		if (!matches(a, id, other))
			continue;
		if (access_rule_full(&a->rule))
			return PM_ERR_CONNLIMIT;
		*denied |= a->rule.denied;
		found = true;
	}
	if (!found && list != NULL)
		*denied |= any == NULL ? lists.ops : any->rule.denied;
	return 0;
}

static void count(struct account *list, uint32_t id, uint32_t other)
{
	for (struct account *a = list; a != NULL; a = a->next) {
		if (matches(a, id, other))
			access_rule_count(&a->rule);
	}
}

int __pmAccAddAccount(const char *user, const char *group, unsigned int *denied)
{
	uint32_t uid, gid;
	unsigned int sum = *denied;
	int r;

	if (lists.users == NULL && lists.groups == NULL)
		return 1;
	if (user == NULL || group == NULL) {
		*denied = lists.ops;
		return PM_ERR_PERMISSION;
	}
	uid = (uint32_t)strtoul(user, NULL, 10);
	gid = (uint32_t)strtoul(group, NULL, 10);
	r = ask(lists.users, uid, gid, &sum);
	if (r == 0)
		r = ask(lists.groups, gid, uid, &sum);
	if (r == 0 && (sum & lists.ops) == lists.ops)
		r = PM_ERR_PERMISSION;
	if (r < 0) {
		*denied = lists.ops;
		return r;
	}
	count(lists.users, uid, gid);
	count(lists.groups, gid, uid);
	*denied = sum;
	return 1;
}

/* ---- The log -------------------------------------------------------------------------------- */

typedef int name_of(void *arg, uint32_t id, char *buf, size_t size);

static void dump_account(struct buffer *out, const struct account *a, name_of *member_name)
{
	char name[256];

	access_rule_dump(&a->rule, out);
	if (a->any)
		buffer_printf(out, "%7s %-31s", "*", "*");
	else
		buffer_printf(out, "%7u %-31s", a->id, a->name);
	for (int i = 0; i < a->nmembers; i++) {
		if (member_name(NULL, a->members[i], name, sizeof(name)) < 0)
			name[0] = '\0';
		buffer_printf(out, "%s%u(%s)", i > 0 ? "," : " ", a->members[i], name);
	}
	buffer_printf(out, "\n");
}

/* The implied "*" of a list without one denies everything. */
static void dump_list(struct buffer *out, const struct account *list, name_of *member_name)
{
	const struct account rest = {.any = true, .rule = rule_of(lists.ops, lists.ops, 0)};

	for (const struct account *a = list; a != NULL; a = a->next) {
		if (!a->any)
			dump_account(out, a, member_name);
	}
	list = find((struct account *)list, "*");
	dump_account(out, list == NULL ? &rest : list, member_name);
}

static void dump(FILE *f, const char *title, const char *heads, const struct account *list,
		 name_of *member_name)
{
	struct buffer out = BUFFER_INIT;

	buffer_printf(&out, "%s access list:\n", title);
	access_rule_dump_head(heads,
			      "======= =============================== "
			      "==========================================================",
			      &out);
	dump_list(&out, list, member_name);
	fputs(buffer_str(&out), f);
	buffer_done(&out);
}

void __pmAccDumpUsers(FILE *f)
{
	if (lists.users == NULL)
		fprintf(f, "User access list empty: user-based access control turned off\n");
	else
		dump(f, "User", "    uid user-name                       group-list", lists.users,
		     access_names_system().group_name);
}

void __pmAccDumpGroups(FILE *f)
{
	if (lists.groups == NULL)
		fprintf(f, "Group access list empty: group-based access control turned off\n");
	else
		dump(f, "Group", "    gid group-name                      user-list", lists.groups,
		     access_names_system().user_name);
}

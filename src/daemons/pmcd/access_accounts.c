/* access_accounts - see access_accounts.h. */
#include "daemons/pmcd/access_accounts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"

void access_accounts_done(struct access_accounts *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->list[i].members);
		free(l->list[i].name);
		free(l->list[i].others);
	}
	free(l->list);
	hash_done(&l->ids);
	memset(l, 0, sizeof(*l));
}

static int list_reserve(struct access_accounts *l)
{
	size_t cap = l->cap == 0 ? 16 : l->cap * 2;
	struct access_account_entry *list;

	if (l->count < l->cap)
		return 0;
	list = reallocarray(l->list, cap, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	l->list = list;
	l->cap = cap;
	return 0;
}

/* The list moves as it grows, so that the table holds indices. hash_u64 maps no two ids to one
 * hash: the hash alone decides. */
static struct access_account_entry *accounts_find(const struct access_accounts *l, bool any,
						  uint32_t id)
{
	size_t at = any ? l->any : (uintptr_t)hash_find(&l->ids, hash_u64(id), NULL, NULL);

	return at == 0 ? NULL : &l->list[at - 1];
}

static int accounts_append(struct access_accounts *l, const struct access_account_entry *e)
{
	uintptr_t at = l->count + 1;

	if (list_reserve(l) < 0)
		return -ENOMEM;
	if (e->any)
		l->any = at;
	else if (hash_add(&l->ids, hash_u64(e->id), (void *)at) < 0)
		return -ENOMEM;
	l->list[l->count++] = *e;
	return 0;
}

int access_accounts_add(struct access_accounts *l, const char *name, uint32_t id, uint32_t *members,
			unsigned int nmember, const struct access_rule *rule, struct buffer *why)
{
	struct access_account_entry new = {.any = strcmp(name, "*") == 0,
					   .id = id,
					   .members = members,
					   .nmember = nmember,
					   .rule = *rule};
	struct access_account_entry *e = accounts_find(l, new.any, id);

	if (e != NULL && access_rule_merge(&e->rule, rule)) {
		free(members);
		return 0;
	}
	if (e != NULL) {
		buffer_reset(why);
		buffer_printf(why, "Permission clash for %s with earlier statement for %s", name,
			      e->name);
		return -EINVAL;
	}
	new.name = strdup(name);
	if (new.name != NULL && accounts_append(l, &new) == 0)
		return 0;
	free(new.name);
	return -ENOMEM;
}

int access_accounts_close(struct access_accounts *l)
{
	const struct access_rule none = {.specified = CONFIG_OP_ALL, .denied = CONFIG_OP_ALL};

	if (l->count == 0 || l->any != 0)
		return 0;
	return access_accounts_add(l, "*", 0, NULL, 0, &none, NULL);
}

int access_accounts_name(struct access_accounts *l,
			 int (*name_of)(void *arg, uint32_t id, char *buf, size_t size), void *arg)
{
	for (size_t i = 0; i < l->count; i++) {
		struct access_account_entry *e = &l->list[i];
		struct buffer text = BUFFER_INIT;

		for (unsigned int j = 0; j < e->nmember; j++) {
			char name[NAME_MAX] = "";

			if (name_of != NULL)
				(void)name_of(arg, e->members[j], name, sizeof(name));
			buffer_printf(&text, " %u(%s)", e->members[j], name);
		}
		if (text.err == 0 && e->nmember > 0)
			e->others = strdup(buffer_str(&text));
		buffer_done(&text);
		if (e->nmember > 0 && e->others == NULL)
			return -ENOMEM;
	}
	return 0;
}

static bool entry_match(const struct access_account_entry *e, uint32_t id, uint32_t other)
{
	if (e->any)
		return false;
	if (e->id == id)
		return true;
	for (unsigned int i = 0; i < e->nmember; i++) {
		if (e->members[i] == other)
			return true;
	}
	return false;
}

int access_accounts_ask(const struct access_accounts *l, uint32_t id, uint32_t other,
			unsigned int *ret_denied)
{
	const struct access_account_entry *any = accounts_find(l, true, 0);
	unsigned int denied = 0;
	bool matched = false;

	for (size_t i = 0; i < l->count; i++) {
		const struct access_account_entry *e = &l->list[i];

		if (!entry_match(e, id, other))
			continue;
		if (access_rule_full(&e->rule))
			return PM_ERR_CONNLIMIT;
		denied |= e->rule.denied;
		matched = true;
	}
	if (!matched && any != NULL) {
		if (access_rule_full(&any->rule))
			return PM_ERR_CONNLIMIT;
		denied = any->rule.denied;
	}
	*ret_denied = denied;
	return 0;
}

static void count_one(struct access_account_entry *e, bool in)
{
	if (in)
		access_rule_count(&e->rule);
	else
		access_rule_uncount(&e->rule);
}

void access_accounts_count(struct access_accounts *l, uint32_t id, uint32_t other, bool in)
{
	struct access_account_entry *any = accounts_find(l, true, 0);
	bool matched = false;

	for (size_t i = 0; i < l->count; i++) {
		if (entry_match(&l->list[i], id, other)) {
			count_one(&l->list[i], in);
			matched = true;
		}
	}
	if (!matched && any != NULL)
		count_one(any, in);
}

static void dump_entry(const struct access_account_entry *e, struct buffer *out)
{
	access_rule_dump(&e->rule, out);
	if (e->any)
		buffer_printf(out, "%7s %-31s", "*", e->name);
	else
		buffer_printf(out, "%7u %-31s", e->id, e->name);
	buffer_printf(out, "%s\n", e->others != NULL ? e->others : "");
}

void access_accounts_dump(const struct access_accounts *l, const struct access_account_kind *kind,
			  struct buffer *out)
{
	struct buffer head = BUFFER_INIT;

	if (l->count == 0) {
		buffer_printf(out, "%s access list empty: %s-based access control turned off\n",
			      kind->title, kind->lower);
		return;
	}
	buffer_printf(out, "%s access list:\n", kind->title);
	buffer_printf(&head, "    %s %s%-*s %s", kind->id, kind->lower,
		      (int)(31 - strlen(kind->lower)), "-name", kind->others);
	access_rule_dump_head(buffer_str(&head),
			      "======= =============================== "
			      "==========================================================",
			      out);
	buffer_done(&head);
	for (size_t i = 0; i < l->count; i++)
		dump_entry(&l->list[i], out);
}

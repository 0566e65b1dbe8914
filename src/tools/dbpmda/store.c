/* store - see store.h. */
#include "tools/dbpmda/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/dbpmda/answer.h"
#include "tools/dbpmda/session.h"

/* The result to be stored: one value set, with the fetched instances and the one new value. */
struct change {
	pmResult result; /* vset is its only element */
	pmValueSet *set;
	pmValue fresh; /* the new value, once: all instances share the value block */
	int valfmt;
};

static int convert(const char *text, int type, struct change *c)
{
	pmAtomValue atom;
	int r;

	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_FLOAT:
	case PM_TYPE_DOUBLE:
	case PM_TYPE_STRING:
		break;
	default:
		printf("Error: dbpmda does not support storing into %s metrics\n", pmTypeStr(type));
		return PM_ERR_TYPE;
	}
	r = __pmStringValue(text, &atom, type);
	if (r == -ERANGE)
		printf("Error: Decoding value: %s\n", pmErrStr(r));
	else if (r < 0)
		printf("Error: Value \"%s\" is incompatible with metric type (PM_TYPE_%s)\n", text,
		       pmTypeStr(type));
	if (r < 0)
		return r;
	c->valfmt = __pmStuffValue(&atom, &c->fresh, type);
	if (type == PM_TYPE_STRING)
		free(atom.cp);
	return c->valfmt < 0 ? c->valfmt : 0;
}

/* Returns 0, or the error if the fetched values show that the metric cannot be stored to. */
static int check_values(const pmValueSet *old)
{
	char text[32];

	pmIDStr_r(old->pmid, text, sizeof(text));
	if (old->numval == 0) {
		printf("Error: %s not available!\n", text);
		return PM_ERR_VALUE;
	}
	if (old->numval < 0)
		printf("Error: %s: %s\n", text, pmErrStr(old->numval));
	return old->numval < 0 ? old->numval : 0;
}

static int change_build(struct change *c, const pmValueSet *old)
{
	c->set = malloc(sizeof(*c->set) + (size_t)old->numval * sizeof(c->set->vlist[0]));
	if (c->set == NULL)
		return -ENOMEM;
	c->set->pmid = old->pmid;
	c->set->numval = old->numval;
	c->set->valfmt = c->valfmt;
	for (int i = 0; i < old->numval; i++) {
		c->set->vlist[i].inst = old->vlist[i].inst;
		c->set->vlist[i].value = c->fresh.value;
	}
	c->result.numpmid = 1;
	c->result.vset[0] = c->set;
	return 0;
}

static void print_change(const pmValueSet *old, const struct change *c, const pmDesc *desc)
{
	char text[32];

	for (int i = 0; i < old->numval; i++) {
		printf("%s", pmIDStr_r(old->pmid, text, sizeof(text)));
		if (old->numval > 1)
			printf(" [%d]", i);
		printf(": ");
		pmPrintValue(stdout, old->valfmt, desc->type, &old->vlist[i], 1);
		printf(" -> ");
		pmPrintValue(stdout, c->valfmt, desc->type, &c->set->vlist[i], 1);
		putchar('\n');
	}
}

static int send_change(struct session *s, struct change *c)
{
	const struct question q = {.kind = ASK_STORE, .result = &c->result};
	struct answer a;
	int r;

	if (!s->agent->ops->in_process)
		printf("Sending Result...\n");
	answer_init(&a);
	r = s->agent->ops->ask(s->agent, &q, &a);
	answer_done(&a);
	return r;
}

static int replace(struct session *s, const pmValueSet *old, const pmDesc *desc, const char *text)
{
	struct change c = {.valfmt = PM_ERR_TYPE};
	int r = check_values(old);

	if (r == 0)
		r = convert(text, desc->type, &c);
	if (r == 0)
		r = change_build(&c, old);
	if (r == 0) {
		print_change(old, &c, desc);
		r = send_change(s, &c);
	}
	free(c.set);
	if (c.valfmt == PM_VAL_DPTR)
		free(c.fresh.value.pval);
	return r;
}

static int fetch_and_replace(struct session *s, const pmDesc *desc, pmID pmid, const char *text)
{
	const struct question q = {.kind = ASK_FETCH, .n = 1, .pmids = &pmid};
	struct answer a;
	int r;

	answer_init(&a);
	if (s->profile_changed) {
		printf("Sending Profile...\n");
		r = session_send_profile(s);
		if (r < 0)
			return r;
	}
	printf("Getting Result Structure...\n");
	r = s->agent->ops->ask(s->agent, &q, &a);
	if (r >= 0) {
		r = a.result->numpmid == 1 ? replace(s, a.result->vset[0], desc, text) : PM_ERR_IPC;
		s->agent->ops->result_free(s->agent, a.result);
	}
	answer_done(&a);
	return r;
}

int store_value(struct session *s, pmID pmid, const char *text)
{
	const struct question q = {.kind = ASK_DESC, .pmid = pmid};
	struct answer a;
	int r;

	printf("Getting description...\n");
	answer_init(&a);
	r = s->agent->ops->ask(s->agent, &q, &a);
	if (r >= 0)
		r = fetch_and_replace(s, &a.desc, pmid, text);
	answer_done(&a);
	return r;
}

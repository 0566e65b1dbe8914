/*
 * fetch - the result of a fetch on standard output, and storing (docs/spec/pmda.md 19.6).
 */
#include "tools/dbpmda/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

#include "tools/dbpmda/agent.h"

/*
 * Results
 */

/* A result of an agent process has nanoseconds, one of this process microseconds. */
static void print_header(const struct session *s, const pmResult *result)
{
	if (s->agent->ops->in_process) {
		printf("pmResult dump from %p timestamp: %lld.%06ld ", (const void *)result,
		       (long long)result->timestamp.tv_sec, (long)result->timestamp.tv_usec);
		pmPrintStamp(stdout, &result->timestamp);
	} else {
		const pmHighResResult *highres = (const pmHighResResult *)result;

		printf("__pmResult dump from %p timestamp: %lld.%09ld ", (const void *)result,
		       (long long)highres->timestamp.tv_sec, (long)highres->timestamp.tv_nsec);
		pmPrintHighResStamp(stdout, &highres->timestamp);
	}
	printf(" numpmid: %d\n", result->numpmid);
}

static void fetch_print_instance(struct session *s, const pmDesc *desc, int inst)
{
	const struct question q = {.kind = ASK_INSTANCE,
				   .ident = desc != NULL ? desc->indom : PM_INDOM_NULL,
				   .inst = inst,
				   .untraced = true};
	struct answer a;

	printf("    inst [%d or ", inst);
	answer_init(&a);
	if (s->getiname && desc != NULL && desc->indom != PM_INDOM_NULL &&
	    s->agent->ops->ask(s->agent, &q, &a) >= 0 && a.n == 1 && a.names != NULL)
		printf("\"%s\"]", a.names[0] == NULL ? "(null)" : a.names[0]);
	else
		printf("???]");
	answer_done(&a);
}

static void fetch_print_set(struct session *s, const pmValueSet *set, const pmDesc *desc)
{
	int type = desc != NULL ? desc->type : PM_TYPE_UNKNOWN;
	char text[32];

	printf("  %s (", pmIDStr_r(set->pmid, text, sizeof(text)));
	session_print_names(s, stdout, set->pmid, s->getdesc || s->getiname ? " or " : ", ");
	printf("):");
	if (set->numval == 0) {
		printf(" No values returned!\n");
		return;
	}
	if (set->numval < 0) {
		printf(" %s\n", pmErrStr(set->numval));
		return;
	}
	printf(" numval: %d valfmt: %d vlist[]:\n", set->numval, set->valfmt);
	for (int i = 0; i < set->numval; i++) {
		const pmValue *v = &set->vlist[i];

		if (set->numval > 1 || v->inst != (int)PM_IN_NULL ||
		    (desc != NULL && desc->indom != PM_INDOM_NULL))
			fetch_print_instance(s, desc, v->inst);
		else
			printf("  ");
		printf(" value ");
		if (desc == NULL && set->valfmt != PM_VAL_INSITU)
			type = v->value.pval->vtype;
		pmPrintValue(stdout, set->valfmt, type, v, 1);
		putchar('\n');
	}
}

/* An agent may answer with fewer or more metrics than requested, and in another order. */
static const pmDesc *find_desc(pmID pmid, int n, const pmID *pmids, const pmDesc *descs)
{
	for (int i = 0; descs != NULL && i < n; i++) {
		if (pmids[i] == pmid)
			return &descs[i];
	}
	return NULL;
}

void dump_result(struct session *s, const pmResult *result, int n, const pmID *pmids,
		 const pmDesc *descs)
{
	print_header(s, result);
	for (int i = 0; i < result->numpmid; i++)
		fetch_print_set(s, result->vset[i],
				find_desc(result->vset[i]->pmid, n, pmids, descs));
}

static const char *state_name(int state)
{
	return state == PM_PROFILE_INCLUDE ? "INCLUDE" : "EXCLUDE";
}

void dump_profile(const pmProfile *profile)
{
	printf("Dump Instance Profile state=%s, %d profiles\n", state_name(profile->state),
	       profile->profile_len);
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *p = &profile->profile[i];
		char text[32];

		printf("\tProfile [%d] indom=%u [%s] state=%s %d instances\n", i, p->indom,
		       pmInDomStr_r(p->indom, text, sizeof(text)), state_name(p->state),
		       p->instances_len);
		if (p->instances_len == 0)
			continue;
		printf("\t\tInstances:");
		for (int j = 0; j < p->instances_len; j++)
			printf(" [%d]", p->instances[j]);
		putchar('\n');
	}
}

/*
 * Storing
 */

/* The result to be stored: one value set, with the fetched instances and the one new value. */
struct change {
	pmResult result; /* vset is its only element */
	pmValueSet *set;
	pmValue fresh; /* the new value, once: all instances share the value block */
	int valfmt;
};

static int fetch_convert(const char *text, int type, struct change *c)
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

static int fetch_replace(struct session *s, const pmValueSet *old, const pmDesc *desc,
			 const char *text)
{
	struct change c = {.valfmt = PM_ERR_TYPE};
	int r = check_values(old);

	if (r == 0)
		r = fetch_convert(text, desc->type, &c);
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
		r = a.result->numpmid == 1 ? fetch_replace(s, a.result->vset[0], desc, text)
					   : PM_ERR_IPC;
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
	if (r >= 0 && pmDebugOptions.pdu && !s->agent->ops->in_process)
		pmPrintDesc(stdout, &a.desc);
	if (r >= 0)
		r = fetch_and_replace(s, &a.desc, pmid, text);
	answer_done(&a);
	return r;
}

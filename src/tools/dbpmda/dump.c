/* dump - see dump.h. */
#include "tools/dbpmda/dump.h"

#include <stdio.h>

#include "tools/dbpmda/answer.h"
#include "tools/dbpmda/session.h"

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

static void print_instance(struct session *s, const pmDesc *desc, int inst)
{
	const struct question q = {.kind = ASK_INSTANCE,
				   .ident = desc != NULL ? desc->indom : PM_INDOM_NULL,
				   .inst = inst};
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

static void print_set(struct session *s, const pmValueSet *set, const pmDesc *desc)
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
			print_instance(s, desc, v->inst);
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
		print_set(s, result->vset[i], find_desc(result->vset[i]->pmid, n, pmids, descs));
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

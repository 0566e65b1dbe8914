#include "agent_test.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/agent.h>

extern const struct agent linux_agent;

static pmdaInterface dispatch;

void agent_open(const char *fixture)
{
	char root[512];

	if (fixture[0] == '/')
		snprintf(root, sizeof(root), "%s", fixture);
	else
		snprintf(root, sizeof(root), "%s/%s", LINUX_FIXTURES, fixture);
	assert_int_equal(setenv("PITOT_LINUX_ROOT", root, 1), 0);
	assert_int_equal(setenv("PCP_VAR_DIR", "/proc/nonexistent", 1), 0); /* no remembered ids */
	memset(&dispatch, 0, sizeof(dispatch));
	dispatch.domain = 60;
	dispatch.comm.pmda_interface = PMDA_INTERFACE_7;
	dispatch.comm.pmapi_version = 2;
	agent_init(&linux_agent, &dispatch);
	assert_int_equal(dispatch.status, 0);
}

static pmResult *fetch(const char *metric, pmID *ret_pmid)
{
	char name[256];
	pmResult *result;
	int r;

	snprintf(name, sizeof(name), "linux.%s", metric);
	r = dispatch.version.four.pmid(name, ret_pmid, dispatch.version.four.ext);
	if (r < 0)
		fail_msg("%s: no such name", metric);
	r = dispatch.version.four.fetch(1, ret_pmid, &result, dispatch.version.four.ext);
	assert_int_equal(r, 0);
	assert_int_equal(result->numpmid, 1);
	return result;
}

static void release(pmResult *result)
{
	pmdaExt *ext = dispatch.version.four.ext;

	if (ext->e_resultCallBack != NULL)
		ext->e_resultCallBack(result);
}

int agent_count(const char *metric)
{
	pmID pmid;
	pmResult *result = fetch(metric, &pmid);
	int n = result->vset[0]->numval;

	release(result);
	return n;
}

static int instance_id(pmInDom indom, const char *name)
{
	pmInResult *found;
	int id, r;

	r = dispatch.version.four.instance(indom, (int)PM_IN_NULL, (char *)(uintptr_t)name, &found,
					   dispatch.version.four.ext);
	if (r < 0)
		return -1;
	id = found->instlist[0];
	free(found->instlist);
	free(found);
	return id;
}

static const char *value_text(const pmValueSet *set, const pmValue *value, int type)
{
	static char text[4096];
	pmAtomValue atom;

	assert_int_equal(pmExtractValue(set->valfmt, value, type, &atom, type), 0);
	switch (type) {
	case PM_TYPE_32:
		snprintf(text, sizeof(text), "%d", atom.l);
		break;
	case PM_TYPE_U32:
		snprintf(text, sizeof(text), "%u", atom.ul);
		break;
	case PM_TYPE_64:
		snprintf(text, sizeof(text), "%lld", (long long)atom.ll);
		break;
	case PM_TYPE_U64:
		snprintf(text, sizeof(text), "%llu", (unsigned long long)atom.ull);
		break;
	case PM_TYPE_FLOAT:
		snprintf(text, sizeof(text), "%g", (double)atom.f);
		break;
	case PM_TYPE_DOUBLE:
		snprintf(text, sizeof(text), "%g", atom.d);
		break;
	default:
		snprintf(text, sizeof(text), "%s", atom.cp);
		free(atom.cp);
	}
	return text;
}

static const pmValue *find_value(const pmValueSet *set, pmInDom indom, const char *inst)
{
	int id;

	if (inst == NULL)
		return set->numval > 0 ? &set->vlist[0] : NULL;
	id = instance_id(indom, inst);
	for (int i = 0; id >= 0 && i < set->numval; i++)
		if (set->vlist[i].inst == id)
			return &set->vlist[i];
	return NULL;
}

static void check_one(const struct expect *e)
{
	pmID pmid;
	pmResult *result = fetch(e->metric, &pmid);
	const pmValueSet *set = result->vset[0];
	const char *inst = e->inst != NULL ? e->inst : "";
	char found[4096] = "no value";
	const pmValue *value;
	pmDesc desc;

	assert_int_equal(dispatch.version.four.desc(pmid, &desc, dispatch.version.four.ext), 0);
	value = find_value(set, desc.indom, e->inst);
	if (set->numval < 0)
		snprintf(found, sizeof(found), "error %d", set->numval);
	else if (value != NULL)
		snprintf(found, sizeof(found), "%s", value_text(set, value, desc.type));
	if (strcmp(found, e->value != NULL ? e->value : "no value") != 0)
		fail_msg("%s[%s]: %s, expected %s", e->metric, inst, found,
			 e->value != NULL ? e->value : "no value");
	release(result);
}

void agent_expect(const struct expect *table, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_one(&table[i]);
}

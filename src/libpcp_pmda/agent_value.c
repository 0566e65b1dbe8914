/* agent_value - see agent_value.h. */
#include "libpcp_pmda/agent_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_structs(const struct agent_row *row)
{
	return row->cluster != NULL && row->cluster->def->refresh != NULL &&
	       (row->metric->indom == NULL || row->fill >= 0);
}

/* Sets call->from. 1, or what there is instead of a value: 0 or an error code. */
static int find_struct(const struct agent_row *row, struct agent_call *call)
{
	const struct agent_metric *m = row->metric;

	if (m->indom != NULL && m->indom->own) {
		if (m->indom->find == NULL)
			return 1;
		call->from = m->indom->find(m->indom, call->inst);
		return call->from != NULL ? 1 : PM_ERR_INST;
	}
	if (!has_structs(row))
		return 1;
	return cluster_struct(row->cluster, m, row->fill, call->inst, &call->from);
}

int agent_row_value(const struct agent_state *s, const struct agent_row *row, int inst,
		    pmAtomValue *ret_atom)
{
	const struct agent_metric *m = row->metric;
	struct agent_call call = {.metric = m, .inst = inst, .ext = s->ext};
	int r;

	if (m->value.kind == AGENT_KIND_NONE)
		return m->absent;
	r = find_struct(row, &call);
	if (r <= 0)
		return r;
	if (m->value.get != NULL) {
		memset(ret_atom, 0, sizeof(*ret_atom));
		return m->value.get(&call, ret_atom);
	}
	if (call.from == NULL)
		return m->absent;
	return reading_value(m, call.from, ret_atom) ? 1 : m->absent;
}

/* ---- stores --------------------------------------------------------------------------------- */

/* Whether the domain has the instance, if the library knows its instances. */
static bool instance_exists(const struct agent_row *row, int inst)
{
	const struct agent_indom *indom = row->metric->indom;

	if (row->definer != NULL)
		return inst_map_find(&row->definer->maps[row->definer_fill], inst) >= 0;
	if (indom == NULL || indom->fixed == NULL)
		return true;
	for (unsigned int i = 0; i < indom->nfixed; i++)
		if (indom->fixed[i].id == inst)
			return true;
	return false;
}

static int store_value(const struct agent_state *s, const struct agent_row *row,
		       const pmValueSet *vset, const pmValue *value)
{
	const struct agent_metric *m = row->metric;
	struct agent_call call = {.metric = m, .inst = value->inst, .ext = s->ext};
	pmAtomValue atom;
	int r = find_struct(row, &call);

	if (r < 0)
		return r;
	if (r == 0 || !instance_exists(row, value->inst))
		return PM_ERR_INST;
	r = pmExtractValue(vset->valfmt, value, m->type, &atom, m->type);
	if (r < 0)
		return r;
	r = m->value.store(&call, &atom);
	if (m->type == PM_TYPE_STRING)
		free(atom.cp);
	if (m->type == PM_TYPE_AGGREGATE)
		free(atom.vbp);
	return r;
}

int agent_row_store(struct agent_state *s, struct agent_row *row, const pmValueSet *vset)
{
	bool stored = false;
	int r = 0, ended = 0;

	if (row->metric->value.store == NULL)
		return PM_ERR_PERMISSION;
	if (row->cluster != NULL) {
		s->seq++;
		agent_row_define(s, row);
		agent_row_need(s, row);
	}
	for (int i = 0; r >= 0 && i < vset->numval; i++) {
		r = store_value(s, row, vset, &vset->vlist[i]);
		stored = stored || r >= 0;
		if (r == -ESRCH) {
			ended = r;
			r = 0;
		}
	}
	return r < 0 || stored ? r : ended;
}

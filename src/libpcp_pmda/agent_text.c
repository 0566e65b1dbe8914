/* agent_text - see agent_text.h. */
#include "libpcp_pmda/agent_text.h"

#include <errno.h>
#include <stdbool.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp_pmda/agent_table.h"

/* One line, more if there is more to say, then unit and source. */
static void metric_help(const struct agent_row *row, struct buffer *text)
{
	const struct agent_metric *m = row->metric;
	const char *source = row->cluster != NULL ? row->cluster->def->source : NULL;
	char units[64];

	buffer_printf(text, "%s.", m->oneline);
	if (m->help != NULL)
		buffer_printf(text, "\n%s", m->help);
	pmUnitsStr_r(&m->units, units, sizeof(units));
	if (units[0] != '\0')
		buffer_printf(text, "\nUnit: %s.", units);
	if (source != NULL)
		buffer_printf(text, "\nSource: %s.", source);
}

static const struct agent_indom *indom_find(const struct agent_state *s, pmInDom indom)
{
	for (unsigned int i = 0; i < s->nindoms; i++)
		if (s->indoms[i].indom == indom)
			return s->indoms[i].def;
	return NULL;
}

static int put_text(struct agent_state *s, int ident, int type)
{
	bool one_line = (type & PM_TEXT_ONELINE) != 0 || (s->agent->flags & AGENT_ONE_TEXT) != 0;
	const struct agent_row *row;
	const struct agent_indom *indom;
	struct agent_row made;

	if (type & PM_TEXT_PMID) {
		row = agent_row_find(s, (pmID)ident);
		if (row == NULL && agent_row_make(s, (pmID)ident, &made))
			row = &made;
		if (row == NULL || row->metric->oneline == NULL)
			return PM_ERR_TEXT;
		if (one_line)
			buffer_printf(&s->text, "%s", row->metric->oneline);
		else
			metric_help(row, &s->text);
		return 0;
	}
	indom = indom_find(s, (pmInDom)ident);
	if (indom == NULL || indom->oneline == NULL)
		return PM_ERR_TEXT;
	buffer_printf(&s->text, "%s", indom->oneline);
	if (!one_line && indom->help != NULL)
		buffer_printf(&s->text, ".\n%s", indom->help);
	return 0;
}

int agent_text(struct agent_state *s, int ident, int type, char **ret_text)
{
	int r;

	buffer_reset(&s->text);
	r = put_text(s, ident, type);
	if (r < 0)
		return r;
	*ret_text = (char *)(uintptr_t)buffer_str(&s->text);
	return s->text.err;
}

static void print_row(const struct agent_row *row, FILE *out)
{
	static const char *const sems[] = {
	    [PM_SEM_COUNTER] = "counter",
	    [PM_SEM_INSTANT] = "instant",
	    [PM_SEM_DISCRETE] = "discrete",
	};
	const struct agent_metric *m = row->metric;
	char type[32], units[64], indom[16] = "";

	pmTypeStr_r(m->type, type, sizeof(type));
	pmUnitsStr_r(&m->units, units, sizeof(units));
	if (m->indom != NULL)
		snprintf(indom, sizeof(indom), "%u", m->indom->serial);
	fprintf(out, "| `%s` | %u.%u | %s | %s | %s | %s | %s |\n", row->name, m->cluster, m->item,
		type, (size_t)m->sem < ARRAY_SIZE(sems) ? sems[m->sem] : "", indom, units,
		m->oneline);
}

int agent_text_print(const struct agent_state *s, FILE *out)
{
	fprintf(out, "# Metrics of the %s agent\n\n", s->agent->name);
	fprintf(
	    out,
	    "Made from the agent's rows by `pmda%s --print-metrics`; %u metrics, domain %d.\n\n",
	    s->agent->name, s->nrows, s->domain);
	fprintf(out, "## Instance domains\n\n| serial | what |\n|---|---|\n");
	for (unsigned int i = 0; i < s->nindoms; i++)
		fprintf(out, "| %u | %s |\n", s->indoms[i].def->serial, s->indoms[i].def->oneline);
	fprintf(out, "\n## Metrics\n\n");
	fprintf(out, "| name | cluster.item | type | semantics | instances | unit | what |\n");
	fprintf(out, "|---|---|---|---|---|---|---|\n");
	for (unsigned int i = 0; i < s->nrows; i++)
		print_row(s->by_name[i], out);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}

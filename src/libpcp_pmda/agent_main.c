/*
 * agent_main - an agent as a program: help text made from its rows, the callbacks of libpcp_pmda,
 * options, log, connection, main loop.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pitot/agent.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp_pmda/agent_names.h"
#include "libpcp_pmda/agent_table.h"

/* ---- Help text ------------------------------------------------------------------------------ */

/* One line, more if there is more to say, then unit and source. */
static void metric_help(const struct agent_row *row, struct buffer *text)
{
	const struct agent_metric *m = row->metric;
	const char *source = row->cluster->def->source;
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
	const struct agent_row *row;
	const struct agent_indom *indom;

	if (type & PM_TEXT_PMID) {
		row = agent_row_find(s, (pmID)ident);
		if (row == NULL)
			return PM_ERR_TEXT;
		if (type & PM_TEXT_ONELINE)
			buffer_printf(&s->text, "%s", row->metric->oneline);
		else
			metric_help(row, &s->text);
		return 0;
	}
	indom = indom_find(s, (pmInDom)ident);
	if (indom == NULL || indom->oneline == NULL)
		return PM_ERR_TEXT;
	buffer_printf(&s->text, "%s", indom->oneline);
	if (!(type & PM_TEXT_ONELINE) && indom->help != NULL)
		buffer_printf(&s->text, ".\n%s", indom->help);
	return 0;
}

/* The text of a metric or an instance domain, as pmdaText: valid until the next call. PM_ERR_TEXT
 * if there is none. */
static int agent_text(struct agent_state *s, int ident, int type, char **ret_text)
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

/* All metrics as a Markdown page. 0 or -errno. */
static int agent_text_print(const struct agent_state *s, FILE *out)
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

/* ---- Callbacks ------------------------------------------------------------------------------ */

static int fetch_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	const struct agent_row *row = metric->m_user;

	if (row == NULL)
		return PM_ERR_PMID;
	return cluster_value(row->cluster, row->metric, row->fill, (int)inst, atom);
}

/* Refresh all requested clusters: those that define instances before those that use them. After it
 * pmdaFetch walks the instances and calls fetch_value. */
static int table_refresh(int numpmid, pmID *pmidlist, pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);

	s->seq++;
	for (int i = 0; i < numpmid; i++) {
		struct agent_row *row = agent_row_find(s, pmidlist[i]);

		if (row != NULL)
			agent_row_define(s, row);
	}
	for (int i = 0; i < numpmid; i++) {
		struct agent_row *row = agent_row_find(s, pmidlist[i]);

		if (row != NULL)
			agent_row_need(s, row);
	}
	return 0;
}

static void indom_refresh(struct agent_state *s, pmInDom indom)
{
	s->seq++;
	for (unsigned int i = 0; i < s->nclusters; i++) {
		struct cluster_state *c = &s->clusters[i];

		for (int j = 0; j < AGENT_CLUSTER_INDOMS && c->indoms[j] != NULL; j++) {
			if (c->indoms[j]->indom != indom || !c->def->fills[j].defines)
				continue;
			cluster_need(c, s->seq);
			cluster_sync(c, j);
		}
	}
}

/* A single instance that is known needs no refresh: clients ask for them one by one. */
static int table_instance(pmInDom indom, int inst, char *name, pmInResult **ret_result,
			  pmdaExt *ext)
{
	struct agent_state *s = pmdaExtGetData(ext);
	int r;

	if (inst != (int)PM_IN_NULL || name != NULL) {
		r = pmdaInstance(indom, inst, name, ret_result, ext);
		if (r != PM_ERR_INST)
			return r;
	}
	indom_refresh(s, indom);
	return pmdaInstance(indom, inst, name, ret_result, ext);
}

static int table_text(int ident, int type, char **ret_text, pmdaExt *ext)
{
	return agent_text(pmdaExtGetData(ext), ident, type, ret_text);
}

static int table_pmid(const char *name, pmID *ret_pmid, pmdaExt *ext)
{
	return agent_names_pmid(pmdaExtGetData(ext), name, ret_pmid);
}

static int table_name(pmID pmid, char ***ret_names, pmdaExt *ext)
{
	return agent_names_of(pmdaExtGetData(ext), pmid, ret_names);
}

static int table_children(const char *name, int traverse, char ***ret_names, int **ret_status,
			  pmdaExt *ext)
{
	return agent_names_children(pmdaExtGetData(ext), name, traverse, ret_names, ret_status);
}

/* Installs the callbacks and calls pmdaInit; dispatch->status reports a failure. The state then
 * lives as long as the dispatch. */
static void agent_setup(struct agent_state *s, pmdaInterface *dispatch)
{
	pmdaSetData(dispatch, s);
	dispatch->version.four.instance = table_instance;
	dispatch->version.four.text = table_text;
	dispatch->version.four.pmid = table_pmid;
	dispatch->version.four.name = table_name;
	dispatch->version.four.children = table_children;
	agent_set_refresh(dispatch, table_refresh);
	pmdaSetFetchCallBack(dispatch, fetch_value);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, s->indom_table, (int)s->nindoms, s->metrics, (int)s->nrows);
}

void agent_init(const struct agent *agent, pmdaInterface *dispatch)
{
	struct agent_state *s;
	int r = agent_state_new(agent, dispatch->domain, 0, &s);

	if (r < 0) {
		dispatch->status = r;
		return;
	}
	pmdaDSO(dispatch, PMDA_INTERFACE_7, s->dso_name, NULL);
	if (dispatch->status != 0) {
		agent_state_free(s);
		return;
	}
	agent_setup(s, dispatch);
}

/* ---- The program ---------------------------------------------------------------------------- */

static int print_rows(const struct agent *agent, int domain, FILE *out,
		      int (*print)(const struct agent_state *s, FILE *out))
{
	struct agent_state *s;
	int r = agent_state_new(agent, domain, AGENT_STATIC_ONLY, &s);

	if (r < 0)
		return r;
	r = print(s, out);
	agent_state_free(s);
	return r;
}

int agent_print_pmns(const struct agent *agent, int domain, FILE *out)
{
	return print_rows(agent, domain, out, agent_names_print);
}

int agent_print_metrics(const struct agent *agent, FILE *out)
{
	return print_rows(agent, agent->domain, out, agent_text_print);
}

enum { OPT_VERSION = 'V', OPT_PMNS = 'n', OPT_METRICS = 'm', OPT_HELP = '?' };

static pmLongOptions long_options[] = {
    PMDA_OPTIONS_HEADER("Options"),
    PMDAOPT_DEBUG,
    PMDAOPT_DOMAIN,
    PMDAOPT_LOGFILE,
    PMDAOPT_USERNAME,
    {"version", 0, OPT_VERSION, NULL, "print the version and exit"},
    {"print-pmns", 0, OPT_PMNS, NULL, "print the agent's part of the name space and exit"},
    {"print-metrics", 0, OPT_METRICS, NULL, "print the list of metrics as Markdown and exit"},
    {"help", 0, OPT_HELP, NULL, "show this usage message and exit"},
    PMDA_OPTIONS_HEADER("Exactly one of the following options may appear"),
    PMDAOPT_INET,
    PMDAOPT_PIPE,
    PMDAOPT_UNIX,
    PMDAOPT_IPV6,
    PMDA_OPTIONS_END,
};

/* Options that print and end the program: its exit code, or -1 if c is not one of them. */
static int option_prints(const struct agent *agent, int c, int domain)
{
	int r = 0;

	switch (c) {
	case OPT_VERSION:
		printf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING,
		       PITOT_VERSION);
		break;
	case OPT_PMNS:
		r = agent_print_pmns(agent, domain, stdout);
		break;
	case OPT_METRICS:
		r = agent_print_metrics(agent, stdout);
		break;
	default:
		return -1;
	}
	if (r == 0)
		return 0;
	fprintf(stderr, "%s: Cannot print: error=%s\n", pmGetProgname(), pmErrStr(r));
	return 1;
}

/* An exit code, or -1 to go on. */
static int parse_options(const struct agent *agent, int argc, char **argv, pmdaOptions *opts,
			 pmdaInterface *dispatch)
{
	int c;

	while ((c = pmdaGetOptions(argc, argv, opts, dispatch)) != -1) {
		int code = option_prints(agent, c, dispatch->domain);

		if (code >= 0)
			return code;
	}
	if (opts->errors == 0 && opts->optind == argc)
		return -1;
	pmdaUsageMessage(opts);
	return 1;
}

/* Before the log is opened: an author who starts the program by hand sees the faults at the
 * terminal, and below a collector they are in the collector's log. */
static bool tables_are_right(const struct agent *agent, int domain)
{
	struct agent_state *s;

	if (agent_state_new(agent, domain, AGENT_STATIC_ONLY, &s) < 0)
		return false;
	agent_state_free(s);
	return true;
}

int agent_main(const struct agent *agent, int argc, char **argv)
{
	pmdaOptions opts = {.short_options = "D:d:i:l:mnpu:U:V6:?", .long_options = long_options};
	pmdaInterface dispatch;
	struct agent_state *s;
	char log[80];
	int code;

	memset(&dispatch, 0, sizeof(dispatch));
	pmSetProgname(argv[0]);
	snprintf(log, sizeof(log), "%s.log", agent->name);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), agent->domain, log, NULL);
	code = parse_options(agent, argc, argv, &opts, &dispatch);
	if (code >= 0)
		return code;
	if (!tables_are_right(agent, dispatch.domain))
		return 1;
	pmdaOpenLog(&dispatch);
	if (opts.username != NULL)
		pmSetProcessIdentity(opts.username);
	if (agent_state_new(agent, dispatch.domain, 0, &s) < 0)
		return 1;
	pmdaConnect(&dispatch);
	agent_setup(s, &dispatch);
	pmdaMain(&dispatch);
	return 0;
}

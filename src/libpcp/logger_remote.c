/* logger_remote - the recorders of another host, as its collector reports them (logger_ports.h). */
#include <stdlib.h>
#include <string.h>

#include <pcp/impl.h>

#include "libpcp/logger_ports.h"

enum { PORT, PMCD_HOST, ARCHIVE, NMETRIC };

static const char *const names[NMETRIC] = {
    [PORT] = "pmcd.pmlogger.port",
    [PMCD_HOST] = "pmcd.pmlogger.pmcd_host",
    [ARCHIVE] = "pmcd.pmlogger.archive",
};

/* The text of an instance of a metric, malloc'd; NULL: it has none. */
static char *text_of(const pmValueSet *vset, int inst)
{
	pmAtomValue atom;

	for (int i = 0; i < vset->numval; i++) {
		if (vset->vlist[i].inst == inst &&
		    pmExtractValue(vset->valfmt, &vset->vlist[i], PM_TYPE_STRING, &atom,
				   PM_TYPE_STRING) == 0)
			return atom.cp;
	}
	return NULL;
}

static int take_entry(const pmResult *result, const pmValue *value, int *insts, char **inst_names,
		      int ninst, struct logger_ports *ports)
{
	static char unknown[] = "";
	char *host = text_of(result->vset[PMCD_HOST], value->inst);
	char *archive = text_of(result->vset[ARCHIVE], value->inst);
	__pmLogPort port = {.pid = value->inst, .port = value->value.lval};
	char *name = unknown;
	int r;

	for (int i = 0; i < ninst; i++) {
		if (insts[i] == value->inst)
			name = inst_names[i];
	}
	port.name = name;
	port.pmcd_host = host != NULL ? host : unknown;
	port.archive = archive != NULL ? archive : unknown;
	r = logger_ports_add(ports, &port);
	free(host);
	free(archive);
	return r;
}

static int take_result(const pmResult *result, pmInDom indom, int pid, struct logger_ports *ports)
{
	const pmValueSet *vset = result->vset[PORT];
	char **inst_names = NULL;
	int *insts = NULL;
	int n = vset->numval > 0 ? pmGetInDom(indom, &insts, &inst_names) : 0;
	int r = 0;

	if (vset->numval < 0)
		return vset->numval;
	for (int i = 0; i < vset->numval && r == 0; i++) {
		if (pid == PM_LOG_ALL_PIDS || pid == vset->vlist[i].inst)
			r = take_entry(result, &vset->vlist[i], insts, inst_names, n, ports);
	}
	if (n > 0) {
		free(insts);
		free(inst_names);
	}
	return r;
}

/* In the current context. */
static int ask(int pid, struct logger_ports *ports)
{
	const char *asked[NMETRIC];
	pmID pmids[NMETRIC];
	pmResult *result;
	pmDesc desc;
	int r;

	memcpy(asked, names, sizeof(asked));
	r = pmLookupName(NMETRIC, asked, pmids);
	if (r >= 0 || r == PM_ERR_NAME)
		r = pmids[PORT] == PM_ID_NULL ? PM_ERR_NAME : pmLookupDesc(pmids[PORT], &desc);
	if (r >= 0)
		r = pmFetch(NMETRIC, pmids, &result);
	if (r < 0)
		return r;
	r = take_result(result, desc.indom, pid, ports);
	pmFreeResult(result);
	return r;
}

int logger_ports_there(const char *host, int pid, struct logger_ports *ports)
{
	int before = pmWhichContext();
	int ctx = pmNewContext(PM_CONTEXT_HOST, host);
	int r;

	if (ctx < 0)
		return ctx;
	r = ask(pid, ports);
	pmDestroyContext(ctx);
	if (before >= 0)
		pmUseContext(before);
	return r;
}

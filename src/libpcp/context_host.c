/*
 * context_host - facts about the host of a context: its name, its time zone
 * (docs/spec/pmapi.md 17); and the other way round, the client's description of itself for its
 * collector, pmcd.client.whoami (docs/spec/pmcd.md 11).
 */
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/context.h"
#include "libpcp/trace.h"

/* A string value into buf. 0, or PM_ERR_VALUE or the metric's error, with buf as it was. */
static int copy_host_name(const pmValueSet *vset, char *buf, size_t size)
{
	const pmValueBlock *block;

	if (vset->numval < 0)
		return vset->numval;
	if (vset->numval == 0 || vset->valfmt == PM_VAL_INSITU)
		return PM_ERR_VALUE;
	block = vset->vlist[0].value.pval;
	pmsprintf(buf, size, "%.*s", (int)block->vlen - PM_VAL_HDR_SIZE, block->vbuf);
	return 0;
}

/* Asks the collector itself. 0, or the error of the step that failed. */
static int ask_collector(struct context *ctx, char *buf, size_t size)
{
	const char *const name = "pmcd.hostname";
	pmHighResResult *result;
	pmID pmid;
	int r = ctx->ops->lookup_names(ctx, 1, &name, &pmid);

	if (r >= 0)
		r = ctx->ops->fetch(ctx, 1, &pmid, &result);
	if (r < 0)
		return r;
	r = copy_host_name(result->vset[0], buf, size);
	pmFreeHighResResult(result);
	return r;
}

int pmGetHostName(int handle, char *buf, int buflen)
{
	struct context *ctx;
	int r = 0;

	if (buflen < 1)
		return -EINVAL;
	buf[0] = '\0';
	ctx = context_hold(handle);
	if (ctx == NULL)
		return 0;
	if (ctx->type == PM_CONTEXT_HOST)
		r = ask_collector(ctx, buf, (size_t)buflen);
	if (buf[0] == '\0')
		ctx->ops->host_name(ctx, buf, (size_t)buflen);
	buf[buflen - 1] = '\0';
	context_release(ctx);
	trace_call(r, "pmGetHostName(%d)", handle);
	return r;
}

char *pmGetContextHostName_r(int handle, char *buf, int buflen)
{
	pmGetHostName(handle, buf, buflen);
	return buf;
}

const char *pmGetContextHostName(int handle)
{
	static char buf[HOST_NAME_MAX + 1];

	return pmGetContextHostName_r(handle, buf, sizeof(buf));
}

/* ---- Time zone ------------------------------------------------------------------------------ */

/* The value of a singular string metric of the current context, to be freed. */
static int fetch_string(const char *name, char **ret_text)
{
	pmResult *result;
	pmAtomValue atom;
	pmID pmid;
	int r = pmLookupName(1, &name, &pmid);

	if (r < 0)
		return r;
	r = pmFetch(1, &pmid, &result);
	if (r < 0)
		return r;
	if (result->vset[0]->numval == 1)
		r = pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0],
				   PM_TYPE_STRING, &atom, PM_TYPE_STRING);
	else
		r = PM_ERR_VALUE;
	pmFreeResult(result);
	if (r == 0)
		*ret_text = atom.cp;
	return r;
}

int pmNewContextZone(void)
{
	AUTO_FREE char *tz = NULL;
	pmHighResLogLabel label;
	struct context *ctx = context_hold_current();
	bool local;
	int r;

	if (ctx == NULL)
		return PM_ERR_NOCONTEXT;
	local = ctx->type == PM_CONTEXT_LOCAL;
	context_release(ctx);
	if (local) {
		tz = __pmZoneinfo();
		return tz == NULL ? -ENOMEM : pmNewZone(tz);
	}
	if (pmGetHighResArchiveLabel(&label) >= 0)
		return pmNewZone(label.timezone);
	r = fetch_string("pmcd.zoneinfo", &tz);
	/* An older collector has pmcd.timezone alone. No memory is not a reason to ask for that. */
	if (r < 0 && r != -ENOMEM)
		r = fetch_string("pmcd.timezone", &tz);
	return r < 0 ? r : pmNewZone(tz);
}

/* ---- Identity of the client ----------------------------------------------------------------- */

/* "name (address) " of this host, or as much of it as can be found out. */
static void put_own_host(struct buffer *text)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	char host[HOST_NAME_MAX + 1] = "";
	char name[NI_MAXHOST];
	char address[INET6_ADDRSTRLEN];
	struct addrinfo *list;

	gethostname(host, sizeof(host) - 1);
	if (getaddrinfo(host, NULL, &hints, &list) != 0) {
		buffer_printf(text, "%s ", host);
		return;
	}
	if (getnameinfo(list->ai_addr, list->ai_addrlen, name, sizeof(name), NULL, 0,
			NI_NAMEREQD) != 0)
		pmstrncpy(name, sizeof(name), host);
	if (getnameinfo(list->ai_addr, list->ai_addrlen, address, sizeof(address), NULL, 0,
			NI_NUMERICHOST) == 0)
		buffer_printf(text, "%s (%s) ", name, address);
	else
		buffer_printf(text, "%s ", name);
	freeaddrinfo(list);
}

static int store_string(const char *metric, const char *text)
{
	size_t vlen = PM_VAL_HDR_SIZE + strlen(text) + 1;
	AUTO_FREE pmValueBlock *block = NULL;
	pmValueSet set = {.numval = 1, .valfmt = PM_VAL_DPTR, .vlist = {{.inst = (int)PM_IN_NULL}}};
	pmResult result = {.numpmid = 1, .vset = {&set}};
	int r = pmLookupName(1, &metric, &set.pmid);

	if (r < 0)
		return r;
	if (vlen > PM_VAL_VLEN_MAX)
		return -E2BIG;
	block = malloc(vlen);
	if (block == NULL)
		return -ENOMEM;
	block->vtype = PM_TYPE_STRING;
	block->vlen = (unsigned int)vlen;
	memcpy(block->vbuf, text, vlen - PM_VAL_HDR_SIZE);
	set.vlist[0].value.pval = block;
	return pmStore(&result);
}

static int send_id(struct buffer *text)
{
	const char *id = buffer_str(text);
	int r = text->err != 0 ? text->err : store_string("pmcd.client.whoami", id);

	buffer_done(text);
	return r;
}

int __pmSetClientId(const char *id)
{
	struct buffer text = BUFFER_INIT;

	if (pmWhichContext() < 0)
		return PM_ERR_NOCONTEXT;
	put_own_host(&text);
	buffer_printf(&text, "%s", id);
	return send_id(&text);
}

int __pmSetClientIdArgv(int argc, char **argv)
{
	struct buffer text = BUFFER_INIT;

	if (pmWhichContext() < 0)
		return PM_ERR_NOCONTEXT;
	put_own_host(&text);
	for (int i = 0; i < argc; i++)
		buffer_printf(&text, "%s%s", i == 0 ? "" : " ", argv[i]);
	return send_id(&text);
}

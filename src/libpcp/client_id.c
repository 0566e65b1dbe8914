/* client_id - the client's description of itself for its collector: pmcd.client.whoami
 * (docs/spec/pmcd.md 11). */
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

/* "name (address) " of this host, or as much of it as can be found out. */
static void put_host(struct buffer *text)
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
	put_host(&text);
	buffer_printf(&text, "%s", id);
	return send_id(&text);
}

int __pmSetClientIdArgv(int argc, char **argv)
{
	struct buffer text = BUFFER_INIT;

	if (pmWhichContext() < 0)
		return PM_ERR_NOCONTEXT;
	put_host(&text);
	for (int i = 0; i < argc; i++)
		buffer_printf(&text, "%s%s", i == 0 ? "" : " ", argv[i]);
	return send_id(&text);
}

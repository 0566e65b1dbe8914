/*
 * request_kinds - the table of the kinds of requests: which right each needs, and how it starts. It
 * is above the kinds, which know request.c but not each other.
 */
#include "daemons/pmcd/request.h"

#include <errno.h>

#include "daemons/pmcd/client.h"
#include "daemons/pmcd/inbox.h"
#include "daemons/pmcd/server.h"

/* PROFILE has no reply (docs/spec/pdu.md 12). */
static int profile_start(struct request *req)
{
	struct profile_pool *pool = &req->server->profiles;
	struct profile *p;
	int r;

	if (req->body.profile.slot < 0)
		return PM_ERR_IPC;
	p = profile_get(pool, &req->body.profile.profile);
	if (p == NULL)
		return -ENOMEM;
	r = profile_slots_set(&req->client->profiles, pool, req->body.profile.slot, p);
	profile_put(pool, p);
	return r;
}

struct request_kind {
	uint32_t type;
	unsigned int right; /* enum config_op bit */
	int (*start)(struct request *req);
};

/* clang-format off */
static const struct request_kind kinds[] = {
	{ PDU_PROFILE,       CONFIG_OP_FETCH, profile_start },
	{ PDU_FETCH,         CONFIG_OP_FETCH, fetch_start },
	{ PDU_HIGHRES_FETCH, CONFIG_OP_FETCH, fetch_start },
	{ PDU_DESC_REQ,      CONFIG_OP_FETCH, single_desc_start },
	{ PDU_DESC_IDS,      CONFIG_OP_FETCH, desc_ids_start },
	{ PDU_INSTANCE_REQ,  CONFIG_OP_FETCH, single_instance_start },
	{ PDU_TEXT_REQ,      CONFIG_OP_FETCH, single_text_start },
	{ PDU_LABEL_REQ,     CONFIG_OP_FETCH, single_label_start },
	{ PDU_PMNS_IDS,      CONFIG_OP_FETCH, name_ids_start },
	{ PDU_PMNS_NAMES,    CONFIG_OP_FETCH, name_names_start },
	{ PDU_PMNS_CHILD,    CONFIG_OP_FETCH, name_child_start },
	{ PDU_PMNS_TRAVERSE, CONFIG_OP_FETCH, name_traverse_start },
	{ PDU_RESULT,        CONFIG_OP_STORE, store_start },
};
/* clang-format on */

static const struct request_kind *request_kind(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i].type == type)
			return &kinds[i];
	}
	return NULL;
}

void request_start(struct client *c, const struct inbox_pdu *pdu)
{
	const struct request_kind *kind = request_kind(pdu->header.type);

	if (kind == NULL)
		client_error(c, PM_ERR_IPC);
	else if ((c->denied & kind->right) != 0)
		client_error(c, PM_ERR_PERMISSION);
	else
		request_begin(c, pdu, kind->start);
}

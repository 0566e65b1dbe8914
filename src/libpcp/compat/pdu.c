/*
 * pdu - PDUs of programs that are agents by themselves, without libpcp_pmda: one PDU to a
 * descriptor, and the contents of one that __pmGetPDU has returned.
 */
#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libpcp/compat/compat.h"
#include "libpcp/pdu_io.h"
#include "libwire/profile.h"
#include "libwire/result.h"

/* ---- Sending -------------------------------------------------------------------------------- */

/* Sends the one PDU of a buffer, and frees its memory. */
static int send_and_done(int fd, struct buffer *out, int r)
{
	if (r == 0)
		r = pdu_io_send(fd, out, 0);
	buffer_done(out);
	return r;
}

static int send_body(int fd, int from, enum pdu_type type, const union pdu_body *body)
{
	struct buffer out = BUFFER_INIT;

	return send_and_done(fd, &out, pdu_encode(&out, type, from, body));
}

static struct wire_str text_of(const char *s)
{
	return (struct wire_str){s, s == NULL ? 0 : (uint32_t)strlen(s)};
}

int __pmSendDesc(int fd, int from, pmDesc *desc)
{
	return send_body(fd, from, PDU_DESC, &(union pdu_body){.desc = {*desc}});
}

int __pmSendInstance(int fd, int from, pmInResult *result)
{
	size_t n = result->numinst > 0 ? (size_t)result->numinst : 0;
	AUTO_FREE struct wire_inst *insts = calloc(n + 1, sizeof(insts[0]));

	if (insts == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		insts[i].inst = result->instlist == NULL ? (int)PM_IN_NULL : result->instlist[i];
		insts[i].name = text_of(result->namelist == NULL ? NULL : result->namelist[i]);
	}
	return send_body(fd, from, PDU_INSTANCE,
			 &(union pdu_body){.instance = {result->indom, (uint32_t)n, insts}});
}

int __pmSendText(int fd, int from, int ident, const char *text)
{
	return send_body(fd, from, PDU_TEXT,
			 &(union pdu_body){.text = {(uint32_t)ident, text_of(text)}});
}

int __pmSendResult(int fd, int from, const __pmResult *result)
{
	size_t n = result->numpmid > 0 ? (size_t)result->numpmid : 0;
	AUTO_FREE struct result_source *sources = calloc(n + 1, sizeof(sources[0]));
	struct buffer out = BUFFER_INIT;

	if (sources == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		sources[i].kind = RESULT_HOST;
		sources[i].pmid = result->vset[i]->pmid;
		sources[i].host = result->vset[i];
	}
	return send_and_done(fd, &out,
			     result_encode(&out, PDU_RESULT, from, result->timestamp.sec,
					   result->timestamp.nsec / 1000, sources, n));
}

/* ---- Decoding ------------------------------------------------------------------------------- */

/* 0 and *ret_text, which is NULL for an empty one: a request without a name has that. -ENOMEM. */
static int copy_text(struct wire_str str, char **ret_text)
{
	*ret_text = str.len == 0 ? NULL : strndup(str.s, str.len);
	return str.len > 0 && *ret_text == NULL ? -ENOMEM : 0;
}

int __pmDecodeDesc(__pmPDU *pdu, pmDesc *desc)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_DESC, &mem, &body);

	if (r == 0)
		*desc = body.desc.desc;
	arena_done(&mem);
	return r;
}

int __pmDecodeDescReq(__pmPDU *pdu, pmID *pmid)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_DESC_REQ, &mem, &body);

	if (r == 0)
		*pmid = body.desc_req.pmid;
	arena_done(&mem);
	return r;
}

/* Room for one more makes a list of none a block as well. */
static int copy_pmids(const struct pdu_fetch *fetch, pmID **ret_pmids)
{
	pmID *pmids = calloc((size_t)fetch->numpmid + 1, sizeof(pmids[0]));

	if (pmids == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < fetch->numpmid; i++)
		pmids[i] = fetch->pmids[i];
	*ret_pmids = pmids;
	return 0;
}

/* A FETCH has had a time once; no peer sets it any more. */
int __pmDecodeFetch(__pmPDU *pdu, int *slot, void *when, int *numpmid, pmID **pmids)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_FETCH, &mem, &body);

	(void)when;
	if (r == 0)
		r = copy_pmids(&body.fetch, pmids);
	if (r == 0) {
		*slot = body.fetch.slot;
		*numpmid = (int)body.fetch.numpmid;
	}
	arena_done(&mem);
	return r;
}

int __pmDecodeInstanceReq(__pmPDU *pdu, pmInDom *indom, int *inst, char **name)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_INSTANCE_REQ, &mem, &body);

	if (r == 0)
		r = copy_text(body.instance_req.name, name);
	if (r == 0) {
		*indom = body.instance_req.indom;
		*inst = body.instance_req.inst;
	}
	arena_done(&mem);
	return r;
}

static int copy_profile(const pmProfile *profile, pmProfile **ret_profile)
{
	pmProfile *copy = calloc(1, sizeof(*copy));
	int r = copy == NULL ? -ENOMEM : profile_copy(profile, copy);

	if (r < 0)
		free(copy);
	else
		*ret_profile = copy;
	return r;
}

int __pmDecodeProfile(__pmPDU *pdu, int *slot, pmProfile **profile)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_PROFILE, &mem, &body);

	if (r == 0)
		r = copy_profile(&body.profile.profile, profile);
	if (r == 0)
		*slot = body.profile.slot;
	arena_done(&mem);
	return r;
}

_Static_assert(sizeof(__pmResult) == sizeof(pmHighResResult) &&
		   offsetof(__pmResult, vset) == offsetof(pmHighResResult, vset),
	       "the two differ in the type of the time stamp only");

int __pmDecodeResult(__pmPDU *pdu, __pmResult **result)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	pmHighResResult *highres = NULL;
	int r = pdu_buffer_decode(pdu, PDU_RESULT, &mem, &body);

	if (r == 0)
		r = result_to_host(&body.result, false, &highres);
	if (r == 0) {
		const struct timespec stamp = highres->timestamp;

		*result = (__pmResult *)highres;
		(*result)->timestamp =
		    (__pmTimestamp){.sec = stamp.tv_sec, .nsec = (int32_t)stamp.tv_nsec};
	}
	arena_done(&mem);
	return r;
}

int __pmDecodeTextReq(__pmPDU *pdu, int *ident, int *type)
{
	struct arena mem = ARENA_INIT;
	union pdu_body body;
	int r = pdu_buffer_decode(pdu, PDU_TEXT_REQ, &mem, &body);

	if (r == 0) {
		*ident = (int)body.text_req.ident;
		*type = body.text_req.type;
	}
	arena_done(&mem);
	return r;
}

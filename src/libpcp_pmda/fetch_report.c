/* fetch_report - see fetch_report.h. */
#include "libpcp_pmda/fetch_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "libpcp_pmda/ext.h"

/* ---- What the log has ----------------------------------------------------------------------- */

enum {
	LOGGED_ROWS_MAX = 4096, /* then the table is emptied, and each cause is logged again */
	LOGGED_CODES_MAX = 6,   /* of one row; more are not logged */
};

struct row {
	uint64_t key;
	int ncodes;
	int codes[LOGGED_CODES_MAX];
};

static uint64_t key_of(enum logged_kind kind, uint32_t ident)
{
	return (uint64_t)kind << 32 | ident;
}

static bool row_has_key(const void *entry, const void *key)
{
	return ((const struct row *)entry)->key == *(const uint64_t *)key;
}

static struct row *row_of(const struct logged *t, uint64_t key)
{
	return hash_find(&t->rows, hash_u64(key), row_has_key, &key);
}

static void forget_all(struct logged *t)
{
	struct row *row;
	size_t pos = 0;

	while ((row = hash_next(&t->rows, &pos)) != NULL)
		free(row);
	hash_done(&t->rows);
	*t = (struct logged){0};
}

static struct row *logged_row_new(struct logged *t, uint64_t key)
{
	struct row *row = calloc(1, sizeof(*row));

	if (row == NULL)
		return NULL;
	row->key = key;
	if (t->rows.count >= LOGGED_ROWS_MAX)
		forget_all(t);
	if (hash_add(&t->rows, hash_u64(key), row) < 0) {
		free(row);
		return NULL;
	}
	return row;
}

bool logged_is_new(struct logged *t, enum logged_kind kind, uint32_t ident, int code)
{
	uint64_t key = key_of(kind, ident);
	struct row *row;

	if (pmDebugOptions.libpmda)
		return true;
	row = row_of(t, key);
	if (row == NULL)
		row = logged_row_new(t, key);
	if (row == NULL)
		return true;
	for (int i = 0; i < row->ncodes; i++) {
		if (row->codes[i] == code)
			return false;
	}
	if (row->ncodes == LOGGED_CODES_MAX)
		return false;
	row->codes[row->ncodes++] = code;
	t->idents |= (uint64_t)1 << (ident & 63);
	return true;
}

void logged_forget_row(struct logged *t, enum logged_kind kind, uint32_t ident)
{
	uint64_t key = key_of(kind, ident);
	struct row *row = row_of(t, key);

	if (row != NULL && hash_del(&t->rows, hash_u64(key), row))
		free(row);
	if (t->rows.count == 0)
		t->idents = 0;
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* Errors that an agent returns in ordinary operation: logged only when the library is debugged. */
static bool error_is_ordinary(int sts)
{
	return sts == PM_ERR_VALUE || sts == PM_ERR_APPVERSION || sts == PM_ERR_PERMISSION ||
	       sts == PM_ERR_AGAIN || sts == PM_ERR_NYI;
}

static bool is_new(pmdaExt *ext, pmID pmid, int code)
{
	return logged_is_new(&ext_of(ext)->logged, LOGGED_FETCH, pmid, code);
}

void fetch_report_error(pmdaExt *ext, pmID pmid, int inst, int sts)
{
	char name[20], errmsg[PM_MAXERRMSGLEN];

	if ((sts == PM_ERR_INST || error_is_ordinary(sts)) && !pmDebugOptions.libpmda)
		return;
	if (!is_new(ext, pmid, sts))
		return;
	pmIDStr_r(pmid, name, sizeof(name));
	if (sts == PM_ERR_PMID)
		pmNotifyErr(LOG_ERR, "pmdaFetch: PMID %s not handled by fetch callback", name);
	else if (sts == PM_ERR_INST)
		pmNotifyErr(LOG_ERR,
			    "pmdaFetch: Instance %d of PMID %s not handled by fetch callback", inst,
			    name);
	else
		pmNotifyErr(LOG_ERR, "pmdaFetch: Fetch callback error from metric PMID %s[%d]: %s",
			    name, inst, pmErrStr_r(sts, errmsg, sizeof(errmsg)));
}

void fetch_report_type(pmdaExt *ext, const pmDesc *desc)
{
	char pmid[20], type[20];

	if (is_new(ext, desc->pmid, PM_ERR_TYPE))
		pmNotifyErr(LOG_ERR, "pmdaFetch: Descriptor type (%s) for metric %s is bad",
			    pmTypeStr_r(desc->type, type, sizeof(type)),
			    pmIDStr_r(desc->pmid, pmid, sizeof(pmid)));
}

void fetch_report_foreign(pmdaExt *ext, pmID pmid)
{
	int asked = (int)pmID_domain(pmid);

	if (asked == ext->e_domain || ext_of(ext)->foreign_logged)
		return;
	ext_of(ext)->foreign_logged = true;
	pmNotifyErr(LOG_ERR,
		    "PMDA %s: asked for a metric of domain %d, but this agent has domain %d: the "
		    "line in pmcd.conf, the name space and the agent (option -d) must agree",
		    ext->e_name, asked, ext->e_domain);
}

void fetch_report_undefined(pmdaExt *ext, pmID pmid)
{
	char name[20];

	fetch_report_foreign(ext, pmid);

	if (is_new(ext, pmid, LOGGED_UNDEFINED))
		pmNotifyErr(LOG_ERR, "pmdaFetch: Requested metric %s is not defined",
			    pmIDStr_r(pmid, name, sizeof(name)));
}

void fetch_free_dynamic(pmdaExt *ext, const pmDesc *desc, pmAtomValue *atom)
{
	char pmid[20], type[20];

	if (desc->type == PM_TYPE_STRING)
		free(atom->cp);
	else if (desc->type == PM_TYPE_AGGREGATE)
		free(atom->vbp);
	else if (logged_is_new(&ext_of(ext)->logged, LOGGED_FREE, desc->pmid, desc->type))
		pmNotifyErr(LOG_WARNING,
			    "pmdaFetch: Attempt to free value for metric %s of wrong type %s",
			    pmIDStr_r(desc->pmid, pmid, sizeof(pmid)),
			    pmTypeStr_r(desc->type, type, sizeof(type)));
}

void fetch_trace_call(int numpmid, const pmID *pmids)
{
	char first[20], last[20];

	if (numpmid < 1)
		return;
	pmIDStr_r(pmids[0], first, sizeof(first));
	if (numpmid == 1)
		fprintf(stderr, "pmdaFetch(%d, pmid[0] %s, ...) called\n", numpmid, first);
	else
		fprintf(stderr, "pmdaFetch(%d, pmid[0] %s... pmid[%d] %s, ...) called\n", numpmid,
			first, numpmid - 1, pmIDStr_r(pmids[numpmid - 1], last, sizeof(last)));
}

void fetch_check_back_pointer(const pmdaExt *ext)
{
	const pmdaInterface *dispatch = ext_of(ext)->dispatch;

	if (dispatch->version.any.ext != ext)
		fprintf(stderr,
			"Botch: pmdaFetch: PMDA domain=%d pmda=%p extp=%p backpointer=%p "
			"pmda-via-backpointer %p NOT EQUAL to pmda\n",
			dispatch->domain, (const void *)ext, ext->e_ext, (const void *)dispatch,
			(void *)dispatch->version.any.ext);
}

/* prologue - the first and the last record of an archive: whose it is (docs/spec/archive.md 6.3).
 */
#include "daemons/pmlogger/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/archive_writer.h"

enum { DOMAIN_PMCD = 2, METRICS = 5, BLOCK_MAX = 4096 + PM_VAL_HDR_SIZE };

/* clang-format off */
static const struct own_metric {
	const char *name;
	int cluster, item, type;
	bool of_logger; /* its instance is our pid */
} metrics[METRICS] = {
	{ "pmcd.pmlogger.host",    3, 3,  PM_TYPE_STRING, true },
	{ "pmcd.pmlogger.port",    3, 0,  PM_TYPE_U32,    true },
	{ "pmcd.pmlogger.archive", 3, 2,  PM_TYPE_STRING, true },
	{ "pmcd.pid",              0, 23, PM_TYPE_U64,    false },
	{ "pmcd.seqnum",           0, 24, PM_TYPE_U32,    false },
};
/* clang-format on */

static pmInDom logger_indom(void)
{
	return pmInDom_build(DOMAIN_PMCD, 1);
}

static pmDesc desc_of(const struct own_metric *m)
{
	return (pmDesc){.pmid = pmID_build(DOMAIN_PMCD, (unsigned)m->cluster, (unsigned)m->item),
			.type = m->type,
			.indom = m->of_logger ? logger_indom() : PM_INDOM_NULL,
			.sem = PM_SEM_DISCRETE};
}

static int prologue_write_desc(struct archive_writer *w, const struct own_metric *m)
{
	struct wire_str name = {m->name, (uint32_t)strlen(m->name)};
	union meta_body body = {.desc = {.desc = desc_of(m), .numnames = 1, .names = &name}};

	if (archive_writer_has_desc(w, body.desc.desc.pmid))
		return 0;
	return archive_writer_meta(w, META_DESC, &body);
}

static int prologue_write_indom(struct archive_writer *w, const struct timespec *stamp)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", (int)getpid());
	struct wire_inst inst = {(int)getpid(), {text, (uint32_t)len}};
	union meta_body body = {
	    .indom = {.stamp = *stamp, .indom = logger_indom(), .numinst = 1, .insts = &inst}};
	struct timespec before;
	size_t n;
	const struct wire_inst *known = archive_writer_indom(w, logger_indom(), &n, &before);

	for (size_t i = 0; known != NULL && i < n; i++) {
		if (known[i].inst == inst.inst)
			return 0;
	}
	return archive_writer_meta(w, META_INDOM, &body);
}

static int write_metadata(struct archive_writer *w, const struct timespec *stamp)
{
	int r = 0;

	for (int i = 0; i < METRICS && r >= 0; i++) {
		r = prologue_write_desc(w, &metrics[i]);
		if (i == 0 && r >= 0)
			r = prologue_write_indom(w, stamp);
	}
	return r;
}

/* A set of one value, and the block that it may need. */
struct own_set {
	pmValueSet set;
	union {
		pmValueBlock block;
		char room[BLOCK_MAX];
	};
};

static void prologue_put_block(struct own_set *s, int type, const void *value, size_t len)
{
	if (len > BLOCK_MAX - PM_VAL_HDR_SIZE)
		len = BLOCK_MAX - PM_VAL_HDR_SIZE;
	s->set.valfmt = PM_VAL_DPTR;
	s->block.vtype = (unsigned int)type;
	s->block.vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
	memcpy(s->block.vbuf, value, len);
	s->set.vlist[0].value.pval = &s->block;
}

static void prologue_put_u32(struct own_set *s, uint32_t value)
{
	s->set.valfmt = PM_VAL_INSITU;
	s->set.vlist[0].value.lval = (int)value;
}

static void prologue_put_text(struct own_set *s, const char *text)
{
	prologue_put_block(s, PM_TYPE_STRING, text, strlen(text) + 1);
}

int prologue_write(struct archive_writer *w, const struct recorder_who *who, const char *base,
		   const struct timespec *stamp)
{
	AUTO_FREE struct own_set *sets = calloc(METRICS, sizeof(*sets));
	pmValueSet *list[METRICS];
	int r = sets == NULL ? -ENOMEM : write_metadata(w, stamp);

	if (r < 0)
		return r;
	for (int i = 0; i < METRICS; i++) {
		list[i] = &sets[i].set;
		list[i]->pmid = desc_of(&metrics[i]).pmid;
		list[i]->numval = 1;
		list[i]->vlist[0].inst = metrics[i].of_logger ? (int)getpid() : (int)PM_IN_NULL;
	}
	prologue_put_text(&sets[0], who->host);
	prologue_put_u32(&sets[1], who->port);
	prologue_put_text(&sets[2], base);
	prologue_put_block(&sets[3], PM_TYPE_U64, &who->pmcd_pid, sizeof(who->pmcd_pid));
	prologue_put_u32(&sets[4], who->pmcd_seqnum);
	return archive_writer_result(w, stamp, list, METRICS);
}

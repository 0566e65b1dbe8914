#include "tools/pmlogcheck/metrics.h"

#include <stdarg.h>
#include <stdio.h>

#include <pcp/pmapi.h>

#include "libstore/archive_meta.h"
#include "tools/common/finding.h"
#include "tools/pmlogcheck/check.h"

enum { DIMENSION_MAX = 2 };

/* A descriptor that is checked. */
struct subject {
	const char *archive;
	const char *name;
	const pmDesc *desc;
};

__attribute__((format(printf, 2, 3))) static void say(const struct subject *s, const char *fmt, ...)
{
	char id[32];
	va_list ap;

	fprintf(finding(), "%s.meta: %s [%s]: ", s->archive, s->name,
		pmIDStr_r(s->desc->pmid, id, sizeof(id)));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* One dimension of the units; largest scale -1: any scale is allowed. */
static void check_units(const struct subject *s, const char *what, int dimension, int scale,
			int scale_max)
{
	if (dimension < -DIMENSION_MAX || dimension > DIMENSION_MAX)
		say(s, "bad dimension (%d) for %s in pmDesc", dimension, what);
	if (dimension == 0 && scale != 0)
		say(s, "non-zero scale (%d) with zero dimension for %s in pmDesc", scale, what);
	if (scale_max >= 0 && scale > scale_max)
		say(s, "bad scale (%d) for %s in pmDesc", scale, what);
}

static bool type_known(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_HIGHRES_EVENT;
}

static void check_desc(const struct subject *s)
{
	const pmDesc *d = s->desc;
	const pmUnits *u = &d->units;

	if (!type_known(d->type))
		say(s, "bad type (%d) in pmDesc", d->type);
	if (d->indom != PM_INDOM_NULL && pmInDom_domain(d->indom) != pmID_domain(d->pmid))
		say(s, "domain of pmid (%u) != domain of indom (%u)", pmID_domain(d->pmid),
		    pmInDom_domain(d->indom));
	if (d->sem != PM_SEM_COUNTER && d->sem != PM_SEM_INSTANT && d->sem != PM_SEM_DISCRETE)
		say(s, "bad semantics (%d) in pmDesc", d->sem);
	check_units(s, "Space", u->dimSpace, (int)u->scaleSpace, PM_SPACE_EBYTE);
	check_units(s, "Time", u->dimTime, (int)u->scaleTime, PM_TIME_HOUR);
	check_units(s, "Count", u->dimCount, u->scaleCount, -1);
}

void metrics_check(const struct check *c)
{
	const struct archive_metric *const *list;
	char text[PM_MAXERRMSGLEN], id[32];
	size_t n;

	if (c->options->verbose)
		fprintf(stderr, "%s: start pass2\n", c->name);
	list = archive_meta_metrics(c->recording.meta, &n);
	for (size_t i = 0; i < n; i++) {
		struct subject s = {.archive = c->name, .desc = &list[i]->desc};

		if (list[i]->nnames == 0) {
			fprintf(finding(), "%s.meta: PMID %s: no name in PMNS: %s\n", c->name,
				pmIDStr_r(s.desc->pmid, id, sizeof(id)),
				pmErrStr_r(PM_ERR_PMID, text, sizeof(text)));
			continue;
		}
		s.name = list[i]->names[0];
		if (s.desc->type != PM_TYPE_NOSUPPORT)
			check_desc(&s);
	}
}

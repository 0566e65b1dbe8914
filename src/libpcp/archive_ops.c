/* archive_ops - see archive_ops.h. This file opens, positions, and describes the archives. */
#include "libpcp/archive_ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/timespec.h"
#include "libpcp/archive_interp.h"
#include "libpmns/pmns.h"
#include "libstore/archive_meta.h"
#include "libstore/archive_set.h"
#include "libstore/member.h"

static void close_source(struct archive_source *a)
{
	if (a == NULL)
		return;
	archive_interp_free(a->interp);
	archive_want_done(&a->want);
	pmns_free(a->names);
	archive_set_close(a->set);
	free(a);
}

static void archive_close_context(struct context *ctx)
{
	close_source(ctx->source);
	ctx->source = NULL;
}

static void report_refusal(const char *line)
{
	pmprintf("%s: Error: %s\n", pmGetProgname(), line);
	pmflush();
}

static int archive_open_context(struct context *ctx, const char *names)
{
	struct archive_source *a = calloc(1, sizeof(*a));
	int r;

	if (a == NULL)
		return -ENOMEM;
	member_on_refusal(report_refusal);
	r = archive_set_open(names, ctx->flags, &a->set);
	if (r < 0) {
		close_source(a);
		return r;
	}
	a->mode = PM_MODE_FORW;
	a->origin = archive_set_first_label(a->set)->start;
	ctx->source = a;
	return 0;
}

static int archive_dup_context(struct context *ctx, const struct context *from)
{
	const struct archive_source *other = from->source;
	struct archive_source *a = calloc(1, sizeof(*a));
	int r;

	if (a == NULL)
		return -ENOMEM;
	r = archive_set_dup(other->set, &a->set);
	if (r < 0) {
		close_source(a);
		return r;
	}
	a->mode = other->mode;
	a->origin = other->origin;
	a->delta = other->delta;
	a->positioned = other->positioned;
	a->wrap = other->wrap;
	ctx->source = a;
	return 0;
}

static int archive_reconnect(struct context *ctx)
{
	return 0;
}

/* A difference of either sign, with both parts of that sign. */
static struct timespec signed_delta(const struct timespec *delta)
{
	struct timespec d = timespec_add(&(struct timespec){0, 0}, delta);

	if (d.tv_sec < 0 && d.tv_nsec > 0) {
		d.tv_sec++;
		d.tv_nsec -= TIMESPEC_NSEC;
	}
	return d;
}

static int archive_set_mode(struct context *ctx, int mode, const struct timespec *when,
			    const struct timespec *delta)
{
	struct archive_source *a = archive_source_of(ctx);

	if (mode != PM_MODE_INTERP && mode != PM_MODE_FORW && mode != PM_MODE_BACK)
		return PM_ERR_MODE;
	if (when != NULL)
		a->origin = *when;
	a->delta = delta == NULL ? (struct timespec){0, 0} : signed_delta(delta);
	a->mode = mode;
	a->positioned = false;
	archive_interp_moved(a->interp);
	return 0;
}

static int archive_host_name(struct context *ctx, char *buf, size_t size)
{
	pmsprintf(buf, size, "%s", archive_set_label(archive_source_of(ctx)->set)->host);
	return 0;
}

int archive_label_of(struct context *ctx, pmHighResLogLabel *ret_label)
{
	const struct log_label *label;

	if (!archive_is_source(ctx))
		return PM_ERR_NOTARCHIVE;
	label = archive_set_first_label(archive_source_of(ctx)->set);
	memset(ret_label, 0, sizeof(*ret_label));
	ret_label->magic = LOG_LABEL_MAGIC | label->version;
	ret_label->pid = label->pid;
	ret_label->start = label->start;
	pmsprintf(ret_label->hostname, sizeof(ret_label->hostname), "%s", label->host);
	pmsprintf(ret_label->timezone, sizeof(ret_label->timezone), "%s", label->timezone);
	pmsprintf(ret_label->zoneinfo, sizeof(ret_label->zoneinfo), "%s", label->zoneinfo);
	return 0;
}

int archive_end_of(struct context *ctx, struct timespec *ret_end)
{
	return archive_is_source(ctx) ? archive_set_end(archive_source_of(ctx)->set, ret_end)
				      : PM_ERR_NOTARCHIVE;
}

int archive_set_wrap(struct context *ctx, bool wrap)
{
	if (!archive_is_source(ctx))
		return PM_ERR_NOTARCHIVE;
	archive_source_of(ctx)->wrap = wrap;
	return 0;
}

bool archive_end_of_is_torn(struct context *ctx)
{
	return ctx->ops == &archive_ops && archive_set_end_is_torn(archive_source_of(ctx)->set);
}

bool archive_knows(struct context *ctx, pmID pmid)
{
	struct archive_meta *meta = archive_set_meta(archive_source_of(ctx)->set);

	return archive_meta_metric(meta, pmid) != NULL;
}

const struct context_ops archive_ops = {
    .open = archive_open_context,
    .dup = archive_dup_context,
    .reconnect = archive_reconnect,
    .close = archive_close_context,
    .set_mode = archive_set_mode,
    .host_name = archive_host_name,
    .location = archive_location,
    .lookup_names = archive_lookup_names,
    .name_all = archive_name_all,
    .children = archive_children,
    .traverse = archive_traverse,
    .desc = archive_desc,
    .descs = archive_descs,
    .instances = archive_instances,
    .text = archive_text,
    .labels = archive_labels,
    .fetch = archive_fetch,
};

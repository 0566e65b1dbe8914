/* keeper_end - see keeper_end.h. */
#include "libtrace/keeper_end.h"

#include "libtrace/drain.h"
#include "libtrace/log_types.h"
#include "libtrace/log_writer.h"
#include "libtrace/reader.h"
#include "libtrace/registry.h"
#include "libtrace/remains.h"
#include "libtrace/run.h"
#include "libtrace/sys.h"

int kept_open(struct kept *kept)
{
	struct layout_id id;
	struct stat st;
	int r = sys_fstat(kept->ctl_fd, &st);

	if (r == 0)
		r = segment_map(kept->seg_fd, &kept->seg, &id);
	if (r == 0)
		r = control_map(kept->ctl_fd, &kept->ctl);
	if (r < 0)
		return r;
	if (id.stream_id != kept->stream_id || kept->ctl->id.stream_id != kept->stream_id)
		return -EINVAL;
	kept->inode = st.st_ino;
	if (family_open(kept->ctl->id.family, kept->uid, false, &kept->family) < 0)
		kept->family = NULL;
	return 0;
}

void kept_close(struct kept *kept)
{
	segment_unmap(&kept->seg);
	control_unmap(kept->ctl);
	if (kept->family != NULL)
		family_close(kept->family);
	sys_close(kept->seg_fd);
	sys_close(kept->ctl_fd);
	sys_close(kept->log_fd);
	sys_close(kept->handoff_fd);
	*kept = (struct kept){ .seg_fd = -1, .ctl_fd = -1, .log_fd = -1, .handoff_fd = -1 };
}

static bool to_be_ended(const struct kept *kept)
{
	return kept->stream_id != 0 && atomic_load(&kept->ctl->gone) == 0;
}

/* From here on no event is recorded, and no process finds the stream. */
static void stop(struct kept *kept)
{
	run_end(&kept->seg, kept->ctl, NULL);
	registry_set_running(kept->stream_id, kept->uid, false);
	registry_withdraw(kept->stream_id, kept->uid);
}

static void complete_log(struct kept *kept, struct reader *reader)
{
	struct log_types types = log_types_family(kept->family);
	struct log_writer *writer;
	uint8_t *block = control_block(kept->ctl, &kept->seg.g);

	if (log_writer_resume(kept->log_fd, kept->ctl, block, &types, &writer) < 0)
		return;
	(void)drain_end(reader, writer);
	log_writer_close(writer);
	kept->log_fd = -1;
}

static void end(struct kept *kept)
{
	struct reader reader;

	if (reader_init(&reader, &kept->seg, kept->ctl) < 0)
		return;
	if (kept->log_fd >= 0)
		complete_log(kept, &reader);
	else
		(void)remains_keep(&reader, kept->family, geteuid());
	reader_done(&reader);
	atomic_store(&kept->ctl->gone, 1);
	atomic_store(&kept->seg.state->ctl, 0);
	segment_empty(&kept->seg);
}

/* All streams are stopped first, because writing takes long. */
void kept_end_all(struct kept *kept, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (to_be_ended(&kept[i]))
			stop(&kept[i]);
	for (unsigned i = 0; i < count; i++)
		if (to_be_ended(&kept[i]))
			end(&kept[i]);
}

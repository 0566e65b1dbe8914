/* writer_index - see writer_index.h. */
#include "libstore/writer_index.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libstore/store_name.h"

enum { INDEX_EVERY = 100000 }; /* bytes of data */

int writer_index_begin(struct writer_index *ix, const struct log_label *label)
{
	struct log_label own = *label;

	*ix = (struct writer_index){
	    .file = WRITER_FILE_NONE, .version = label->version, .threshold = INDEX_EVERY};
	own.volume = LOG_LABEL_VOL_INDEX;
	return log_label_encode(&ix->pending, &own);
}

void writer_index_done(struct writer_index *ix)
{
	writer_file_close(&ix->file);
	buffer_done(&ix->pending);
}

static int create(struct writer_index *ix, const char *base)
{
	char path[PATH_MAX], tmp[PATH_MAX];
	int r;

	if (store_name(path, base, ".index") != 0 || store_name(tmp, base, ".index.new") != 0)
		return -ENAMETOOLONG;
	if (unlink(tmp) < 0 && errno != ENOENT) /* of a writer that was killed */
		return -errno;
	r = writer_file_create(&ix->file, tmp);
	if (r != 0)
		return r;
	r = writer_file_append(&ix->file, buffer_head(&ix->pending), buffer_pending(&ix->pending),
			       true);
	if (r == 0)
		r = store_rename_new(tmp, path);
	if (r == 0)
		return 0;
	writer_file_close(&ix->file);
	ix->file = WRITER_FILE_NONE;
	unlink(tmp);
	return r;
}

int writer_index_flush(struct writer_index *ix, const char *base)
{
	int r;

	if (buffer_pending(&ix->pending) == 0)
		return 0;
	if (ix->file.fd < 0)
		r = create(ix, base);
	else
		r = writer_file_append(&ix->file, buffer_head(&ix->pending),
				       buffer_pending(&ix->pending), true);
	if (r == 0)
		buffer_reset(&ix->pending);
	return r;
}

void writer_index_add(struct writer_index *ix, const char *base, const struct index_entry *entry,
		      uint64_t position)
{
	ix->threshold = position + INDEX_EVERY;
	if (!ix->lost && index_entry_encode(&ix->pending, ix->version, entry) == 0)
		writer_index_flush(ix, base);
}

void writer_index_lose(struct writer_index *ix)
{
	ix->lost = true;
	writer_file_close(&ix->file);
	buffer_reset(&ix->pending);
}

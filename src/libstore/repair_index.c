/* repair_index - see repair_index.h. */
#include "libstore/repair_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libstore/member.h"
#include "libstore/repair_scan.h"
#include "libstore/store_name.h"
#include "libstore/writer_file.h"

void index_list_done(struct index_list *list)
{
	free(list->entries);
	*list = (struct index_list){NULL};
}

int index_list_add(struct index_list *list, const struct index_entry *entry)
{
	if (list->n == list->cap) {
		size_t cap = list->cap == 0 ? 64 : list->cap * 2;
		struct index_entry *entries = reallocarray(list->entries, cap, sizeof(*entries));

		if (entries == NULL)
			return -ENOMEM;
		list->entries = entries;
		list->cap = cap;
	}
	list->entries[list->n++] = *entry;
	return 0;
}

static int load_entries(struct index_list *list, struct repair_scan *scan)
{
	size_t len = index_entry_len(scan->label.version), left;
	int r = 0;

	for (uint64_t at = scan->offset; at + len <= scan->size && r == 0; at += len) {
		const uint8_t *p = member_at(scan->m, at, len, &left);
		struct index_entry entry;

		if (p == NULL)
			return member_error(scan->m);
		index_entry_load(p, scan->label.version, &entry);
		r = index_list_add(list, &entry);
	}
	return r;
}

int index_list_load(struct index_list *list, const char *path, int *ret_version, bool *ret_whole)
{
	struct repair_scan scan;
	struct member *m;
	int r = member_open(path, &m);

	*ret_whole = false;
	*ret_version = 0;
	if (r != 0)
		return r == -ENOMEM ? r : 0;
	/* Pieces are not asked for: the label alone is read by it. */
	r = repair_scan_begin(&scan, m, SCAN_META, LOG_LABEL_VOL_INDEX);
	if (r == 0) {
		*ret_version = scan.label.version;
		r = load_entries(list, &scan);
		*ret_whole = r == 0 && list->n > 0 &&
			     (scan.size - scan.offset) % index_entry_len(*ret_version) == 0;
	}
	repair_scan_done(&scan);
	member_close(m);
	return r == -ENOMEM ? r : 0;
}

static int encode(const struct index_list *list, const struct log_label *label, struct buffer *out)
{
	struct log_label own = *label;
	int r;

	own.volume = LOG_LABEL_VOL_INDEX;
	r = log_label_encode(out, &own);
	for (size_t i = 0; i < list->n && r == 0; i++) {
		r = index_entry_encode(out, label->version, &list->entries[i]);
		if (r == -E2BIG || r == -ERANGE) /* version 2 does without */
			r = 0;
	}
	return r;
}

int index_list_write(const struct index_list *list, const char *base, const struct log_label *label)
{
	struct writer_file file = WRITER_FILE_NONE;
	struct buffer out = BUFFER_INIT;
	char path[PATH_MAX], tmp[PATH_MAX];
	int r = store_name(path, base, ".index");

	if (r == 0)
		r = store_name(tmp, base, ".index.new");
	if (r == 0)
		r = encode(list, label, &out);
	if (r == 0 && unlink(tmp) < 0 && errno != ENOENT)
		r = -errno;
	if (r == 0)
		r = writer_file_create(&file, tmp);
	if (r == 0)
		r = writer_file_append(&file, buffer_head(&out), buffer_pending(&out), true);
	writer_file_trim(&file);
	if (r == 0 && fdatasync(file.fd) < 0)
		r = -errno;
	if (r == 0 && rename(tmp, path) < 0)
		r = -errno;
	if (r != 0 && file.fd >= 0)
		unlink(tmp);
	writer_file_close(&file);
	buffer_done(&out);
	return r;
}

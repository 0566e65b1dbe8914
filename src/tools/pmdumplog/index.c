#include "tools/pmdumplog/index.h"

#include <inttypes.h>
#include <stdio.h>

#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libstore/archive.h"
#include "libstore/member.h"
#include "tools/pmdumplog/dump.h"
#include "tools/pmdumplog/when.h"

enum { NSEC_PER_SEC = 1000000000 };

/* The data that entries are compared with. */
struct check {
	const struct dump *dump;
	uint64_t meta_size;
	struct member *volume; /* owned: the entry's volume; NULL: missing */
	int volume_number;
	bool any_volume; /* a volume has been opened or searched */
	const struct index_entry *before;
};

static void open_volume(struct check *c, int number)
{
	const struct archive_files *files = archive_files(c->dump->recording.archive);

	if (c->any_volume && c->volume_number == number)
		return;
	if (c->volume != NULL)
		member_close(c->volume);
	c->volume = NULL;
	for (size_t i = 0; i < files->nvolumes; i++)
		if (files->volumes[i].number == number &&
		    member_open(files->volumes[i].path, &c->volume) < 0)
			c->volume = NULL;
	c->volume_number = number;
	c->any_volume = true;
}

static void check_entry(struct check *c, const struct index_entry *e)
{
	open_volume(c, e->volume);
	if (e->stamp.tv_sec < 0 || e->stamp.tv_nsec < 0 || e->stamp.tv_nsec >= NSEC_PER_SEC)
		printf("\t\tError: illegal timestamp value (%lld sec, %ld nsec)\n",
		       (long long)e->stamp.tv_sec, e->stamp.tv_nsec);
	if (e->meta_offset < 0 || (uint64_t)e->meta_offset > c->meta_size)
		printf("\t\tError: offset to meta file past end of file (%" PRIu64 ")\n",
		       c->meta_size);
	if (c->volume == NULL)
		printf("\t\tWarning: file missing for log volume %d\n", e->volume);
	else if (e->data_offset < 0 || (uint64_t)e->data_offset > member_size(c->volume))
		printf("\t\tError: offset to log file past end of file (%" PRIu64 ")\n",
		       member_size(c->volume));
}

static void check_order(const struct check *c, const struct index_entry *e)
{
	const struct index_entry *before = c->before;

	if (before == NULL)
		return;
	if (stamp_compare(&e->stamp, &before->stamp) < 0) {
		printf("\t\tError: timestamp went backwards in time ");
		when_print(c->dump, &before->stamp);
		printf(" -> ");
		when_print(c->dump, &e->stamp);
		putchar('\n');
	}
	if (e->volume < before->volume)
		puts("\t\tError: volume number decreased");
	if (e->volume == before->volume && e->meta_offset < before->meta_offset)
		puts("\t\tError: offset to meta file decreased");
	if (e->volume == before->volume && e->data_offset < before->data_offset)
		puts("\t\tError: offset to log file decreased");
}

static void print_heading(const struct dump *d)
{
	int tabs = d->recording.label->version == DISK_V2 ? 2 : 3;

	tabs += d->options->detail > 1 ? 4 : d->options->detail > 0 ? 2 : 0;
	puts("\nTemporal Index");
	while (tabs-- > 0)
		putchar('\t');
	puts("Log Vol    end(meta)     end(log)");
}

int index_print(const struct dump *d)
{
	const struct index_entry *entries;
	size_t n = 0;
	int sts = archive_index(d->recording.archive, &entries, &n);
	struct check c = {.dump = d,
			  .meta_size = member_size(archive_meta_member(d->recording.archive))};

	print_heading(d);
	for (size_t i = 0; i < n; i++) {
		when_print(d, &entries[i].stamp);
		printf("\t  %5d  %11" PRId64 "  %11" PRId64 "\n", entries[i].volume,
		       entries[i].meta_offset, entries[i].data_offset);
		check_entry(&c, &entries[i]);
		check_order(&c, &entries[i]);
		c.before = &entries[i];
	}
	if (c.volume != NULL)
		member_close(c.volume);
	return sts;
}

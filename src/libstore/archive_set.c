/* archive_set - see archive_set.h. */
#include "libstore/archive_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libdisk/index_entry.h"
#include "libstore/archive.h"
#include "libstore/archive_meta.h"
#include "libstore/member.h"

enum { MARK_DISTANCE_NS = 1000000 }; /* of a mark from the archive that is left */

struct part {
	struct archive *archive;
	char *name;        /* as it was given */
	bool in_folder;    /* it was found in a folder, not named */
	uint64_t meta_end; /* what of its metadata is loaded */
};

struct archive_set {
	char *names; /* as they were given */
	unsigned int flags;
	struct part *parts;
	size_t nparts;
	size_t at; /* part with the position */
	struct archive_meta *meta;
	unsigned int grown;
	bool overlap; /* to be returned once */
	bool at_end;  /* the last read found nothing more */
	/* The record or mark that was returned last. */
	enum { LAST_NONE, LAST_RECORD, LAST_MARK } last;
	bool back; /* the position is before it */
};

/*
 * Opening
 */

static int add_part(struct archive_set *set, const char *name)
{
	unsigned int flags =
	    (set->flags & PM_CTXFLAG_NO_FEATURE_CHECK) != 0 ? ARCHIVE_NO_FEATURE_CHECK : 0;
	struct part *parts = realloc(set->parts, (set->nparts + 1) * sizeof(parts[0]));
	int r;

	if (parts == NULL)
		return -ENOMEM;
	set->parts = parts;
	parts[set->nparts] = (struct part){.name = strdup(name)};
	if (parts[set->nparts].name == NULL)
		return -ENOMEM;
	r = archive_open(name, flags, &parts[set->nparts].archive);
	if (r < 0) {
		free(parts[set->nparts].name);
		return r;
	}
	set->nparts++;
	return 0;
}

static void free_part(struct part *part)
{
	archive_close(part->archive);
	free(part->name);
}

static int add_folder(struct archive_set *set, const char *dir)
{
	char **bases = NULL;
	int n = archive_files_list(dir, &bases);
	int r = n == 0 ? PM_ERR_LOGFILE : n;

	for (int i = 0; i < n; i++) {
		if (r >= 0)
			r = add_part(set, bases[i]);
		if (r >= 0)
			set->parts[set->nparts - 1].in_folder = true;
		free(bases[i]);
	}
	free(bases);
	return r < 0 ? r : 0;
}

static int add_name(struct archive_set *set, const char *name)
{
	struct stat st;

	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		return add_folder(set, name);
	return add_part(set, name);
}

/* Commas after the last name are not part of a name. */
static void cut_commas(char *list)
{
	char *end = list + strlen(list);

	while (end > list + 1 && end[-1] == ',')
		*--end = '\0';
}

static int add_names(struct archive_set *set)
{
	AUTO_FREE char *list = strdup(set->names);
	char *rest = list;
	int r = 0;

	if (list == NULL)
		return -ENOMEM;
	if (*list == '\0')
		return PM_ERR_LOGFILE;
	cut_commas(list);
	while (r == 0 && rest != NULL) {
		char *name = strsep(&rest, ",");

		r = *name == '\0' ? -ENOENT : add_name(set, name);
	}
	return r;
}

static int compare_parts(const void *a, const void *b)
{
	const struct log_label *x = archive_label(((const struct part *)a)->archive);
	const struct log_label *y = archive_label(((const struct part *)b)->archive);

	return timespec_compare(&x->start, &y->start);
}

static void move_part(struct part *to, struct part *from)
{
	struct part part = *from;

	*from = (struct part){0};
	*to = part;
}

/* Parts are in order: one that is there twice, by the same name, counts once. */
static int drop_duplicates(struct archive_set *set)
{
	size_t kept = 1;

	for (size_t i = 1; i < set->nparts; i++) {
		struct part *last = &set->parts[kept - 1];
		struct part *this = &set->parts[i];

		if (compare_parts(last, this) != 0) {
			move_part(&set->parts[kept++], this);
			continue;
		}
		if (strcmp(last->name, this->name) != 0)
			return PM_ERR_LOGOVERLAP;
		free_part(this);
		*this = (struct part){0};
	}
	set->nparts = kept;
	return 0;
}

/* By the last index entry, which is at the end or somewhat before it: the volumes may have to be
 * unpacked. False if it is not known. */
static bool known_end(const struct part *part, struct timespec *ret_end)
{
	const struct index_entry *entries;
	size_t n;

	if (archive_index(part->archive, &entries, &n) < 0 || n == 0)
		return archive_end(part->archive, ret_end) == 0;
	*ret_end = entries[n - 1].stamp;
	return true;
}

/*
 * Two recorders may have written to one folder at the same time. An archive within the time of
 * another one is left out: after it, time would go back, and reading would end at its end. By its
 * own name it is read as ever.
 */
static void drop_contained(struct archive_set *set)
{
	struct timespec reach = {0}, end;
	size_t kept = 0;

	for (size_t i = 0; i < set->nparts; i++) {
		struct part *this = &set->parts[i];
		bool known = this->in_folder && known_end(this, &end);

		if (known && timespec_compare(&end, &reach) < 0) {
			free_part(this);
			*this = (struct part){0};
			continue;
		}
		if (known)
			reach = end;
		if (kept++ < i)
			move_part(&set->parts[kept - 1], this);
	}
	set->nparts = kept;
}

static int check_hosts(const struct archive_set *set)
{
	const char *host = archive_label(set->parts[0].archive)->host;

	for (size_t i = 1; i < set->nparts; i++) {
		if (strcmp(archive_label(set->parts[i].archive)->host, host) != 0)
			return PM_ERR_LOGHOST;
	}
	return 0;
}

static int load_part(struct archive_set *set, size_t i)
{
	struct part *part = &set->parts[i];

	return archive_meta_load(set->meta, archive_meta_member(part->archive),
				 archive_label(part->archive)->version, (int)i, part->meta_end,
				 &part->meta_end);
}

static int set_load_meta(struct archive_set *set)
{
	size_t n;
	int r = archive_meta_new(&set->meta);

	for (size_t i = 0; i < set->nparts && r == 0; i++) {
		set->parts[i].meta_end =
		    log_label_len(archive_label(set->parts[i].archive)->version);
		r = load_part(set, i);
	}
	if (r < 0)
		return r;
	archive_meta_metrics(set->meta, &n);
	return n == 0 ? PM_ERR_LOGREC : 0;
}

int archive_set_open(const char *names, unsigned int context_flags, struct archive_set **ret_set)
{
	struct archive_set *set = calloc(1, sizeof(*set));
	int r;

	if (set == NULL)
		return -ENOMEM;
	set->flags = context_flags;
	set->names = strdup(names);
	r = set->names == NULL ? -ENOMEM : add_names(set);
	if (r == 0) {
		qsort(set->parts, set->nparts, sizeof(set->parts[0]), compare_parts);
		r = check_hosts(set);
	}
	if (r == 0)
		r = drop_duplicates(set);
	if (r == 0) {
		drop_contained(set);
		r = set_load_meta(set);
	}
	if (r < 0) {
		archive_set_close(set);
		return r;
	}
	*ret_set = set;
	return 0;
}

void archive_set_close(struct archive_set *set)
{
	if (set == NULL)
		return;
	for (size_t i = 0; i < set->nparts; i++)
		free_part(&set->parts[i]);
	archive_meta_free(set->meta);
	free(set->parts);
	free(set->names);
	free(set);
}

/* The position of a part is beside the record that was given out last, or at an end. */
static int same_position(struct archive_set *set, const struct archive_set *from)
{
	struct archive *archive = set->parts[from->at].archive;
	struct archive_place place;
	struct result_view view;
	int r = 1;

	set->at = from->at;
	set->overlap = from->overlap;
	set->at_end = from->at_end;
	set->back = from->back;
	if (from->last == LAST_RECORD) {
		place = archive_place(from->parts[from->at].archive);
		r = archive_at(archive, &place, &view);
		if (r > 0 && from->back)
			r = archive_prev(archive, &view);
	} else if (from->back) {
		archive_to_end(archive);
	}
	if (r > 0)
		set->last = from->last;
	return r < 0 ? r : 0;
}

/* Of the parts, which a folder may not give again: it may have grown. The caller frees it. */
static char *part_names(const struct archive_set *set)
{
	size_t len = 1;
	char *names, *p;

	for (size_t i = 0; i < set->nparts; i++)
		len += strlen(set->parts[i].name) + 1;
	p = names = malloc(len);
	for (size_t i = 0; i < set->nparts && p != NULL; i++) {
		p = stpcpy(p, set->parts[i].name);
		*p++ = i + 1 < set->nparts ? ',' : '\0';
	}
	return names;
}

int archive_set_dup(const struct archive_set *from, struct archive_set **ret_set)
{
	AUTO_FREE char *names = part_names(from);
	struct archive_set *set = NULL;
	int r = names == NULL ? -ENOMEM : archive_set_open(names, from->flags, &set);

	if (r == 0)
		r = same_position(set, from);
	if (r < 0) {
		archive_set_close(set);
		return r;
	}
	*ret_set = set;
	return 0;
}

/* Metadata */

struct archive_meta *archive_set_meta(struct archive_set *set)
{
	return set->meta;
}

unsigned int archive_set_grown(const struct archive_set *set)
{
	return set->grown;
}

const struct log_label *archive_set_first_label(const struct archive_set *set)
{
	return archive_label(set->parts[0].archive);
}

const struct log_label *archive_set_label(const struct archive_set *set)
{
	return archive_label(set->parts[set->at].archive);
}

struct archive *archive_set_current(const struct archive_set *set)
{
	return set->parts[set->at].archive;
}

int archive_set_end(struct archive_set *set, struct timespec *ret_end)
{
	return archive_end(set->parts[set->nparts - 1].archive, ret_end);
}

bool archive_set_end_is_torn(const struct archive_set *set)
{
	return archive_end_is_torn(set->parts[set->nparts - 1].archive);
}

/* Loads metadata that was added since: a record may be of new metrics. */
static int look_for_growth(struct archive_set *set)
{
	struct part *last = &set->parts[set->nparts - 1];
	uint64_t before = last->meta_end;
	int r;

	if (member_size(archive_meta_member(last->archive)) <= before)
		return 0;
	r = load_part(set, set->nparts - 1);
	if (last->meta_end != before)
		set->grown++;
	return r;
}

void archive_set_wish(struct archive_set *set, const pmID *pmids, size_t n)
{
	for (size_t i = 0; i < set->nparts; i++)
		archive_wish(set->parts[i].archive, pmids, n);
}

/*
 * Where
 */

/* The last part that starts at when or before; the first if none does. */
static size_t part_of(const struct archive_set *set, const struct timespec *when)
{
	size_t i = set->nparts - 1;

	while (i > 0 && timespec_compare(&archive_label(set->parts[i].archive)->start, when) > 0)
		i--;
	return i;
}

static void move_to(struct archive_set *set, size_t part)
{
	set->at = part;
	set->overlap = false;
	set->last = LAST_NONE;
}

/* The mark after a part, going forward, and before it, going back. */
static int mark_behind(struct archive_set *set, size_t part, struct timespec *ret_stamp)
{
	int r = archive_end(set->parts[part].archive, ret_stamp);

	if (r == 0)
		*ret_stamp = timespec_add_ns(ret_stamp, MARK_DISTANCE_NS);
	return r;
}

static struct timespec mark_before(const struct archive_set *set, size_t part)
{
	return timespec_add_ns(&archive_label(set->parts[part].archive)->start, -MARK_DISTANCE_NS);
}

int archive_set_seek_forward(struct archive_set *set, const struct timespec *when)
{
	struct timespec mark;
	size_t part = part_of(set, when);

	move_to(set, part);
	if (part + 1 < set->nparts && mark_behind(set, part, &mark) == 0 &&
	    timespec_compare(&mark, when) < 0) {
		move_to(set, part + 1);
		archive_rewind(set->parts[part + 1].archive);
		return 0;
	}
	return archive_seek_forward(set->parts[part].archive, when);
}

int archive_set_seek_back(struct archive_set *set, const struct timespec *when)
{
	size_t part = part_of(set, when);
	struct timespec mark;

	move_to(set, part);
	if (part + 1 < set->nparts) {
		mark = mark_before(set, part + 1);
		if (timespec_compare(&mark, when) <= 0) {
			move_to(set, part + 1);
			archive_rewind(set->parts[part + 1].archive);
			return 0;
		}
	}
	return archive_seek_back(set->parts[part].archive, when);
}

int archive_set_gap(struct archive_set *set, const struct timespec *when, struct timespec *ret_mark)
{
	size_t part = part_of(set, when);
	struct timespec mark;
	int r;

	if (part + 1 == set->nparts)
		return 0;
	r = mark_behind(set, part, &mark);
	if (r < 0 || timespec_compare(&mark, when) > 0)
		return r;
	*ret_mark = mark;
	return 1;
}

/*
 * Reading
 */

static int give_mark(struct archive_set *set, const struct timespec *stamp,
		     struct result_view *ret_view)
{
	*ret_view = (struct result_view){.stamp = *stamp};
	set->last = LAST_MARK;
	return 1;
}

/* The archive at the position has no more, but another follows. */
static int cross_forward(struct archive_set *set, struct result_view *ret_view)
{
	struct archive *next = set->parts[set->at + 1].archive;
	struct timespec end, mark;
	int r = archive_end(set->parts[set->at].archive, &end);

	if (r < 0)
		return r;
	mark = timespec_add_ns(&end, MARK_DISTANCE_NS);
	set->at++;
	set->overlap = timespec_compare(&end, &archive_label(next)->start) > 0;
	archive_rewind(next);
	return give_mark(set, &mark, ret_view);
}

static int cross_back(struct archive_set *set, struct result_view *ret_view)
{
	const struct timespec *start = &archive_label(set->parts[set->at].archive)->start;
	struct timespec mark = mark_before(set, set->at);
	struct archive *prev = set->parts[set->at - 1].archive;
	struct timespec end;
	int r = archive_end(prev, &end);

	if (r < 0)
		return r;
	set->at--;
	set->overlap = timespec_compare(&end, start) > 0;
	archive_to_end(prev);
	return give_mark(set, &mark, ret_view);
}

static bool tell_overlap(struct archive_set *set)
{
	bool tell = set->overlap;

	set->overlap = false;
	return tell;
}

int archive_set_next(struct archive_set *set, struct result_view *ret_view)
{
	int r;

	if (tell_overlap(set))
		return PM_ERR_LOGOVERLAP;
	r = archive_next(set->parts[set->at].archive, ret_view);
	set->last = r > 0 ? LAST_RECORD : LAST_NONE;
	set->back = false;
	if (r == 0 && set->at + 1 < set->nparts)
		return cross_forward(set, ret_view);
	/* Data that was added after an end may be of metrics that were not known before. */
	if (r > 0 && set->at_end && look_for_growth(set) < 0)
		r = PM_ERR_LOGREC;
	if (set->at + 1 == set->nparts)
		set->at_end = r == 0;
	return r;
}

int archive_set_prev(struct archive_set *set, struct result_view *ret_view)
{
	int r;

	if (tell_overlap(set))
		return PM_ERR_LOGOVERLAP;
	r = archive_prev(set->parts[set->at].archive, ret_view);
	set->last = r > 0 ? LAST_RECORD : LAST_NONE;
	set->back = true;
	return r == 0 && set->at > 0 ? cross_back(set, ret_view) : r;
}

const void *archive_set_record(const struct archive_set *set, size_t *ret_len, int *ret_version)
{
	const struct archive *archive = set->parts[set->at].archive;

	if (set->last != LAST_RECORD)
		return NULL;
	*ret_version = archive_label(archive)->version;
	return archive_record(archive, ret_len);
}

/* Reads only heads: there may be much data between two fetches. */
static int part_has_mark(struct archive *archive, const struct timespec *from,
			 const struct timespec *to)
{
	struct archive_head head;
	int r = archive_head_seek(archive, from, &head);

	while (r > 0 && timespec_compare(&head.stamp, to) < 0) {
		if (head.mark && timespec_compare(&head.stamp, from) > 0)
			return 1;
		r = archive_head_next(archive, &head, &head);
	}
	return r < 0 ? r : 0;
}

int archive_set_has_mark(struct archive_set *set, const struct timespec *from,
			 const struct timespec *to)
{
	size_t first = part_of(set, from);
	size_t last = part_of(set, to);

	/* Between two parts there is always one. */
	return first != last ? 1 : part_has_mark(set->parts[first].archive, from, to);
}

/* archive_parts - see archive_parts.h. */
#include "libstore/archive_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/timespec.h"
#include "libdisk/index_entry.h"
#include "libstore/archive.h"

static int add_part(struct archive_parts *parts, const char *name)
{
	unsigned int flags =
	    (parts->flags & PM_CTXFLAG_NO_FEATURE_CHECK) != 0 ? ARCHIVE_NO_FEATURE_CHECK : 0;
	struct archive_part *list = realloc(parts->list, (parts->n + 1) * sizeof(list[0]));
	int r;

	if (list == NULL)
		return -ENOMEM;
	parts->list = list;
	list[parts->n] = (struct archive_part){.name = strdup(name)};
	if (list[parts->n].name == NULL)
		return -ENOMEM;
	r = archive_open(name, flags, &list[parts->n].archive);
	if (r < 0) {
		free(list[parts->n].name);
		return r;
	}
	parts->n++;
	return 0;
}

static void free_part(struct archive_part *part)
{
	archive_close(part->archive);
	free(part->name);
}

static int add_folder(struct archive_parts *parts, const char *dir)
{
	char **bases = NULL;
	int n = archive_files_list(dir, &bases);
	int r = n == 0 ? PM_ERR_LOGFILE : n;

	for (int i = 0; i < n; i++) {
		if (r >= 0)
			r = add_part(parts, bases[i]);
		if (r >= 0)
			parts->list[parts->n - 1].in_folder = true;
		free(bases[i]);
	}
	free(bases);
	return r < 0 ? r : 0;
}

static int add_name(struct archive_parts *parts, const char *name)
{
	struct stat st;

	if (stat(name, &st) == 0 && S_ISDIR(st.st_mode))
		return add_folder(parts, name);
	return add_part(parts, name);
}

/* Commas after the last name are not part of a name. */
static void cut_commas(char *list)
{
	char *end = list + strlen(list);

	while (end > list + 1 && end[-1] == ',')
		*--end = '\0';
}

static int add_names(struct archive_parts *parts, const char *names)
{
	AUTO_FREE char *list = strdup(names);
	char *rest = list;
	int r = 0;

	if (list == NULL)
		return -ENOMEM;
	if (*list == '\0')
		return PM_ERR_LOGFILE;
	cut_commas(list);
	while (r == 0 && rest != NULL) {
		char *name = strsep(&rest, ",");

		r = *name == '\0' ? -ENOENT : add_name(parts, name);
	}
	return r;
}

static int compare_parts(const void *a, const void *b)
{
	const struct log_label *x = archive_label(((const struct archive_part *)a)->archive);
	const struct log_label *y = archive_label(((const struct archive_part *)b)->archive);

	return timespec_compare(&x->start, &y->start);
}

static void move_part(struct archive_part *to, struct archive_part *from)
{
	struct archive_part part = *from;

	*from = (struct archive_part){0};
	*to = part;
}

/* Parts are in order: one that is there twice, by the same name, counts once. */
static int drop_duplicates(struct archive_parts *parts)
{
	size_t kept = 1;

	for (size_t i = 1; i < parts->n; i++) {
		struct archive_part *last = &parts->list[kept - 1];
		struct archive_part *this = &parts->list[i];

		if (compare_parts(last, this) != 0) {
			move_part(&parts->list[kept++], this);
			continue;
		}
		if (strcmp(last->name, this->name) != 0)
			return PM_ERR_LOGOVERLAP;
		free_part(this);
		*this = (struct archive_part){0};
	}
	parts->n = kept;
	return 0;
}

/* By the last index entry, which is at the end or somewhat before it: the volumes may have to be
 * unpacked. False if it is not known. */
static bool known_end(const struct archive_part *part, struct timespec *ret_end)
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
static void drop_contained(struct archive_parts *parts)
{
	struct timespec reach = {0}, end;
	size_t kept = 0;

	for (size_t i = 0; i < parts->n; i++) {
		struct archive_part *this = &parts->list[i];
		bool known = this->in_folder && known_end(this, &end);

		if (known && timespec_compare(&end, &reach) < 0) {
			free_part(this);
			*this = (struct archive_part){0};
			continue;
		}
		if (known)
			reach = end;
		if (kept++ < i)
			move_part(&parts->list[kept - 1], this);
	}
	parts->n = kept;
}

static int check_hosts(const struct archive_parts *parts)
{
	const char *host = archive_label(parts->list[0].archive)->host;

	for (size_t i = 1; i < parts->n; i++) {
		if (strcmp(archive_label(parts->list[i].archive)->host, host) != 0)
			return PM_ERR_LOGHOST;
	}
	return 0;
}

int archive_parts_open(struct archive_parts *parts, const char *names)
{
	int r = add_names(parts, names);

	if (r == 0) {
		qsort(parts->list, parts->n, sizeof(parts->list[0]), compare_parts);
		r = check_hosts(parts);
	}
	if (r == 0)
		r = drop_duplicates(parts);
	if (r == 0)
		drop_contained(parts);
	return r;
}

void archive_parts_done(struct archive_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		free_part(&parts->list[i]);
	free(parts->list);
}

char *archive_parts_names(const struct archive_parts *parts)
{
	size_t len = 1;
	char *names, *p;

	for (size_t i = 0; i < parts->n; i++)
		len += strlen(parts->list[i].name) + 1;
	p = names = malloc(len);
	for (size_t i = 0; i < parts->n && p != NULL; i++) {
		p = stpcpy(p, parts->list[i].name);
		*p++ = i + 1 < parts->n ? ',' : '\0';
	}
	return names;
}

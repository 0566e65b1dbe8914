/*
 * archive_marks - which marks end what is known of an archive: all of them, unless the environment
 * says otherwise (PCP_IGNORE_MARK_RECORDS, docs/spec/archive.md 10.4).
 */
#ifndef LIBPCP_ARCHIVE_MARKS_H
#define LIBPCP_ARCHIVE_MARKS_H

#include <stdbool.h>
#include <time.h>

struct archive_set;

struct archive_marks {
	bool asked;       /* the environment, when the first mark is met */
	bool ignored;     /* some are */
	double ignored_s; /* those with no more than this between the records around them */
};

/* True if some marks are ignored. For a value that is not an interval a message is printed once,
 * and none are. */
bool archive_marks_ignored(struct archive_marks *marks);

/* Whether marks at the position of a set, or beside it, count: 1 or 0; what reading says. The
 * position stays. */
int archive_marks_count(struct archive_marks *marks, struct archive_set *set);

/* True if a mark that counts is between two times; the position is anywhere after it. */
int archive_marks_between(struct archive_marks *marks, struct archive_set *set,
			  const struct timespec *from, const struct timespec *to);

#endif

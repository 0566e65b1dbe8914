/* archive_base - what an archive is called (docs/spec/logger.md A6). */
#ifndef PMLOGGER_ARCHIVE_BASE_H
#define PMLOGGER_ARCHIVE_BASE_H

#include <limits.h>
#include <stdbool.h>
#include <time.h>

struct archive_base {
	const char *given;       /* as on the command line */
	char dir[PATH_MAX];      /* of a relative one: where we started */
	char name[PATH_MAX];     /* the last one made, absolute */
};

/* Remembers the current folder. 0 or -errno. */
int archive_base_init(struct archive_base *b, const char *given);

/* True if names come from times, so that there is always another one. */
static inline bool archive_base_is_template(const struct archive_base *b)
{
	for (const char *p = b->given; *p != '\0'; p++) {
		if (*p == '%')
			return true;
	}
	return false;
}

/*
 * Makes the n-th name (0: the plain one, then "-00" to "-98") of a time. 0; -EEXIST when n is over;
 * -ENAMETOOLONG; -EINVAL for a template without a text.
 */
int archive_base_name(struct archive_base *b, time_t when, int n);

#endif

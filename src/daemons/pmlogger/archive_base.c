/* archive_base - see archive_base.h. */
#include "daemons/pmlogger/archive_base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SUFFIXES = 99 };

int archive_base_init(struct archive_base *b, const char *given)
{
	*b = (struct archive_base){.given = given};
	if (given[0] == '/')
		return 0;
	return getcwd(b->dir, sizeof(b->dir)) == NULL ? -errno : 0;
}

int archive_base_name(struct archive_base *b, time_t when, int n)
{
	char text[PATH_MAX], suffix[8] = "";
	struct tm tm;
	int len;

	if (n > SUFFIXES)
		return -EEXIST;
	if (n > 0)
		snprintf(suffix, sizeof(suffix), "-%02d", n - 1);
	if (!archive_base_is_template(b)) {
		if (strlen(b->given) >= sizeof(text))
			return -ENAMETOOLONG;
		strcpy(text, b->given);
	} else if (strftime(text, sizeof(text), b->given, localtime_r(&when, &tm)) == 0) {
		return -EINVAL;
	}
	len = snprintf(b->name, sizeof(b->name), "%s%s%s%s", b->dir, b->dir[0] != '\0' ? "/" : "",
		       text, suffix);
	return len < 0 || (size_t)len >= sizeof(b->name) ? -ENAMETOOLONG : 0;
}

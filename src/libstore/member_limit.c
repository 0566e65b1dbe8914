/* member_limit - see member_limit.h. */
#include "libstore/member_limit.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	char letter;
	int shift;
} units[] = {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}};

/* Parses PITOT_UNPACK_MAX: false if it is not a number of bytes. */
static bool parse(const char *text, uint64_t *ret_max)
{
	unsigned long long n;
	char *end;

	if (strcmp(text, "none") == 0) {
		*ret_max = INT64_MAX;
		return true;
	}
	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (*end == units[i].letter && n <= (unsigned long long)INT64_MAX >> units[i].shift) {
			n <<= units[i].shift;
			end++;
			break;
		}
	}
	*ret_max = n;
	return errno == 0 && *end == '\0' && n <= INT64_MAX;
}

uint64_t member_limit(uint64_t packed)
{
	const char *text = getenv("PITOT_UNPACK_MAX");
	uint64_t max;

	if (text != NULL && parse(text, &max))
		return max;
	if (packed > MEMBER_UNPACKED_MAX / MEMBER_RATIO_MAX)
		return MEMBER_UNPACKED_MAX;
	max = packed * MEMBER_RATIO_MAX;
	return max > MEMBER_FREE_BYTES ? max : MEMBER_FREE_BYTES;
}

/* The receiver of reports, and the file that was reported last: under lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static member_refusal *refusal;
static char *reported; /* owned */

void member_on_refusal(member_refusal *report)
{
	pthread_mutex_lock(&lock);
	if (refusal != report) {
		free(reported);
		reported = NULL;
	}
	refusal = report;
	pthread_mutex_unlock(&lock);
}

/* The one to report this file to; NULL if there is none, or it was reported last. */
static member_refusal *receiver(const char *path)
{
	member_refusal *report = NULL;

	pthread_mutex_lock(&lock);
	if (refusal != NULL && (reported == NULL || strcmp(reported, path) != 0)) {
		free(reported);
		reported = strdup(path);
		report = refusal;
	}
	pthread_mutex_unlock(&lock);
	return report;
}

static void size_text(uint64_t size, char *buf, size_t len)
{
	if (size >= 1 << 20)
		snprintf(buf, len, "%llu MB", (unsigned long long)(size >> 20));
	else
		snprintf(buf, len, "%llu bytes", (unsigned long long)size);
}

void member_limit_report(const char *path, uint64_t limit, int error)
{
	member_refusal *report = receiver(path);
	char line[PATH_MAX + 256], size[32];

	if (report == NULL)
		return;
	size_text(limit, size, sizeof(size));
	if (error == -EFBIG)
		snprintf(line, sizeof(line),
			 "%s unpacks to more than %s: PITOT_UNPACK_MAX=BYTES sets another limit, "
			 "PITOT_UNPACK_MAX=none takes it away",
			 path, size);
	else
		snprintf(line, sizeof(line),
			 "%s takes more than half of the free space when it is unpacked: "
			 "PCP_TMPFILE_DIR=FOLDER names another place",
			 path);
	report(line); /* not under the lock: it may write to a terminal that is slow */
}

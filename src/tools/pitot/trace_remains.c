/* trace_remains - see trace_remains.h. */
#include "trace_remains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pitot.h"
#include "trace_commands.h"

enum { SPARE = 16 }; /* what may come between counting and asking */

int trace_remains_get(struct posix_trace_remains_np **ret_list, size_t *ret_n)
{
	size_t n = 0, room;
	int error = posix_trace_remains_np(NULL, 0, &n);

	room = n + SPARE;
	*ret_list = calloc(room, sizeof(**ret_list));
	if (error == 0)
		error = *ret_list != NULL ? posix_trace_remains_np(*ret_list, room, &n) : ENOMEM;
	*ret_n = n < room ? n : room;
	return error;
}

/* This program can be traced as any other that has the library: that is not shown. */
static size_t leave_out_ourselves(struct posix_trace_process_np *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i].pid != getpid())
			list[kept++] = list[i];
	}
	return kept;
}

int trace_processes_get(struct posix_trace_process_np **ret_list, size_t *ret_n)
{
	size_t n = 0, room;
	int error = posix_trace_processes_np(NULL, 0, &n);

	room = n + SPARE;
	*ret_list = calloc(room, sizeof(**ret_list));
	if (error == 0 || error == EOVERFLOW)
		error = *ret_list != NULL ? posix_trace_processes_np(*ret_list, room, &n) : ENOMEM;
	*ret_n = n < room ? n : room;
	if (error == EOVERFLOW) {
		pitot_complain("trace: a user has more than can be looked at: some processes may be missing");
		error = 0;
	}
	if (error == 0)
		*ret_n = leave_out_ourselves(*ret_list, *ret_n);
	return error;
}

int trace_remains_find(const char *command, const char *text, uint64_t *ret_id)
{
	struct posix_trace_remains_np *list = NULL;
	size_t n = 0, i = 0;
	char *end;
	uint64_t id = text != NULL ? strtoull(text, &end, 10) : 0;
	int error = trace_remains_get(&list, &n);

	if (text != NULL && (end == text || *end != '\0'))
		n = 0;
	if (text == NULL && n > 0)
		id = list[n - 1].id;
	while (i < n && list[i].id != id)
		i++;
	free(list);
	if (error != 0) {
		trace_failed(command, "remains", error);
		return -1;
	}
	if (i == n) {
		pitot_complain("trace %s: there are no remains%s%s: see pitot trace list", command,
			       text != NULL ? " " : "", text != NULL ? text : "");
		return -1;
	}
	*ret_id = id;
	return 0;
}

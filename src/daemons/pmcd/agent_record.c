/* agent_record - see agent_record.h. */
#include "daemons/pmcd/agent_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { LAST_ERRNO = 4095 };

void agent_record_end(struct agent_record *rec, uint64_t now_ms, const char *error, int code,
		      pid_t pid, const int *wait_status)
{
	rec->ends++;
	rec->error = error;
	rec->error_ms = now_ms;
	/* A broken pipe is how every end looks from here: it explains nothing. */
	rec->code = code < 0 && code >= -LAST_ERRNO && code != -EPIPE ? code : 0;
	rec->pid = pid;
	rec->exit_known = wait_status != NULL;
	if (wait_status != NULL)
		rec->wait_status = *wait_status;
}

void agent_record_timeout(struct agent_record *rec, uint64_t now_ms)
{
	rec->timeouts++;
	rec->error = "did not answer in time";
	rec->error_ms = now_ms;
	rec->code = 0;
	rec->pid = 0;
	rec->exit_known = false;
}

void agent_record_exit(struct agent_record *rec, pid_t pid, int wait_status)
{
	if (pid <= 0 || rec->pid != pid)
		return;
	rec->exit_known = true;
	rec->wait_status = wait_status;
}

const char *agent_record_text(const struct agent_record *rec, char *text, size_t size)
{
	const char *error = rec->error != NULL ? rec->error : "";

	if (rec->exit_known && WIFSIGNALED(rec->wait_status))
		snprintf(text, size, "%s (signal %d, %s)", error, WTERMSIG(rec->wait_status),
			 strsignal(WTERMSIG(rec->wait_status)));
	else if (rec->exit_known && WIFEXITED(rec->wait_status))
		snprintf(text, size, "%s (exit status %d)", error, WEXITSTATUS(rec->wait_status));
	else if (rec->code != 0)
		snprintf(text, size, "%s (%s)", error, strerror(-rec->code));
	else
		snprintf(text, size, "%s", error);
	return text;
}

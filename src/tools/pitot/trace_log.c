/* trace_log - see trace_log.h. */
#include "trace_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pitot.h"
#include "trace_account.h"
#include "trace_commands.h"
#include "trace_nothing.h"

int trace_log_open(struct trace_log *l)
{
	l->fd = open(l->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	l->made = l->fd >= 0;
	if (l->fd < 0 && errno == EEXIST)
		l->fd = open(l->file, O_RDWR | O_CLOEXEC);
	if (l->fd < 0)
		trace_failed(l->command, l->file, errno);
	return l->fd < 0 ? -1 : 0;
}

/* Errors of posix_trace_create_withlog() that are about the log, not the process. */
static void complain(const struct trace_log *l, const struct trace_stream *s, pid_t pid, int error)
{
	struct stat st;

	if (error == EINVAL && fstat(l->fd, &st) == 0 && !S_ISREG(st.st_mode))
		pitot_complain("trace %s: %s: not a regular file", l->command, l->file);
	else if (error == EINVAL && l->size != 0)
		pitot_complain("trace %s: --log-size: too small for a log", l->command);
	else if (error == ENOSPC || error == EFBIG || error == EBADF || error == EIO)
		trace_failed(l->command, l->file, error);
	else
		trace_stream_complain(s, pid, error);
}

static int make_stream(const struct trace_log *l, struct trace_stream *s, pid_t pid, const char *name)
{
	trace_attr_t attr;
	int error;

	if (trace_stream_attr(s, name, &attr) < 0)
		return -1;
	error = posix_trace_attr_setlogfullpolicy(&attr, l->policy);
	if (error == 0 && l->size != 0)
		error = posix_trace_attr_setlogsize(&attr, l->size);
	if (error == 0)
		error = posix_trace_create_withlog(pid, &attr, l->fd, &s->trid);
	if (error != 0) {
		complain(l, s, pid, error);
		return -1;
	}
	if (trace_stream_filter(s) == 0) {
		error = posix_trace_start(s->trid);
		if (error == 0)
			return 0;
		trace_failed(l->command, "start", error);
	}
	posix_trace_shutdown(s->trid);
	return -1;
}

int trace_log_start(struct trace_log *l, struct trace_stream *s, pid_t pid, const char *name)
{
	l->name = name;
	if (make_stream(l, s, pid, name) == 0)
		return 0;
	if (l->made)
		unlink(l->file);
	return -1;
}

/* The log knows best; where it cannot be opened the stream did. */
static void summarise(const struct trace_log *l, struct trace_account *account)
{
	char text[TRACE_ACCOUNT_TEXT];
	struct stat st = {0};
	trace_id_t log;

	if (posix_trace_open(l->fd, &log) == 0) {
		(void)trace_account_get(log, l->policy, account);
		posix_trace_close(log);
	}
	fstat(l->fd, &st);
	if (isatty(STDERR_FILENO) || l->verbose || account->kept != account->emitted)
		pitot_complain("trace %s: %s: %s, %" PRId64 " bytes", l->command, l->file,
			       trace_account_text(account, text, sizeof(text)), (int64_t)st.st_size);
}

int trace_log_finish(struct trace_log *l, const struct trace_stream *s)
{
	struct posix_trace_status_info status = {0};
	struct trace_account account = {.where = "kept"};
	int error, earlier;

	posix_trace_stop(s->trid);
	posix_trace_get_status(s->trid, &status);
	earlier = status.posix_stream_flush_error;
	if (trace_account_get(s->trid, l->policy, &account) == 0 && account.emitted == 0 &&
	    !l->unstarted)
		l->nothing = trace_nothing_recorded(s, l->name);
	error = posix_trace_shutdown(s->trid);
	if (error == 0)
		error = earlier;
	if (error != 0)
		trace_failed(l->command, l->file, error);
	summarise(l, &account);
	return error;
}

void trace_log_done(struct trace_log *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

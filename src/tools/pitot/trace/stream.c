/*
 * stream - the stream that records a process, and one that writes a log.
 */
#include "tools/pitot/trace/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/pitot/pitot.h"
#include "tools/pitot/trace/source.h"
#include "tools/pitot/trace/trace.h"

/*
 * Streams
 */

static const struct {
	const char *word;
	int policy;
} policies[] = {
    {"loop", POSIX_TRACE_LOOP},
    {"until-full", POSIX_TRACE_UNTIL_FULL},
    {"flush", POSIX_TRACE_FLUSH},
    {"append", POSIX_TRACE_APPEND},
};

int trace_policy(const char *word)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (strcmp(word, policies[i].word) == 0)
			return policies[i].policy;
	}
	return 0;
}

const char *trace_policy_name(int policy)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (policy == policies[i].policy)
			return policies[i].word;
	}
	return "unknown";
}

void trace_set_policy(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	int policy = trace_policy(opts->optarg);

	*(int *)target = policy;
	if (policy != 0 && policy != (int)row->bits)
		return;
	pitot_complain("--%s: unknown policy '%s': %s", row->option.long_opt, opts->optarg,
		       row->complaint);
	opts->errors++;
}

/* Returns 0, or -1 if the text is not a size. */
static int parse_size(const char *text, uint64_t *ret_size)
{
	static const char units[] = "kMG";
	const char *unit;
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno != 0 || end == text || text[0] < '0' || text[0] > '9')
		return -1;
	unit = *end != '\0' ? strchr(units, *end) : NULL;
	for (const char *u = units; unit != NULL && u <= unit && v <= UINT64_MAX >> 10; u++)
		v <<= 10;
	if (*end != '\0' && (unit == NULL || end[1] != '\0'))
		return -1;
	*ret_size = v;
	return 0;
}

void trace_set_size(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	if (parse_size(opts->optarg, target) == 0)
		return;
	pitot_complain("--%s: '%s' is no size: expected a number, with k, M or G",
		       row->option.long_opt, opts->optarg);
	opts->errors++;
}

void trace_set_pid(pmOptions *opts, const struct cmdline_row *row, void *target)
{
	long pid;

	*(const char **)target = opts->optarg;
	if (options_integer(row->option.long_opt, opts->optarg, INT32_MAX, &pid) < 0)
		opts->errors++;
}

int trace_stream_attr(const struct trace_stream *s, const char *name, trace_attr_t *ret_attr)
{
	const char *base = strrchr(name, '/');
	int error = posix_trace_attr_init(ret_attr);

	if (error == 0)
		error = posix_trace_attr_setname(ret_attr, base != NULL ? base + 1 : name);
	if (error == 0 && s->size != 0)
		error = posix_trace_attr_setstreamsize(ret_attr, s->size);
	if (error == 0 && s->data_size != 0)
		error = posix_trace_attr_setmaxdatasize(ret_attr, s->data_size);
	if (error == 0 && s->policy != 0)
		error = posix_trace_attr_setstreamfullpolicy(ret_attr, s->policy);
	if (error == 0 && s->children)
		error = posix_trace_attr_setinherited(ret_attr, POSIX_TRACE_INHERITED);
	if (error == 0 && s->strict)
		error = posix_trace_attr_setclock_np(ret_attr, POSIX_TRACE_CLOCK_STRICT_NP);
	if (error != 0)
		trace_failed(s->command, "attributes", error);
	return error == 0 ? 0 : -1;
}

/* Reports the error of a folder. */
static const char *fault_of(const struct posix_trace_place_np *place, uid_t uid, char *text,
			    size_t size)
{
	if (!S_ISDIR(place->mode))
		return "is not a folder";
	if (place->owner != uid)
		snprintf(text, size, "belongs to user %u, not to user %u", (unsigned)place->owner,
			 (unsigned)uid);
	else
		snprintf(text, size, "has mode %04o: expected 0700", (unsigned)place->mode & 07777);
	return text;
}

/*
 * Prints a message if another user occupies all the places where processes of the target's user
 * find each other.
 */
static bool complain_place(const struct trace_stream *s, pid_t pid)
{
	struct posix_trace_place_np place;
	char proc[32], text[80];
	struct stat st;

	snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
	if (stat(proc, &st) < 0 || posix_trace_place_np(st.st_uid, &place) != EPERM)
		return false;
	pitot_complain(
	    "trace %s: process %d cannot be found: %s %s, and the other places for it are "
	    "taken, too; root or who owns it may remove it",
	    s->command, (int)pid, place.path, fault_of(&place, st.st_uid, text, sizeof(text)));
	return true;
}

void trace_stream_complain(const struct trace_stream *s, pid_t pid, int error)
{
	const struct {
		int error;
		const char *text;
	} texts[] = {
	    {ESRCH, "there is no such process"},
	    {EPERM, geteuid() != 0 ? "it belongs to another user: only root may trace it"
				   : "it is in another name space, or has rights of its own"},
	    {EAGAIN, "the user has as many streams as there may be"},
	    {ENOMEM, "there is no memory for the stream; try a smaller --size"},
	    {EINVAL, "a size or policy is not possible for a stream"},
	};
	const char *text = strerror(error);

	if (error == EPERM && complain_place(s, pid))
		return;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].error == error)
			text = texts[i].text;
	}
	pitot_complain("trace %s: process %d: %s", s->command, (int)pid, text);
}

/* Adds the types of the names to a set, or removes them from it. */
static int stream_change(const struct trace_stream *s, const struct wordlist *names,
			 int (*each)(trace_event_id_t, trace_event_set_t *), trace_event_set_t *set)
{
	for (size_t i = 0; i < names->n; i++) {
		trace_event_id_t id;
		int error = posix_trace_trid_eventid_open(s->trid, names->words[i], &id);

		if (error == 0)
			error = each(id, set);
		if (error != 0) {
			trace_failed(s->command, names->words[i], error);
			return -1;
		}
	}
	return 0;
}

/* Filters all types but the chosen ones, except the events for starts, stops and losses. */
static int keep_only(const struct trace_stream *s, trace_event_set_t *set)
{
	posix_trace_eventset_fill(set, POSIX_TRACE_ALL_EVENTS);
	for (trace_event_id_t id = POSIX_TRACE_ERROR; id <= POSIX_TRACE_FILTER; id++)
		posix_trace_eventset_del(id, set);
	return stream_change(s, &s->only, posix_trace_eventset_del, set);
}

int trace_stream_filter(const struct trace_stream *s)
{
	trace_event_set_t set;
	int error;

	if (s->filter.n == 0 && s->only.n == 0)
		return 0;
	posix_trace_eventset_empty(&set);
	if (s->only.n > 0 && keep_only(s, &set) < 0)
		return -1;
	if (stream_change(s, &s->filter, posix_trace_eventset_add, &set) < 0)
		return -1;
	error = posix_trace_set_filter(s->trid, &set, POSIX_TRACE_SET_EVENTSET);
	if (error != 0)
		trace_failed(s->command, "filter", error);
	return error == 0 ? 0 : -1;
}

void trace_stream_done(struct trace_stream *s)
{
	wordlist_done(&s->filter);
	wordlist_done(&s->only);
}

/*
 * Logs
 */

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
static void stream_complain(const struct trace_log *l, const struct trace_stream *s, pid_t pid,
			    int error)
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

static int make_stream(const struct trace_log *l, struct trace_stream *s, pid_t pid,
		       const char *name)
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
		stream_complain(l, s, pid, error);
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

/* The log has the best counts; if it cannot be opened, those of the stream are used. */
static void stream_summarise(const struct trace_log *l, struct trace_account *account)
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
			       trace_account_text(account, text, sizeof(text)),
			       (int64_t)st.st_size);
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
	stream_summarise(l, &account);
	return error;
}

void trace_log_done(struct trace_log *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

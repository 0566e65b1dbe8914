/* collector - see collector.h. Static: the lock, the thread, its command, its configuration. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector.h"

enum {
	SCAN_MS = 250, /* between two looks for processes, */
	SCAN_SHARE = 20, /* or so many times the processor time that one takes, */
	SCAN_MAX_MS = 2000, /* but no longer */
	TAKE_MS = 10, /* between two looks at a stream that has events */
	IDLE_MS = 40, /* at one that has none */
	RATE_MS = 1000,
	SLICE = 256, /* events, with the lock held */
	SLICE_FIRST = 64, /* of each stream, for a request */
	GUEST_MS = 30, /* that a request waits for a command, in pmcd's process */
	TRIES_MAX = 8,      /* to attach a process */
	END_MS = 500,       /* that the last events may take */
	LINGER_MAX_S = 600,
	PATH = 4096,
};

enum command_kind { COMMAND_NONE, COMMAND_ATTACH, COMMAND_DETACH };

struct command {
	enum command_kind kind;
	pid_t pid;
	uid_t who;
	char only[TRACING_TEXT];
	int result;
	bool pending;
};

struct collector collector = {.budget = {.queue = 1 << 20, .memory = 64 << 20},
			      .linger_s = 60,
			      .patience_ms = GUEST_MS};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake, answered; /* the thread; who waits for it */
static atomic_uint waiting;           /* requests that want the lock */
static pthread_t thread;
static pid_t running_in; /* the process that has the thread; 0: none */
static bool stopping;
static struct command command; /* pending, or answered */
static struct config config;    /* the thread's, once it runs */
static char config_path[PATH];
static struct timespec config_changed;

/* ---- time, lock ---- */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Processor time of the calling thread. */
static uint64_t spent_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static struct timespec after_ms(uint64_t ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += (time_t)(ms / 1000);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

void collector_lock(void)
{
	atomic_fetch_add(&waiting, 1);
	pthread_mutex_lock(&lock);
	atomic_fetch_sub(&waiting, 1);
}

void collector_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* The thread's: whoever waits goes first. */
static void step_back(void)
{
	const struct timespec moment = {0, 50000};

	pthread_mutex_unlock(&lock);
	while (atomic_load(&waiting) > 0)
		nanosleep(&moment, NULL);
	pthread_mutex_lock(&lock);
}

void collector_failed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(collector.last_error, sizeof(collector.last_error), format, args);
	va_end(args);
}

bool collector_permits(uid_t who, uid_t owner)
{
	return who == 0 || who == owner;
}

/* ---- streams ---- */

static struct stream *stream_of(pid_t pid, uint64_t start)
{
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		if (s->live && s->process.pid == pid && s->process.start == start)
			return s;
	return NULL;
}

static struct process *process_of(pid_t pid)
{
	for (size_t i = 0; i < collector.nprocesses; i++)
		if (collector.processes[i]->pid == pid)
			return collector.processes[i];
	return NULL;
}

static void mark_attached(const struct stream *s, bool attached)
{
	struct process *p = process_of(s->process.pid);

	if (p != NULL && p->start == s->process.start)
		p->attached = attached;
}

/* The queue of a stream that goes is released by who has the queues. */
static void leave_queue(int queue)
{
	if (queue < 0)
		return;
	if (collector.nqueues == collector.queues_room) {
		size_t room = collector.queues_room == 0 ? 16 : 2 * collector.queues_room;
		int *grown = realloc(collector.queues, room * sizeof(int));

		if (grown == NULL)
			return; /* it stays, and is empty one day */
		collector.queues = grown;
		collector.queues_room = room;
	}
	collector.queues[collector.nqueues++] = queue;
}

static void remove_stream(struct stream **at)
{
	struct stream *s = *at;

	*at = s->next;
	leave_queue(s->queue);
	collector.budget.used -= s->ring.cap + s->recent.cap + s->queue_held;
	collector.budget.types -= s->ntypes - 1;
	collector.nstreams--;
	collector.removals++;
	stream_free(s);
}

/* Where a stream is that may go: the oldest that has ended, which is the last one; or NULL. */
static struct stream **oldest_ended(void)
{
	struct stream **found = NULL;

	for (struct stream **at = &collector.streams; *at != NULL; at = &(*at)->next)
		if (!(*at)->live)
			found = at;
	return found;
}

static bool has_had_its_time(const struct stream *s, uint64_t now)
{
	uint64_t since = now - s->ended_ms, linger = (uint64_t)collector.linger_s * 1000;

	if (s->live)
		return false;
	if (s->queue_bytes > 0 || ring_used(&s->ring) > 0)
		return since >= (uint64_t)LINGER_MAX_S * 1000;
	return s->detached || since >= linger;
}

static void remove_old(uint64_t now)
{
	struct stream **at = &collector.streams;

	while (*at != NULL)
		if (has_had_its_time(*at, now))
			remove_stream(at);
		else
			at = &(*at)->next;
}

/* A process has one stream at a time: what is left of an earlier one goes. */
static void add_stream(struct stream *s)
{
	static unsigned int serials;
	struct stream **at = &collector.streams;

	while (*at != NULL)
		if ((*at)->process.pid == s->process.pid &&
		    (*at)->process.start == s->process.start)
			remove_stream(at);
		else
			at = &(*at)->next;
	while (collector.nstreams >= TRACING_STREAMS_MAX && (at = oldest_ended()) != NULL) {
		if ((*at)->queue_bytes > 0 || ring_used(&(*at)->ring) > 0)
			collector_failed("process %d (%s): its last events had to go",
					 (int)(*at)->process.pid, (*at)->process.command);
		remove_stream(at);
	}
	s->serial = serials++;
	s->interest = collector.watched;
	s->next = collector.streams;
	collector.streams = s;
	collector.nstreams++;
	collector.nlive++;
	stream_look(s);
	mark_attached(s, true);
}

/* ---- attaching ---- */

/* p may be of the table, where a request numbers it with the lock: it is copied with the lock. */
static int attach(const struct process *p, const struct stream_options *o)
{
	struct process copy;
	struct stream *s;
	bool full;
	int r;

	pthread_mutex_lock(&lock);
	copy = *p;
	full = collector.nlive >= TRACING_LIVE_MAX;
	pthread_mutex_unlock(&lock);
	r = full ? -EAGAIN : stream_attach(&copy, o, &s);
	collector_lock();
	if (r < 0) {
		collector.attach_errors++;
		collector_failed("process %d (%s): cannot attach: %s", (int)p->pid, p->command,
				 full ? "too many streams" : strerror(-r));
	} else {
		add_stream(s);
	}
	collector_unlock();
	return r;
}

/* What the configuration says of a process, or its environment: whether to attach it. */
static bool wants(const struct process *p, char wish[PROCESS_WISH], struct stream_options *o)
{
	const struct config_rule *rule;

	rule = config_find(&config, p->user, p->command);
	if (rule != NULL) {
		*o = (struct stream_options){.only = rule->events != NULL ? rule->events : "",
					     .size = rule->size,
					     .policy = rule->policy,
					     .why = rule->text};
		return rule->attach;
	}
	if (p->uid != geteuid() || process_is_privileged(p->pid))
		return false;
	process_variable(p->pid, "PITOT_TRACE", wish, PROCESS_WISH);
	*o = (struct stream_options){.only = strcmp(wish, "1") == 0 ? "" : wish,
				     .policy = POSIX_TRACE_LOOP,
				     .why = "environment"};
	return wish[0] != '\0' && strcmp(wish, "0") != 0;
}

static void decide(struct process *p)
{
	char wish[PROCESS_WISH];
	struct stream_options o;

	p->decided = !wants(p, wish, &o) || attach(p, &o) == 0 || ++p->tries >= TRIES_MAX;
}

/* ---- ending ---- */

/* Takes out what is left; the process is gone, or is not to be read any more. */
static void drain_rest(struct stream *s)
{
	uint64_t until = now_ms() + END_MS;
	const struct timespec moment = {0, 1000000};

	for (;;) {
		unsigned int n = stream_take(s, SLICE, &collector.budget);

		if (n == 0) {
			stream_look(s);
			if (stream_unread(s) == 0 || now_ms() > until)
				return;
			pthread_mutex_unlock(&lock);
			nanosleep(&moment, NULL);
			pthread_mutex_lock(&lock);
		}
		step_back();
	}
}

/* With the lock, which is given up meanwhile. */
static void end_stream(struct stream *s, bool detached)
{
	if (detached)
		stream_run(s, false);
	drain_rest(s);
	stream_describe(s);
	stream_look(s);
	s->live = false;
	s->detached = detached;
	s->ended_ms = now_ms();
	collector.nlive--;
	mark_attached(s, false);
	pthread_mutex_unlock(&lock);
	stream_shutdown(s);
	pthread_mutex_lock(&lock);
	stream_look(s);
}

/* ---- looking for processes ---- */

static int by_pid(const void *a, const void *b)
{
	const struct process *const *p = a, *const *q = b;

	return ((*p)->pid > (*q)->pid) - ((*p)->pid < (*q)->pid);
}

static struct process *process_new(const struct posix_trace_process_np *from)
{
	struct process *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->pid = from->pid;
	p->uid = from->uid;
	p->start = from->start_time;
	p->inst = -1;
	process_take_command(p, from->command);
	process_user(p->uid, p->user, sizeof(p->user));
	process_cgroup(p->pid, p->cgroup, sizeof(p->cgroup));
	return p;
}

/* The process of the table that this is, or a new one; the table is only changed by this thread. */
static struct process *find_or_new(const struct posix_trace_process_np *from)
{
	struct process key = {.pid = from->pid}, *k = &key, **found;

	found = collector.nprocesses == 0 ? NULL
					  : bsearch(&k, collector.processes, collector.nprocesses,
						    sizeof(struct process *), by_pid);
	return found != NULL && (*found)->start == from->start_time ? *found : process_new(from);
}

/* The new table takes the old one's place. */
static void exchange(struct process **table, size_t n)
{
	struct process **old = collector.processes;
	size_t nold = collector.nprocesses;

	for (size_t i = 0; i < nold; i++)
		old[i]->found = false;
	for (size_t i = 0; i < n; i++)
		table[i]->found = true;
	collector.processes = table;
	collector.nprocesses = n;
	for (size_t i = 0; i < nold; i++)
		if (!old[i]->found) {
			collector.removals++;
			free(old[i]);
		}
	free(old);
}

static void take_list(const struct posix_trace_process_np *list, size_t n)
{
	struct process **table = malloc((n + 1) * sizeof(struct process *));
	size_t found = 0;

	if (table == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		if (list[i].pid != getpid() && (table[found] = find_or_new(&list[i])) != NULL)
			found++;
	pthread_mutex_lock(&lock);
	exchange(table, found);
	for (size_t i = 0, k = 0; i < found; i++) {
		while (list[k].pid != table[i]->pid)
			k++;
		table[i]->event_types = list[k].event_types;
		table[i]->streams = list[k].streams;
		table[i]->uid = list[k].uid;
		process_take_command(table[i], list[k].command);
	}
	pthread_mutex_unlock(&lock);
}

static void end_those_gone(void)
{
	struct stream *s;
	uint64_t start;

	pthread_mutex_lock(&lock);
	for (s = collector.streams; s != NULL; s = s->next) {
		const struct process *p = s->live ? process_of(s->process.pid) : NULL;

		if (!s->live || (p != NULL && p->start == s->process.start))
			continue;
		/* What can't be traced any more may live on: then it is no end. */
		if (process_start(s->process.pid, &start) == 0 && start == s->process.start)
			continue;
		end_stream(s, false);
	}
	remove_old(now_ms());
	pthread_mutex_unlock(&lock);
}

static void scan(void)
{
	static struct posix_trace_process_np list[TRACING_PROCESSES_MAX];
	size_t n = 0;
	int r = posix_trace_processes_np(list, TRACING_PROCESSES_MAX, &n);

	if (r == 0 || r == EOVERFLOW) {
		if (n > TRACING_PROCESSES_MAX || r == EOVERFLOW) {
			collector_lock();
			collector_failed("there are more processes than are looked at");
			collector_unlock();
		}
		take_list(list, n < TRACING_PROCESSES_MAX ? n : TRACING_PROCESSES_MAX);
	}
	end_those_gone();
	for (size_t i = 0; i < collector.nprocesses; i++)
		if (!collector.processes[i]->decided)
			decide(collector.processes[i]);
}

/* ---- configuration ---- */

static void use_config(void)
{
	collector.budget.queue = config.queue;
	collector.budget.memory = config.memory;
	collector.budget.recent = config.recent;
	collector.linger_s = config.linger_s;
}

static bool config_is_new(void)
{
	struct stat st = {0};

	if (stat(config_path, &st) < 0)
		st.st_mtim = (struct timespec){0};
	if (memcmp(&st.st_mtim, &config_changed, sizeof(config_changed)) == 0)
		return false;
	config_changed = st.st_mtim;
	return true;
}

int collector_configure(const char *path, char *message, size_t size)
{
	snprintf(config_path, sizeof(config_path), "%s", path);
	config_is_new();
	int r = config_load(&config, config_path, message, size);

	use_config();
	return r;
}

/* A file that changed counts for processes that are not attached; one with mistakes does not. */
static void look_at_config(void)
{
	struct config fresh;
	char message[TRACING_TEXT];
	int r;

	if (!config_is_new())
		return;
	r = config_load(&fresh, config_path, message, sizeof(message));
	collector_lock();
	if (r < 0) {
		collector_failed("%s", message);
		collector_unlock();
		return;
	}
	config_done(&config);
	config = fresh;
	use_config();
	for (size_t i = 0; i < collector.nprocesses; i++)
		collector.processes[i]->decided = collector.processes[i]->attached != 0;
	collector_unlock();
}

/* ---- commands ---- */

/* One that is not listed may be traced all the same, before it has opened its first event type. */
static int unlisted(pid_t pid, struct process *ret)
{
	struct posix_trace_process_np p = {.pid = pid};
	struct process *made;
	int r = process_owner(pid, &p.uid);

	if (r == 0)
		r = process_start(pid, &p.start_time);
	made = r == 0 ? process_new(&p) : NULL;
	if (made == NULL)
		return r < 0 ? r : -ENOMEM;
	*ret = *made;
	free(made);
	return 0;
}

static int run_attach(const struct command *c)
{
	struct stream_options o = {.only = c->only, .policy = POSIX_TRACE_LOOP, .why = "control"};
	const struct process *p;
	struct process made;
	int r = 0;

	scan();
	p = process_of(c->pid);
	if (p == NULL) {
		r = unlisted(c->pid, &made);
		p = &made;
	}
	if (r < 0)
		return r;
	if (!collector_permits(c->who, p->uid))
		return PM_ERR_PERMISSION;
	if (stream_of(p->pid, p->start) != NULL)
		return -EEXIST;
	r = attach(p, &o);
	return r == -EPERM ? PM_ERR_PERMISSION : r;
}

static int run_detach(const struct command *c)
{
	struct stream *s;
	int r = -ESRCH;

	collector_lock();
	for (s = collector.streams; s != NULL; s = s->next)
		if (s->live && s->process.pid == c->pid)
			break;
	if (s != NULL)
		r = collector_permits(c->who, s->process.uid) ? 0 : PM_ERR_PERMISSION;
	if (r == 0)
		end_stream(s, true);
	collector_unlock();
	return r;
}

static void run_command(void)
{
	struct command c;
	int r;

	pthread_mutex_lock(&lock);
	c = command;
	pthread_mutex_unlock(&lock);
	if (!c.pending)
		return;
	r = c.kind == COMMAND_ATTACH ? run_attach(&c) : run_detach(&c);
	pthread_mutex_lock(&lock);
	command.result = r;
	command.pending = false;
	pthread_cond_signal(&answered);
	pthread_mutex_unlock(&lock);
}

static bool is_same(const struct command *a, const struct command *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->who == b->who &&
	       strcmp(a->only, b->only) == 0;
}

/* With the lock, which the thread gets while we wait. Who asks again for what is under way waits for
 * that one. */
static int ask(const struct command *c)
{
	struct timespec until = after_ms(collector.patience_ms);
	int r = 0;

	if (running_in == 0 || (command.pending && !is_same(&command, c)))
		return PM_ERR_AGAIN;
	if (!command.pending) {
		command = *c;
		command.pending = true;
	}
	pthread_cond_signal(&wake);
	while (command.pending && r == 0)
		r = pthread_cond_timedwait(&answered, &lock, &until);
	return command.pending ? PM_ERR_AGAIN : command.result;
}

int collector_attach(pid_t pid, const char *only, uid_t who)
{
	struct command c = {.kind = COMMAND_ATTACH, .pid = pid, .who = who};

	snprintf(c.only, sizeof(c.only), "%s", only);
	return ask(&c);
}

int collector_detach(pid_t pid, uid_t who)
{
	struct command c = {.kind = COMMAND_DETACH, .pid = pid, .who = who};

	return ask(&c);
}

/* ---- the thread ---- */

/* A slice of each stream that has not had enough: whether there is one left. */
static bool drain_round(unsigned int slice, uint64_t until_us)
{
	bool more = false;

	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		if (s->taken >= s->enough || spent_us() > until_us)
			continue;
		if (stream_take(s, slice, &collector.budget) == 0)
			s->enough = s->taken;
		more = more || s->taken < s->enough;
	}
	return more;
}

/* Of what comes meanwhile nothing is owed. Those with little come first: a busy process must not
 * take the time of the others. */
void collector_drain(unsigned int ms)
{
	uint64_t until = spent_us() + (uint64_t)ms * 1000;

	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		stream_look(s);
		s->enough = s->taken + (s->live ? stream_unread(s) : 0);
	}
	if (drain_round(SLICE_FIRST, UINT64_MAX))
		while (spent_us() <= until && drain_round(SLICE, until))
			;
}

/* One round over the streams: ms until the next one. */
static uint64_t take_round(void)
{
	uint64_t now = now_ms(), pause = SCAN_MS;

	pthread_mutex_lock(&lock);
	for (struct stream *s = collector.streams; s != NULL; s = s->next) {
		unsigned int n = 0;

		if (!s->live)
			continue;
		if (now >= s->next_ms) {
			n = stream_take(s, SLICE, &collector.budget);
			s->pause_ms = n > 0 ? TAKE_MS
				      : s->pause_ms < IDLE_MS ? s->pause_ms + TAKE_MS
							      : IDLE_MS;
			s->next_ms = n == SLICE ? now : now + s->pause_ms;
			step_back();
		}
		if (s->next_ms <= now)
			pause = 0;
		else if (s->next_ms - now < pause)
			pause = s->next_ms - now;
	}
	if (collector.budget.no_room_for_types) {
		collector_failed("more than %d event types, or a process with too many",
				 TRACING_TYPES_MAX);
		collector.budget.no_room_for_types = false;
	}
	pthread_mutex_unlock(&lock);
	return pause;
}

static void once_a_second(uint64_t ms)
{
	pthread_mutex_lock(&lock);
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		stream_rates(s, (double)ms / 1000);
	pthread_mutex_unlock(&lock);
}

static void describe_all(void)
{
	pthread_mutex_lock(&lock);
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		stream_describe(s);
	pthread_mutex_unlock(&lock);
}

/* Sleeps; false when it is time to end. */
static bool nap(uint64_t ms)
{
	struct timespec until = after_ms(ms);
	bool on;

	pthread_mutex_lock(&lock);
	if (!stopping && ms > 0 && !command.pending)
		pthread_cond_timedwait(&wake, &lock, &until);
	on = !stopping;
	pthread_mutex_unlock(&lock);
	return on;
}

/* Looks for processes: ms until it is time again. Thousands of them must not keep us busy. */
static uint64_t look_around(void)
{
	uint64_t before = spent_us(), ms;

	look_at_config();
	scan();
	describe_all();
	ms = (spent_us() - before) * SCAN_SHARE / 1000;
	return ms < SCAN_MS ? SCAN_MS : ms > SCAN_MAX_MS ? SCAN_MAX_MS : ms;
}

static void *work(void *arg)
{
	uint64_t scanned = 0, rated = now_ms(), pause, spacing = 0;

	do {
		uint64_t now = now_ms();

		if (now - scanned >= spacing) {
			scanned = now;
			spacing = look_around();
		}
		if (now - rated >= RATE_MS) {
			once_a_second(now - rated);
			rated = now;
		}
		run_command();
		pause = take_round();
		now = now_ms();
		if (scanned + spacing < now + pause)
			pause = scanned + spacing > now ? scanned + spacing - now : 0;
	} while (nap(pause));
	return NULL;
}

/* The thread takes no signals: they are the program's. */
int collector_start(void)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int r;

	if (running_in == getpid())
		return 0;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &attr);
	pthread_cond_init(&answered, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r == 0)
		running_in = getpid();
	return -r;
}

void collector_stop(void)
{
	if (running_in != getpid())
		return;
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	stopping = false;
	command.pending = false;
	running_in = 0;
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		if (s->live)
			stream_shutdown(s);
	while (collector.streams != NULL)
		remove_stream(&collector.streams);
	for (size_t i = 0; i < collector.nprocesses; i++)
		free(collector.processes[i]);
	free(collector.processes);
	collector.processes = NULL;
	collector.nprocesses = 0;
	collector.nlive = 0;
	config_done(&config);
}

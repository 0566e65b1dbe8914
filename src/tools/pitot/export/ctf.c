/*
 * ctf - a trace in the Common Trace Format: a directory with a description and packets.
 */
#include "tools/pitot/export/ctf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/pitot/export/export.h"

/*
 * The trace
 */

#define MAGIC 0xC1FC1FC1u

enum {
	HEAD = 4 + CTF_UUID + 4 + 6 * 8,        /* bytes of a packet's header and context */
	EVENT_HEAD = 4 + 8 + 4 + 4 + 8 + 8 + 1, /* bytes of an event's header and context */
	SAMPLE_HEAD = 4 + 8 + 8,                /* bytes of a value: its header and the number */
	CLASSES_MAX = 8192,
};

static uint8_t *ctf_put(uint8_t *p, const void *data, size_t n)
{
	memcpy(p, data, n);
	return p + n;
}

static uint8_t *put_u32(uint8_t *p, uint32_t v)
{
	return ctf_put(p, &v, sizeof(v));
}

static uint8_t *put_u64(uint8_t *p, uint64_t v)
{
	return ctf_put(p, &v, sizeof(v));
}

static FILE *create_file(const struct ctf *c, const char *name)
{
	int fd = openat(c->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (f == NULL && fd >= 0)
		close(fd);
	return f;
}

static bool is_empty(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	bool empty = d != NULL;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			empty = false;
	}
	if (d != NULL)
		closedir(d);
	return empty;
}

int ctf_open(struct ctf *c, const char *path)
{
	*c = (struct ctf){.dir = -1};
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return -errno;
	c->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->dir < 0)
		return -errno;
	if (!is_empty(c->dir))
		return -ENOTEMPTY;
	if (getrandom(c->uuid, sizeof(c->uuid), 0) != sizeof(c->uuid))
		return -EIO;
	c->uuid[6] = (c->uuid[6] & 0x0f) | 0x40; /* version 4, random */
	c->uuid[8] = (c->uuid[8] & 0x3f) | 0x80;
	c->nclasses = CLASSES_MAX;
	c->classes = calloc(c->nclasses, sizeof(c->classes[0]));
	return c->classes != NULL ? 0 : -ENOMEM;
}

static void begin_packet(struct ctf_file *f)
{
	f->used = HEAD;
	f->empty = true;
}

/* Writes a packet with its contents and these times, and begins the next one. */
static int write_packet(const struct ctf *c, struct ctf_file *f, int64_t begin_ns, int64_t end_ns)
{
	uint8_t *p = f->bytes;

	p = put_u32(p, MAGIC);
	p = ctf_put(p, c->uuid, CTF_UUID);
	p = put_u32(p, f->class);
	p = put_u64(p, (uint64_t)begin_ns);
	p = put_u64(p, (uint64_t)end_ns);
	p = put_u64(p, 8 * (uint64_t)f->used);
	p = put_u64(p, 8 * (uint64_t)f->used);
	p = put_u64(p, f->discarded);
	put_u64(p, f->packets++);
	if (fwrite(f->bytes, 1, f->used, f->out) != f->used)
		return errno != 0 ? -errno : -EIO;
	begin_packet(f);
	return 0;
}

static int flush(const struct ctf *c, struct ctf_file *f)
{
	return f->empty ? 0 : write_packet(c, f, f->first_ns, f->last_ns);
}

static int ctf_open_file(const struct ctf *c, struct ctf_file *f, const char *name)
{
	f->last_ns = INT64_MIN;
	f->room = CTF_PACKET;
	f->bytes = malloc(f->room);
	if (f->bytes == NULL)
		return -ENOMEM;
	f->out = create_file(c, name);
	if (f->out == NULL)
		return -errno;
	begin_packet(f);
	return 0;
}

static int add_file(struct ctf *c)
{
	char name[32];
	int r;

	snprintf(name, sizeof(name), "stream_%u", c->nfile);
	r = ctf_open_file(c, &c->files[c->nfile], name);
	if (r == 0)
		c->nfile++;
	return r;
}

/* Finds the first file without events younger than this one, or makes a new file. */
static int ctf_choose(struct ctf *c, int64_t ns, struct ctf_file **ret_file)
{
	unsigned i = 0;
	int r = 0;

	while (i < c->nfile && c->files[i].last_ns > ns)
		i++;
	if (i == CTF_FILES_MAX)
		return -ERANGE; /* a log that was not written by a stream */
	if (i == c->nfile)
		r = add_file(c);
	*ret_file = &c->files[i];
	return r;
}

/* Makes room for an event: writes the packet first if it has enough bytes. */
static int make_room(const struct ctf *c, struct ctf_file *f, size_t n)
{
	uint8_t *bytes;
	int r = 0;

	if (f->used + n > f->room)
		r = flush(c, f);
	if (r < 0 || f->used + n <= f->room)
		return r;
	bytes = realloc(f->bytes, f->used + n);
	if (bytes == NULL)
		return -ENOMEM;
	f->bytes = bytes;
	f->room = f->used + n;
	return 0;
}

int ctf_event(struct ctf *c, const struct trace_event *e)
{
	const int64_t ns = trace_event_ns(e);
	const uint8_t cut = e->info.posix_truncation_status != POSIX_TRACE_NOT_TRUNCATED;
	const bool user = e->info.posix_event_id >= POSIX_TRACE_UNNAMED_USEREVENT;
	const enum trace_form form = user ? trace_form(e) : TRACE_FIELDS;
	struct ctf_file *f;
	uint8_t *p;
	int r = e->info.posix_event_id < c->nclasses ? ctf_choose(c, ns, &f) : -ERANGE;

	if (r == 0)
		r = make_room(c, f, EVENT_HEAD + ctf_payload_max(e));
	if (r < 0)
		return r;
	p = f->bytes + f->used;
	p = put_u32(p, ctf_class(e->info.posix_event_id, form));
	p = put_u64(p, (uint64_t)ns);
	p = put_u32(p, (uint32_t)e->info.posix_pid);
	p = put_u32(p, (uint32_t)posix_trace_event_tid_np(&e->info));
	p = put_u64(p, (uint64_t)e->info.posix_thread_id);
	p = put_u64(p, (uint64_t)(uintptr_t)e->info.posix_prog_address);
	p = ctf_put(p, &cut, 1);
	f->used = (size_t)(ctf_payload_put(p, e) - f->bytes);
	if (f->empty)
		f->first_ns = ns;
	f->empty = false;
	f->last_ns = ns;
	c->classes[e->info.posix_event_id] |= (uint8_t)(1u << form);
	c->events++;
	return 0;
}

int ctf_gap(struct ctf *c, int64_t from_ns, int64_t to_ns, uint64_t lost)
{
	struct ctf_file *f = &c->files[0];
	int r = c->nfile == 0 ? add_file(c) : flush(c, f);

	if (r < 0 || lost == 0)
		return r;
	if (f->packets > 0 && from_ns < f->last_ns)
		from_ns = f->last_ns;
	if (to_ns < from_ns)
		to_ns = from_ns;
	if (f->packets == 0) /* readers start counting at the first count */
		r = write_packet(c, f, from_ns, from_ns);
	f->discarded += lost;
	if (r == 0)
		r = write_packet(c, f, from_ns, to_ns);
	f->last_ns = to_ns;
	return r;
}

/* ---- metrics ---- */

static int ctf_add_metric(struct ctf *c, const struct metric_track *t, size_t *ret_metric)
{
	struct ctf_metric *grown;
	size_t i = 0;

	while (i < c->nmetric &&
	       (strcmp(c->metrics[i].name, t->metric) != 0 || c->metrics[i].whole != t->whole))
		i++;
	*ret_metric = i;
	if (i < c->nmetric)
		return 0;
	grown = reallocarray(c->metrics, c->nmetric + 1, sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	c->metrics = grown;
	grown[i] = (struct ctf_metric){
	    .name = strdup(t->metric), .whole = t->whole, .instances = t->instance != NULL};
	if (grown[i].name == NULL)
		return -ENOMEM;
	c->nmetric++;
	return 0;
}

/* The class of a track's values. Tracks are numbered in the order of their first values. */
static int metric_of(struct ctf *c, const struct metric_track *t, size_t *ret_metric)
{
	size_t *grown;
	int r;

	if (t->id >= c->ntrack) {
		grown = reallocarray(c->of_track, (size_t)t->id + 1, sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		c->of_track = grown;
		for (; c->ntrack <= t->id; c->ntrack++)
			grown[c->ntrack] = SIZE_MAX;
	}
	r = c->of_track[t->id] == SIZE_MAX ? ctf_add_metric(c, t, &c->of_track[t->id]) : 0;
	if (r < 0)
		c->of_track[t->id] = SIZE_MAX;
	*ret_metric = c->of_track[t->id];
	return r;
}

static uint8_t *put_text(uint8_t *p, const char *text)
{
	return ctf_put(p, text, strlen(text) + 1);
}

/* Adds a value of a metric, in the order of time. Returns 0 or -errno. */
static int ctf_sample(struct ctf *c, const struct metric_sample *s)
{
	const char *instance = s->track->instance != NULL ? s->track->instance : "";
	struct ctf_file *f = &c->samples;
	size_t metric = 0;
	uint8_t *p;
	int r = f->out == NULL ? ctf_open_file(c, f, "metrics_0") : 0;

	f->class = CTF_METRICS;
	if (r == 0)
		r = metric_of(c, s->track, &metric);
	if (r == 0)
		r = make_room(c, f, SAMPLE_HEAD + strlen(instance) + strlen(s->track->units) + 2);
	if (r < 0)
		return r;
	if (f->empty)
		f->first_ns = s->ns;
	f->last_ns = s->ns > f->last_ns ? s->ns : f->last_ns;
	p = put_u32(f->bytes + f->used, (uint32_t)metric);
	p = put_u64(p, (uint64_t)f->last_ns);
	if (c->metrics[metric].instances)
		p = put_text(p, instance);
	p = s->track->whole ? put_u64(p, (uint64_t)s->integer)
			    : ctf_put(p, &s->value, sizeof(s->value));
	p = put_text(p, s->track->units);
	f->used = (size_t)(p - f->bytes);
	f->empty = false;
	return 0;
}

/* ---- the end ---- */

static int finish_file(const struct ctf *c, struct ctf_file *f)
{
	int r = f->out != NULL ? flush(c, f) : 0;

	return r == 0 && f->out != NULL && fflush(f->out) != 0 ? -errno : r;
}

static void close_file(struct ctf_file *f)
{
	if (f->out != NULL)
		fclose(f->out);
	free(f->bytes);
}

int ctf_finish(struct ctf *c, struct trace_source *source, const struct posix_trace_counts_np *n)
{
	FILE *out;
	int r = finish_file(c, &c->samples);

	for (unsigned i = 0; i < c->nfile && r == 0; i++)
		r = finish_file(c, &c->files[i]);
	out = r == 0 ? create_file(c, "metadata") : NULL;
	if (out == NULL)
		return r < 0 ? r : -errno;
	ctf_metadata_print(out, c, source, n);
	if (ferror(out))
		r = -EIO;
	if (fclose(out) != 0)
		r = -errno;
	return r;
}

void ctf_close(struct ctf *c)
{
	for (unsigned i = 0; i < CTF_FILES_MAX; i++)
		close_file(&c->files[i]);
	close_file(&c->samples);
	for (size_t i = 0; i < c->nmetric; i++)
		free(c->metrics[i].name);
	free(c->metrics);
	free(c->of_track);
	free(c->classes);
	if (c->dir >= 0)
		close(c->dir);
}

/* export_ctf - the Common Trace Format as an export sink. */

static int open_ctf(void *state, const char *path, const struct export_about *about)
{
	(void)about;
	return ctf_open(state, path);
}

static int ctf_put_event(void *state, struct trace_source *source, const struct trace_event *e)
{
	(void)source;
	return ctf_event(state, e);
}

static int ctf_put_gap(void *state, int64_t from_ns, int64_t to_ns, uint64_t lost)
{
	return ctf_gap(state, from_ns, to_ns, lost);
}

static int ctf_put_sample(void *state, const struct metric_sample *sample)
{
	return ctf_sample(state, sample);
}

static int finish(void *state, struct trace_source *source,
		  const struct posix_trace_counts_np *counts)
{
	return ctf_finish(state, source, counts);
}

static void close_ctf(void *state)
{
	ctf_close(state);
}

const struct export_sink ctf_sink = {
    .option = "ctf",
    .size = sizeof(struct ctf),
    .open = open_ctf,
    .event = ctf_put_event,
    .gap = ctf_put_gap,
    .sample = ctf_put_sample,
    .finish = finish,
    .close = close_ctf,
};

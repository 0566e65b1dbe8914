/* agent_cluster - see agent_cluster.h. */
#include "libpcp_pmda/agent_cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libpcp_pmda/agent_refresh.h"
#include "libpcp_pmda/agent_table.h"

/* ---- Instances ------------------------------------------------------------------------------ */

/* Fixed instances go into the table as they are; libpcp_pmda never writes the names. */
static void indom_fix(struct indom_state *s)
{
	s->table->it_set = calloc(s->def->nfixed, sizeof(*s->table->it_set));
	if (s->table->it_set == NULL)
		return;
	for (unsigned int i = 0; i < s->def->nfixed; i++) {
		s->table->it_set[i].i_inst = s->def->fixed[i].id;
		s->table->it_set[i].i_name = (char *)(uintptr_t)s->def->fixed[i].name;
	}
	s->table->it_numinst = (int)s->def->nfixed;
}

void indom_init(struct indom_state *s, const struct agent_indom *def, int domain, pmdaIndom *table)
{
	memset(s, 0, sizeof(*s));
	s->def = def;
	s->indom = pmInDom_build((unsigned int)domain, def->serial);
	s->table = table;
	s->generation = 1;
	if (def->fixed != NULL)
		indom_fix(s);
	else if (!def->ids_given && !def->own)
		pmdaCacheOp(s->indom, PMDA_CACHE_LOAD); /* none yet, or unreadable: start afresh */
}

void indom_done(struct indom_state *s)
{
	if (s->table != NULL && !s->def->own)
		free(s->table->it_set);
	free(s->names);
}

/*
 * Instances that went are remembered, so that they get their ids again when they come back. On a
 * machine where names never end (interfaces of containers) those that were away for a day are
 * forgotten as soon as they outnumber the others.
 */
enum { FORGET_AFTER_S = 24 * 60 * 60, FORGET_MIN = 4096 };

static void forget_old(const struct indom_state *s)
{
	int inactive = pmdaCacheOp(s->indom, PMDA_CACHE_SIZE_INACTIVE);

	if (inactive < FORGET_MIN || inactive < pmdaCacheOp(s->indom, PMDA_CACHE_SIZE_ACTIVE))
		return;
	if (pmdaCachePurge(s->indom, FORGET_AFTER_S) > 0)
		pmdaCacheOp(s->indom, PMDA_CACHE_REORG);
}

/* Ids by name: the cache finds the old one or gives a new one, and remembers it over a restart. */
static void define_cached(struct indom_state *s, const struct reading_table *t)
{
	pmdaCacheOp(s->indom, PMDA_CACHE_INACTIVE);
	for (size_t i = 0; i < t->n; i++) {
		const char *name = reading_name(t, i);

		if (name != NULL)
			pmdaCacheStore(s->indom, PMDA_CACHE_ADD, name, NULL);
	}
	pmdaCacheOp(s->indom, PMDA_CACHE_SAVE); /* writes if there are new names and it may */
	forget_old(s);
}

static bool id_is_new(const pmdaInstid *set, int n, int id, struct hash *seen)
{
	uint64_t h = hash_u64((uint32_t)id);

	if (hash_find(seen, h, NULL, NULL) != NULL)
		return false;
	return hash_add(seen, h, (void *)(uintptr_t)(&set[n])) == 0;
}

/* Ids as given: rebuild our own table. */
static int define_given(struct indom_state *s, const struct reading_table *t)
{
	AUTO_FREE pmdaInstid *set = calloc(t->n + 1, sizeof(*set));
	AUTO_FREE char *names = malloc(t->names.len + 1);
	struct hash seen = HASH_INIT;
	int n = 0;

	if (set == NULL || names == NULL)
		return -ENOMEM;
	if (t->names.len != 0)
		memcpy(names, t->names.data, t->names.len);
	for (size_t i = 0; i < t->n; i++) {
		const struct reading_key *key = &t->keys[i];

		if (key->name == READING_NO_NAME || !id_is_new(set, n, key->id, &seen))
			continue;
		set[n].i_inst = key->id;
		set[n].i_name = names + key->name;
		n++;
	}
	hash_done(&seen);
	free(s->table->it_set);
	free(s->names);
	s->table->it_set = TAKE(set);
	s->table->it_numinst = n;
	s->names = TAKE(names);
	return 0;
}

static int indom_define(struct indom_state *s, const struct reading_table *t)
{
	int r = 0;

	if (s->def->fixed != NULL)
		return 0;
	if (s->def->ids_given)
		r = define_given(s, t);
	else
		define_cached(s, t);
	s->generation++;
	return r;
}

static bool map_same(const struct inst_map *map, const struct reading_table *t)
{
	if (map->generation == 0 || map->n != t->n || map->names.len != t->names.len)
		return false;
	if (t->n != 0 && memcmp(map->keys, t->keys, t->n * sizeof(*t->keys)) != 0)
		return false;
	return t->names.len == 0 || memcmp(map->names.data, t->names.data, t->names.len) == 0;
}

static int instance_id(const struct indom_state *s, const struct reading_table *t, size_t i)
{
	const char *name = reading_name(t, i);
	int id;

	if (s->def->fixed != NULL || s->def->ids_given)
		return t->keys[i].id;
	if (name == NULL || pmdaCacheLookupName(s->indom, name, &id, NULL) != PMDA_CACHE_ACTIVE)
		return -1;
	return id;
}

/* Keep the input of the map, to compare it with the next refresh. */
static int map_remember(struct inst_map *map, const struct reading_table *t)
{
	struct reading_key *keys = realloc(map->keys, (t->n + 1) * sizeof(*keys));
	int *ids;

	if (keys == NULL)
		return -ENOMEM;
	map->keys = keys;
	ids = realloc(map->ids, (t->n + 1) * sizeof(*ids));
	if (ids == NULL)
		return -ENOMEM;
	map->ids = ids;
	if (t->n != 0)
		memcpy(keys, t->keys, t->n * sizeof(*keys));
	map->n = t->n;
	buffer_reset(&map->names);
	if (t->names.len != 0)
		buffer_put(&map->names, t->names.data, t->names.len);
	return map->names.err;
}

static int inst_map_build(struct inst_map *map, const struct indom_state *s,
			  const struct reading_table *t)
{
	int r = map_remember(map, t);

	if (r < 0)
		return r;
	hash_done(&map->index_of);
	for (size_t i = 0; i < t->n; i++) {
		uint64_t h;

		map->ids[i] = instance_id(s, t, i);
		h = hash_u64((uint32_t)map->ids[i]);
		if (map->ids[i] < 0 || hash_find(&map->index_of, h, NULL, NULL) != NULL)
			continue;
		r = hash_add(&map->index_of, h, (void *)(uintptr_t)(i + 1));
		if (r < 0)
			return r;
	}
	return 0;
}

int inst_map_sync(struct inst_map *map, struct indom_state *indom, const struct reading_table *t,
		  bool defines)
{
	bool same = map_same(map, t) && (map->defined || !defines);
	int r = 0;

	if (same && map->generation == indom->generation)
		return 0;
	if (defines && !same)
		r = indom_define(indom, t);
	if (r == 0)
		r = inst_map_build(map, indom, t);
	map->generation = r == 0 ? indom->generation : 0;
	map->defined = defines;
	return r;
}

void inst_map_done(struct inst_map *map)
{
	buffer_done(&map->names);
	free(map->keys);
	free(map->ids);
	hash_done(&map->index_of);
}

/* ---- The cluster ---------------------------------------------------------------------------- */

int cluster_init(struct cluster_state *c, const struct agent_cluster *def,
		 struct agent_state *state, const struct refresh_root *root)
{
	int r;

	c->def = def;
	c->state = state;
	c->root = root;
	c->threaded = def->wait_ms != 0 && def->may_hang;
	pthread_mutex_init(&c->stuck_lock, NULL);
	r = reading_blank_init(&c->blank, def);
	if (r == 0)
		r = reading_init(&c->reading, def, &c->blank);
	if (r == 0)
		r = worker_new(c, &c->worker);
	return r;
}

void cluster_done(struct cluster_state *c)
{
	for (int i = 0; i < AGENT_CLUSTER_INDOMS; i++)
		inst_map_done(&c->maps[i]);
	worker_free(c->worker);
	reading_done(&c->reading);
	reading_blank_done(&c->blank);
	pthread_mutex_destroy(&c->stuck_lock);
}

/* Clients see the error of a source that may not be read, or that hangs; others they see as values
 * that are missing. */
static bool is_worth_a_line(const struct cluster_state *c, int status)
{
	switch (status) {
	case -EACCES:
	case -EPERM:
	case -EAGAIN:
		return false;
	case -ENOENT:
		return !c->def->optional;
	default:
		return status < 0;
	}
}

static void log_failure(struct cluster_state *c, const struct agent_refresh *r, int status)
{
	const char *agent = c->state->agent->name;

	if (status == c->logged || !is_worth_a_line(c, status))
		return;
	c->logged = status;
	if (r->failed == status)
		pmNotifyErr(LOG_WARNING,
			    "agent %s: cluster %s: Cannot read: path=\"%s/%s\", error=%s", agent,
			    c->def->name, c->root->path, r->failed_path, strerror(-status));
	else
		pmNotifyErr(LOG_WARNING, "agent %s: cluster %s: Cannot refresh: error=%s", agent,
			    c->def->name, strerror(-status));
}

/* The worker's reading is complete: it is what fetches read from now on. */
static void publish(struct cluster_state *c)
{
	struct reading old = c->reading;

	c->reading = c->worker->reading;
	c->worker->reading = old;
	c->published = true;
	c->stats.count++;
	c->stats.took_ns += c->reading.took_ns;
	c->stats.last_ns = c->reading.took_ns;
	if (c->reading.status < 0) {
		c->stats.failures++;
		c->stats.last_error = c->reading.status;
		log_failure(c, &c->worker->refresh, c->reading.status);
	}
}

/* Another worker takes the place of the one that hangs. */
static void abandon(struct cluster_state *c)
{
	struct worker *next;

	if (c->nstuck == WORKER_MAX_STUCK || worker_new(c, &next) < 0)
		return;
	if (!slow_abandon(&c->worker->slow)) {
		worker_free(next);
		return;
	}
	pthread_mutex_lock(&c->stuck_lock);
	c->worker->next = c->stuck;
	c->stuck = c->worker;
	pthread_mutex_unlock(&c->stuck_lock);
	c->worker = next;
	c->nstuck++;
	c->stats.hangs++;
}

/* Abandoned workers that have come back. */
static void reap(struct cluster_state *c)
{
	for (struct worker **at = &c->stuck; *at != NULL;) {
		struct worker *w = *at;

		if (slow_busy(&w->slow)) {
			at = &w->next;
			continue;
		}
		pthread_mutex_lock(&c->stuck_lock);
		*at = w->next;
		pthread_mutex_unlock(&c->stuck_lock);
		worker_free(w);
		c->nstuck--;
	}
}

static void need_slow(struct cluster_state *c)
{
	/* A refresh that was late once will be late again: serve the last values at once. */
	bool patient = !c->published || c->stats.last_ns < c->def->wait_ms * 1000000ull;

	reap(c);
	if (slow_take(&c->worker->slow))
		publish(c);
	else if (c->def->may_hang && worker_hangs(c->worker))
		abandon(c);
	if (worker_ask(c->worker) && patient && slow_wait(&c->worker->slow, c->def->wait_ms))
		publish(c);
	else
		c->stats.stale++;
}

void cluster_need(struct cluster_state *c, uint64_t seq)
{
	if (c->seq == seq || c->def->refresh == NULL)
		return;
	c->seq = seq;
	if (c->def->max_age_ms != 0 && c->published &&
	    clock_mono_ms() - c->reading.done_ms < c->def->max_age_ms)
		return;
	if (c->threaded) {
		need_slow(c);
		return;
	}
	worker_run(c->worker);
	publish(c);
	c->threaded = c->def->wait_ms != 0 && c->stats.last_ns > c->def->wait_ms * 1000000ull;
}

void cluster_sync(struct cluster_state *c, int i)
{
	int r;

	if (!c->published)
		return;
	/* A failed refresh says nothing about which instances there are. */
	r = inst_map_sync(&c->maps[i], c->indoms[i], &c->reading.tables[i],
			  c->def->fills[i].defines && c->reading.status == 0);
	if (r < 0)
		c->stats.last_error = r;
}

static int absent_code(const struct agent_metric *m, int status)
{
	switch (status) {
	case -EACCES:
	case -EPERM:
		return PM_ERR_PERMISSION;
	case -EAGAIN:
		return PM_ERR_AGAIN;
	default:
		return m->absent;
	}
}

int cluster_struct(const struct cluster_state *c, const struct agent_metric *m, int fill, int inst,
		   void **ret_struct)
{
	const struct reading *s = &c->reading;
	long index;

	if (!c->published)
		return PM_ERR_AGAIN;
	if (fill < 0) {
		*ret_struct = s->snapshot;
		return 1;
	}
	index = inst_map_find(&c->maps[fill], inst);
	if (index < 0)
		return absent_code(m, s->status);
	*ret_struct = s->tables[fill].data + (size_t)index * s->tables[fill].fill->size;
	return 1;
}

int cluster_value(const struct cluster_state *c, const struct agent_metric *m, int fill, int inst,
		  pmAtomValue *ret_atom)
{
	void *base = NULL;
	int r = cluster_struct(c, m, fill, inst, &base);

	if (r <= 0)
		return r;
	return reading_value(m, base, ret_atom) ? 1 : absent_code(m, c->reading.status);
}

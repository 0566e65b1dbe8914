#include "pond.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct pond_world pond_world;

/* Of the last fetch. */
static pmResult *result;

/*
 * The gate at which a refresh of "deep" waits: there is one per opened agent, so that threads of an
 * earlier test do not pass a later one. A thread keeps to the gate of its first refresh: its next
 * one may begin only when the later test has opened its own.
 */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t change;
	int let_go;
	struct gate *older;
};

static struct gate *gate;

struct bird {
	uint32_t eggs;
};

struct ring {
	uint64_t number;
};

struct depth {
	uint64_t u64;
	uint64_t cut;
	uint32_t u32;
	int32_t s32;
	int64_t s64;
	float f32;
	double f64;
	const char *str;
	uint64_t never;
};

struct deep {
	uint32_t fish;
};

static const struct agent_indom bird_indom = {1, 0, NULL, 0, "Birds", "By name."};
static const struct agent_indom nest_indom = {2, 1, NULL, 0, "Nests", NULL};

#define FIELD(type, member) AGENT_FIELD(struct type, member)

/* clang-format off */
static const struct agent_metric bird_metrics[] = {
	{ "pond.bird.eggs", 1, 0, PM_TYPE_U32, PM_SEM_INSTANT, &bird_indom, AGENT_COUNT, FIELD(bird, eggs),
	  "Eggs of each bird", NULL, 0 },
};
static const struct agent_metric ring_metrics[] = {
	{ "pond.bird.ring", 1, 1, PM_TYPE_U64, PM_SEM_DISCRETE, &bird_indom, AGENT_NONE, FIELD(ring, number),
	  "Number on the ring of each bird", NULL, 0 },
};
static const struct agent_metric nest_metrics[] = {
	{ "pond.nest.eggs", 2, 0, PM_TYPE_U32, PM_SEM_INSTANT, &nest_indom, AGENT_COUNT, FIELD(bird, eggs),
	  "Eggs in each nest", NULL, 0 },
};
static const struct agent_metric depth_metrics[] = {
	{ "pond.depth.u64", 3, 0, PM_TYPE_U64, PM_SEM_COUNTER, NULL, AGENT_BYTE, FIELD(depth, u64),
	  "A wide number", "It is wide.", 0 },
	{ "pond.depth.cut", 3, 1, PM_TYPE_U32, PM_SEM_COUNTER, NULL, AGENT_NONE, FIELD(depth, cut), "Cut", NULL, 0 },
	{ "pond.depth.u32", 3, 2, PM_TYPE_U32, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, u32), "U", NULL, 0 },
	{ "pond.depth.s32", 3, 3, PM_TYPE_32, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, s32), "S", NULL, 0 },
	{ "pond.depth.s64", 3, 4, PM_TYPE_64, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, s64), "L", NULL, 0 },
	{ "pond.depth.f32", 3, 5, PM_TYPE_FLOAT, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, f32), "F", NULL, 0 },
	{ "pond.depth.f64", 3, 6, PM_TYPE_DOUBLE, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, f64), "D", NULL, 0 },
	{ "pond.depth.str", 3, 7, PM_TYPE_STRING, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, str), "T", NULL, 0 },
	{ "pond.depth.never", 3, 8, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, never), "N", NULL, 0 },
	{ "pond.depth.gone", 3, 9, PM_TYPE_U64, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(depth, never), "G", NULL,
	  PM_ERR_APPVERSION },
};
static const struct agent_metric deep_metrics[] = {
	{ "pond.deep.fish", 4, 0, PM_TYPE_U32, PM_SEM_INSTANT, NULL, AGENT_NONE, FIELD(deep, fish), "Fish", NULL, 0 },
};
/* clang-format on */

static int birds_refresh(struct agent_refresh *r, void *snapshot)
{
	pond_world.birds_reads++;
	for (int i = 0; pond_world.birds[i] != NULL; i++) {
		const char *name = pond_world.birds[i];
		struct bird *bird = agent_add(r, &bird_indom, name, strlen(name));

		if (bird == NULL)
			return -ENOMEM;
		bird->eggs = (uint32_t)i;
	}
	return pond_world.status;
}

static int rings_refresh(struct agent_refresh *r, void *snapshot)
{
	pond_world.rings_reads++;
	for (int i = 0; pond_world.rings[i] != NULL; i++) {
		const char *name = pond_world.rings[i];
		struct ring *ring = agent_add(r, &bird_indom, name, strlen(name));

		if (ring == NULL)
			return -ENOMEM;
		ring->number = 1000u + (unsigned int)i;
	}
	return 0;
}

static int nests_refresh(struct agent_refresh *r, void *snapshot)
{
	pond_world.nests_reads++;
	for (int i = 0; pond_world.given[i] >= 0; i++) {
		char name[16];
		struct bird *nest;

		snprintf(name, sizeof(name), "nest%d", pond_world.given[i]);
		nest = agent_add_id(r, &nest_indom, pond_world.given[i], name);
		if (nest == NULL)
			return -ENOMEM;
		nest->eggs = (uint32_t)pond_world.given[i] * 2;
	}
	return 0;
}

static int depth_refresh(struct agent_refresh *r, void *snapshot)
{
	struct depth *d = snapshot;

	pond_world.depth_reads++;
	pond_world.depth_wanted = agent_wanted(r, NULL, offsetof(struct depth, u32));
	d->u64 = UINT64_MAX - 1;
	d->cut = 0x1ffffffff; /* the low half is all ones, and no absent value */
	d->u32 = 7;
	d->s32 = -1;
	d->s64 = -1;
	d->f32 = 0.5f;
	d->f64 = -2.5;
	d->str = agent_string(r, "textual", 4);
	return pond_world.status;
}

static int deep_refresh(struct agent_refresh *r, void *snapshot)
{
	static __thread struct gate *g;
	struct deep *d = snapshot;

	if (g == NULL)
		g = __atomic_load_n(&gate, __ATOMIC_ACQUIRE);
	__atomic_add_fetch(&pond_world.deep_reads, 1, __ATOMIC_SEQ_CST);
	d->fish = 0;
	if (agent_may_hang_on(r, "the well") == 0) {
		pthread_mutex_lock(&g->lock);
		while (g->let_go == 0)
			pthread_cond_wait(&g->change, &g->lock);
		g->let_go--;
		pthread_mutex_unlock(&g->lock);
		d->fish = 1;
	}
	return 0;
}

void pond_let_go(void)
{
	pthread_mutex_lock(&gate->lock);
	gate->let_go++;
	pthread_cond_signal(&gate->change);
	pthread_mutex_unlock(&gate->lock);
}

static void new_gate(void)
{
	struct gate *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->change, NULL);
	g->older = gate;
	__atomic_store_n(&gate, g, __ATOMIC_RELEASE);
}

#define CLUSTER(word, struct_size)                                                                 \
	.name = #word "s", .source = "the pond", .size = struct_size, .refresh = word##s_refresh,  \
	.metrics = word##_metrics, .nmetrics = sizeof(word##_metrics) / sizeof(word##_metrics[0])
#define depths_refresh depth_refresh
#define deeps_refresh  deep_refresh

/* clang-format off */
static const struct agent_cluster birds = {
	CLUSTER(bird, 0), .fills = { { &bird_indom, sizeof(struct bird), 1 } },
};
static const struct agent_cluster rings = {
	CLUSTER(ring, 0), .fills = { { &bird_indom, sizeof(struct ring), 0 } },
};
static const struct agent_cluster nests = {
	CLUSTER(nest, 0), .fills = { { &nest_indom, sizeof(struct bird), 1 } }, .max_age_ms = 60000,
};
static const struct agent_cluster depth = { CLUSTER(depth, sizeof(struct depth)) };
static const struct agent_cluster deep = {
	CLUSTER(deep, sizeof(struct deep)), .wait_ms = 20, .may_hang = 1,
};
/* clang-format on */

static const struct agent_cluster *const clusters[] = {&birds, &rings, &nests, &depth, &deep};

const struct agent pond = {"pond", 400, clusters, 5};

void pond_open(const struct agent *agent, pmdaInterface *ret_dispatch)
{
	new_gate();
	result = NULL;
	memset(&pond_world, 0, sizeof(pond_world));
	pond_world.given[0] = -1;
	setenv("PCP_VAR_DIR", "/proc/nonexistent", 1);
	memset(ret_dispatch, 0, sizeof(*ret_dispatch));
	ret_dispatch->domain = agent->domain;
	agent_init(agent, ret_dispatch);
}

void pond_free_list(pmInResult *list)
{
	for (int i = 0; list->namelist != NULL && i < list->numinst; i++)
		free(list->namelist[i]);
	free(list->namelist);
	free(list->instlist);
	free(list);
}

int pond_fetch(pmdaInterface *dispatch, unsigned int cluster, unsigned int item)
{
	pmID pmid = pmID_build((unsigned int)dispatch->domain, cluster, item);
	int r;

	if (result != NULL)
		dispatch->version.four.ext->e_resultCallBack(result);
	r = dispatch->version.four.fetch(1, &pmid, &result, dispatch->version.four.ext);

	assert_int_equal(r, 0);
	return result->vset[0]->numval;
}

int pond_inst(int i)
{
	return result->vset[0]->vlist[i].inst;
}

pmAtomValue pond_atom(int i, int type)
{
	pmAtomValue atom;

	assert_int_equal(
	    pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[i], type, &atom, type),
	    0);
	return atom;
}

/*
 * ipc - System V shared memory, message queues and semaphores in use: /proc/sysvipc.
 *
 * Each file has a head line, and a line for each object. Owners have the names of /etc/passwd:
 * other sources of names may be slow, so their users stay numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "linux.h"
#include "scan.h"

/* The common fields of all three kinds. */
struct object {
	int64_t uid;
	uint32_t perms; /* octal digits as a decimal number, the way that they are written */
	const char *key;
	const char *owner;
	bool named; /* owner is a name, not the number */
};

struct segment {
	struct object object;
	uint64_t size, nattch, creator, last;
	const char *status;
};

struct queue {
	struct object object;
	uint64_t bytes, messages, sender, receiver;
};

struct set {
	struct object object;
	uint64_t nsems;
};

struct shm {
	uint64_t tot, rss, swp;
	uint32_t used_ids;
	uint32_t swap_attempts, swap_successes; /* the kernel has not counted them since 2.4 */
};

struct msg {
	uint32_t used_queues;
	uint64_t tot_msg, tot_bytes;
};

struct sem {
	uint32_t used_sem;
	uint64_t tot_sem;
};

static const struct agent_indom shm_indom = {
    28, 0, NULL, 0, "Segments of shared memory", "By the number of shmget(2).",
};
static const struct agent_indom msg_indom = {
    29, 0, NULL, 0, "Message queues", "By the number of msgget(2).",
};
static const struct agent_indom sem_indom = {
    30, 0, NULL, 0, "Sets of semaphores", "By the number of semget(2).",
};

/* clang-format off */
#define ALL(kind, c, n, units, member, text)                                                       \
	{ "ipc." #kind "." #member, c, n, U32, INSTANT, ONE, AGENT_##units, FIELD(kind, member),   \
	  text, NULL, 0 }
#define EACH(kind, c, n, leaf, type, sem, units, type_, member, text)                              \
	{ "ipc." #kind "." leaf, c, n, type, sem, &kind##_indom, AGENT_##units,                    \
	  FIELD(type_, member), text, NULL, 0 }
#define OBJECT_ROWS(kind, c, type_, what)                                                          \
	EACH(kind, c, 0, "key", STR, DISCRETE, NONE, type_, object.key, "Key of each " what),      \
	EACH(kind, c, 1, "owner", STR, DISCRETE, NONE, type_, object.owner,                        \
	     "Who owns each " what),                                                               \
	EACH(kind, c, 2, "perms", U32, INSTANT, NONE, type_, object.perms,                         \
	     "Permissions of each " what ", in octal digits")

static const struct agent_metric shm_metrics[] = {
	ALL(shm, 56, 0, BYTE, tot, "Shared memory of all segments, in whole pages"),
	ALL(shm, 56, 1, BYTE, rss, "Shared memory of all segments that is in memory"),
	ALL(shm, 56, 2, BYTE, swp, "Shared memory of all segments that is in swap"),
	ALL(shm, 56, 3, NONE, used_ids, "Segments of shared memory"),
	ALL(shm, 56, 4, NONE, swap_attempts, "Always 0: no kernel counts it any more"),
	ALL(shm, 56, 5, NONE, swap_successes, "Always 0: no kernel counts it any more"),

	OBJECT_ROWS(shm, 64, segment, "segment"),
	EACH(shm, 64, 3, "segsz", U32, DISCRETE, BYTE, segment, size, "Size of each segment"),
	EACH(shm, 64, 4, "nattch", U32, INSTANT, NONE, segment, nattch,
	     "How often each segment is attached"),
	EACH(shm, 64, 5, "status", STR, INSTANT, NONE, segment, status,
	     "State of each segment: \"dest\" goes with its last user, \"locked\" is not swapped"),
	EACH(shm, 64, 6, "creator_pid", U32, DISCRETE, NONE, segment, creator,
	     "Process that made each segment"),
	EACH(shm, 64, 7, "last_access_pid", U32, INSTANT, NONE, segment, last,
	     "Process that attached or detached each segment last"),
};

static const struct agent_metric msg_metrics[] = {
	ALL(msg, 62, 0, NONE, used_queues, "Message queues"),
	ALL(msg, 62, 1, NONE, tot_msg, "Messages in all queues"),
	ALL(msg, 62, 2, BYTE, tot_bytes, "Bytes of the messages in all queues"),

	OBJECT_ROWS(msg, 65, queue, "queue"),
	EACH(msg, 65, 3, "msgsz", U32, DISCRETE, BYTE, queue, bytes,
	     "Bytes of the messages in each queue"),
	EACH(msg, 65, 4, "messages", U32, INSTANT, NONE, queue, messages,
	     "Messages in each queue"),
	EACH(msg, 65, 5, "last_send_pid", U32, INSTANT, BYTE, queue, sender,
	     "Process that sent to each queue last"),
	EACH(msg, 65, 6, "last_recv_pid", U32, INSTANT, NONE, queue, receiver,
	     "Process that received from each queue last"),
};

static const struct agent_metric sem_metrics[] = {
	ALL(sem, 61, 0, NONE, used_sem, "Sets of semaphores"),
	ALL(sem, 61, 1, NONE, tot_sem, "Semaphores in all sets"),

	OBJECT_ROWS(sem, 66, set, "set"),
	EACH(sem, 66, 3, "nsems", U32, INSTANT, NONE, set, nsems, "Semaphores in each set"),
};
/* clang-format on */

/* Bits above the permissions of a segment. */
enum { SEGMENT_DEST = 1000, SEGMENT_LOCKED = 2000, PERMS_END = 1000 };

/* The columns of a line after the permissions, which differ. */
enum { MAX_COLUMNS = 16 };

struct line {
	int64_t key;
	const char *id;
	size_t id_len;
	uint64_t mode;
	uint64_t column[MAX_COLUMNS];
	int n;
};

static bool ipc_read_line(struct scan *s, struct line *line)
{
	if (!scan_i64(s, &line->key))
		return false;
	if (!scan_word(s, &line->id, &line->id_len) || !scan_u64(s, &line->mode))
		return false;
	line->n = scan_u64s(s, line->column, MAX_COLUMNS);
	return true;
}

static void put_object(struct agent_refresh *r, const struct line *line, int uid_at,
		       struct object *object)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "0x%08" PRIx32, (uint32_t)line->key);

	object->key = agent_string(r, text, (size_t)n);
	object->perms = (uint32_t)(line->mode % PERMS_END);
	object->named = false;
	if (uid_at >= line->n)
		return;
	object->uid = (int64_t)(uint32_t)line->column[uid_at];
	n = snprintf(text, sizeof(text), "%" PRId64, object->uid);
	object->owner = agent_string(r, text, (size_t)n);
}

/* The name and the number of a line "name:password:number:". */
static bool read_user(struct scan *s, const char **ret_name, size_t *ret_len, int64_t *ret_uid)
{
	*ret_name = s->p;
	*ret_len = strcspn(s->p, ":\n");
	if (s->p[*ret_len] != ':' || *ret_len == 0)
		return false;
	s->p += *ret_len + 1;
	s->p += strcspn(s->p, ":\n");
	if (*s->p != ':')
		return false;
	s->p++;
	return scan_i64(s, ret_uid);
}

static int compare_uids(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;

	return (x->uid > y->uid) - (x->uid < y->uid);
}

/* The domain's objects by rising uid; NULL if there are none, or no memory for them. */
static struct object **sort_objects(struct agent_refresh *r, const struct agent_indom *indom,
				    size_t *ret_n)
{
	struct object **objects;
	size_t n = 0;

	while (agent_added(r, indom, n) != NULL)
		n++;
	objects = n != 0 ? malloc(n * sizeof(struct object *)) : NULL;
	if (objects == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++)
		objects[i] = agent_added(r, indom, i);
	qsort(objects, n, sizeof(struct object *), compare_uids);
	*ret_n = n;
	return objects;
}

/* All objects of a user; the first name of a number counts. */
static void name_objects(struct agent_refresh *r, struct object **objects, size_t n, int64_t uid,
			 const char *name, size_t len)
{
	const char *owner;
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (objects[middle]->uid < uid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n || objects[low]->uid != uid || objects[low]->named)
		return;
	owner = agent_string(r, name, len);
	for (; low < n && objects[low]->uid == uid; low++) {
		objects[low]->owner = owner;
		objects[low]->named = true;
	}
}

/*
 * Names instead of numbers; the struct of the domain's instances begins with struct object. Many
 * objects and many users meet here, so the objects are sorted.
 */
static void name_owners(struct agent_refresh *r, const struct agent_indom *indom)
{
	struct object **objects;
	const char *name;
	struct scan s;
	int64_t uid;
	size_t len, n;

	if (!agent_wanted(r, indom, offsetof(struct object, owner)))
		return;
	objects = sort_objects(r, indom, &n);
	if (objects == NULL)
		return;
	if (agent_read(r, "etc/passwd", &s.p) >= 0)
		do {
			if (read_user(&s, &name, &len, &uid) && uid >= 0)
				name_objects(r, objects, n, uid, name, len);
		} while (scan_next_line(&s));
	free(objects);
}

static const char *segment_status(uint64_t mode)
{
	uint64_t bits = mode / PERMS_END * PERMS_END;

	switch (bits) {
	case SEGMENT_DEST:
		return "dest";
	case SEGMENT_LOCKED:
		return "locked";
	case SEGMENT_DEST + SEGMENT_LOCKED:
		return "dest locked";
	default:
		return "";
	}
}

static int add_segment(struct agent_refresh *r, const struct line *line, struct shm *all)
{
	enum { SIZE, CREATOR, LAST, NATTCH, UID, RSS = 11, SWAP };
	struct segment *segment = agent_add(r, &shm_indom, line->id, line->id_len);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (segment == NULL)
		return -ENOMEM;
	put_object(r, line, UID, &segment->object);
	segment->status = segment_status(line->mode);
	if (line->n <= NATTCH)
		return 0;
	segment->size = line->column[SIZE];
	segment->creator = line->column[CREATOR];
	segment->last = line->column[LAST];
	segment->nattch = line->column[NATTCH];
	all->tot += (segment->size + page - 1) / page * page;
	all->rss += line->n > RSS ? line->column[RSS] : 0;
	all->swp += line->n > SWAP ? line->column[SWAP] : 0;
	all->used_ids++;
	return 0;
}

static int shm_refresh(struct agent_refresh *r, void *snapshot)
{
	struct line line;
	struct scan s;
	long n = agent_read(r, "proc/sysvipc/shm", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	*(struct shm *)snapshot = (struct shm){0};
	while (status == 0 && scan_next_line(&s))
		if (ipc_read_line(&s, &line))
			status = add_segment(r, &line, snapshot);
	name_owners(r, &shm_indom);
	return status;
}

static int msg_refresh(struct agent_refresh *r, void *snapshot)
{
	enum { BYTES, MESSAGES, SENDER, RECEIVER, UID };
	struct msg *all = snapshot;
	struct line line;
	struct scan s;
	long n = agent_read(r, "proc/sysvipc/msg", &s.p);

	if (n < 0)
		return (int)n;
	*all = (struct msg){0};
	while (scan_next_line(&s)) {
		struct queue *queue;

		if (!ipc_read_line(&s, &line) || line.n <= RECEIVER)
			continue;
		queue = agent_add(r, &msg_indom, line.id, line.id_len);
		if (queue == NULL)
			return -ENOMEM;
		put_object(r, &line, UID, &queue->object);
		queue->bytes = line.column[BYTES];
		queue->messages = line.column[MESSAGES];
		queue->sender = line.column[SENDER];
		queue->receiver = line.column[RECEIVER];
		all->used_queues++;
		all->tot_msg += queue->messages;
		all->tot_bytes += queue->bytes;
	}
	name_owners(r, &msg_indom);
	return 0;
}

static int sem_refresh(struct agent_refresh *r, void *snapshot)
{
	enum { NSEMS, UID };
	struct sem *all = snapshot;
	struct line line;
	struct scan s;
	long n = agent_read(r, "proc/sysvipc/sem", &s.p);

	if (n < 0)
		return (int)n;
	*all = (struct sem){0};
	while (scan_next_line(&s)) {
		struct set *set;

		if (!ipc_read_line(&s, &line) || line.n <= NSEMS)
			continue;
		set = agent_add(r, &sem_indom, line.id, line.id_len);
		if (set == NULL)
			return -ENOMEM;
		put_object(r, &line, UID, &set->object);
		set->nsems = line.column[NSEMS];
		all->used_sem++;
		all->tot_sem += set->nsems;
	}
	name_owners(r, &sem_indom);
	return 0;
}

#define CLUSTER(name_, type_)                                                                      \
	const struct agent_cluster name_##_cluster = {                                             \
	    .name = #name_,                                                                        \
	    .source = "/proc/sysvipc/" #name_,                                                     \
	    .size = sizeof(struct name_),                                                          \
	    .refresh = name_##_refresh,                                                            \
	    .metrics = name_##_metrics,                                                            \
	    .nmetrics = NROWS(name_##_metrics),                                                    \
	    .fills = {{&name_##_indom, sizeof(struct type_), 1}},                                  \
	}

CLUSTER(shm, segment);
CLUSTER(msg, queue);
CLUSTER(sem, set);

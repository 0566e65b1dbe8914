/* instances - see instances.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collector.h"
#include "fields.h"
#include "instances.h"
#include "names.h"

enum { NAME = 160, TRIES = 1000, SAVE_S = 10 };

static int agent_domain;
static char boot[PROCESS_BOOT];
static unsigned int removals;
static time_t saved;
static bool unsaved;

static pmInDom indom_of(int serial)
{
	return pmInDom_build((unsigned int)agent_domain, (unsigned int)serial);
}

void instances_load(int domain)
{
	agent_domain = domain;
	process_boot(boot);
	for (int i = 0; i < TRACING_INDOMS; i++)
		pmdaCacheOp(indom_of(i), PMDA_CACHE_LOAD);
}

/* Names that are gone are forgotten when there are too many, the oldest first. */
static void forget(pmInDom indom)
{
	static const time_t ages[] = {7 * 86400, 86400, 3600, 600, 60, 0};

	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++)
		if (pmdaCacheOp(indom, PMDA_CACHE_SIZE_INACTIVE) > TRACING_INSTANCES_MAX)
			pmdaCachePurge(indom, ages[i]);
}

void instances_save(void)
{
	for (int i = 0; i < TRACING_INDOMS; i++)
		pmdaCacheOp(indom_of(i), PMDA_CACHE_SAVE);
	unsaved = false;
	saved = time(NULL);
}

/* ---- one instance ---- */

/*
 * Gives a thing its number: it has the name "WORD REST" already, or gets it, or the first of
 * "WORD<mark>2 REST", "WORD<mark>3 REST" ... that no other has.
 */
static int store(int serial, const char *word, const char *mark, const char *rest, const void *key,
		 int keylen, void *thing)
{
	pmInDom indom = indom_of(serial);

	for (int n = 1; n < TRIES; n++) {
		char name[NAME], suffix[16] = "";
		int r;

		if (n > 1)
			snprintf(suffix, sizeof(suffix), "%s%d", mark, n);
		snprintf(name, sizeof(name), "%s%s", word, suffix);
		if (pmdaCacheLookupName(indom, name, NULL, NULL) < 0) {
			snprintf(name, sizeof(name), "%s%s %s", word, suffix, rest);
			unsaved = true;
		}
		r = pmdaCacheStoreKey(indom, PMDA_CACHE_ADD, name, keylen, key, thing);
		if (r >= 0)
			return r;
	}
	collector_failed("instance %s: no name is left for it", word);
	return -1;
}

static int key_of(const struct process *p, const char *more, char *key, size_t size)
{
	int n =
	    snprintf(key, size, "%s %d %llu%s%s", boot, (int)p->pid, (unsigned long long)p->start,
		     more != NULL ? " " : "", more != NULL ? more : "");

	return n;
}

static int store_process(int serial, const struct process *p, void *thing)
{
	char key[NAME], word[16];

	snprintf(word, sizeof(word), "%d", (int)p->pid);
	return store(serial, word, ".", p->command, key, key_of(p, NULL, key, sizeof(key)), thing);
}

static void store_type(struct stream *s, struct type *t)
{
	char key[NAME], word[NAME], event[TRACE_EVENT_NAME_MAX + 1], *name;

	if (s->inst < 0 || pmdaCacheLookup(indom_of(TRACING_STREAMS), s->inst, &name, NULL) < 0)
		return;
	names_instance(t->name, event, sizeof(event));
	snprintf(word, sizeof(word), "%.*s:%s", (int)strcspn(name, " "), name, event);
	t->inst = store(TRACING_EVENTS, word, "~", s->process.command, key,
			key_of(&s->process, t->name, key, sizeof(key)), t);
}

/* ---- all ---- */

static void store_stream(struct stream *s, bool anew)
{
	if (anew || s->inst < 0)
		s->inst = store_process(TRACING_STREAMS, &s->process, s);
	if (anew)
		s->ntypes_known = 0;
	for (unsigned int i = s->ntypes_known; i < s->ntypes; i++)
		if (i > 0)
			store_type(s, s->types[i]);
	s->ntypes_known = s->ntypes;
}

void instances_update(void)
{
	bool anew = removals != collector.removals;

	removals = collector.removals;
	for (int i = 0; anew && i < TRACING_INDOMS; i++) {
		pmdaCacheOp(indom_of(i), PMDA_CACHE_INACTIVE);
		forget(indom_of(i));
	}
	for (struct stream *s = collector.streams; s != NULL; s = s->next)
		store_stream(s, anew);
	for (size_t i = 0; i < collector.nprocesses; i++) {
		struct process *p = collector.processes[i];

		if (anew || p->inst < 0)
			p->inst = store_process(TRACING_PROCESSES, p, p);
	}
	if (unsaved && time(NULL) - saved >= SAVE_S)
		instances_save();
}

void *instances_find(int serial, unsigned int inst)
{
	void *thing = NULL;

	if (pmdaCacheLookup(indom_of(serial), (int)inst, NULL, &thing) != PMDA_CACHE_ACTIVE)
		return NULL;
	return thing;
}

/* ---- labels ---- */

enum { JSON = 6 * PROCESS_CGROUP + 8 };

static int add_field_labels(const struct field *f, pmLabelSet **sets)
{
	char event[JSON], name[JSON];

	names_json(f->event, event, sizeof(event));
	names_json(f->name, name, sizeof(name));
	return pmdaAddLabels(sets, "{\"event\":\"%s\",\"field\":\"%s\"%s}", event, name,
			     f->hex ? ",\"base\":16" : "");
}

int labels_add(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	int number = type == PM_LABEL_ITEM ? fields_number((pmID)ident) : -1;

	if (type == PM_LABEL_DOMAIN)
		pmdaAddLabels(sets, "{\"agent\":\"tracing\"}");
	if (number >= 0)
		add_field_labels(&fields[number], sets);
	return 0;
}

static int add_process_labels(const struct process *p, pmLabelSet **set)
{
	char command[JSON], user[JSON], cgroup[JSON];

	names_json(p->command, command, sizeof(command));
	names_json(p->user, user, sizeof(user));
	names_json(p->cgroup, cgroup, sizeof(cgroup));
	return pmdaAddLabels(set,
			     "{\"command\":\"%s\",\"pid\":%d,\"uid\":%u,\"user\":\"%s\","
			     "\"cgroup\":\"%s\"}",
			     command, (int)p->pid, (unsigned int)p->uid, user, cgroup);
}

static int add_type_labels(const struct type *t, pmLabelSet **set)
{
	char event[JSON];
	int r = add_process_labels(&t->stream->process, set);

	names_json(t->name, event, sizeof(event));
	return r < 0 ? r : pmdaAddLabels(set, "{\"event\":\"%s\"}", event);
}

int labels_of_instance(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	int serial = indom == PM_INDOM_NULL ? -1 : (int)pmInDom_serial(indom);
	void *thing = serial >= 0 && serial < TRACING_INDOMS ? instances_find(serial, inst) : NULL;

	if (thing == NULL)
		return 0;
	if (serial == TRACING_EVENTS)
		return add_type_labels(thing, set);
	if (serial == TRACING_STREAMS)
		return add_process_labels(&((struct stream *)thing)->process, set);
	return add_process_labels(thing, set);
}

/* labels - see labels.h. */
#include <stdio.h>

#include "fields.h"
#include "instances.h"
#include "labels.h"
#include "names.h"

enum { JSON = 6 * PROCESS_CGROUP + 8 };

static int add_field_labels(const struct field *f, pmLabelSet **sets)
{
	char event[JSON], name[JSON];

	names_json(f->event, event, sizeof(event));
	names_json(f->name, name, sizeof(name));
	return pmdaAddLabels(sets, "{\"event\":\"%s\",\"field\":\"%s\"%s}", event, name,
			     f->hex ? ",\"base\":16" : "");
}

int labels_get(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	int number = type == PM_LABEL_ITEM ? fields_number((pmID)ident) : -1;

	if (type == PM_LABEL_DOMAIN)
		pmdaAddLabels(sets, "{\"agent\":\"tracing\"}");
	if (number >= 0)
		add_field_labels(&fields[number], sets);
	return pmdaLabel(ident, type, sets, ext);
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

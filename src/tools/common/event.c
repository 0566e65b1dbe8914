#include "tools/common/event.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>

struct anonymous {
	const char *name;
	bool known;
	pmID pmid; /* PM_ID_NULL: the library has none, which is reported once */
};

static struct anonymous flags_metric = {.name = "event.flags"};
static struct anonymous missed_metric = {.name = "event.missed"};

/* A tree by PMID (tsearch). Each is allocated by itself: callers keep one while more are added. */
static void *parameters;

static pmID find_anonymous(struct anonymous *a)
{
	int sts;

	if (a->known)
		return a->pmid;
	sts = pmLookupName(1, &a->name, &a->pmid);
	if (sts < 0) {
		fprintf(stderr, "Warning: cannot get PMID for %s: %s\n", a->name, pmErrStr(sts));
		a->pmid = PM_ID_NULL;
	}
	a->known = true;
	return a->pmid;
}

static int parameter_cmp(const void *a, const void *b)
{
	const struct event_parameter *x = a, *y = b;

	return x->pmid < y->pmid ? -1 : x->pmid > y->pmid;
}

static void parameter_free(void *parameter)
{
	struct event_parameter *p = parameter;

	if (p->nnames > 0)
		free(p->names);
	free(p);
}

const struct event_parameter *event_parameter(pmID pmid)
{
	const struct event_parameter key = {.pmid = pmid};
	struct event_parameter *const *known = tfind(&key, &parameters, parameter_cmp);
	struct event_parameter *p;

	if (known != NULL)
		return *known;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		pmNoMem("event", sizeof(*p), PM_FATAL_ERR);
	p->pmid = pmid;
	p->nnames = pmNameAll(pmid, &p->names);
	p->sts = pmLookupDesc(pmid, &p->desc);
	if (tsearch(p, &parameters, parameter_cmp) == NULL)
		pmNoMem("event", sizeof(*p), PM_FATAL_ERR);
	return p;
}

void event_forget(void)
{
	tdestroy(parameters, parameter_free);
	parameters = NULL;
	flags_metric.known = missed_metric.known = false;
}

int event_unpack(const pmValueSet *vset, int i, int type, struct event_records *ret_records)
{
	struct event_records r = {0};

	if (type == PM_TYPE_EVENT)
		r.n = pmUnpackEventRecords((pmValueSet *)vset, i, &r.results);
	else
		r.n = pmUnpackHighResEventRecords((pmValueSet *)vset, i, &r.highres);
	*ret_records = r.n > 0 ? r : (struct event_records){0};
	return r.n;
}

/* Prints the flags that come first, if they do. Returns the place of the first parameter. */
static int print_flags(int n, pmValueSet *const *vset)
{
	unsigned int flags;
	char buf[64];

	if (n <= 0 || vset[0]->pmid != find_anonymous(&flags_metric))
		return 0;
	flags = (unsigned int)vset[0]->vlist[0].value.lval;
	printf(" flags 0x%x (%s)", flags, pmEventFlagsStr_r((int)flags, buf, sizeof(buf)));
	return 1;
}

/* The text after the stamp of a record. */
static void print_record(int number, int n, pmValueSet *const *vset,
			 const struct event_style *style)
{
	int i;

	if (style->print_number != NULL)
		style->print_number(number);
	i = print_flags(n, vset);
	puts(" ---");
	if (n == 0)
		puts(style->no_parameters);
	else if (n < 0)
		printf("\tError: illegal number of parameters (%d)\n", n);
	for (; i < n; i++) {
		if (vset[i]->pmid == find_anonymous(&missed_metric))
			printf("%s==> %d missed event records\n", style->missed_indent,
			       vset[i]->vlist[0].value.lval);
		else
			style->print_parameter(event_parameter(vset[i]->pmid), vset[i]);
	}
}

void event_print(const struct event_records *records, const struct event_style *style)
{
	for (int r = 0; r < records->n; r++) {
		style->print_head(r);
		if (records->results != NULL) {
			const pmResult *low = records->results[r];

			pmPrintStamp(stdout, &low->timestamp);
			print_record(r, low->numpmid, low->vset, style);
		} else {
			const pmHighResResult *high = records->highres[r];

			pmPrintHighResStamp(stdout, &high->timestamp);
			print_record(r, high->numpmid, high->vset, style);
		}
	}
}

void event_record(const struct event_records *records, int r, struct event_record *ret_record)
{
	struct event_record e = {0};

	if (records->results != NULL) {
		const pmResult *low = records->results[r];

		e.stamp.tv_sec = low->timestamp.tv_sec;
		e.stamp.tv_nsec = (long)low->timestamp.tv_usec * 1000;
		e.n = low->numpmid;
		e.parameters = low->vset;
	} else {
		const pmHighResResult *high = records->highres[r];

		e.stamp = high->timestamp;
		e.n = high->numpmid;
		e.parameters = high->vset;
	}
	if (e.n > 0 && e.parameters[0]->pmid == find_anonymous(&flags_metric)) {
		e.flags = (unsigned int)e.parameters[0]->vlist[0].value.lval;
		e.n--;
		e.parameters++;
	}
	if (e.n > 0 && e.parameters[0]->pmid == find_anonymous(&missed_metric)) {
		e.missed = true;
		e.n_missed = (unsigned int)e.parameters[0]->vlist[0].value.lval;
		e.n--;
		e.parameters++;
	}
	*ret_record = e;
}

void event_free(struct event_records *records)
{
	if (records->results != NULL)
		pmFreeEventResult(records->results);
	if (records->highres != NULL)
		pmFreeHighResEventResult(records->highres);
	*records = (struct event_records){0};
}

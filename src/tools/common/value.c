/*
 * value - values as text and from text, and event records.
 */
#include "tools/common/value.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>

/*
 * Real numbers
 */

const char *real_float(float v, char buf[REAL_TEXT])
{
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(buf, REAL_TEXT, "%.*g", digits, (double)v);
		if (strtof(buf, NULL) == v)
			break;
	}
	return buf;
}

const char *real_double(double v, char buf[REAL_TEXT])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, REAL_TEXT, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	return buf;
}

const char *real_text(double v, size_t size, char buf[REAL_TEXT])
{
	return size == sizeof(float) ? real_float((float)v, buf) : real_double(v, buf);
}

/* Returns the place after the string that begins at s. */
static char *skip_string(char *s)
{
	for (s++; *s != '\0' && *s != '"'; s++) {
		if (*s == '\\' && s[1] != '\0')
			s++;
	}
	return *s == '"' ? s + 1 : s;
}

/* Writes a number at `to`, shortened if it stays a real number. Returns the end. */
static char *value_put_number(char *to, const char *number, size_t len)
{
	char buf[REAL_TEXT];
	const char *text = real_double(strtod(number, NULL), buf);

	if (strcspn(number, ".eE") < len && strpbrk(text, ".e") != NULL && strlen(text) < len) {
		len = strlen(text);
		number = text;
	}
	memmove(to, number, len);
	return to + len;
}

void real_shorten_json(char *json)
{
	char *to = json;

	while (*json != '\0') {
		size_t n = strspn(json, "+-.0123456789eE");

		if (*json == '"')
			n = (size_t)(skip_string(json) - json);
		else if (n > 0 && strchr("eE", *json) == NULL) {
			to = value_put_number(to, json, n);
			json += n;
			continue;
		}
		n = n > 0 ? n : 1;
		memmove(to, json, n);
		to += n;
		json += n;
	}
	*to = '\0';
}

/*
 * Results to be stored
 */

/* pmFreeResult frees the set together with its value blocks. */
static pmResult *make_empty(pmID pmid, int n)
{
	pmResult *result = calloc(1, sizeof(*result));
	pmValueSet *vset = calloc(1, sizeof(*vset) + n * sizeof(vset->vlist[0]));

	if (result == NULL || vset == NULL)
		pmNoMem("result", n * sizeof(vset->vlist[0]), PM_FATAL_ERR);
	vset->pmid = pmid;
	result->numpmid = 1;
	result->vset[0] = vset;
	return result;
}

int result_make(const pmDesc *desc, const pmAtomValue *atom, const int *insts, int n,
		pmResult **ret_result)
{
	pmResult *result = make_empty(desc->pmid, n);
	pmValueSet *vset = result->vset[0];

	for (int i = 0; i < n; i++) {
		int sts = __pmStuffValue(atom, &vset->vlist[i], desc->type);

		if (sts < 0) {
			pmFreeResult(result);
			return sts;
		}
		vset->vlist[i].inst = insts[i];
		vset->valfmt = sts;
		vset->numval = i + 1;
	}
	*ret_result = result;
	return 0;
}

/*
 * Event records
 */

struct anonymous {
	const char *name;
	bool known;
	pmID pmid; /* PM_ID_NULL: the library does not have the metric, which is reported once */
};

static struct anonymous flags_metric = {.name = "event.flags"};
static struct anonymous missed_metric = {.name = "event.missed"};

/*
 * A tree keyed by PMID (tsearch). Entries are allocated one by one, because callers keep pointers
 * while more are added.
 */
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

/* Prints the flags if they come first. Returns the index of the first parameter. */
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

/* Prints the text after the stamp of a record. */
static void value_print_record(int number, int n, pmValueSet *const *vset,
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
			value_print_record(r, low->numpmid, low->vset, style);
		} else {
			const pmHighResResult *high = records->highres[r];

			pmPrintHighResStamp(stdout, &high->timestamp);
			value_print_record(r, high->numpmid, high->vset, style);
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

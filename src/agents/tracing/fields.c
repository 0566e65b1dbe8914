/*
 * fields - see fields.h. The file of the cache has for each number the metric's name (up to the
 * first space), and then its source: "METRIC STEM TYPE HEX UID EVENT FIELD", the names in
 * hexadecimal digits.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"
#include "names.h"

enum { ITEMS = 1024, STEM = 80, METRIC = 160, LINE = 700, SUFFIX_MAX = 1000, PLACES = 32768 };

struct field *fields;
unsigned int nfields;

static pmInDom indom;
static bool unsaved;

pmID fields_pmid(int domain, int number)
{
	unsigned int n = (unsigned int)number, block = n / ITEMS;

	return pmID_build((unsigned int)domain,
			  block == 0 ? TRACING_FIELD : TRACING_FIELD_MORE + block - 1, n % ITEMS);
}

int fields_number(pmID pmid)
{
	unsigned int cluster = pmID_cluster(pmid), n;

	if (cluster == TRACING_FIELD)
		n = 0;
	else if (cluster >= TRACING_FIELD_MORE &&
		 cluster < TRACING_FIELD_MORE + TRACING_FIELDS_MAX / ITEMS)
		n = cluster - TRACING_FIELD_MORE + 1;
	else
		return -1;
	n = n * ITEMS + pmID_item(pmid);
	return n < nfields && fields[n].metric != NULL ? (int)n : -1;
}

/* ---- types ---- */

static int field_type_of(const struct posix_trace_field_np *f)
{
	bool wide = f->size == 8;

	switch (f->type) {
	case POSIX_TRACE_FIELD_INT_NP:
		return wide ? PM_TYPE_64 : PM_TYPE_32;
	case POSIX_TRACE_FIELD_UINT_NP:
	case POSIX_TRACE_FIELD_HEX_NP:
		return wide ? PM_TYPE_U64 : PM_TYPE_U32;
	case POSIX_TRACE_FIELD_FLOAT_NP:
		return wide ? PM_TYPE_DOUBLE : PM_TYPE_FLOAT;
	case POSIX_TRACE_FIELD_CHARS_NP:
		return PM_TYPE_STRING;
	case POSIX_TRACE_FIELD_BYTES_NP:
		return PM_TYPE_AGGREGATE;
	default:
		return PM_TYPE_UNKNOWN;
	}
}

/* The process may say anything. */
static bool is_right(const struct posix_trace_field_np *f)
{
	switch (f->type) {
	case POSIX_TRACE_FIELD_INT_NP:
	case POSIX_TRACE_FIELD_UINT_NP:
	case POSIX_TRACE_FIELD_HEX_NP:
		return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
	case POSIX_TRACE_FIELD_FLOAT_NP:
		return f->size == 4 || f->size == 8;
	case POSIX_TRACE_FIELD_CHARS_NP:
	case POSIX_TRACE_FIELD_BYTES_NP:
		return true;
	default:
		return false;
	}
}

/* ---- the table ---- */

static unsigned int hash_text(unsigned int hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return (hash ^ 0x100) * 16777619u;
}

static unsigned int hash_of(const struct field *f)
{
	unsigned int hash = 2166136261u + (unsigned int)f->type * 2 + f->hex;

	return hash_text(hash_text(hash, f->event), f->name);
}

/* By their keys: numbers plus 1, at or after the place of their hash. */
static unsigned short places[PLACES];

static unsigned int index_start(unsigned int hash)
{
	return hash % PLACES;
}

static void index_add(unsigned int number)
{
	unsigned int at = index_start(fields[number].hash);

	while (places[at] != 0)
		at = (at + 1) % PLACES;
	places[at] = (unsigned short)(number + 1);
}

static int table_reserve(unsigned int n)
{
	struct field *grown;

	if (n <= nfields)
		return 0;
	grown = realloc(fields, n * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	memset(grown + nfields, 0, (n - nfields) * sizeof(*grown));
	fields = grown;
	nfields = n;
	return 0;
}

static int table_put(int number, const struct field *from)
{
	struct field f = *from;

	f.hash = hash_of(from);
	f.event = strdup(from->event);
	f.name = strdup(from->name);
	f.metric = strdup(from->metric);
	f.stem = strdup(from->stem);
	if (f.event == NULL || f.name == NULL || f.metric == NULL || f.stem == NULL ||
	    table_reserve((unsigned int)number + 1) < 0) {
		free(f.event);
		free(f.name);
		free(f.metric);
		free(f.stem);
		return -ENOMEM;
	}
	fields[number] = f;
	index_add((unsigned int)number);
	return number;
}

static unsigned int count_of_user(uid_t uid)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nfields; i++)
		n += fields[i].metric != NULL && fields[i].uid == uid;
	return n;
}

/* ---- the file ---- */

static bool from_hex(const char *hex, char *ret, size_t size)
{
	size_t n = 0;
	unsigned int byte;

	if (strcmp(hex, "-") == 0)
		hex = "";
	for (; hex[0] != '\0'; hex += 2, n++) {
		if (n + 1 >= size || sscanf(hex, "%2x", &byte) != 1 || hex[1] == '\0')
			return false;
		ret[n] = (char)byte;
	}
	ret[n] = '\0';
	return true;
}

static void load_one(int number, const char *line)
{
	char metric[METRIC], stem[STEM], event_hex[LINE], name_hex[LINE];
	char event[TRACE_EVENT_NAME_MAX + 1], name[POSIX_TRACE_FIELD_NAME_MAX_NP + 1];
	int type, hex;
	unsigned int uid;
	struct field f = {.event = event, .name = name, .metric = metric, .stem = stem};

	if (number < 0 || number >= TRACING_FIELDS_MAX || strlen(line) >= LINE ||
	    sscanf(line, "%159s %79s %d %d %u %699s %699s", metric, stem, &type, &hex, &uid,
		   event_hex, name_hex) != 7 ||
	    !from_hex(event_hex, event, sizeof(event)) || !from_hex(name_hex, name, sizeof(name)))
		return;
	f.type = type;
	f.hex = hex != 0;
	f.uid = (uid_t)uid;
	table_put(number, &f);
}

void fields_load(int domain)
{
	int number;
	char *line;

	indom = pmInDom_build((unsigned int)domain, TRACING_FIELDS);
	pmdaCacheOp(indom, PMDA_CACHE_LOAD);
	pmdaCacheOp(indom, PMDA_CACHE_ACTIVE);
	pmdaCacheOp(indom, PMDA_CACHE_WALK_REWIND);
	while ((number = pmdaCacheOp(indom, PMDA_CACHE_WALK_NEXT)) >= 0)
		if (pmdaCacheLookup(indom, number, &line, NULL) >= 0)
			load_one(number, line);
}

void fields_save(void)
{
	static bool told;
	int r;

	if (!unsaved)
		return;
	unsaved = false;
	r = pmdaCacheOp(indom, PMDA_CACHE_SAVE);
	if (r < 0 && !told) {
		told = true;
		pmNotifyErr(LOG_WARNING, "numbers of fields cannot be saved: %s", pmErrStr(r));
	}
}

/* ---- names ---- */

static bool metric_is_free(const char *metric)
{
	for (unsigned int i = 0; i < nfields; i++)
		if (fields[i].metric != NULL && strcmp(fields[i].metric, metric) == 0)
			return false;
	return true;
}

/* The component of an event: what it has already, or one that no other event has. */
static int find_stem(const char *event, char stem[STEM])
{
	char plain[TRACE_EVENT_NAME_MAX + 2];

	for (unsigned int i = 0; i < nfields; i++)
		if (fields[i].metric != NULL && strcmp(fields[i].event, event) == 0) {
			snprintf(stem, STEM, "%s", fields[i].stem);
			return 0;
		}
	names_component(event, plain, sizeof(plain));
	snprintf(stem, STEM, "%s", plain);
	for (int n = 2; n < SUFFIX_MAX; n++) {
		bool taken = false;

		for (unsigned int i = 0; i < nfields && !taken; i++)
			taken = fields[i].metric != NULL && strcmp(fields[i].stem, stem) == 0;
		if (!taken)
			return 0;
		snprintf(stem, STEM, "%s_%d", plain, n);
	}
	return -E2BIG;
}

static int find_metric(const char stem[STEM], const char *name, char metric[METRIC])
{
	char plain[POSIX_TRACE_FIELD_NAME_MAX_NP + 2];

	names_component(name, plain, sizeof(plain));
	snprintf(metric, METRIC, "%.79s.%s", stem, plain);
	for (int n = 2; !metric_is_free(metric); n++) {
		if (n == SUFFIX_MAX)
			return -E2BIG;
		snprintf(metric, METRIC, "%.79s.%s_%d", stem, plain, n);
	}
	return 0;
}

static int make(struct field *f)
{
	char stem[STEM], metric[METRIC], line[LINE];
	char event_hex[2 * TRACE_EVENT_NAME_MAX + 2],
	    name_hex[2 * POSIX_TRACE_FIELD_NAME_MAX_NP + 2];
	int r;

	if (nfields >= TRACING_FIELDS_MAX || count_of_user(f->uid) >= TRACING_FIELDS_USER)
		return -E2BIG;
	r = find_stem(f->event, stem);
	if (r == 0)
		r = find_metric(stem, f->name, metric);
	if (r < 0)
		return r;
	f->stem = stem;
	f->metric = metric;
	names_hex(f->event, event_hex, sizeof(event_hex));
	names_hex(f->name, name_hex, sizeof(name_hex));
	snprintf(line, sizeof(line), "%s %s %d %d %u %s %s", metric, stem, f->type, f->hex,
		 (unsigned int)f->uid, event_hex[0] != '\0' ? event_hex : "-",
		 name_hex[0] != '\0' ? name_hex : "-");
	r = pmdaCacheStore(indom, PMDA_CACHE_ADD, line, NULL);
	if (r >= TRACING_FIELDS_MAX)
		return -E2BIG;
	unsaved = true;
	return r < 0 ? r : table_put(r, f);
}

int fields_get(const char *event, const struct posix_trace_field_np *field, uid_t uid, bool more)
{
	char name[POSIX_TRACE_FIELD_NAME_MAX_NP + 1], own[TRACE_EVENT_NAME_MAX + 1];
	struct field f = {.event = own, .name = name, .type = field_type_of(field), .uid = uid};

	if (!is_right(field))
		return -EINVAL;
	f.hex = field->type == POSIX_TRACE_FIELD_HEX_NP;
	snprintf(own, sizeof(own), "%s", event);
	memcpy(name, field->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	f.hash = hash_of(&f);
	for (unsigned int at = index_start(f.hash); places[at] != 0; at = (at + 1) % PLACES) {
		const struct field *known = &fields[places[at] - 1];

		if (known->hash == f.hash && known->type == f.type && known->hex == f.hex &&
		    strcmp(known->event, event) == 0 && strcmp(known->name, name) == 0)
			return places[at] - 1;
	}
	return more ? make(&f) : -E2BIG;
}

/*
 * fields - the parameter metrics of described events: tracing.field.EVENT.FIELD.
 *
 * A metric is for one event name, field name and type, for ever: names and numbers are kept in a
 * file (pmdaCache). Of the thread that answers requests alone.
 */
#ifndef TRACING_FIELDS_H
#define TRACING_FIELDS_H

#include <stdbool.h>
#include <sys/types.h>
#include <trace_np.h>

#include "tracing.h"

struct field {
	char *event, *name; /* as the process has them */
	char *metric;       /* after tracing.field. */
	char *stem;         /* of that: the component for the event */
	unsigned int hash;  /* of what a field is asked for by */
	int type;           /* PM_TYPE_* */
	bool hex;
	uid_t uid; /* for whose process it was made first */
};

/* All of them, by number. */
extern struct field *fields;
extern unsigned int nfields;

/* Reads what was saved. */
void fields_load(int domain);

/* The number of a field's metric, made if there is none and more may be made: -E2BIG when there are
 * too many, -ENOMEM, -EINVAL for one that makes no sense. */
int fields_get(const char *event, const struct posix_trace_field_np *field, uid_t uid, bool more);

/* Writes new ones to the file, before any client sees them. */
void fields_save(void);

/* Number to PMID and back (-1: none). */
pmID fields_pmid(int domain, int number);
int fields_number(pmID pmid);

#endif

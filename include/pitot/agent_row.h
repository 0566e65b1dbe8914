/*
 * pitot/agent_row.h - a metric is one row.
 *
 * These are the types of the rows of <pitot/agent.h>, which includes this header. pmcd has rows of
 * these types too, for the metrics about itself, and a struct agent of its own.
 */
#ifndef PITOT_AGENT_ROW_H
#define PITOT_AGENT_ROW_H

#include <stddef.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Units of a row. */
#define AGENT_NONE          PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define AGENT_COUNT         PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define AGENT_BYTE          PMDA_PMUNITS(1, 0, 0, PM_SPACE_BYTE, 0, 0)
#define AGENT_KBYTE         PMDA_PMUNITS(1, 0, 0, PM_SPACE_KBYTE, 0, 0)
#define AGENT_MBYTE         PMDA_PMUNITS(1, 0, 0, PM_SPACE_MBYTE, 0, 0)
#define AGENT_NSEC          PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_NSEC, 0)
#define AGENT_USEC          PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_USEC, 0)
#define AGENT_MSEC          PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_MSEC, 0)
#define AGENT_SEC           PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_SEC, 0)
#define AGENT_PER_SEC       PMDA_PMUNITS(0, -1, 1, 0, PM_TIME_SEC, PM_COUNT_ONE)
#define AGENT_PER_USEC      PMDA_PMUNITS(0, -1, 0, 0, PM_TIME_USEC, 0)
#define AGENT_BYTE_PER_SEC  PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_SEC, 0)
#define AGENT_MBYTE_PER_SEC PMDA_PMUNITS(1, -1, 0, PM_SPACE_MBYTE, PM_TIME_SEC, 0)

/* The kind of a member, as far as the compiler can say it in a constant: C11 and GNU C can. */
enum agent_kind {
	AGENT_KIND_UNKNOWN, /* not checked */
	AGENT_KIND_INTEGER,
	AGENT_KIND_REAL,
	AGENT_KIND_TEXT,
	AGENT_KIND_OTHER, /* fits no type */
	AGENT_KIND_CALL,  /* AGENT_GET */
	AGENT_KIND_NONE   /* AGENT_NO_VALUE */
};

#if !defined(__cplusplus) && (defined(__GNUC__) || __STDC_VERSION__ >= 201112L)
#define AGENT_KIND(type, member)                                                                   \
	_Generic(&((type *)0)->member,                                                             \
	    int *: AGENT_KIND_INTEGER,                                                             \
	    unsigned int *: AGENT_KIND_INTEGER,                                                    \
	    long *: AGENT_KIND_INTEGER,                                                            \
	    unsigned long *: AGENT_KIND_INTEGER,                                                   \
	    long long *: AGENT_KIND_INTEGER,                                                       \
	    unsigned long long *: AGENT_KIND_INTEGER,                                              \
	    float *: AGENT_KIND_REAL,                                                              \
	    double *: AGENT_KIND_REAL,                                                             \
	    char **: AGENT_KIND_TEXT,                                                              \
	    const char **: AGENT_KIND_TEXT,                                                        \
	    default: AGENT_KIND_OTHER)
#else
#define AGENT_KIND(type, member) AGENT_KIND_UNKNOWN
#endif

struct agent_metric;

/* The value that a call-back of a row computes or takes. */
struct agent_call {
	const struct agent_metric *metric;
	int inst; /* PM_IN_NULL: the row has no instance domain */
	/* The struct of the instance, or the snapshot: where a field of the row would be. NULL: the
	 * row's cluster has no such struct. */
	void *from;
	pmdaExt *ext; /* of the agent: e_domain, e_context and so on */
	void *data;   /* of the program that calls, if that is not libpcp_pmda; else NULL */
};

/* Where a value is: in the snapshot struct, or in the struct of one instance if the row has an
 * instance domain. The member must fit the type: an integer of 4 or 8 bytes for PM_TYPE_32 and _U32
 * (the wider one is cut, as a counter wraps), one of 8 for _64 and _U64, a double for _DOUBLE, a
 * float for _FLOAT, and a const char * (see agent_string) for _STRING.
 *
 * Or a call-back (AGENT_GET) computes the value, which may have any type. ret_atom is all zeros
 * before the call. It returns 1 (PMDA_FETCH_STATIC) for a value, PMDA_FETCH_DYNAMIC for one that
 * the library frees, 0 for no value, and an error code instead of a value.
 *
 * Or there is no value (AGENT_NO_VALUE): a parameter of an event only has a name and a type. */
struct agent_field {
	unsigned short offset;
	unsigned char width; /* 255: that, or more */
	unsigned char kind;  /* enum agent_kind */
	int (*get)(const struct agent_call *call, pmAtomValue *ret_atom);
	/*
	 * Takes a stored value, which has been converted to the row's type; strings and blocks are
	 * the library's. 0 or an error code. -ESRCH: the instance has ended, which is an error only
	 * if no other instance of the store has taken its value. NULL: PM_ERR_PERMISSION.
	 */
	int (*store)(const struct agent_call *call, const pmAtomValue *atom);
	long long arg; /* for the two call-backs: rows that differ in a number share them */
};

#define AGENT_FIELD(type, member) AGENT_FIELD_STORE(type, member, NULL)

#define AGENT_FIELD_STORE(type, member, store)                                                     \
	{                                                                                          \
		offsetof(type, member),                                                            \
		    sizeof(((type *)0)->member) < 255 ? sizeof(((type *)0)->member) : 255,         \
		    AGENT_KIND(type, member), NULL, store, 0                                       \
	}

/* A value that is computed; that can be stored; and both with a number for the call-backs. */
#define AGENT_GET(get)              AGENT_CALLS(get, NULL, 0)
#define AGENT_GET_STORE(get, store) AGENT_CALLS(get, store, 0)
#define AGENT_GET_ARG(get, arg)     AGENT_CALLS(get, NULL, arg)

#define AGENT_CALLS(get, store, arg)                                                               \
	{                                                                                          \
		0, 0, AGENT_KIND_CALL, get, store, arg                                             \
	}

#define AGENT_NO_VALUE                                                                             \
	{                                                                                          \
		0, 0, AGENT_KIND_NONE, NULL, NULL, 0                                               \
	}

/* One instance of a fixed domain. */
struct agent_instance {
	int id;
	const char *name;
};

/* An instance domain. Without fixed instances one cluster defines it (struct agent_fill). */
struct agent_indom {
	unsigned int serial;
	int ids_given; /* 1: the refresh chooses ids (agent_add_id); 0: pmdaCache does */
	const struct agent_instance *fixed; /* NULL: filled by a refresh */
	unsigned int nfixed;
	const char *oneline;
	const char *help; /* NULL: the one line is all there is to say */
	/*
	 * 1: the agent itself keeps the instances, in a pmdaCache or with agent_set_instances(); no
	 * cluster defines them. find returns the struct of an instance, for fields and call-backs;
	 * without one a fetch and a store answer PM_ERR_INST. NULL: there are no structs.
	 */
	int own;
	void *(*find)(const struct agent_indom *indom, int inst);
};

/* A metric. */
struct agent_metric {
	const char *name;
	unsigned short cluster; /* of the PMID: 0 to 4094; rows of one cluster may differ */
	unsigned short item;    /* of the PMID: 0 to 1023 */
	int type;               /* PM_TYPE_* */
	int sem;                /* PM_SEM_* */
	const struct agent_indom *indom; /* NULL: one value */
	pmUnits units;
	struct agent_field value;
	const char *oneline;
	const char *help; /* more than the one line, or NULL; unit and source are added */
	int absent;       /* what a fetch answers for an absent value: 0 (no value) or PM_ERR_* */
};

#ifdef __cplusplus
}
#endif

#endif

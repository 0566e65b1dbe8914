/*
 * pmstat - shared declarations of the tool's files: a source of metrics, and its line.
 */
#ifndef PMSTAT_PMSTAT_H
#define PMSTAT_PMSTAT_H

#include <stdbool.h>
#include <time.h>

#include <pcp/pmapi.h>

/*
 * source - one host or archive, and the values of its last fetch.
 */

/* The metrics, in the order of the columns; the processor's times follow. */
enum metric {
	LOAD,
	SWAP_USED,
	MEM_FREE,
	MEM_BUFFERS,
	MEM_CACHED,
	PAGE_IN,
	PAGE_OUT,
	BLOCK_IN,
	BLOCK_OUT,
	INTERRUPTS,
	SWITCHES,
	CPU_NICE,
	CPU_USER,
	CPU_INTR,
	CPU_SYS,
	CPU_IDLE,
	CPU_WAIT,
	CPU_STEAL,
	N_METRICS
};

enum state {
	SOURCE_NEW,    /* no fetch after the first one has succeeded */
	SOURCE_ACTIVE, /* the last fetch succeeded */
	SOURCE_ENDED,  /* a fetch failed; the source is not used again */
};

struct source {
	pmFG group;
	char host[MAXHOSTNAMELEN]; /* the name of the host, also of an archive's */
	int type;                  /* PM_CONTEXT_* */
	enum state state;
	bool swaps; /* PAGE_IN and PAGE_OUT count swap operations, not pages */
	struct timespec stamp;
	pmAtomValue values[N_METRICS];
	int stss[N_METRICS]; /* below 0: there is no value */
};

/*
 * Opens a source and finds its metrics. Returns its context, or an error after reporting it. The
 * source is freed with source_close, also after an error.
 */
int source_open_group(struct source *s, int type, const char *name);

/* Fetches once. Returns 0 or the error of the fetch. */
int source_fetch(struct source *s);

void source_close(struct source *s);

/*
 * line - the titles and the values.
 */

struct layout {
	bool hosts;  /* a column for the host */
	bool suffix; /* the host's last characters, not its first ones */
	bool xcpu;   /* columns for waiting and stolen time */
};

/* Prints the time and the two lines of titles. */
void line_print_titles(const struct layout *layout, bool swaps, const struct timespec *stamp);

/* Prints the column of the host, if there is one. */
void line_print_host(const struct layout *layout, const char *host);

/* Prints the values of a source, without the host. */
void line_print_values(const struct layout *layout, const struct source *s);

/*
 * The percentage of the processor's time in user mode, in the system, idle, waiting and stolen.
 * Returns false if it is not known.
 */
#define LINE_CPU_SHARES 5
bool line_cpu_share(const struct source *s, int share, double *ret_percent);

/*
 * json - an object in place of a line.
 */

void json_print_values(const struct source *s);

/* An object with the reason why there are no values. */
void json_print_failure(const struct source *s, int sts);

#endif

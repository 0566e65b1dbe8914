/*
 * access_rule - what an access statement says, apart from about whom; and how two statements about
 * the same one become one (docs/spec/pmcd.md 6.1, 6.2).
 */
#ifndef LIBACCESS_ACCESS_RULE_H
#define LIBACCESS_ACCESS_RULE_H

#include <stdbool.h>

struct buffer;

struct access_rule {
	unsigned int specified; /* bits: operations, as the daemon numbers them */
	unsigned int denied;
	unsigned int max_connections; /* 0: no limit */
	unsigned int connections;     /* counted while there is a limit */
};

/* Takes on what another statement says; false if the two contradict each other. */
bool access_rule_merge(struct access_rule *r, const struct access_rule *other);

/* The more specific rule after the less specific ones. */
static inline unsigned int access_rule_apply(const struct access_rule *r, unsigned int denied)
{
	return (denied & ~r->specified) | r->denied;
}

static inline bool access_rule_full(const struct access_rule *r)
{
	return r->max_connections != 0 && r->connections >= r->max_connections;
}

static inline void access_rule_count(struct access_rule *r)
{
	if (r->max_connections != 0)
		r->connections++;
}

static inline void access_rule_uncount(struct access_rule *r)
{
	if (r->max_connections != 0 && r->connections > 0)
		r->connections--;
}

/* The columns of the log that a rule fills: " y  n     0     0 " (docs/spec/pmcd.md 6.6), and the
 * heads above them, "00 01 Cur/MaxCons ", then the line below these. */
void access_rule_dump(const struct access_rule *r, struct buffer *out);
void access_rule_dump_head(const char *more, const char *more_line, struct buffer *out);

#endif

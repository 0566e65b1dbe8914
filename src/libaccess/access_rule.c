/* access_rule - see access_rule.h. */
#include "libaccess/access_rule.h"

#include "libbase/buffer.h"

enum { OPS = 2 };

bool access_rule_merge(struct access_rule *r, const struct access_rule *other)
{
	unsigned int both = r->specified & other->specified;

	if (((r->denied ^ other->denied) & both) != 0)
		return false;
	if (r->max_connections != 0 && other->max_connections != 0 &&
	    r->max_connections != other->max_connections)
		return false;
	r->specified |= other->specified;
	r->denied |= other->denied;
	if (other->max_connections != 0)
		r->max_connections = other->max_connections;
	return true;
}

void access_rule_dump(const struct access_rule *r, struct buffer *out)
{
	for (unsigned int op = 0; op < OPS; op++) {
		unsigned int bit = 1u << op;
		char mark = (r->denied & bit) != 0 ? 'n' : 'y';

		buffer_printf(out, " %c ", (r->specified & bit) != 0 ? mark : ' ');
	}
	buffer_printf(out, "%5u %5u ", r->connections, r->max_connections);
}

void access_rule_dump_head(const char *more, const char *more_line, struct buffer *out)
{
	for (unsigned int op = 0; op < OPS; op++)
		buffer_printf(out, "%02u ", op);
	buffer_printf(out, "Cur/MaxCons %s\n", more);
	for (unsigned int op = 0; op < OPS; op++)
		buffer_printf(out, "== ");
	buffer_printf(out, "=========== %s\n", more_line);
}

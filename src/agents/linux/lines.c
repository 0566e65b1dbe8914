/* lines - see lines.h. */
#include "lines.h"

int lines_read(struct agent_refresh *r, const char *path, line_reader read_line)
{
	struct scan s;
	long n = agent_read(r, path, &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	do {
		status = read_line(r, &s);
	} while (status == 0 && scan_next_line(&s));
	return status;
}

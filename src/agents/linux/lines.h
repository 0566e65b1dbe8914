/* lines - a file of /proc that is read line by line. */
#ifndef AGENT_LINUX_LINES_H
#define AGENT_LINUX_LINES_H

#include "linux.h"
#include "scan.h"

/* Takes a line: 0, or -errno, which ends the reading. */
typedef int (*line_reader)(struct agent_refresh *r, struct scan *s);

/* Reads a file and hands over its lines, each from its beginning: 0, or -errno of either. */
int lines_read(struct agent_refresh *r, const char *path, line_reader read_line);

#endif

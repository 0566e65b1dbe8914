/* paint - see paint.h. */
#include "paint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void paint_init(struct paint *p)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM"), *columns = getenv("COLUMNS");
	bool terminal = isatty(STDOUT_FILENO);
	struct winsize size;

	p->colours =
	    terminal && (no == NULL || *no == '\0') && term != NULL && strcmp(term, "dumb") != 0;
	p->width = INT_MAX;
	if (columns != NULL && atoi(columns) > 0)
		p->width = atoi(columns);
	else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		p->width = size.ws_col;
}

void paint(const struct paint *p, enum colour colour, const char *text)
{
	static const char *const codes[] = {
	    [BOLD] = "1", [DIM] = "2", [RED] = "31", [GREEN] = "32", [YELLOW] = "33"};

	if (p->colours && colour != PLAIN)
		printf("\033[%sm%s\033[0m", codes[colour], text);
	else
		fputs(text, stdout);
}

void paint_home(const struct paint *p)
{
	if (p->colours)
		fputs("\033[H\033[J", stdout);
}

/* paint - colours and the width of the terminal; neither where the output is none. */
#ifndef PITOT_PAINT_H
#define PITOT_PAINT_H

#include <stdbool.h>

enum colour { PLAIN, BOLD, DIM, RED, GREEN, YELLOW };

struct paint {
	bool colours;
	int width; /* columns; a large number where there is no end of line */
};

/* For standard output: a terminal, unless NO_COLOR is set or TERM says "dumb". */
void paint_init(struct paint *p);

/* Prints text in a colour. */
void paint(const struct paint *p, enum colour colour, const char *text);

/* A whole screen is shown again and again: to its beginning. Nothing unless it is a terminal. */
void paint_home(const struct paint *p);

#endif

/*
 * number - a real number in a column, with as many digits as are significant.
 */
#ifndef PMVAL_NUMBER_H
#define PMVAL_NUMBER_H

/*
 * Prints v right-adjusted in width characters: with precision digits after the point, or, if
 * precision is negative, in a form that depends on its size and aligns the points of numbers of
 * similar size (docs/spec/tools.md 4).
 */
void number_print(double v, int width, int precision);

#endif

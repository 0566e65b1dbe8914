/*
 * number - a real number in a column, as many digits as are worth it.
 */
#ifndef PMVAL_NUMBER_H
#define PMVAL_NUMBER_H

/*
 * Prints v right-adjusted in width characters: with precision digits after the point, or in a form
 * that depends on its size where precision is negative; the points of numbers of similar size then
 * stand below each other (docs/spec/tools.md 4).
 */
void number_print(double v, int width, int precision);

#endif

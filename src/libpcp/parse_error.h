/* parse_error - where a text that a user typed is wrong, as the user sees it. */
#ifndef LIBPCP_PARSE_ERROR_H
#define LIBPCP_PARSE_ERROR_H

/*
 * Three lines, to be freed: the text, a caret below the character at, with why:
 *
 *     10foo
 *       ^ -- unexpected value
 *
 * NULL without memory. at points into text, or to its end.
 */
char *parse_error(const char *text, const char *at, const char *why);

#endif

/* complete_name - names of metrics that begin as what was typed, for line editors. */
#ifndef TOOLS_COMMON_COMPLETE_NAME_H
#define TOOLS_COMMON_COMPLETE_NAME_H

/*
 * A node that begins with text, up to its next dot: state 0 asks the name space and gives the
 * first, other states the next; NULL after the last. To be freed.
 */
char *complete_name(const char *text, int state);

#endif

/*
 * redirect - variables of the environment that change where clients go, or what they see there.
 */
#ifndef PITOT_REDIRECT_H
#define PITOT_REDIRECT_H

#include <stdbool.h>

struct collector;

enum { REDIRECTS_MAX = 16 };

struct redirect {
	const char *name;
	const char *value;
	bool elsewhere; /* it leads away, or to what is not there */
};

/*
 * Notes those that are set, and takes away what would end us as it ends every other client: to be
 * called before anything is read. Their number; redirects has room for REDIRECTS_MAX.
 */
int redirect_note(struct redirect *redirects);

/* Which of them lead away from the collector (NULL: of those that name a place, none). */
void redirect_judge(struct redirect *redirects, int n, const struct collector *c);

#endif

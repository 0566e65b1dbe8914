/*
 * in_place - an archive that takes the place of the one that it was made of.
 *
 * The new archive is made whole, and synced, beside the old one. Then the old one gets a second
 * name, and the new one its first:
 *
 *     .NAME.rewrite-new.*    the new one, until it has the name
 *     .NAME.rewrite-old.*    the old one, from before the first file changes names until after the
 *                            last one has; its .meta is made last and goes first, so that where it
 *                            is the old archive is whole
 *
 * The .meta is the first file to lose the name and the last to get it: under its name there is the
 * old archive, or none, or the new one, never parts of both. After a kill the next rewriting in
 * place of that archive puts the old one back, or clears away what is left.
 */
#ifndef PMLOGREWRITE_IN_PLACE_H
#define PMLOGREWRITE_IN_PLACE_H

#include <stdbool.h>

struct options;
struct plan;

/* Names that an archive has while it is replaced. */
struct in_place {
	char *base, *fresh, *old; /* owned */
	int dir;                  /* the folder, locked */
};

/* Waits for who does the same in this folder, and clears up after who did not come to the end. 0,
 * and 1 if the old archive was put back; -errno. p is to be ended after success. */
int in_place_open(struct in_place *p, const char *name);
void in_place_close(struct in_place *p);

/* The new archive gets the name. 0; -errno, and the old one still has it. */
int in_place_swap(struct in_place *p);

/* Takes away what there is of the new one. */
void in_place_drop(struct in_place *p);

#endif

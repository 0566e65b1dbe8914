/*
 * in_place - replaces an archive by the one that was made from it.
 *
 * The new archive is written and synced completely, next to the old one. Then the old one gets a
 * second name, and the new one takes over the first:
 *
 *     .NAME.rewrite-new.*    the new archive, until it has the name
 *     .NAME.rewrite-old.*    the old archive, from before the first file changes names until after
 *                            the last one has; its .meta is made last and removed first, so that
 *                            the old archive is complete if it exists
 *
 * The .meta is the first file to lose the name and the last to get it. Under the name there is the
 * old archive, or none, or the new one, never parts of both. After a kill, the next rewriting in
 * place of that archive restores the old one, or removes the remaining files.
 */
#ifndef PMLOGREWRITE_IN_PLACE_H
#define PMLOGREWRITE_IN_PLACE_H

#include <stdbool.h>

/* The names of the archives during the replacement. */
struct in_place {
	char *base, *fresh, *old; /* owned */
	int dir;                  /* the folder, locked */
};

/*
 * Waits for other replacements in this folder, and cleans up after interrupted ones. Returns 0, 1
 * if the old archive was restored, or -errno. After success the caller ends p.
 */
int in_place_open(struct in_place *p, const char *name);
void in_place_close(struct in_place *p);

/* Gives the new archive the name. Returns 0; on -errno the old archive still has the name. */
int in_place_swap(struct in_place *p);

/* Removes the files of the new archive. */
void in_place_drop(struct in_place *p);

#endif

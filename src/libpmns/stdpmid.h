/*
 * stdpmid - the domain numbers of agents as macros (docs/spec/pmcd.md 10.3).
 *
 * The file stdpmid of the name-space folder, or what PCP would generate it from: the lines
 * "NAME number" of all files stdpmid.* there.
 */
#ifndef LIBPMNS_STDPMID_H
#define LIBPMNS_STDPMID_H

#include <stddef.h>

struct buffer;
struct stamps;

enum { STDPMID_FILE_MAX = 1 << 20 };

/*
 * Appends the text of stdpmid for a folder to out, and the files that it was made from to stamps.
 * A folder without such files gives an empty text. 0, or -ENOMEM; what cannot be read or
 * understood is left out.
 */
int stdpmid_text(const char *dir, struct buffer *out, struct stamps *stamps);

/* Appends "#define NAME number" for each line of one file stdpmid.*; other lines are ignored. */
void stdpmid_convert(const char *text, size_t len, struct buffer *out);

#endif

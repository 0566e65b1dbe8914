/* nearest - see nearest.h. */
#include "nearest.h"

#include <string.h>

enum { NEAREST_MAX = 32 }; /* bytes of a word */

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/* Letters to be put in, left out, changed, or swapped with their neighbour, to get from a to b. */
static unsigned int distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned int d[NEAREST_MAX + 1][NEAREST_MAX + 1];

	for (size_t i = 0; i <= la; i++) {
		for (size_t j = 0; j <= lb; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = (unsigned int)(i + j);
				continue;
			}
			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				       d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[la][lb];
}

const char *nearest(const char *word, const char *const words[], size_t n)
{
	const char *best = NULL;
	unsigned int least = 0;
	size_t len = strlen(word);

	if (len == 0 || len > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(words[i]);
		unsigned int d;

		if (other > NEAREST_MAX)
			continue;
		if (strncmp(word, words[i], len) == 0)
			return words[i];
		d = distance(word, words[i]);
		if (d * 3 <= (other > 3 ? other : 3) && (best == NULL || d < least)) {
			best = words[i];
			least = d;
		}
	}
	return best;
}

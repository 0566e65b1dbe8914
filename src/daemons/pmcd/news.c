/* news - see news.h. */
#include "daemons/pmcd/news.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NEWS_SIZE_MIN = 64,
};

static int grow(struct news *n, unsigned int index)
{
	unsigned int size = n->size < NEWS_SIZE_MIN ? NEWS_SIZE_MIN : n->size;
	unsigned char *of;

	while (size <= index)
		size *= 2;
	of = realloc(n->of, size);
	if (of == NULL)
		return -ENOMEM;
	memset(of + n->size, 0, size - n->size);
	n->of = of;
	n->size = size;
	return 0;
}

int news_note(struct news *n, unsigned int index, unsigned int bits)
{
	if (index >= n->size && grow(n, index) < 0)
		return -ENOMEM;
	n->count += n->of[index] == 0;
	n->of[index] |= (unsigned char)bits;
	return 0;
}

unsigned int news_take(struct news *n, unsigned int index)
{
	unsigned int bits = index < n->size ? n->of[index] : 0;

	if (bits != 0) {
		n->of[index] = 0;
		n->count--;
	}
	return bits;
}

long news_next(const struct news *n, unsigned int from)
{
	for (unsigned int i = from; n->count > 0 && i < n->size; i++) {
		if (n->of[i] != 0)
			return (long)i;
	}
	return -1;
}

void news_done(struct news *n)
{
	free(n->of);
	*n = (struct news){0};
}

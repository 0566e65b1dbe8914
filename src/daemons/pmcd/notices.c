/* notices - see notices.h. */
#include "daemons/pmcd/notices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NOTICES_SIZE_MIN = 64,
};

static int grow(struct notices *n, unsigned int index)
{
	unsigned int size = n->size < NOTICES_SIZE_MIN ? NOTICES_SIZE_MIN : n->size;
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

int notices_note(struct notices *n, unsigned int index, unsigned int bits)
{
	if (index >= n->size && grow(n, index) < 0)
		return -ENOMEM;
	n->count += n->of[index] == 0;
	n->of[index] |= (unsigned char)bits;
	return 0;
}

unsigned int notices_take(struct notices *n, unsigned int index)
{
	unsigned int bits = index < n->size ? n->of[index] : 0;

	if (bits != 0) {
		n->of[index] = 0;
		n->count--;
	}
	return bits;
}

long notices_next(const struct notices *n, unsigned int from)
{
	for (unsigned int i = from; n->count > 0 && i < n->size; i++) {
		if (n->of[i] != 0)
			return (long)i;
	}
	return -1;
}

void notices_done(struct notices *n)
{
	free(n->of);
	*n = (struct notices){0};
}

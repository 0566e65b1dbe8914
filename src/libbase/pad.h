/* pad - lengths rounded up to words, as both formats of PCP have them. */
#ifndef LIBBASE_PAD_H
#define LIBBASE_PAD_H

#include <stddef.h>

static inline size_t pad4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

#endif

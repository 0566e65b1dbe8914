/* str_block - see str_block.h. */
#include "libpcp/str_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int str_block_new(const struct wire_str *strs, size_t n, char ***ret_block)
{
	size_t size = n * sizeof(char *);
	char **block;
	char *p;

	if (n == 0) {
		*ret_block = NULL;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		size += (size_t)strs[i].len + 1;
	block = malloc(size);
	if (block == NULL)
		return -ENOMEM;
	p = (char *)(block + n);
	for (size_t i = 0; i < n; i++) {
		block[i] = p;
		memcpy(p, strs[i].s, strs[i].len);
		p[strs[i].len] = '\0';
		p += strs[i].len + 1;
	}
	*ret_block = block;
	return 0;
}

/* cpp_input - see cpp_input.h. */
#include "libpmns/cpp_input.h"

#include <errno.h>
#include <stdio.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpmns/cpp.h"

enum { CHUNK = 65536 };

static int read_stdin(struct buffer *text)
{
	while (text->err == 0 && text->len <= CPP_FILE_MAX) {
		uint8_t *room = buffer_reserve(text, CHUNK);
		size_t n = room != NULL ? fread(room, 1, CHUNK, stdin) : 0;

		buffer_commit(text, n);
		if (n == 0 && text->err == 0)
			return ferror(stdin) ? -errno : 0;
	}
	return text->err != 0 ? text->err : -EFBIG;
}

int cpp_input(const char *path, struct buffer *text)
{
	return path != NULL ? file_read_all(path, CPP_FILE_MAX, text) : read_stdin(text);
}

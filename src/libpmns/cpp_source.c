/* cpp_source - see cpp_source.h. */
#include "libpmns/cpp_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpmns/cpp.h"
#include "libpmns/folder.h"

enum { CHUNK = 65536 };

/* Reads dir + name. True if there is such a file; *ret_err is then 0 or what went wrong. */
static bool try_file(const struct cpp_options *opt, struct span dir, struct span name, char *path,
		     size_t size, struct buffer *text, int *ret_err)
{
	const char *slash = dir.len > 0 && dir.s[dir.len - 1] != '/' ? "/" : "";
	int n =
	    snprintf(path, size, "%.*s%s%.*s", (int)dir.len, dir.s, slash, (int)name.len, name.s);

	if (n < 0 || (size_t)n >= size || !folder_is_file(path))
		return false;
	if (opt->opened != NULL)
		opt->opened(opt->arg, path);
	*ret_err = file_read_all(path, CPP_FILE_MAX, text);
	return *ret_err != -ENOENT && *ret_err != -EACCES;
}

bool cpp_source_find(const struct cpp_options *opt, struct span main_dir, struct span name,
		     char *path, size_t size, struct buffer *text, int *ret_err)
{
	struct span here = {.s = "", .len = 0};

	if (name.len == 0 || memchr(name.s, '\0', name.len) != NULL)
		return false;
	if (try_file(opt, here, name, path, size, text, ret_err))
		return true;
	if (name.s[0] == '/')
		return false;
	if (main_dir.len > 0 && try_file(opt, main_dir, name, path, size, text, ret_err))
		return true;
	for (const char *const *d = opt->dirs; d != NULL && *d != NULL; d++) {
		if (try_file(opt, (struct span){.s = *d, .len = strlen(*d)}, name, path, size, text,
			     ret_err))
			return true;
	}
	return false;
}

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

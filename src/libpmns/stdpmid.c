/* stdpmid - see stdpmid.h. */
#include "libpmns/stdpmid.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpmns/folder.h"
#include "libpmns/pmns.h"

/* The whole guard: a text that includes stdpmid itself finds it done. */
#define GUARD_BEGIN "#ifndef __STDPMID\n#define __STDPMID\n"
#define GUARD_END   "#endif\n"

/* "NAME number", blanks around; nothing else but a comment. */
static void convert_line(const char *s, size_t len, struct buffer *out)
{
	size_t i = 0, name, name_len;
	unsigned int number = 0;

	while (i < len && isblank((unsigned char)s[i]))
		i++;
	name = i;
	while (i < len && (isalnum((unsigned char)s[i]) || s[i] == '_'))
		i++;
	name_len = i - name;
	if (name_len == 0 || isdigit((unsigned char)s[name]) || i == len ||
	    !isblank((unsigned char)s[i]))
		return;
	while (i < len && isblank((unsigned char)s[i]))
		i++;
	if (i == len || !isdigit((unsigned char)s[i]))
		return;
	for (; i < len && isdigit((unsigned char)s[i]) && number <= PMNS_DOMAIN_MAX; i++)
		number = number * 10 + (unsigned int)(s[i] - '0');
	while (i < len && isspace((unsigned char)s[i]))
		i++;
	if (number > PMNS_DOMAIN_MAX || (i < len && s[i] != '#'))
		return;
	/* The first of two lines counts, and no line is an error. */
	buffer_printf(out, "#undef %.*s\n#define %.*s %u\n", (int)name_len, s + name, (int)name_len,
		      s + name, number);
}

void stdpmid_convert(const char *text, size_t len, struct buffer *out)
{
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl == NULL ? end : nl;

		convert_line(text, (size_t)(stop - text), out);
		text = nl == NULL ? end : nl + 1;
	}
}

static int read_source(const char *dir, const char *name, struct buffer *text,
		       struct stamps *stamps)
{
	char path[PATH_MAX];
	int r = folder_path(dir, name, path, sizeof(path));

	buffer_reset(text);
	if (r == 0 && !folder_is_file(path))
		r = -ENOENT;
	if (r == 0)
		r = file_read_all(path, STDPMID_FILE_MAX, text);
	if (r == 0)
		r = stamps_add(stamps, path);
	return r;
}

static int convert_sources(const char *dir, struct buffer *out, struct stamps *stamps)
{
	struct folder names;
	struct buffer text = BUFFER_INIT;
	int r = folder_list(dir, "stdpmid.", &names);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	buffer_printf(out, GUARD_BEGIN);
	for (size_t i = 0; i < names.count && r != -ENOMEM; i++) {
		r = read_source(dir, names.list[i], &text, stamps);
		if (r == 0)
			stdpmid_convert((const char *)text.data, text.len, out);
	}
	buffer_printf(out, GUARD_END);
	buffer_done(&text);
	folder_done(&names);
	return r == -ENOMEM ? r : out->err;
}

int stdpmid_text(const char *dir, struct buffer *out, struct stamps *stamps)
{
	int r = read_source(dir, "stdpmid", out, stamps);

	if (r == 0 || r == -ENOMEM)
		return r;
	buffer_reset(out);
	return convert_sources(dir, out, stamps);
}

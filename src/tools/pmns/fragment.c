#include "tools/pmns/fragment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpmns/cpp.h"
#include "libpmns/pmns.h"
#include "tools/pmns/tree.h"

static int preprocess(const char *path, struct buffer *out)
{
	char folder[MAXPATHLEN];
	const char *const dirs[] = {folder, NULL};
	struct cpp_options opt = {.dirs = dirs};
	struct buffer text = BUFFER_INIT, error = BUFFER_INIT;
	int sts = file_read_all(path, CPP_FILE_MAX, &text);

	pmsprintf(folder, sizeof(folder), "%s/pmns", pmGetConfig("PCP_VAR_DIR"));
	if (sts >= 0)
		sts = cpp_run(&(struct cpp_text){.name = path,
						 .text = (const char *)text.data,
						 .len = text.len},
			      &opt, out, &error);
	if (error.len > 0)
		fprintf(stderr, "%s\n", buffer_str(&error));
	buffer_done(&text);
	buffer_done(&error);
	return sts;
}

/* The first word that is not in a linemarker; *ret_len is 0 if there is none. */
static const char *first_word(const char *text, size_t *ret_len)
{
	while (*text != '\0') {
		text += strspn(text, " \t\r\f\v\n");
		if (*text != '#')
			break;
		text += strcspn(text, "\n");
	}
	*ret_len = strcspn(text, " \t\r\f\v\n{");
	return text;
}

/*
 * Writes a node with the beginning of a path as its name, and with the path's next component in it.
 */
static void put_node(struct buffer *out, const char *path, size_t len, const char *child,
		     size_t child_len)
{
	buffer_printf(out, "%.*s {\n\t%.*s\n}\n", (int)len, path, (int)child_len, child);
}

/* Writes the nodes from the root to a path. */
static void put_way(struct buffer *out, const char *path, size_t len)
{
	const char *end = path + len, *part = path;

	if (len == 0 || (len == 4 && memcmp(path, "root", 4) == 0))
		return;
	while (part < end) {
		const char *dot = memchr(part, '.', (size_t)(end - part));
		const char *stop = dot != NULL ? dot : end;

		if (part == path)
			put_node(out, "root", 4, part, (size_t)(stop - part));
		else
			put_node(out, path, (size_t)(part - path) - 1, part, (size_t)(stop - part));
		part = stop + 1;
	}
}

int fragment_load(const char *path, struct pmns **ret_ns)
{
	struct buffer text = BUFFER_INIT, whole = BUFFER_INIT;
	const char *word;
	size_t len;
	int sts = preprocess(path, &text);

	if (sts == -EINVAL)
		sts = PM_ERR_PMNS;
	if (sts >= 0) {
		word = first_word(buffer_str(&text), &len);
		put_way(&whole, word, len);
		buffer_put(&whole, text.data, text.len);
		if (len == 0 && *word == '\0')
			*ret_ns = pmns_new();
		else if (text.err != 0 || whole.err != 0)
			sts = -ENOMEM;
		else
			sts = tree_load_text((const char *)whole.data, whole.len, path, ret_ns);
		if (sts >= 0 && *ret_ns == NULL)
			sts = -ENOMEM;
	}
	buffer_done(&text);
	buffer_done(&whole);
	return sts;
}

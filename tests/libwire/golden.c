/* golden - see golden.h. GOLDEN_DIR is given by the build. */
#include "golden.h"

#include <dirent.h>

#include "libbase/file.h"
#include "wire_test.h"

enum { GOLDEN_FILE_MAX = 1 << 20 };

static int is_golden(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot != NULL && strcmp(dot, ".hex") == 0;
}

static void golden_read(struct golden *g, const char *folder, const char *file)
{
	struct buffer text = BUFFER_INIT;
	char path[8192];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	assert_int_equal(file_read_all(path, GOLDEN_FILE_MAX, &text), 0);
	assert_int_equal(buffer_str(&text)[0], '#');
	g->name = strndup(file, strlen(file) - strlen(".hex"));
	g->pdu = wire_test_hex(buffer_str(&text), &g->len);
	buffer_done(&text);
}

void golden_load_folder(struct golden_set *set, const char *name)
{
	char folder[4096];
	struct dirent **files;
	int n;

	snprintf(folder, sizeof(folder), "%s/%s", GOLDEN_DIR, name);
	n = scandir(folder, &files, is_golden, alphasort);
	assert_true(n > 0);
	set->pdus = calloc((size_t)n, sizeof(*set->pdus));
	assert_non_null(set->pdus);
	set->n = (size_t)n;
	for (size_t i = 0; i < set->n; i++) {
		golden_read(&set->pdus[i], folder, files[i]->d_name);
		free(files[i]);
	}
	free(files);
}

void golden_free(struct golden_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		free(set->pdus[i].name);
		free(set->pdus[i].pdu);
	}
	free(set->pdus);
}

const struct golden *golden_get(const struct golden_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++) {
		if (strcmp(set->pdus[i].name, name) == 0)
			return &set->pdus[i];
	}
	fail_msg("no golden PDU %s", name);
	return NULL;
}

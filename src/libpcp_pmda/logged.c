/* logged - see logged.h. */
#include "libpcp_pmda/logged.h"

#include <stdlib.h>

#include <pcp/pmapi.h>

enum {
	LOGGED_ROWS_MAX = 4096, /* then the table is emptied, and each cause is logged again */
	LOGGED_CODES_MAX = 6,   /* of one row; more are not logged */
};

struct row {
	uint64_t key;
	int ncodes;
	int codes[LOGGED_CODES_MAX];
};

static uint64_t key_of(enum logged_kind kind, uint32_t ident)
{
	return (uint64_t)kind << 32 | ident;
}

static bool row_has_key(const void *entry, const void *key)
{
	return ((const struct row *)entry)->key == *(const uint64_t *)key;
}

static struct row *row_of(const struct logged *t, uint64_t key)
{
	return hash_find(&t->rows, hash_u64(key), row_has_key, &key);
}

static void forget_all(struct logged *t)
{
	struct row *row;
	size_t pos = 0;

	while ((row = hash_next(&t->rows, &pos)) != NULL)
		free(row);
	hash_done(&t->rows);
	*t = (struct logged){0};
}

static struct row *row_new(struct logged *t, uint64_t key)
{
	struct row *row = calloc(1, sizeof(*row));

	if (row == NULL)
		return NULL;
	row->key = key;
	if (t->rows.count >= LOGGED_ROWS_MAX)
		forget_all(t);
	if (hash_add(&t->rows, hash_u64(key), row) < 0) {
		free(row);
		return NULL;
	}
	return row;
}

bool logged_is_new(struct logged *t, enum logged_kind kind, uint32_t ident, int code)
{
	uint64_t key = key_of(kind, ident);
	struct row *row;

	if (pmDebugOptions.libpmda)
		return true;
	row = row_of(t, key);
	if (row == NULL)
		row = row_new(t, key);
	if (row == NULL)
		return true;
	for (int i = 0; i < row->ncodes; i++) {
		if (row->codes[i] == code)
			return false;
	}
	if (row->ncodes == LOGGED_CODES_MAX)
		return false;
	row->codes[row->ncodes++] = code;
	t->idents |= (uint64_t)1 << (ident & 63);
	return true;
}

void logged_forget_row(struct logged *t, enum logged_kind kind, uint32_t ident)
{
	uint64_t key = key_of(kind, ident);
	struct row *row = row_of(t, key);

	if (row != NULL && hash_del(&t->rows, hash_u64(key), row))
		free(row);
	if (t->rows.count == 0)
		t->idents = 0;
}

/*
 * atom - a value of any type as short text: docs/spec/pmapi.md 11 (pmAtomStr).
 */
#include <pcp/pmapi.h>

#include "libbase/text.h"

#define ATOM_TEXT_MAX 80

/* Longer strings are cut, and longer bytes too. */
#define STRING_MAX 37
#define STRING_CUT 34
#define BYTES_MAX  12

static void add_string(struct text *t, const char *s)
{
	size_t len;

	if (s == NULL) {
		text_add(t, "<null>");
		return;
	}
	len = strnlen(s, STRING_MAX + 1);
	text_add(t, "\"");
	text_add_bytes(t, s, len <= STRING_MAX ? len : STRING_CUT);
	text_add(t, len <= STRING_MAX ? "\"" : "...\"");
}

static void add_block(struct text *t, const pmValueBlock *block)
{
	size_t len, shown;

	if (block == NULL) {
		text_add(t, "<null>");
		return;
	}
	len = block->vlen > PM_VAL_HDR_SIZE ? block->vlen - PM_VAL_HDR_SIZE : 0;
	shown = len < BYTES_MAX ? len : BYTES_MAX;
	text_printf(t, "[type=%s len=%d]", pmTypeStr((int)block->vtype),
		    (int)block->vlen - PM_VAL_HDR_SIZE);
	for (size_t i = 0; i < shown; i++)
		text_printf(t, "%s%02x", i % 4 == 0 ? " " : "",
			    ((const unsigned char *)block->vbuf)[i]);
	if (len > shown)
		text_add(t, " ...");
}

static void add_events(struct text *t, int n)
{
	if (n == 1)
		text_add(t, "[1 event record]");
	else
		text_printf(t, "[%d event records]", n);
}

static void add_unexpected(struct text *t, int type)
{
	if (type == PM_TYPE_NOSUPPORT)
		text_add(t, "Error: unexpected type: Not Supported");
	else if (type == PM_TYPE_UNKNOWN)
		text_add(t, "Error: unexpected type: Unknown");
	else
		text_printf(t, "Error: unexpected type: Illegal type=%d", type);
}

static void add_atom(struct text *t, const pmAtomValue *atom, int type)
{
	switch (type) {
	case PM_TYPE_32:
		text_printf(t, "%d", atom->l);
		return;
	case PM_TYPE_U32:
		text_printf(t, "%u", atom->ul);
		return;
	case PM_TYPE_64:
		text_printf(t, "%" PRIi64, (int64_t)atom->ll);
		return;
	case PM_TYPE_U64:
		text_printf(t, "%" PRIu64, (uint64_t)atom->ull);
		return;
	case PM_TYPE_FLOAT:
		text_printf(t, "%e", (double)atom->f);
		return;
	case PM_TYPE_DOUBLE:
		text_printf(t, "%e", atom->d);
		return;
	case PM_TYPE_STRING:
		add_string(t, atom->cp);
		return;
	case PM_TYPE_AGGREGATE:
	case PM_TYPE_AGGREGATE_STATIC:
		add_block(t, atom->vbp);
		return;
	case PM_TYPE_EVENT:
		add_events(t, ((const pmEventArray *)atom->vbp)->ea_nrecords);
		return;
	case PM_TYPE_HIGHRES_EVENT:
		add_events(t, ((const pmHighResEventArray *)atom->vbp)->ea_nrecords);
		return;
	default:
		add_unexpected(t, type);
	}
}

char *pmAtomStr_r(const pmAtomValue *atom, int type, char *buf, int buflen)
{
	struct text t = text_in(buf, buflen > 0 ? (size_t)buflen : 0);

	add_atom(&t, atom, type);
	return buf;
}

const char *pmAtomStr(const pmAtomValue *atom, int type)
{
	static char buf[ATOM_TEXT_MAX];

	return pmAtomStr_r(atom, type, buf, sizeof(buf));
}

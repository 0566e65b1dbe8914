/*
 * desc - metric and instance domain identifiers (docs/spec/pmapi.md 2.1, 11); names of types,
 * semantics and event flags, and a descriptor as text (11, 13.7); a value of any type as short text
 * (pmAtomStr).
 */
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/text.h"

/* ---- Identifiers ---------------------------------------------------------------------------- */

#define IDENT_TEXT_MAX 20

#define DOMAIN_SHIFT  22
#define DOMAIN_MASK   0x1ffu
#define CLUSTER_SHIFT 10
#define CLUSTER_MASK  0xfffu
#define ITEM_MASK     0x3ffu
#define SERIAL_MASK   0x3fffffu

pmID pmID_build(unsigned int domain, unsigned int cluster, unsigned int item)
{
	return (domain & DOMAIN_MASK) << DOMAIN_SHIFT | (cluster & CLUSTER_MASK) << CLUSTER_SHIFT |
	       (item & ITEM_MASK);
}

unsigned int pmID_domain(pmID pmid)
{
	return pmid >> DOMAIN_SHIFT & DOMAIN_MASK;
}

unsigned int pmID_cluster(pmID pmid)
{
	return pmid >> CLUSTER_SHIFT & CLUSTER_MASK;
}

unsigned int pmID_item(pmID pmid)
{
	return pmid & ITEM_MASK;
}

pmInDom pmInDom_build(unsigned int domain, unsigned int serial)
{
	return (domain & DOMAIN_MASK) << DOMAIN_SHIFT | (serial & SERIAL_MASK);
}

unsigned int pmInDom_domain(pmInDom indom)
{
	return indom >> DOMAIN_SHIFT & DOMAIN_MASK;
}

unsigned int pmInDom_serial(pmInDom indom)
{
	return indom & SERIAL_MASK;
}

char *pmIDStr_r(pmID pmid, char *buf, int buflen)
{
	size_t size = buflen > 0 ? (size_t)buflen : 0;

	if (pmid == PM_ID_NULL)
		pmsprintf(buf, size, "PM_ID_NULL");
	else if (IS_DYNAMIC_ROOT(pmid))
		pmsprintf(buf, size, "%u.*.*", pmID_cluster(pmid));
	else
		pmsprintf(buf, size, "%u.%u.%u", pmID_domain(pmid), pmID_cluster(pmid),
			  pmID_item(pmid));
	return buf;
}

const char *pmIDStr(pmID pmid)
{
	static char buf[IDENT_TEXT_MAX];

	return pmIDStr_r(pmid, buf, sizeof(buf));
}

char *pmInDomStr_r(pmInDom indom, char *buf, int buflen)
{
	size_t size = buflen > 0 ? (size_t)buflen : 0;

	if (indom == PM_INDOM_NULL)
		pmsprintf(buf, size, "PM_INDOM_NULL");
	else
		pmsprintf(buf, size, "%u.%u", pmInDom_domain(indom), pmInDom_serial(indom));
	return buf;
}

const char *pmInDomStr(pmInDom indom)
{
	static char buf[IDENT_TEXT_MAX];

	return pmInDomStr_r(indom, buf, sizeof(buf));
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

/* The shortest buffer pmEventFlagsStr_r takes: all flags fit. */
#define EVENT_FLAGS_TEXT_MIN 26

struct type_name {
	const char *name; /* as in pmTypeStr */
	const char *text; /* as in a printed descriptor */
};

/* clang-format off */
static const struct type_name types[] = {
	[PM_TYPE_32]               = { "32",               "32-bit int" },
	[PM_TYPE_U32]              = { "U32",              "32-bit unsigned int" },
	[PM_TYPE_64]               = { "64",               "64-bit int" },
	[PM_TYPE_U64]              = { "U64",              "64-bit unsigned int" },
	[PM_TYPE_FLOAT]            = { "FLOAT",            "float" },
	[PM_TYPE_DOUBLE]           = { "DOUBLE",           "double" },
	[PM_TYPE_STRING]           = { "STRING",           "string" },
	[PM_TYPE_AGGREGATE]        = { "AGGREGATE",        "aggregate" },
	[PM_TYPE_AGGREGATE_STATIC] = { "AGGREGATE_STATIC", "static aggregate" },
	[PM_TYPE_EVENT]            = { "EVENT",            "event record array" },
	[PM_TYPE_HIGHRES_EVENT]    = { "HIGHRES_EVENT",    "highres event record array" },
};

static const char *const semantics[] = {
	[PM_SEM_COUNTER] = "counter", [PM_SEM_INSTANT] = "instant", [PM_SEM_DISCRETE] = "discrete",
};

static const struct {
	unsigned int flag;
	const char *name;
} event_flags[] = {
	{ PM_EVENT_FLAG_POINT,  "point" },
	{ PM_EVENT_FLAG_START,  "start" },
	{ PM_EVENT_FLAG_END,    "end" },
	{ PM_EVENT_FLAG_ID,     "id" },
	{ PM_EVENT_FLAG_PARENT, "parent" },
};
/* clang-format on */

const char *pmTypeStr(int type)
{
	if (type >= 0 && type < (int)ARRAY_SIZE(types))
		return types[type].name;
	if (type == PM_TYPE_NOSUPPORT)
		return "NO_SUPPORT";
	return type == PM_TYPE_UNKNOWN ? "UNKNOWN" : "???";
}

char *pmTypeStr_r(int type, char *buf, int buflen)
{
	pmsprintf(buf, buflen > 0 ? (size_t)buflen : 0, "%s", pmTypeStr(type));
	return buf;
}

/* NULL for a number that is not a semantics. */
static const char *sem_name(int sem)
{
	return sem >= 0 && sem < (int)ARRAY_SIZE(semantics) ? semantics[sem] : NULL;
}

const char *pmSemStr(int sem)
{
	const char *name = sem_name(sem);

	return name != NULL ? name : "???";
}

char *pmSemStr_r(int sem, char *buf, int buflen)
{
	pmsprintf(buf, buflen > 0 ? (size_t)buflen : 0, "%s", pmSemStr(sem));
	return buf;
}

char *pmEventFlagsStr_r(int flags, char *buf, int buflen)
{
	struct text t;

	if (buflen < EVENT_FLAGS_TEXT_MIN)
		return NULL;
	t = text_in(buf, (size_t)buflen);
	if ((unsigned int)flags & PM_EVENT_FLAG_MISSED) {
		text_add(&t, "missed");
		return buf;
	}
	for (size_t i = 0; i < ARRAY_SIZE(event_flags); i++) {
		if (((unsigned int)flags & event_flags[i].flag) == 0)
			continue;
		if (t.len > 0)
			text_add(&t, ",");
		text_add(&t, event_flags[i].name);
	}
	return buf;
}

const char *pmEventFlagsStr(int flags)
{
	static char buf[64];

	return pmEventFlagsStr_r(flags, buf, sizeof(buf));
}

static void print_type(FILE *f, int type)
{
	if (type >= 0 && type < (int)ARRAY_SIZE(types))
		fprintf(f, "    Data Type: %s", types[type].text);
	else
		fprintf(f, "    Data Type: ??? (%d)", type);
}

void pmPrintDesc(FILE *f, const pmDesc *desc)
{
	char indom[20], units_buf[60];
	const char *sem = sem_name(desc->sem);
	const char *units = pmUnitsStr_r(&desc->units, units_buf, sizeof(units_buf));

	if (desc->type == PM_TYPE_NOSUPPORT) {
		fprintf(f, "    Data Type: Not Supported\n");
		return;
	}
	print_type(f, desc->type);
	fprintf(f, "  InDom: %s 0x%x\n", pmInDomStr_r(desc->indom, indom, sizeof(indom)),
		desc->indom);
	if (sem != NULL)
		fprintf(f, "    Semantics: %s", sem);
	else
		fprintf(f, "    Semantics: ??? (%d)", desc->sem);
	fprintf(f, "  Units: %s\n", *units != '\0' ? units : "none");
}

/* ---- Values --------------------------------------------------------------------------------- */

#define ATOM_TEXT_MAX 80

/* Longer strings are cut, and longer bytes too. */
#define ATOM_STRING_MAX 37
#define ATOM_STRING_CUT 34
#define ATOM_BYTES_MAX  12

static void add_atom_string(struct text *t, const char *s)
{
	size_t len;

	if (s == NULL) {
		text_add(t, "<null>");
		return;
	}
	len = strnlen(s, ATOM_STRING_MAX + 1);
	text_add(t, "\"");
	text_add_bytes(t, s, len <= ATOM_STRING_MAX ? len : ATOM_STRING_CUT);
	text_add(t, len <= ATOM_STRING_MAX ? "\"" : "...\"");
}

static void add_atom_block(struct text *t, const pmValueBlock *block)
{
	size_t len, shown;

	if (block == NULL) {
		text_add(t, "<null>");
		return;
	}
	len = block->vlen > PM_VAL_HDR_SIZE ? block->vlen - PM_VAL_HDR_SIZE : 0;
	shown = len < ATOM_BYTES_MAX ? len : ATOM_BYTES_MAX;
	text_printf(t, "[type=%s len=%d]", pmTypeStr((int)block->vtype),
		    (int)block->vlen - PM_VAL_HDR_SIZE);
	for (size_t i = 0; i < shown; i++)
		text_printf(t, "%s%02x", i % 4 == 0 ? " " : "",
			    ((const unsigned char *)block->vbuf)[i]);
	if (len > shown)
		text_add(t, " ...");
}

static void add_atom_events(struct text *t, int n)
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
		add_atom_string(t, atom->cp);
		return;
	case PM_TYPE_AGGREGATE:
	case PM_TYPE_AGGREGATE_STATIC:
		add_atom_block(t, atom->vbp);
		return;
	case PM_TYPE_EVENT:
		add_atom_events(t, ((const pmEventArray *)atom->vbp)->ea_nrecords);
		return;
	case PM_TYPE_HIGHRES_EVENT:
		add_atom_events(t, ((const pmHighResEventArray *)atom->vbp)->ea_nrecords);
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

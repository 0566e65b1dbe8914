/*
 * label_text - labels in JSON text, read and written (label.h); label sets printed for people.
 *
 * The texts of agents and files are usually short, but may be of any length: everything is counted,
 * and nesting is bounded.
 */
#include "libpcp/label.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libbase/text.h"
#include "libpcp/format.h"

#define NAME_MAX_LEN 254
#define DEPTH_MAX    64

struct scan {
	const char *pos;
	const char *end;
	struct label_text *out;
	char prefix[NAME_MAX_LEN + 1]; /* of the names in this object: "a.b." */
	size_t prefix_len;
	int depth;
	int flags;
	int err;
};

static bool label_fail(struct scan *s, int err)
{
	if (s->err == 0)
		s->err = err;
	return false;
}

static void label_skip_blanks(struct scan *s)
{
	while (s->pos < s->end && isspace((unsigned char)*s->pos))
		s->pos++;
}

/* The next character that counts, or NUL at the end. */
static char peek(struct scan *s)
{
	label_skip_blanks(s);
	return s->pos < s->end ? *s->pos : '\0';
}

static bool label_take(struct scan *s, char c)
{
	if (peek(s) != c)
		return label_fail(s, -EINVAL);
	s->pos++;
	return true;
}

static bool put(struct scan *s, const char *bytes, size_t n)
{
	if (n > PM_MAXLABELJSONLEN - s->out->len)
		return label_fail(s, -E2BIG);
	memcpy(s->out->json + s->out->len, bytes, n);
	s->out->len += n;
	return true;
}

/* A string with its quotes. */
static bool copy_string(struct scan *s)
{
	const char *start = s->pos++;

	while (s->pos < s->end && *s->pos != '"') {
		if ((unsigned char)*s->pos < 0x20)
			return label_fail(s, -EINVAL);
		/* A control character is refused after a backslash, too. */
		s->pos += *s->pos == '\\' && s->pos + 1 < s->end && (unsigned char)s->pos[1] >= 0x20
			      ? 2
			      : 1;
	}
	if (s->pos >= s->end)
		return label_fail(s, -EINVAL);
	s->pos++;
	return put(s, start, (size_t)(s->pos - start));
}

static bool has_leading_zero(const char *number)
{
	number += *number == '-';
	return number[0] == '0' && isdigit((unsigned char)number[1]);
}

static bool copy_number(struct scan *s)
{
	const char *start = s->pos;
	char number[64];
	size_t len;
	char *after;

	while (s->pos < s->end && memchr("+-.eE0123456789", *s->pos, 15) != NULL)
		s->pos++;
	len = (size_t)(s->pos - start);
	if (len >= sizeof(number))
		return label_fail(s, -EINVAL);
	memcpy(number, start, len);
	number[len] = '\0';
	cnumber_parse(number, &after);
	if (*after != '\0' || after == number || has_leading_zero(number))
		return label_fail(s, -EINVAL);
	return put(s, start, len);
}

static bool copy_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < 3; i++) {
		size_t len = strlen(words[i]);

		if ((size_t)(s->end - s->pos) >= len && memcmp(s->pos, words[i], len) == 0) {
			s->pos += len;
			return put(s, words[i], len);
		}
	}
	return label_fail(s, -EINVAL);
}

static bool copy_value(struct scan *s);

/* "[...]", or an object inside of one, as it is. */
static bool copy_nested(struct scan *s, char open, char close)
{
	bool first = true;

	if (++s->depth > DEPTH_MAX)
		return label_fail(s, -E2BIG);
	if (!label_take(s, open) || !put(s, &open, 1))
		return false;
	while (peek(s) != close) {
		if (!first && !(label_take(s, ',') && put(s, ",", 1)))
			return false;
		first = false;
		if (open == '{') {
			if (peek(s) != '"')
				return label_fail(s, -EINVAL);
			if (!copy_string(s) || !label_take(s, ':') || !put(s, ":", 1))
				return false;
		}
		if (!copy_value(s))
			return false;
	}
	s->depth--;
	return label_take(s, close) && put(s, &close, 1);
}

static bool copy_value(struct scan *s)
{
	char c = peek(s);

	if (c == '"')
		return copy_string(s);
	if (c == '[')
		return copy_nested(s, '[', ']');
	if (c == '{')
		return copy_nested(s, '{', '}');
	if (c == '-' || isdigit((unsigned char)c))
		return copy_number(s);
	return copy_word(s);
}

static bool name_is_legal(const char *name, size_t len)
{
	if (len == 0 || !isalpha((unsigned char)name[0]))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_' && name[i] != '.')
			return false;
	return true;
}

/* The name of a member, after the prefix; the length of both. */
static size_t label_take_name(struct scan *s)
{
	const char *start, *quote;
	size_t len;

	if (!label_take(s, '"'))
		return 0;
	start = s->pos;
	quote = memchr(start, '"', (size_t)(s->end - start));
	len = quote != NULL ? (size_t)(quote - start) : 0;
	if (!name_is_legal(start, len) || s->prefix_len + len > NAME_MAX_LEN) {
		label_fail(s, -EINVAL);
		return 0;
	}
	memcpy(s->prefix + s->prefix_len, start, len);
	s->pos = quote + 1;
	return s->prefix_len + len;
}

/* Adds a label: the name at hand and the value that follows are copied to the output. */
static bool add_label(struct scan *s, size_t namelen)
{
	struct label_text *t = s->out;
	pmLabel *label;

	if (t->n >= PM_MAXLABELS)
		return label_fail(s, -E2BIG);
	label = &t->labels[t->n];
	if (t->n > 0 && !put(s, ",", 1))
		return false;
	memset(label, 0, sizeof(*label));
	label->name = (t->len + 1) & 0xffff;
	label->namelen = namelen & 0xff;
	label->flags = (unsigned int)s->flags & 0xff;
	if (memchr(s->prefix, '.', namelen) != NULL)
		label->flags |= PM_LABEL_COMPOUND;
	if (!put(s, "\"", 1) || !put(s, s->prefix, namelen) || !put(s, "\":", 2))
		return false;
	label->value = t->len & 0xffff;
	if (!copy_value(s))
		return false;
	label->valuelen = (t->len - label->value) & 0xffff;
	t->n++;
	return true;
}

static bool take_object(struct scan *s);

static bool take_member(struct scan *s)
{
	size_t outer = s->prefix_len;
	size_t namelen = label_take_name(s);
	bool ok;

	if (namelen == 0 || !label_take(s, ':'))
		return false;
	if (peek(s) != '{')
		return add_label(s, namelen);
	if (namelen >= NAME_MAX_LEN)
		return label_fail(s, -EINVAL);
	s->prefix[namelen] = '.';
	s->prefix_len = namelen + 1;
	ok = take_object(s);
	s->prefix_len = outer;
	return ok;
}

static bool take_object(struct scan *s)
{
	bool first = true;

	if (++s->depth > DEPTH_MAX)
		return label_fail(s, -E2BIG);
	if (!label_take(s, '{'))
		return false;
	while (peek(s) != '}') {
		if (!first && !label_take(s, ','))
			return false;
		first = false;
		if (!take_member(s))
			return false;
	}
	s->depth--;
	return label_take(s, '}');
}

/* By bytes over the shorter length, then the shorter one first. */
static int compare_names(const char *a, unsigned int alen, const char *b, unsigned int blen)
{
	int r = memcmp(a, b, alen < blen ? alen : blen);

	return r != 0 ? r : (int)alen - (int)blen;
}

static int by_name(const void *a, const void *b, void *json)
{
	const pmLabel *la = a, *lb = b;

	return compare_names((char *)json + la->name, la->namelen, (char *)json + lb->name,
			     lb->namelen);
}

static bool has_duplicates(struct label_text *t)
{
	for (int i = 1; i < t->n; i++)
		if (by_name(&t->labels[i - 1], &t->labels[i], t->json) == 0)
			return true;
	return false;
}

int label_text_read(struct label_text *t, const char *json, size_t len, int flags)
{
	struct scan s = {.pos = json, .end = json + len, .out = t, .flags = flags};

	t->len = 0;
	t->n = 0;
	if (peek(&s) == '\0')
		return 0; /* an empty text means no labels */
	if (!put(&s, "{", 1) || !take_object(&s) || !put(&s, "}", 1))
		return s.err;
	if (peek(&s) != '\0')
		return -EINVAL;
	t->json[t->len] = '\0';
	qsort_r(t->labels, (size_t)t->n, sizeof(t->labels[0]), by_name, t->json);
	return has_duplicates(t) ? -EINVAL : t->n;
}

/* The place of a name: its index, and whether it is there already. */
static int find_item(const struct label_merge *m, const struct label_item *item, bool *ret_found)
{
	int low = 0, high = m->n;

	while (low < high) {
		int mid = (low + high) / 2;
		int r = compare_names(item->name, item->namelen, m->items[mid].name,
				      m->items[mid].namelen);

		if (r == 0) {
			*ret_found = true;
			return mid;
		}
		if (r < 0)
			high = mid;
		else
			low = mid + 1;
	}
	*ret_found = false;
	return low;
}

int label_merge_add(struct label_merge *m, const struct label_item *item)
{
	bool found;
	int at = find_item(m, item, &found);

	if (!found) {
		if (m->n >= PM_MAXLABELS)
			return -E2BIG;
		memmove(&m->items[at + 1], &m->items[at],
			(size_t)(m->n - at) * sizeof(m->items[0]));
		m->n++;
	}
	m->items[at] = *item;
	return 0;
}

int label_merge_write(const struct label_merge *m, char *buf, size_t size, pmLabel *labels)
{
	size_t len = 1;

	if (m->n == 0 && size > 0) {
		buf[0] = '\0';
		return 0;
	}
	if (size < sizeof("{}"))
		return -E2BIG;
	buf[0] = '{';
	for (int i = 0; i < m->n; i++) {
		const struct label_item *item = &m->items[i];
		size_t end = len + (i > 0) + item->namelen + item->valuelen + strlen("\"\":}");

		if (end >= size || end > PM_MAXLABELJSONLEN)
			return -E2BIG;
		if (i > 0)
			buf[len++] = ',';
		if (labels != NULL)
			labels[i] = (pmLabel){
			    .name = (len + 1) & 0xffff,
			    .namelen = item->namelen & 0xff,
			    .flags = item->flags & 0xff,
			    .value = (len + item->namelen + 3) & 0xffff,
			    .valuelen = item->valuelen & 0xffff,
			};
		buf[len++] = '"';
		memcpy(buf + len, item->name, item->namelen);
		len += item->namelen;
		memcpy(buf + len, "\":", 2);
		len += 2;
		memcpy(buf + len, item->value, item->valuelen);
		len += item->valuelen;
	}
	buf[len++] = '}';
	buf[len] = '\0';
	return (int)len;
}

/* ---- Printing ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	int type;
	const char *name;
} levels[] = {
	{ PM_LABEL_CONTEXT,   "context" },
	{ PM_LABEL_DOMAIN,    "domain" },
	{ PM_LABEL_INDOM,     "indom" },
	{ PM_LABEL_CLUSTER,   "cluster" },
	{ PM_LABEL_ITEM,      "pmid" },
	{ PM_LABEL_INSTANCES, "instances" },
};
/* clang-format on */

const char *__pmLabelTypeString(int type)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (type & levels[i].type)
			return levels[i].name;
	return "unknown";
}

char *__pmLabelIdentString(int ident, int type, char *buf, size_t buflen)
{
	char id[32];

	switch (type & ~(PM_LABEL_COMPOUND | PM_LABEL_OPTIONAL)) {
	case PM_LABEL_DOMAIN:
		pmsprintf(buf, buflen, "Domain %d", ident);
		break;
	case PM_LABEL_INDOM:
	case PM_LABEL_INSTANCES:
		pmsprintf(buf, buflen, "InDom %s", pmInDomStr_r((pmInDom)ident, id, sizeof(id)));
		break;
	case PM_LABEL_CLUSTER:
		pmsprintf(buf, buflen, "Cluster %u.%u", pmID_domain((pmID)ident),
			  pmID_cluster((pmID)ident));
		break;
	case PM_LABEL_ITEM:
		pmsprintf(buf, buflen, "PMID %s", pmIDStr_r((pmID)ident, id, sizeof(id)));
		break;
	default:
		pmsprintf(buf, buflen, "Context");
	}
	return buf;
}

/* All flags that are set: "indom,optional". */
static const char *flags_text(unsigned int flags, char *buf, size_t size)
{
	struct text t = text_in(buf, size);

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (flags & (unsigned int)levels[i].type)
			text_add(&t, levels[i].name);
	if (t.len == 0)
		text_add(&t, "?");
	if (flags & PM_LABEL_COMPOUND)
		text_add(&t, ",compound");
	if (flags & PM_LABEL_OPTIONAL)
		text_add(&t, ",optional");
	return buf;
}

static void print_set(FILE *f, int ident, int type, const pmLabelSet *set)
{
	char name[64], flags[96];

	fprintf(f, "    %s", __pmLabelIdentString(ident, type, name, sizeof(name)));
	if (type & PM_LABEL_INSTANCES)
		fprintf(f, "[%u]", set->inst);
	if (set->nlabels < 0) {
		fprintf(f, " labels %s\n", pmErrStr_r(set->nlabels, flags, sizeof(flags)));
		return;
	}
	fprintf(f, " labels (%u bytes): %.*s\n", set->jsonlen, (int)set->jsonlen,
		set->json != NULL ? set->json : "");
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *l = &set->labels[i];

		fprintf(f, "        [%d] name(%u,%u) : value(%u,%u) [%s]\n", i, l->name, l->namelen,
			l->value, l->valuelen, flags_text(l->flags, flags, sizeof(flags)));
	}
}

void pmPrintLabelSets(FILE *f, int ident, int type, pmLabelSet *sets, int n)
{
	for (int i = 0; i < n; i++)
		print_set(f, ident, type, &sets[i]);
}

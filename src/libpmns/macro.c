/* macro - see macro.h. */
#include "libpmns/macro.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "libbase/buffer.h"

struct macro {
	struct span name;
	struct span value;
	bool soft; /* may be defined again */
};

struct span macro_word(struct span s)
{
	size_t n = 0;

	if (s.len > 0 && (isalpha((unsigned char)s.s[0]) || s.s[0] == '_')) {
		while (n < s.len && (isalnum((unsigned char)s.s[n]) || s.s[n] == '_'))
			n++;
	}
	return (struct span){.s = s.s, .len = n};
}

static bool macro_eq(const void *entry, const void *key)
{
	const struct macro *m = entry;
	const struct span *name = key;

	return m->name.len == name->len && memcmp(m->name.s, name->s, name->len) == 0;
}

static struct macro *find(const struct macros *m, struct span name)
{
	return hash_find(&m->table, hash_bytes(name.s, name.len), macro_eq, &name);
}

bool macro_is_defined(const struct macros *m, struct span name)
{
	return find(m, name) != NULL;
}

static bool copy(struct arena *mem, struct span s, struct span *ret_copy)
{
	*ret_copy = (struct span){.s = arena_strndup(mem, s.s, s.len), .len = s.len};
	return ret_copy->s != NULL;
}

int macro_define(struct macros *m, struct span name, struct span value, bool soft)
{
	struct macro *one = find(m, name);
	struct span kept;

	if (one != NULL && !one->soft)
		return -EEXIST;
	if (!copy(&m->mem, value, &kept))
		return -ENOMEM;
	if (one == NULL) {
		one = arena_calloc(&m->mem, 1, sizeof(*one));
		if (one == NULL || !copy(&m->mem, name, &one->name))
			return -ENOMEM;
		if (hash_add(&m->table, hash_bytes(name.s, name.len), one) < 0)
			return -ENOMEM;
	}
	one->value = kept;
	one->soft = soft;
	return 0;
}

void macro_undef(struct macros *m, struct span name)
{
	const struct macro *one = find(m, name);

	if (one != NULL)
		hash_del(&m->table, hash_bytes(name.s, name.len), one);
}

/*
 * A possible call at the start of s: returns its length, or 0 if there is none; *ret_name is the
 * name. The text in braces is not changed, and a brace that is not closed begins no call.
 */
static size_t find_call(struct macro_call call, struct span s, struct span *ret_name)
{
	struct span rest;

	if (!call.marked) {
		*ret_name = macro_word(s);
		return ret_name->len;
	}
	if (s.s[0] != call.mark || s.len < 2)
		return 0;
	rest = span_skip(s, 1);
	if (rest.s[0] == '{') {
		const char *end = memchr(rest.s, '}', rest.len);

		if (end == NULL)
			return 0;
		*ret_name = (struct span){.s = rest.s + 1, .len = (size_t)(end - rest.s) - 1};
		return ret_name->len + 3;
	}
	*ret_name = macro_word(rest);
	return ret_name->len > 0 ? ret_name->len + 1 : 0;
}

void macro_expand(const struct macros *m, struct macro_call call, struct span s, struct buffer *out,
		  size_t max)
{
	struct span done = s; /* from here on nothing was put out yet */

	while (s.len > 0 && m->table.count > 0) {
		struct span name;
		size_t len = find_call(call, s, &name);
		const struct macro *one = len > 0 ? find(m, name) : NULL;

		if (one != NULL) {
			buffer_put(out, done.s, (size_t)(s.s - done.s));
			buffer_put(out, one->value.s, one->value.len);
			done = span_skip(s, len);
			if (out->len > max)
				return;
		}
		s = span_skip(s, len > 0 ? len : 1);
	}
	buffer_put(out, done.s, done.len);
}

void macros_done(struct macros *m)
{
	hash_done(&m->table);
	arena_done(&m->mem);
}

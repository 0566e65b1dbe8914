/*
 * rules - a configuration parsed into a list of steps (docs/spec/logger.md D6).
 *
 * The grammar knows only the language. The meaning of a step for an archive, and whether its
 * subject exists, is the task of plan. The steps before an error are in the list.
 */
#include "tools/pmlogrewrite/rules.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DOMAIN_MAX = 511, /* dynamic: only metrics have them */
	CLUSTER_MAX = 4095,
	ITEM_MAX = 1023,
	SERIAL_MAX = 4194303,
	FEATURE_BITS = 32,
	DIM_MIN = -8, /* a field of four bits */
	DIM_MAX = 7,
	NSEC_DIGITS = 9,
	HOUR_SEC = 3600,
	MINUTE_SEC = 60,
};

void rules_error(struct rules_parser *p, const char *fmt, ...)
{
	va_list ap;

	if (p->r->error[0] != '\0')
		return;
	p->r->error_line = p->line;
	va_start(ap, fmt);
	vsnprintf(p->r->error, sizeof(p->r->error), fmt, ap);
	va_end(ap);
}

void rules_expect(struct rules_parser *p, const struct rule_word *word, unsigned int n,
		  const char *what)
{
	if (p->bad == 0 || p->bad != word->place + n)
		return;
	snprintf(p->r->error, sizeof(p->r->error), "%s", what);
}

const char *rules_text(struct rules_parser *p, const char *s, size_t len)
{
	const char *copy = arena_strndup(&p->r->mem, s, len);

	if (copy == NULL)
		rules_error(p, "out of memory");
	return copy;
}

const char *rules_string(struct rules_parser *p, const char *s, size_t len)
{
	char *copy = arena_strndup(&p->r->mem, s, len);
	size_t n = 0;

	if (copy == NULL) {
		rules_error(p, "out of memory");
		return NULL;
	}
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' && i + 1 < len && (s[i + 1] == '"' || s[i + 1] == '\\'))
			i++;
		copy[n++] = s[i];
	}
	copy[n] = '\0';
	return copy;
}

int rules_step(struct rules_parser *p, enum rule_kind kind)
{
	struct rules *r = p->r;
	struct rule_step *list = r->steps;

	if (r->n == r->room) {
		size_t room = r->room * 2 + 16;

		list = reallocarray(list, room, sizeof(*list));
		if (list == NULL) {
			rules_error(p, "out of memory");
			return -1;
		}
		r->steps = list;
		r->room = room;
	}
	p->next.kind = kind;
	p->next.line = p->line;
	list[r->n++] = p->next;
	p->next = (struct rule_step){0};
	return 0;
}

bool rules_check_pmid(struct rules_parser *p, const struct rule_id *id)
{
	if (id->domain > DOMAIN_MAX)
		rules_error(p, "Illegal domain field (%d) for pmid", id->domain);
	else if (id->cluster > CLUSTER_MAX)
		rules_error(p, "Illegal cluster field (%d) for pmid", id->cluster);
	else if (id->item > ITEM_MAX)
		rules_error(p, "Illegal item field (%d) for pmid", id->item);
	return p->r->error[0] == '\0';
}

bool rules_check_indom(struct rules_parser *p, const struct rule_id *id)
{
	if (id->domain >= DOMAIN_MAX)
		rules_error(p, "Illegal domain field (%d) for indom", id->domain);
	else if (id->item > SERIAL_MAX)
		rules_error(p, "Illegal serial field (%d) for indom", id->item);
	return p->r->error[0] == '\0';
}

bool rules_add_bit(struct rules_parser *p, long bit)
{
	if (bit < 0 || bit >= FEATURE_BITS) {
		rules_error(p, "Bit \"%ld\" not in the range 0..31", bit);
		return false;
	}
	p->next.features |= 1u << bit;
	return true;
}

/* A number that is too large becomes the largest one. */
static long whole(const char *text)
{
	long n = strtol(text, NULL, 10);

	return n > INT_MAX ? INT_MAX : n;
}

void rules_set_delta(struct rules_parser *p, long hours, long minutes, const char *seconds)
{
	struct rule_step *s = &p->next;
	const char *point = strchr(seconds, '.');
	long nsec = 0;

	for (int i = 0; i < NSEC_DIGITS; i++) {
		nsec *= 10;
		if (point != NULL && point[1] != '\0')
			nsec += *++point - '0';
	}
	s->minutes = (int)minutes;
	s->seconds = (int)whole(seconds);
	s->text = seconds;
	s->delta.tv_sec = hours * HOUR_SEC + minutes * MINUTE_SEC + s->seconds;
	s->delta.tv_nsec = nsec;
}

void rules_set_units(struct rules_parser *p)
{
	pmUnits *u = &p->next.units;

	u->dimSpace = (int)p->units[0];
	u->dimTime = (int)p->units[1];
	u->dimCount = (int)p->units[2];
	u->scaleSpace = (unsigned int)p->units[3];
	u->scaleTime = (unsigned int)p->units[4];
	u->scaleCount = (int)p->units[5];
}

struct rule_id rules_numbers(const char *text, bool indom)
{
	struct rule_id id = {.domain = (int)whole(text)};
	const char *second = strchr(text, '.') + 1, *third = strchr(second, '.');

	if (indom) {
		id.any_item = *second == '*';
		id.item = id.any_item ? 0 : (int)whole(second);
		return id;
	}
	id.any_cluster = *second == '*';
	id.cluster = id.any_cluster ? 0 : (int)whole(second);
	if (third != NULL) {
		id.any_item = third[1] == '*';
		id.item = id.any_item ? 0 : (int)whole(third + 1);
	}
	return id;
}

bool rules_set_insts(struct rules_parser *p, long old, long now)
{
	long larger = old > now ? old : now;

	if (larger > INT_MAX) {
		rules_error(p, "Illegal instance identifier (%ld)", larger);
		return false;
	}
	p->next.old = (int)old;
	p->next.now = (int)now;
	return true;
}

bool rules_type_number(struct rules_parser *p, struct rule_word *word)
{
	if (strcmp(word->text, "32") == 0) {
		word->number = PM_TYPE_32;
	} else if (strcmp(word->text, "64") == 0) {
		word->number = PM_TYPE_64;
	} else {
		rules_error(p, "Expecting XX"
			       "X (from PM_TYPE_XXX) in type clause");
		return false;
	}
	return true;
}

bool rules_check_dims(struct rules_parser *p)
{
	for (int i = 0; i < 3; i++) {
		if (p->units[i] < DIM_MIN || p->units[i] > DIM_MAX) {
			rules_error(p, "Dimension (%ld) of units not in the range -8..7",
				    p->units[i]);
			return false;
		}
	}
	return true;
}

bool rules_scale_zero(struct rules_parser *p, const struct rule_word *word, const char *what)
{
	if (word->number != 0)
		rules_error(p, "%s", what);
	return word->number == 0;
}

bool rules_check_count(struct rules_parser *p, long scale)
{
	if (scale <= DIM_MAX)
		return true;
	rules_error(p, "Expecting 0 or ONE for scaleCount field of units");
	return false;
}

bool rules_json_string(struct rules_parser *p, const struct rule_word *word, struct rule_word *ret)
{
	size_t len = strlen(word->text), n = 0;
	char *json = arena_alloc(&p->r->mem, len * 2 + 3);

	if (json == NULL) {
		rules_error(p, "out of memory");
		return false;
	}
	json[n++] = '"';
	for (size_t i = 0; i < len; i++) {
		if (word->text[i] == '"' || word->text[i] == '\\')
			json[n++] = '\\';
		json[n++] = word->text[i];
	}
	json[n++] = '"';
	json[n] = '\0';
	*ret = *word;
	ret->text = json;
	return true;
}

bool rules_json_minus(struct rules_parser *p, const struct rule_word *word, struct rule_word *ret)
{
	size_t len = strlen(word->text);
	char *json = arena_alloc(&p->r->mem, len + 2);

	if (json == NULL) {
		rules_error(p, "out of memory");
		return false;
	}
	json[0] = '-';
	memcpy(json + 1, word->text, len + 1);
	*ret = *word;
	ret->text = json;
	return true;
}

struct rule_id rules_domain(long domain)
{
	return (struct rule_id){.domain = domain > INT_MAX ? INT_MAX : (int)domain};
}

int rules_parse(struct rules *r, const char *text, size_t len)
{
	struct rules_parser p = {.r = r, .line = 1};

	*r = (struct rules){0};
	if (rules_run(&p, text, len) != 0)
		rules_error(&p, "syntax error");
	return r->error[0] != '\0' ? -1 : 0;
}

void rules_done(struct rules *r)
{
	free(r->steps);
	arena_done(&r->mem);
}

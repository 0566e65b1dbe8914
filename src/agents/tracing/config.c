/*
 * config - see config.h. Static: the configuration that is in force, its file and that file's
 * state.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trace.h>

#include "collector.h"
#include "config.h"

enum {
	WORD_MAX = 511,
	FILE_MAX = 1 << 20,
	RULES_MAX = 10000,
};

#define MEBIBYTE (UINT64_C(1) << 20)

struct parser {
	struct config *config;
	const char *name, *pos;
	int line;
	char word[WORD_MAX + 1];
	char *message;
	size_t size;
};

void config_init(struct config *config)
{
	*config = (struct config){
	    .queue = 1 * MEBIBYTE, .memory = 64 * MEBIBYTE, .linger_s = 60, .recent = 16};
}

static void rule_done(struct config_rule *rule)
{
	free(rule->user);
	free(rule->command);
	free(rule->events);
	free(rule->text);
}

void config_done(struct config *config)
{
	for (size_t i = 0; i < config->nrules; i++)
		rule_done(&config->rules[i]);
	free(config->rules);
	config_init(config);
}

/* ---- words ---- */

static int fail(struct parser *p, const char *why, const char *what)
{
	snprintf(p->message, p->size, "%s:%d: %s%s%s", p->name, p->line, why,
		 what[0] != '\0' ? " " : "", what);
	return -EINVAL;
}

static void skip_blanks(struct parser *p)
{
	for (;; p->pos++) {
		if (*p->pos == '#')
			p->pos += strcspn(p->pos, "\n");
		if (*p->pos == '\n')
			p->line++;
		if (*p->pos == '\0' || strchr(" \t\r\n", *p->pos) == NULL)
			return;
	}
}

/* The next word, ";" or (at the end) "": 0 or -EINVAL. */
static int next_word(struct parser *p)
{
	bool quoted = false;
	size_t n = 0;

	skip_blanks(p);
	if (*p->pos == ';') {
		p->pos++;
		strcpy(p->word, ";");
		return 0;
	}
	for (; *p->pos != '\0' && (quoted || strchr(" \t\r\n;#", *p->pos) == NULL); p->pos++) {
		if (*p->pos == '\n')
			return fail(p, "a quoted word does not end", "");
		if (*p->pos == '"') {
			quoted = !quoted;
			continue;
		}
		if (n == WORD_MAX)
			return fail(p, "a word is too long", "");
		p->word[n++] = *p->pos;
	}
	p->word[n] = '\0';
	return quoted ? fail(p, "a quoted word does not end", "") : 0;
}

static int end_statement(struct parser *p)
{
	int r = next_word(p);

	if (r < 0)
		return r;
	return strcmp(p->word, ";") == 0 ? 0 : fail(p, "expected ; and not", p->word);
}

/* A number with a suffix k, m or g. */
static int take_size(struct parser *p, const char *text, uint64_t least, uint64_t *ret)
{
	static const char units[] = "kmg";
	const char *unit;
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || errno != 0 || n >> 40 != 0)
		return fail(p, "not a number:", text);
	unit = *end != '\0' ? strchr(units, *end | 0x20) : NULL;
	if (*end != '\0' && (unit == NULL || end[1] != '\0'))
		return fail(p, "not a number:", text);
	if (unit != NULL)
		n <<= 10 * (unit - units + 1);
	if (n < least || n >> 40 != 0)
		return fail(p, "out of range:", text);
	*ret = n;
	return 0;
}

/* ---- statements ---- */

static int take_policy(struct parser *p, const char *text, int *ret)
{
	if (strcmp(text, "loop") == 0)
		*ret = POSIX_TRACE_LOOP;
	else if (strcmp(text, "until_full") == 0)
		*ret = POSIX_TRACE_UNTIL_FULL;
	else
		return fail(p, "policy is loop or until_full, not", text);
	return 0;
}

static int take_text(struct parser *p, const char *text, char **ret)
{
	if (*ret != NULL)
		return fail(p, "said twice:", p->word);
	*ret = strdup(text);
	return *ret == NULL ? -ENOMEM : 0;
}

/* One "key=value" of a rule. */
static int take_setting(struct parser *p, struct config_rule *rule)
{
	static const char *const keys[] = {"user=", "command=", "events=", "size=", "policy="};
	size_t i = 0;
	const char *value;

	while (i < 5 && strncmp(p->word, keys[i], strlen(keys[i])) != 0)
		i++;
	if (i == 5)
		return fail(p, "unknown:", p->word);
	value = p->word + strlen(keys[i]);
	if (i < 3)
		return take_text(p, value,
				 i == 0   ? &rule->user
				 : i == 1 ? &rule->command
					  : &rule->events);
	if (i == 3)
		return take_size(p, value, 1, &rule->size);
	return take_policy(p, value, &rule->policy);
}

static int take_settings(struct parser *p, struct config_rule *rule)
{
	for (;;) {
		int r = next_word(p);

		if (r < 0)
			return r;
		if (strcmp(p->word, ";") == 0)
			return 0;
		if (p->word[0] == '\0')
			return fail(p, "the last statement has no ;", "");
		r = take_setting(p, rule);
		if (r < 0)
			return r;
	}
}

/* The text from a position on, on one line and without the semicolon. */
static char *copy_statement(const char *from, const char *to)
{
	char *text = strndup(from, (size_t)(to - from));

	if (text == NULL)
		return NULL;
	for (char *c = text; *c != '\0'; c++)
		if (*c == '\n' || *c == '\t' || *c == '\r')
			*c = ' ';
	for (size_t n = strlen(text); n > 0 && strchr(" ;", text[n - 1]) != NULL; n--)
		text[n - 1] = '\0';
	return text;
}

static int take_rule(struct parser *p, bool attach, const char *from)
{
	struct config *config = p->config;
	struct config_rule rule = {.attach = attach, .policy = POSIX_TRACE_LOOP}, *grown;
	int r = take_settings(p, &rule);

	if (r == 0 && config->nrules == RULES_MAX)
		r = fail(p, "too many rules", "");
	rule.text = r == 0 ? copy_statement(from, p->pos) : NULL;
	grown =
	    rule.text == NULL ? NULL : realloc(config->rules, (config->nrules + 1) * sizeof(rule));
	if (grown == NULL) {
		rule_done(&rule);
		return r < 0 ? r : -ENOMEM;
	}
	config->rules = grown;
	config->rules[config->nrules++] = rule;
	return 0;
}

/* Which amounts there are; the unsigned ones have no 64-bit place. */
static const struct {
	const char *word;
	uint64_t least, most;
	size_t place;
	bool wide;
} amounts[] = {
    {"queue", 4096, UINT64_C(1) << 40, offsetof(struct config, queue), true},
    {"memory", 4096, UINT64_C(1) << 40, offsetof(struct config, memory), true},
    {"linger", 0, 600, offsetof(struct config, linger_s), false},
    {"recent", 0, 256, offsetof(struct config, recent), false},
};

static int take_amount(struct parser *p)
{
	size_t i = 0;
	uint64_t n = 0;
	char *place;
	int r;

	while (i < sizeof(amounts) / sizeof(amounts[0]) && strcmp(p->word, amounts[i].word) != 0)
		i++;
	if (i == sizeof(amounts) / sizeof(amounts[0]))
		return fail(p, "unknown:", p->word);
	r = next_word(p);
	if (r == 0)
		r = take_size(p, p->word, amounts[i].least, &n);
	if (r == 0 && n > amounts[i].most)
		r = fail(p, "out of range:", p->word);
	if (r == 0)
		r = end_statement(p);
	if (r < 0)
		return r;
	place = (char *)p->config + amounts[i].place;
	if (amounts[i].wide)
		memcpy(place, &n, sizeof(n));
	else
		memcpy(place, &(unsigned int){(unsigned int)n}, sizeof(unsigned int));
	return 0;
}

int config_parse(struct config *config, const char *name, const char *text, char *message,
		 size_t size)
{
	struct parser p = {.config = config,
			   .name = name,
			   .pos = text,
			   .line = 1,
			   .message = message,
			   .size = size};
	int r;

	config_init(config);
	for (;;) {
		const char *from;

		skip_blanks(&p);
		from = p.pos;
		r = next_word(&p);
		if (r < 0 || p.word[0] == '\0')
			break;
		if (strcmp(p.word, "attach") == 0 || strcmp(p.word, "ignore") == 0)
			r = take_rule(&p, p.word[0] == 'a', from);
		else
			r = take_amount(&p);
		if (r < 0)
			break;
	}
	if (r == -ENOMEM)
		snprintf(message, size, "%s: %s", name, strerror(ENOMEM));
	if (r < 0)
		config_done(config);
	return r;
}

int config_load(struct config *config, const char *path, char *message, size_t size)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t n = 0;
	int r = 0;

	config_init(config);
	if (f == NULL && errno == ENOENT)
		return 0;
	if (f == NULL)
		r = -errno;
	if (r == 0 && (text = malloc(FILE_MAX + 1)) == NULL)
		r = -ENOMEM;
	if (r == 0) {
		n = fread(text, 1, FILE_MAX + 1, f);
		r = ferror(f) ? -EIO : n > FILE_MAX ? -EFBIG : 0;
	}
	if (f != NULL)
		fclose(f);
	if (r < 0) {
		snprintf(message, size, "%s: %s", path, strerror(-r));
	} else {
		text[n] = '\0';
		r = strlen(text) == n ? config_parse(config, path, text, message, size) : -EINVAL;
		if (r == -EINVAL && strlen(text) != n)
			snprintf(message, size, "%s: not a text", path);
	}
	free(text);
	return r;
}

static bool fits(const char *pattern, const char *text)
{
	return pattern == NULL || fnmatch(pattern, text, 0) == 0;
}

const struct config_rule *config_find(const struct config *config, const char *user,
				      const char *command)
{
	for (size_t i = 0; i < config->nrules; i++)
		if (fits(config->rules[i].user, user) && fits(config->rules[i].command, command))
			return &config->rules[i];
	return NULL;
}

/* ---- the configuration that is in force ---- */

enum {
	PATH = 4096,
};

static struct config in_force;
static char config_path[PATH];
static struct {
	struct timespec changed;
	off_t size;
	ino_t ino;
} config_state;

static void use_config(void)
{
	collector.budget.queue = in_force.queue;
	collector.budget.memory = in_force.memory;
	collector.budget.recent = in_force.recent;
	collector.linger_s = in_force.linger_s;
}

/* Half a file may have been read within the same tick of its clock in which the rest came. */
static bool config_is_new(void)
{
	struct stat st = {0};

	if (stat(config_path, &st) < 0)
		st = (struct stat){0};
	if (memcmp(&st.st_mtim, &config_state.changed, sizeof(st.st_mtim)) == 0 &&
	    st.st_size == config_state.size && st.st_ino == config_state.ino)
		return false;
	config_state.changed = st.st_mtim;
	config_state.size = st.st_size;
	config_state.ino = st.st_ino;
	return true;
}

int settings_load(const char *path, char *message, size_t size)
{
	snprintf(config_path, sizeof(config_path), "%s", path);
	config_is_new();
	int r = config_load(&in_force, config_path, message, size);

	use_config();
	return r;
}

/* A file that changed counts for processes that are not attached; one with mistakes does not. */
void settings_look(void)
{
	struct config fresh;
	char message[TRACING_TEXT];
	int r;

	if (!config_is_new())
		return;
	r = config_load(&fresh, config_path, message, sizeof(message));
	collector_lock();
	if (r < 0) {
		collector_failed("%s", message);
		collector_unlock();
		return;
	}
	config_done(&in_force);
	in_force = fresh;
	use_config();
	for (size_t i = 0; i < collector.nprocesses; i++)
		collector.processes[i]->decided = collector.processes[i]->attached != 0;
	collector_unlock();
}

const struct config_rule *settings_rule(const char *user, const char *command)
{
	return config_find(&in_force, user, command);
}

void settings_done(void)
{
	config_done(&in_force);
}

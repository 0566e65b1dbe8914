/*
 * fuzz_pmlc - scripts of pmlc. Each command is either complete or an error with a message, and
 * parsing reaches the end of the text.
 */
#include <string.h>

#include "fuzz.h"
#include "tools/pmlc/script.h"

struct text {
	const char *rest;
	size_t left;
	unsigned int lines;
	bool connected;
};

static char *next_line(void *arg, bool more)
{
	struct text *t = arg;
	const char *end;
	char *line;
	size_t len;

	if (t->left == 0)
		return NULL;
	end = memchr(t->rest, '\n', t->left);
	len = end == NULL ? t->left : (size_t)(end - t->rest);
	line = strndup(t->rest, len);
	len += end != NULL;
	t->rest += len;
	t->left -= len;
	t->lines++;
	return line;
}

static bool is_connected(void *arg)
{
	return ((struct text *)arg)->connected;
}

static void say(void *arg, unsigned int line, const char *text)
{
	FUZZ_REQUIRE(text[0] != '\0');
	FUZZ_REQUIRE(line <= ((struct text *)arg)->lines);
}

static void look_at(const struct command *c)
{
	FUZZ_REQUIRE(c->verb <= VERB_TIMEZONE);
	FUZZ_REQUIRE((c->verb == VERB_QUERY || c->verb == VERB_LOG) == (c->metrics != NULL));
	for (const struct metric_spec *m = c->metrics; m != NULL; m = m->next) {
		FUZZ_REQUIRE(m->name[0] != '\0');
		for (const struct inst_spec *i = m->insts; i != NULL; i = i->next)
			FUZZ_REQUIRE(i->name == NULL || i->name[0] != '\0');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = {(const char *)data, size, 0, size % 8 != 0};
	const struct script_source source = {next_line, is_connected, say, &text};
	struct script *s = script_new(&source);
	struct command c = {0};
	int r;

	FUZZ_REQUIRE(s != NULL);
	while ((r = script_next(s, &c)) >= 0) {
		if (r == 1)
			look_at(&c);
	}
	FUZZ_REQUIRE(text.left == 0);
	command_done(&c);
	script_free(s);
	return 0;
}

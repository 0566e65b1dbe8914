/*
 * fuzz_dbpmda - scripts of the agent debugger, one command per line. A line is either parsed, or
 * has an error with a message and a position inside the line.
 */
#include <string.h>

#include <pcp/pmapi.h>

#include "fuzz.h"
#include "tools/dbpmda/command.h"

static int look_up(void *arg, const char *name, pmID *ret_pmid)
{
	if (name[0] == 'x')
		return PM_ERR_NAME;
	*ret_pmid = (pmID)strlen(name);
	return 0;
}

static void check(void *arg, pmID pmid)
{
}

static void warn(void *arg, const char *text)
{
	FUZZ_REQUIRE(text[0] != '\0');
}

static void try_line(const char *line)
{
	static const struct command_context context = {look_up, check, warn, NULL};
	static struct command c;
	struct command_error error = {"", -1};

	if (strstr(line, "socket") != NULL)
		return; /* service names are looked up in system files */
	if (command_parse(line, &context, &c, &error) < 0) {
		FUZZ_REQUIRE(error.text[0] != '\0');
		FUZZ_REQUIRE(error.column >= 0 && error.column <= (int)strlen(line) + 1);
		return;
	}
	FUZZ_REQUIRE(c.verb < VERB_NVERB && c.npmid <= COMMAND_WORDS_MAX);
	FUZZ_REQUIRE(c.nword <= COMMAND_WORDS_MAX);
	FUZZ_REQUIRE(c.verb != VERB_FETCH || c.form == FORM_USAGE || c.npmid > 0);
	FUZZ_REQUIRE(c.verb != VERB_OPEN || c.form == FORM_USAGE || c.text != NULL);
	for (int i = 0; i < c.nword; i++)
		FUZZ_REQUIRE(c.words[i] != NULL);
	command_done(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char *at = text;
	char *line;

	FUZZ_REQUIRE(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	while ((line = strsep(&at, "\n")) != NULL)
		try_line(line);
	pmClearDebug("all");
	free(text);
	return 0;
}

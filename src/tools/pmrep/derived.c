#include "tools/pmrep/derived.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define FAILED "Failed to register derived metric:\n"

static int register_one(const char *name, const char *formula)
{
	char *why = NULL;
	int sts;

	formula += strspn(formula, " \t\n");
	sts = pmRegisterDerivedMetric(name, formula, &why);
	if (sts >= 0)
		return 0;
	fprintf(stderr, FAILED "%s %s.\n", pmErrStr(PM_ERR_CONV),
		why != NULL ? why : pmErrStr(sts));
	free(why);
	return sts;
}

/* The length of a definition: up to a semicolon, or a comma outside of parentheses. */
static size_t definition_length(const char *text, char separator)
{
	int depth = 0;
	size_t n = 0;

	for (; text[n] != '\0' && (text[n] != separator || depth > 0); n++) {
		if (text[n] == '(')
			depth++;
		if (text[n] == ')' && depth > 0)
			depth--;
	}
	return n;
}

static int register_definition(char *definition)
{
	char *equals = strchr(definition, '='), *end;

	if (equals == NULL) {
		fprintf(stderr, FAILED "Invalid syntax (expected metric=expression).\n");
		return PM_ERR_CONV;
	}
	for (end = equals; end > definition && (end[-1] == ' ' || end[-1] == '\t'); end--)
		continue;
	*end = '\0';
	definition += strspn(definition, " \t\n");
	return register_one(definition, equals + 1);
}

static int register_definitions(const char *text)
{
	char separator = strchr(text, ';') != NULL ? ';' : ',';
	int sts = 0;

	while (*text != '\0' && sts >= 0) {
		size_t n = definition_length(text, separator);
		char *definition = strndup(text, n);

		if (definition == NULL)
			pmNoMem("derived metric", n, PM_FATAL_ERR);
		if (strspn(definition, " \t\n") < n)
			sts = register_definition(definition);
		free(definition);
		text += n + (text[n] == separator);
	}
	return sts;
}

static int load_file(const char *path)
{
	int sts = pmLoadDerivedConfig(path);

	if (sts < 0)
		fprintf(stderr, "Failed to load derived metric definitions from file '%s':\n%s.\n",
			path, pmErrStr(sts));
	return sts;
}

int derived_register(const struct specs *specs, const char *given)
{
	int sts = 0;

	if (given != NULL && (given[0] == '/' || given[0] == '.'))
		sts = load_file(given);
	else if (given != NULL)
		sts = register_definitions(given);
	for (size_t i = 0; i < specs->n && sts >= 0; i++)
		if (specs->list[i].formula != NULL)
			sts = register_one(specs->list[i].name, specs->list[i].formula);
	return sts;
}

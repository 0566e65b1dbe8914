/*
 * script - calls libpcp_import as lines of standard input say, and prints what each call returns.
 * The same program runs with our library and with the reference's (tests/e2e/test_import.py).
 *
 * A word is up to a space, or in "quotes" with \n, \t, \" and \\ in them; NULL is the null pointer.
 * An identifier is D.C.I, D.S, a number, or "-" for PM_ID_NULL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/import.h>
#include <pcp/pmapi.h>

enum {
	WORDS = 32,
	LINE = 1 << 17,
	VALUES = 16,
};

static char *word[WORDS];
static int line_number;

static char escaped(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

static char *quoted(char *s)
{
	char *out = s;

	for (; *s != '\0' && *s != '"'; s++) {
		if (*s == '\\')
			*out++ = escaped(*++s);
		else
			*out++ = *s;
	}
	if (*s != '\0')
		s++;
	*out = '\0';
	return s;
}

static void split(char *s)
{
	memset(word, 0, sizeof(word));
	for (int n = 0; n < WORDS; n++) {
		s += strspn(s, " \n");
		if (*s == '\0')
			return;
		if (*s == '"') {
			word[n] = ++s;
			s = quoted(s);
			continue;
		}
		word[n] = s;
		s += strcspn(s, " \n");
		if (*s != '\0')
			*s++ = '\0';
		if (strcmp(word[n], "NULL") == 0)
			word[n] = NULL;
	}
}

static long long number(int n)
{
	return word[n] != NULL ? strtoll(word[n], NULL, 0) : 0;
}

static int small(int n)
{
	return (int)number(n);
}

static unsigned int ident(int n)
{
	int a, b, c;

	if (word[n] == NULL || strcmp(word[n], "-") == 0)
		return PM_ID_NULL;
	switch (sscanf(word[n], "%d.%d.%d", &a, &b, &c)) {
	case 3:
		return pmiID(a, b, c);
	case 2:
		return pmiInDom(a, b);
	default:
		return (unsigned int)number(n);
	}
}

/* PMID NUMVAL INST VALUE ...: values in situ; those that begin with "=" are strings, all of a set.
 */
static pmValueSet *value_set(void)
{
	static struct {
		pmValueSet set;
		pmValue more[VALUES];
	} s;
	static pmValueBlock *blocks[VALUES];

	memset(&s, 0, sizeof(s));
	s.set.pmid = ident(3);
	s.set.numval = small(4);
	for (int i = 0; i < s.set.numval && i < VALUES; i++) {
		pmValue *v = &s.set.vlist[i];
		const char *text = word[6 + 2 * i];

		v->inst = small(5 + 2 * i);
		v->value.lval = small(6 + 2 * i);
		if (text != NULL && text[0] == '=') {
			size_t len = strlen(text);

			s.set.valfmt = PM_VAL_DPTR;
			free(blocks[i]);
			blocks[i] = calloc(1, PM_VAL_HDR_SIZE + len);
			v->value.pval = blocks[i];
			v->value.pval->vtype = PM_TYPE_STRING;
			v->value.pval->vlen = (unsigned int)(PM_VAL_HDR_SIZE + len);
			memcpy(v->value.pval->vbuf, text + 1, len);
		}
	}
	return &s.set;
}

static int put_result(void)
{
	pmResult result = {.timestamp = {number(1), number(2)}};

	if (word[3] != NULL) {
		result.numpmid = 1;
		result.vset[0] = value_set();
	}
	return pmiPutResult(&result);
}

static int put_high_res_result(void)
{
	pmHighResResult result = {.timestamp = {number(1), number(2)}};

	if (word[3] != NULL) {
		result.numpmid = 1;
		result.vset[0] = value_set();
	}
	return pmiPutHighResResult(&result);
}

static pmUnits units(int n)
{
	return pmiUnits(small(n), small(n + 1), small(n + 2), small(n + 3), small(n + 4),
			small(n + 5));
}

static int show_units(void)
{
	pmUnits u = units(1);

	printf("%s\n", pmUnitsStr(&u));
	return 0;
}

static int show_error(void)
{
	char text[PMI_MAXERRMSGLEN] = "#";

	if (word[2] != NULL)
		printf("%s\n", pmiErrStr_r(small(1), text, small(2)));
	else
		printf("%s\n", pmiErrStr(small(1)));
	return 0;
}

static int show_ids(void)
{
	printf("%08x %08x %08x\n", pmiID(small(1), small(2), small(3)),
	       pmiCluster(small(1), small(2)), pmiInDom(small(1), small(2)));
	return 0;
}

static int dump(void)
{
	fflush(stdout);
	pmiDump();
	return 0;
}

/* One call; what it returns. */
static int call(const char *name)
{
#define CALL(word, expression)                                                                     \
	if (strcmp(name, word) == 0)                                                               \
	return expression
	CALL("start", pmiStart(word[1], small(2)));
	CALL("use", pmiUseContext(small(1)));
	CALL("end", pmiEnd());
	CALL("host", pmiSetHostname(word[1]));
	CALL("zone", pmiSetTimezone(word[1]));
	CALL("version", pmiSetVersion(small(1)));
	CALL("metric", pmiAddMetric(word[1], ident(2), small(3), ident(4), small(5), units(6)));
	CALL("inst", pmiAddInstance(ident(1), word[2], small(3)));
	CALL("value", pmiPutValue(word[1], word[2], word[3]));
	CALL("handle", pmiGetHandle(word[1], word[2]));
	CALL("hvalue", pmiPutValueHandle(small(1), word[2]));
	CALL("write", pmiWrite(small(1), small(2)));
	CALL("write2", pmiWrite2(number(1), small(2)));
	CALL("hires", pmiHighResWrite(number(1), small(2)));
	CALL("result", put_result());
	CALL("hiresult", put_high_res_result());
	CALL("mark", pmiPutMark());
	CALL("text", pmiPutText((unsigned int)small(1), (unsigned int)small(2), ident(3), word[4]));
	CALL("label", pmiPutLabel((unsigned int)small(1), ident(2), (unsigned int)small(3), word[4],
				  word[5]));
	CALL("units", show_units());
	CALL("error", show_error());
	CALL("ids", show_ids());
	CALL("dump", dump());
#undef CALL
	fprintf(stderr, "script: line %d: no call is named \"%s\"\n", line_number, name);
	exit(2);
}

int main(void)
{
	static char line[LINE];

	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		int code;

		line_number++;
		split(line);
		if (word[0] == NULL || word[0][0] == '#')
			continue;
		code = call(word[0]);
		printf("%d: %s %d%s%s\n", line_number, word[0], code, code < 0 ? " " : "",
		       code < 0 ? pmiErrStr(code) : "");
	}
	return 0;
}

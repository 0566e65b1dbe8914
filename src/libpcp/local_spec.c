/*
 * local_spec - the list of local agents as options change it: docs/spec/pmapi.md 3.5.
 *
 *     clear | add,domain,path,init | del,[domain][,path]
 */
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libpcp/local_agent.h"

enum { DOMAIN_MAX = 510 };

/* The text of a code, valid until the next one. */
static const char *failed(int r)
{
	static char text[PM_MAXERRMSGLEN + 32];
	char why[PM_MAXERRMSGLEN];

	if (r >= 0)
		return NULL;
	pmsprintf(text, sizeof(text), "__pmLocalPMDA: %s", pmErrStr_r(r, why, sizeof(why)));
	return text;
}

/* The domain at *p, which may be missing (-1); *p moves to the text after it. */
static const char *take_domain(const char **p, int *ret_domain)
{
	char *end;
	long domain = strtol(*p, &end, 10);

	*ret_domain = end == *p ? -1 : (int)domain;
	if ((end != *p && (domain < 0 || domain > DOMAIN_MAX)) || (*end != ',' && *end != '\0'))
		return "bad domain in spec";
	*p = end;
	return NULL;
}

static const char *add(const char *rest)
{
	AUTO_FREE char *path = NULL;
	const char *comma;
	const char *why;
	int domain;

	why =
	    *rest == '\0' || *rest == ',' ? "missing domain in spec" : take_domain(&rest, &domain);
	if (why != NULL)
		return why;
	if (*rest == '\0' || rest[1] == '\0' || rest[1] == ',')
		return "missing dso-path in spec";
	comma = strchr(++rest, ',');
	if (comma == NULL || comma[1] == '\0')
		return "missing init-routine in spec";
	path = strndup(rest, (size_t)(comma - rest));
	if (path == NULL)
		return "strdup failed";
	return failed(local_agent_add(path, domain, path, comma + 1));
}

static const char *del(const char *rest)
{
	const char *path = NULL;
	const char *why;
	int domain = -1;

	why = *rest == '\0' ? "missing domain in spec" : take_domain(&rest, &domain);
	if (why != NULL)
		return why;
	if (domain < 0 && *rest == ',' && rest[1] != '\0')
		path = rest + 1;
	if (domain < 0 && path == NULL)
		return "missing domain and dso-path in spec";
	return failed(local_agent_del(domain, path));
}

static const char *clear(const char *rest)
{
	if (*rest != '\0')
		return "unexpected text after clear op in spec";
	local_agent_clear();
	return NULL;
}

/* clang-format off */
static const struct {
	const char *word;
	bool more; /* a comma and arguments follow */
	const char *(*run)(const char *rest);
} ops[] = {
	{ "clear", false, clear },
	{ "add",   true,  add },
	{ "del",   true,  del },
};
/* clang-format on */

static const char *run(const char *spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		size_t len = strlen(ops[i].word);

		if (strncmp(spec, ops[i].word, len) != 0)
			continue;
		if (ops[i].more && spec[len] != ',')
			return "expected , after op in spec";
		return ops[i].run(spec + len + ops[i].more);
	}
	return "bad op in spec";
}

char *pmSpecLocalPMDA(const char *spec)
{
	int r = local_agent_thread();

	if (r == 0)
		r = local_agent_configure();
	/* Without a configuration the list begins empty; the context will return the reason. */
	return (char *)(r == PM_ERR_THREAD ? failed(r) : run(spec));
}

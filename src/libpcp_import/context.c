/*
 * context - pmiStart, pmiUseContext and pmiEnd, and what the label of the archive has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libpcp_import/import.h"

enum {
	VERSION_2 = 2,
	VERSION_3 = 3,
};

/* The version that pcp.conf or the environment asks for; 2 without one. */
static int default_version(void)
{
	const char *text = pmGetOptionalConfig("PCP_ARCHIVE_VERSION");

	return text != NULL && strtol(text, NULL, 10) == VERSION_3 ? VERSION_3 : VERSION_2;
}

static void free_context(struct import *c)
{
	import_free_metadata(c);
	free(c->archive);
	free(c);
}

static int new_context(const char *archive, const struct import *from)
{
	struct import *c = calloc(1, sizeof(*c));
	int r = 0;

	if (c == NULL)
		return -ENOMEM;
	c->state = IMPORT_START;
	c->version = default_version();
	if (archive != NULL && (c->archive = strdup(archive)) == NULL)
		r = -ENOMEM;
	if (r == 0 && from != NULL)
		r = import_inherit(c, from);
	if (r == 0)
		r = import_adopt(c);
	if (r < 0)
		free_context(c);
	return r;
}

int pmiStart(const char *archive, int inherit)
{
	struct import *old = import_enter();
	int r = new_context(archive, inherit != 0 ? old : NULL);

	if (r < 0 && old == NULL) { /* there is no context that could keep the code */
		import_unlock();
		return r;
	}
	return import_leave(r < 0 ? old : import_use(r), r);
}

int pmiUseContext(int context)
{
	struct import *old = import_enter();
	struct import *c = import_use(context);

	return import_leave(c != NULL ? c : old, c != NULL ? 0 : PM_ERR_NOCONTEXT);
}

int pmiEnd(void)
{
	struct import *c = import_enter();

	return import_leave(c, c != NULL ? import_end(c) : 0);
}

static int set_text(char **text, const char *value)
{
	char *copy = value != NULL ? strdup(value) : NULL;

	if (copy == NULL && value != NULL)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

int pmiSetHostname(const char *value)
{
	struct import *c = import_enter();

	return import_leave(c, c != NULL ? set_text(&c->host, value) : 0);
}

int pmiSetTimezone(const char *value)
{
	struct import *c = import_enter();

	return import_leave(c, c != NULL ? set_text(&c->zone, value) : 0);
}

int pmiSetVersion(int version)
{
	struct import *c = import_enter();

	if (version != VERSION_2 && version != VERSION_3)
		return import_leave(c, PMI_ERR_BADVERSION);
	if (c != NULL)
		c->version = version;
	return import_leave(c, 0);
}

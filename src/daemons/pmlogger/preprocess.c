/* preprocess - see preprocess.h. */
#include "daemons/pmlogger/preprocess.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libpmns/cpp.h"

static int run(const char *name, const char *dir, const struct buffer *text, struct buffer *out)
{
	char pmns[PATH_MAX];
	const char *dirs[] = {dir, pmns, NULL};
	struct cpp_text main_text = {.name = name, .text = (const char *)text->data,
				     .len = text->len};
	struct cpp_options opt = {.flags = CPP_PERCENT | CPP_MARKED, .dirs = dirs};
	struct buffer error = BUFFER_INIT;
	int r;

	snprintf(pmns, sizeof(pmns), "%s/pmns", pmGetConfig("PCP_VAR_DIR"));
	r = cpp_run(&main_text, &opt, out, &error);
	if (r < 0 && error.len > 0)
		fprintf(stderr, "%s\n", buffer_str(&error));
	buffer_done(&error);
	return r == -EINVAL ? 0 : r;
}

int preprocess(const char *path, struct buffer *out, const char **ret_name)
{
	static char found[PATH_MAX];
	struct buffer text = BUFFER_INIT;
	char dir[PATH_MAX];
	int r;

	snprintf(dir, sizeof(dir), "%s/config/pmlogger", pmGetConfig("PCP_VAR_DIR"));
	*ret_name = path != NULL ? path : "<stdin>";
	if (path != NULL && path[0] != '/' && access(path, F_OK) < 0) {
		int n = snprintf(found, sizeof(found), "%s/%s", dir, path);

		if (n > 0 && (size_t)n < sizeof(found) && access(found, F_OK) == 0)
			*ret_name = path = found;
	}
	r = cpp_input(path, &text);
	if (r < 0)
		fprintf(stderr, "%s: Cannot open config file \"%s\": %s\n", pmGetProgname(),
			*ret_name, pmErrStr(r));
	else
		r = run(*ret_name, dir, &text, out);
	buffer_done(&text);
	return r;
}

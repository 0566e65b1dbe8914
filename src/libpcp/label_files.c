/*
 * label_files - the labels of this host, from the files of $PCP_SYSCONF_DIR/labels, and of an
 * agent: docs/spec/pmda.md 11.2.
 */
#include <dirent.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"
#include "libbase/file.h"

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* One file; something that is not a file, or does not parse, is reported and passed over. */
static void add_file(pmLabelSet **set, const char *path, int flags)
{
	struct buffer text = BUFFER_INIT;
	char why[PM_MAXERRMSGLEN];
	int r = file_read_all(path, PM_MAXLABELJSONLEN, &text);

	if (r >= 0)
		r = __pmAddLabels(set, buffer_str(&text), flags);
	if (r < 0 && r != -EISDIR)
		pmNotifyErr(LOG_ERR, "cannot read labels from %s: %s", path,
			    pmErrStr_r(r, why, sizeof(why)));
	buffer_done(&text);
}

/* All files of a folder, by name. */
static int add_folder(pmLabelSet **set, const char *folder, int flags)
{
	struct dirent **entries;
	char path[MAXPATHLEN];
	int n = scandir(folder, &entries, visible, alphasort);

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		pmsprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		add_file(set, path, flags);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

int __pmGetContextLabels(pmLabelSet **set)
{
	char *dir = pmGetOptionalConfig("PCP_SYSCONF_DIR");
	char folder[MAXPATHLEN];
	int r;

	if (dir == NULL)
		return -ENOENT;
	pmsprintf(folder, sizeof(folder), "%s/labels", dir);
	r = add_folder(set, folder, PM_LABEL_CONTEXT);
	if (r < 0)
		return r;
	pmsprintf(folder, sizeof(folder), "%s/labels/optional", dir);
	add_folder(set, folder, PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
	return *set != NULL && (*set)->nlabels > 0;
}

int __pmGetDomainLabels(int domain, const char *name, pmLabelSet **set)
{
	size_t len;
	char text[128];
	int r;

	(void)domain;
	if (strncmp(name, "pmda", 4) == 0)
		name += 4;
	len = strlen(name);
	if (len > 4 && strcmp(name + len - 4, " DSO") == 0)
		len -= 4;
	pmsprintf(text, sizeof(text), "{\"agent\":\"%.*s\"}", (int)len, name);
	r = __pmAddLabels(set, text, PM_LABEL_DOMAIN);
	return r < 0 ? r : 1;
}

#include "tools/pmns/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libpmns/pmns.h"

struct writer {
	const struct pmns *ns;
	FILE *f;
};

static int write_entry(void *arg, const struct pmns_entry *e)
{
	const struct writer *w = arg;

	fprintf(w->f, "\t%s", e->base);
	if (e->kind == PMNS_DYNAMIC)
		fprintf(w->f, "\t%u:*:*", pmns_dynamic_domain(e->pmid));
	else if (e->kind == PMNS_LEAF)
		fprintf(w->f, "\t%u:%u:%u", pmID_domain(e->pmid), pmID_cluster(e->pmid),
			pmID_item(e->pmid));
	fputc('\n', w->f);
	return 0;
}

static int write_node(void *arg, const struct pmns_entry *e)
{
	const struct writer *w = arg;

	if (e->kind != PMNS_NONLEAF)
		return 0;
	fprintf(w->f, "\n%s {\n", e->name);
	pmns_children(w->ns, e->name, e->name_len, write_entry, arg);
	fputs("}\n", w->f);
	return pmns_children(w->ns, e->name, e->name_len, write_node, arg) < 0 ? -1 : 0;
}

static int write_all(const struct pmns *ns, FILE *f)
{
	struct writer w = {.ns = ns, .f = f};

	fputs("root {\n", f);
	pmns_children(ns, "", 0, write_entry, &w);
	fputs("}\n", f);
	pmns_children(ns, "", 0, write_node, &w);
	if (fflush(f) != 0 || ferror(f))
		return errno != 0 ? -errno : -EIO;
	return fsync(fileno(f)) < 0 && errno != EINVAL ? -errno : 0;
}

/* The mode of the file that is replaced, or the mode of a new file. */
static mode_t choose_mode(const char *path)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) == 0)
		return st.st_mode & 07777;
	mask = umask(022);
	umask(mask);
	return 0666 & ~mask;
}

static int replace(const struct pmns *ns, const char *path)
{
	char *temp;
	FILE *f;
	int fd, sts;

	if (asprintf(&temp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(temp, O_CLOEXEC);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	sts = f != NULL ? write_all(ns, f) : -errno;
	if (sts >= 0 && fchmod(fd, choose_mode(path)) < 0)
		sts = -errno;
	if (f != NULL && fclose(f) != 0 && sts >= 0)
		sts = -errno;
	if (sts >= 0 && rename(temp, path) < 0)
		sts = -errno;
	if (sts < 0 && fd >= 0)
		unlink(temp);
	free(temp);
	return sts;
}

int writer_write(const struct pmns *ns, const char *path)
{
	char *real = realpath(path, NULL); /* a symbolic link is kept: its target is replaced */
	int sts = replace(ns, real != NULL ? real : path);

	free(real);
	return sts;
}

/* inspect - see inspect.h. */
#include "inspect.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libbase/endian_be.h"
#include "libstore/archive_files.h"
#include "libstore/archive_meta.h"
#include "libstore/member.h"
#include "libstore/repair_inner.h"
#include "scene.h"

/* Whether the count in a record matches its timestamp. */
static bool is_record(const struct result_view *view, uint64_t k)
{
	struct vset_view set;
	struct wire_value value;
	pmAtomValue atom;

	if (scene_is_mark(k))
		return result_view_is_mark(view);
	if (result_view_find(view, SCENE_COUNT, &set) != 1 || set.numval != 1)
		return false;
	return vset_view_value(view, &set, 0, &value) == 0 &&
	       wire_value_number(&value, PM_TYPE_U64, &atom) == 0 && atom.ull == k;
}

static void add_record(struct inspect *in, const struct result_view *view, uint64_t *next)
{
	uint64_t k = (uint64_t)(view->stamp.tv_sec - SCENE_START);

	if (k >= INSPECT_MAX || k < *next || !is_record(view, k)) {
		in->wrong = true;
		return;
	}
	in->has[k] = true;
	in->records++;
	*next = k + 1;
}

/* Every metric has a descriptor, every instance is in its domain as it was then. */
static bool is_described(struct archive_meta *meta, const struct result_view *view)
{
	struct result_walk walk = result_walk_begin(view);
	struct vset_view set;

	while (result_walk_next(view, &walk, &set) == 1) {
		const struct archive_metric *m = archive_meta_metric(meta, set.pmid);
		const struct archive_indom *indom;

		if (m == NULL)
			return false;
		if (m->desc.indom == PM_INDOM_NULL)
			continue;
		if (archive_meta_indom_at(meta, m->desc.indom, &view->stamp, &indom) < 0 ||
		    indom == NULL)
			return false;
		for (int32_t i = 0; i < set.numval; i++) {
			if (archive_indom_inst(indom, vset_view_inst(&set, i)) == NULL)
				return false;
		}
	}
	return true;
}

static void add_volume(struct inspect *in, const struct archive_volume *v,
		       struct archive_meta *meta, uint64_t *next)
{
	struct repair_scan scan;
	struct scan_piece piece;
	struct member *m;
	int r;

	if (member_open(v->path, &m) != 0) {
		in->wrong = true;
		return;
	}
	r = repair_scan_begin(&scan, m, SCAN_DATA, v->number);
	in->wrong |= r != 0;
	while (r == 0 && repair_scan_next(&scan, &piece) == 1) {
		if (piece.whole) {
			add_record(in, &piece.view, next);
			in->undescribed += !is_described(meta, &piece.view);
		} else
			in->wrong = true;
	}
	repair_scan_done(&scan);
	member_close(m);
}

static bool load_meta(const char *path, struct archive_meta *meta)
{
	struct repair_scan scan;
	struct member *m;
	uint64_t end;
	bool whole;

	if (member_open(path, &m) != 0)
		return false;
	whole = repair_scan_begin(&scan, m, SCAN_META, LOG_LABEL_VOL_META) == 0 &&
		archive_meta_load(meta, m, scan.label.version, 0, scan.offset, &end) == 0 &&
		end == scan.size;
	repair_scan_done(&scan);
	member_close(m);
	return whole;
}

void inspect(const char *base, struct inspect *ret)
{
	struct archive_files files;
	struct archive_meta *meta;
	uint64_t next = 0;

	memset(ret, 0, sizeof(*ret));
	if (archive_files_members(base, &files) != 0)
		return;
	ret->there = files.meta != NULL && files.nvolumes > 0;
	if (ret->there && archive_meta_new(&meta) == 0) {
		ret->wrong = !load_meta(files.meta, meta);
		for (size_t i = 0; i < files.nvolumes; i++)
			add_volume(ret, &files.volumes[i], meta, &next);
		archive_meta_free(meta);
	}
	archive_files_done(&files);
}

/* Runs a tool of the peer; 1 if it ends well, and silently if that is asked. */
static int run_tool(const char *tool, const char *option, const char *base, bool silent)
{
	const char *peer = getenv("PITOT_PEER");
	char path[512], conf[512], lib[512];
	char buf[512];
	int out[2], status;
	ssize_t said = 0, n;
	pid_t pid;

	if (peer == NULL || peer[0] == '\0')
		return -1;
	snprintf(path, sizeof(path), "%s/usr/bin/%s", peer, tool);
	snprintf(conf, sizeof(conf), "%s/etc/pcp.conf", peer);
	snprintf(lib, sizeof(lib), "%s/usr/lib", peer);
	if (access(path, X_OK) != 0 || pipe2(out, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		setenv("PCP_DIR", peer, 1);
		setenv("PCP_CONF", conf, 1);
		setenv("LD_LIBRARY_PATH", lib, 1);
		unsetenv("LD_PRELOAD");
		dup2(out[1], 2);
		dup2(silent ? out[1] : open("/dev/null", O_WRONLY), 1);
		execl(path, tool, option, base, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	while ((n = read(out[0], buf, sizeof(buf))) > 0) {
		said += n;
		if (silent || getenv("INSPECT_LOUD") != NULL)
			fprintf(stderr, "%s: %.*s", tool, (int)n, buf);
	}
	close(out[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 0;
	return status == 0 && (!silent || said == 0);
}

int inspect_dump(const char *base)
{
	return run_tool("pmdumplog", "-a", base, false);
}

int inspect_check(const char *base)
{
	return run_tool("pmlogcheck", "-w", base, true);
}

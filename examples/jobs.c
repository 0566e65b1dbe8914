/*
 * jobs - an agent whose instances come and go: each file of a folder is a job, known by its name.
 *
 * The folder is $JOBS_DIR, or /var/spool/jobs. A job keeps its number for ever: the cache saves it.
 *
 *     cc -o pmdajobs jobs.c $(pkg-config --cflags --libs libpcp_pmda libpcp)
 *     jobs 403 pipe binary /path/of/pmdajobs                  in pmcd.conf
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

struct job {
	uint64_t size;
};

static pmdaIndom indoms[] = {{0, 0, NULL}}; /* the cache has the instances */
static pmdaMetric metrics[] = {
    {NULL,
     {PMDA_PMID(0, 0), PM_TYPE_U64, 0, PM_SEM_INSTANT, PMDA_PMUNITS(1, 0, 0, PM_SPACE_BYTE, 0, 0)}},
};
static pmdaNameSpace *tree;

/* ---- the instances ---- */

/* Returns the struct of a job: the existing one if the cache has its name, else a new one. */
static struct job *job_of(pmInDom indom, const char *name)
{
	void *job = NULL;

	if (pmdaCacheLookupName(indom, name, NULL, &job) >= 0 && job != NULL)
		return job;
	return calloc(1, sizeof(struct job));
}

static void add_job(pmInDom indom, int folder, const char *name)
{
	struct stat st;
	struct job *job;

	if (name[0] == '.' || fstatat(folder, name, &st, 0) < 0)
		return;
	job = job_of(indom, name);
	if (job == NULL)
		return;
	job->size = (uint64_t)st.st_size;
	pmdaCacheStore(indom, PMDA_CACHE_ADD, name, job);
}

static void refresh(pmInDom indom)
{
	const char *path = getenv("JOBS_DIR");
	DIR *dir = opendir(path != NULL ? path : "/var/spool/jobs");
	struct dirent *entry;

	pmdaCacheOp(indom, PMDA_CACHE_INACTIVE);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		add_job(indom, dirfd(dir), entry->d_name);
	if (dir != NULL)
		closedir(dir);
	pmdaCacheOp(indom, PMDA_CACHE_SAVE);
}

static int jobs_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	refresh(indoms[0].it_indom);
	return pmdaFetch(n, pmids, result, ext);
}

static int jobs_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	refresh(indom);
	return pmdaInstance(indom, inst, name, result, ext);
}

static int jobs_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	void *job;

	if (pmdaCacheLookup(metric->m_desc.indom, (int)inst, NULL, &job) != PMDA_CACHE_ACTIVE)
		return PM_ERR_INST;
	atom->ull = ((struct job *)job)->size;
	return PMDA_FETCH_STATIC;
}

/* ---- labels ---- */

static int jobs_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	if (type == PM_LABEL_DOMAIN)
		pmdaAddLabels(sets, "{\"role\":\"batch\"}");
	return pmdaLabel(ident, type, sets, ext);
}

/* Adds the labels of one instance, and returns their number. */
static int jobs_instance_label(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	char *name, *dot;

	if (pmdaCacheLookup(indom, (int)inst, &name, NULL) != PMDA_CACHE_ACTIVE)
		return 0;
	dot = strrchr(name, '.');
	return dot == NULL ? 0 : pmdaAddLabels(set, "{\"kind\":\"%s\"}", dot + 1);
}

/* ---- names, and the program ---- */

static int jobs_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	return pmdaTreePMID(tree, name, pmid);
}

static int jobs_name(pmID pmid, char ***list, pmdaExt *ext)
{
	return pmdaTreeName(tree, pmid, list);
}

static int jobs_children(const char *name, int traverse, char ***list, int **status, pmdaExt *ext)
{
	return pmdaTreeChildren(tree, name, traverse, list, status);
}

static void jobs_setup(pmdaInterface *dispatch)
{
	dispatch->version.seven.fetch = jobs_fetch;
	dispatch->version.seven.instance = jobs_instance;
	dispatch->version.seven.label = jobs_label;
	dispatch->version.seven.pmid = jobs_pmid;
	dispatch->version.seven.name = jobs_name;
	dispatch->version.seven.children = jobs_children;
	pmdaSetFetchCallBack(dispatch, jobs_value);
	pmdaSetLabelCallBack(dispatch, jobs_instance_label);
	pmdaInit(dispatch, indoms, 1, metrics, 1);
	pmdaCacheOp(indoms[0].it_indom, PMDA_CACHE_LOAD);
	pmdaTreeCreate(&tree);
	pmdaTreeInsert(tree, metrics[0].m_desc.pmid, "jobs.size");
	pmdaTreeRebuildHash(tree, 1);
}

int main(int argc, char **argv)
{
	pmLongOptions long_options[] = {PMDAOPT_DOMAIN, PMDAOPT_LOGFILE, PMDA_OPTIONS_END};
	pmdaOptions opts = {.short_options = "d:l:?", .long_options = long_options};
	pmdaInterface dispatch;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), 403, "jobs.log", NULL);
	pmdaGetOptions(argc, argv, &opts, &dispatch);
	if (opts.errors > 0) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	pmdaOpenLog(&dispatch);
	pmdaConnect(&dispatch);
	jobs_setup(&dispatch);
	pmdaMain(&dispatch);
	return dispatch.status < 0;
}

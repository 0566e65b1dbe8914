/*
 * simple - an agent on the classic interface: single values, fixed instances, instances that
 * change while it runs, values that can be stored, labels and help texts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

/* The tables: instance domains, then metrics. */
enum { COLOR_INDOM, NOW_INDOM };
enum { SEC, MIN, HOUR, NTIMES };
enum { COUNTS, TIMES, NOW };                         /* clusters */
enum { NUMFETCH, COLOR, TIME_USER, TIME_SYS, TIME }; /* items, no matter which cluster */

static pmdaInstid colors[] = {{0, "red"}, {1, "green"}, {2, "blue"}};
static pmdaInstid times[NTIMES]; /* those that simple.conf names */
static pmdaIndom indoms[] = {{COLOR_INDOM, 3, colors}, {NOW_INDOM, 0, times}};

#define NO_UNITS PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define SECONDS  PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_SEC, 0)

static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(COUNTS, NUMFETCH), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, NO_UNITS}},
    {NULL, {PMDA_PMID(COUNTS, COLOR), PM_TYPE_32, COLOR_INDOM, PM_SEM_INSTANT, NO_UNITS}},
    {NULL, {PMDA_PMID(TIMES, TIME_USER), PM_TYPE_DOUBLE, PM_INDOM_NULL, PM_SEM_COUNTER, SECONDS}},
    {NULL, {PMDA_PMID(TIMES, TIME_SYS), PM_TYPE_DOUBLE, PM_INDOM_NULL, PM_SEM_COUNTER, SECONDS}},
    {NULL, {PMDA_PMID(NOW, TIME), PM_TYPE_U32, NOW_INDOM, PM_SEM_INSTANT, NO_UNITS}},
};

/* By item. */
static const char *const names[] = {
    "simple.numfetch", "simple.color", "simple.time.user", "simple.time.sys", "simple.now",
};

/* By item: one line, and what more there is to say. */
static char *const help[][2] = {
    {"Requests for values that this agent has answered",
     "Requests for values that this agent has answered.\n\npmstore(1) can set it."},
    {"A number for each color that grows with each fetch",
     "A number for each color that grows with each fetch of it.\n\nFrom 0 to 255, then from 0 "
     "again. Red begins at 0, green at 100, blue at 200.\npmstore(1) can set it."},
    {"Processor time that the agent spent in its own code", NULL},
    {"Processor time that the agent spent in the kernel", NULL},
    {"The time of day, in parts that can be chosen",
     "The time of day, in parts that can be chosen.\n\nThe instances are the words in the file "
     "simple.conf, one line with commas between\nthem: sec, min, hour. A change of the file "
     "counts from the next fetch on."},
};

static pmdaNameSpace *tree; /* names, for looking them up */
static unsigned int numfetch;
static int color[] = {0, 100, 200};
static struct rusage usage;
static struct tm now;

/* ---- the instances of simple.now ---- */

static char *const parts[NTIMES] = {"sec", "min", "hour"};
static char conf_path[MAXPATHLEN];
static struct timespec conf_changed;

/* Takes one word of simple.conf. */
static void name_time(const char *word, int wanted[NTIMES])
{
	for (int i = 0; i < NTIMES; i++)
		if (strcmp(word, parts[i]) == 0) {
			wanted[i] = 1;
			return;
		}
	pmNotifyErr(LOG_WARNING, "%s: \"%s\" is none of sec, min, hour", conf_path, word);
}

static void set_times(const int wanted[NTIMES])
{
	int n = 0;

	for (int i = 0; i < NTIMES; i++)
		if (wanted[i])
			times[n++] = (pmdaInstid){i, parts[i]};
	indoms[NOW_INDOM].it_numinst = n;
}

/* Reads simple.conf if it is another one than the last time. */
static void read_conf(void)
{
	int wanted[NTIMES] = {0};
	char line[256] = "";
	struct stat st;
	FILE *f;
	char *at;

	if (stat(conf_path, &st) < 0) {
		if (indoms[NOW_INDOM].it_numinst != 0 || conf_changed.tv_sec == 0)
			pmNotifyErr(LOG_ERR, "%s: %s", conf_path, strerror(errno));
		conf_changed = (struct timespec){1, 0};
		set_times(wanted);
		return;
	}
	if (memcmp(&st.st_mtim, &conf_changed, sizeof(conf_changed)) == 0)
		return;
	conf_changed = st.st_mtim;
	f = fopen(conf_path, "re");
	if (f == NULL || fgets(line, sizeof(line), f) == NULL)
		pmNotifyErr(LOG_ERR, "%s: no line with the instances of simple.now", conf_path);
	if (f != NULL)
		fclose(f);
	line[strcspn(line, "\n")] = '\0';
	for (char *word = strtok_r(line, ",", &at); word != NULL; word = strtok_r(NULL, ",", &at))
		name_time(word, wanted);
	set_times(wanted);
}

/* ---- what the collector asks for ---- */

/* The value of one instance. */
static int simple_value(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	const int part[NTIMES] = {now.tm_sec, now.tm_min, now.tm_hour};

	switch (pmID_item(metric->m_desc.pmid)) {
	case NUMFETCH:
		atom->ul = numfetch;
		return PMDA_FETCH_STATIC;
	case COLOR:
		if (inst >= 3)
			return PM_ERR_INST;
		color[inst] = (color[inst] + 1) % 256;
		atom->l = color[inst];
		return PMDA_FETCH_STATIC;
	case TIME_USER:
		atom->d = pmtimevalToReal(&usage.ru_utime);
		return PMDA_FETCH_STATIC;
	case TIME_SYS:
		atom->d = pmtimevalToReal(&usage.ru_stime);
		return PMDA_FETCH_STATIC;
	default:
		if (inst >= NTIMES)
			return PM_ERR_INST;
		atom->ul = (unsigned int)part[inst];
		return PMDA_FETCH_STATIC;
	}
}

/* Work that all values of a fetch share is done once, here. */
static int simple_fetch(int n, pmID *pmids, pmResult **result, pmdaExt *ext)
{
	time_t clock = time(NULL);

	numfetch++;
	read_conf();
	getrusage(RUSAGE_SELF, &usage);
	localtime_r(&clock, &now);
	return pmdaFetch(n, pmids, result, ext);
}

static int simple_instance(pmInDom indom, int inst, char *name, pmInResult **result, pmdaExt *ext)
{
	read_conf();
	return pmdaInstance(indom, inst, name, result, ext);
}

/* Takes a new value for one instance. */
static int store_value(const pmValueSet *vset, const pmValue *value)
{
	int is_color = pmID_item(vset->pmid) == COLOR;
	int type = is_color ? PM_TYPE_32 : PM_TYPE_U32;
	pmAtomValue atom;
	int r = pmExtractValue(vset->valfmt, value, type, &atom, type);

	if (r < 0)
		return r;
	if (!is_color) {
		numfetch = atom.ul;
		return 0;
	}
	if (value->inst < 0 || value->inst >= 3)
		return PM_ERR_INST;
	if (atom.l < 0 || atom.l > 255)
		return PM_ERR_BADSTORE;
	color[value->inst] = atom.l;
	return 0;
}

static int simple_store(pmResult *result, pmdaExt *ext)
{
	for (int i = 0; i < result->numpmid; i++) {
		pmValueSet *vset = result->vset[i];

		if (pmID_cluster(vset->pmid) != COUNTS)
			return PM_ERR_PERMISSION;
		for (int j = 0; j < vset->numval; j++) {
			int r = store_value(vset, &vset->vlist[j]);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int simple_text(int ident, int type, char **text, pmdaExt *ext)
{
	unsigned int item = pmID_item((pmID)ident);

	if ((type & PM_TEXT_PMID) == 0 || item > TIME)
		return PM_ERR_TEXT;
	*text = help[item][(type & PM_TEXT_ONELINE) != 0 || help[item][1] == NULL ? 0 : 1];
	return 0;
}

static int simple_label(int ident, int type, pmLabelSet **sets, pmdaExt *ext)
{
	if (type == PM_LABEL_DOMAIN)
		pmdaAddLabels(sets, "{\"role\":\"testing\"}");
	if (type == PM_LABEL_INDOM && pmInDom_serial((pmInDom)ident) == COLOR_INDOM)
		pmdaAddLabels(sets, "{\"indom_name\":\"color\",\"model\":\"RGB\"}");
	if (type == PM_LABEL_INDOM && pmInDom_serial((pmInDom)ident) == NOW_INDOM)
		pmdaAddLabels(sets, "{\"indom_name\":\"time\",\"unitsystem\":\"SI\"}");
	return pmdaLabel(ident, type, sets, ext);
}

/* Labels of one instance: how many were added. */
static int simple_instance_label(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	if (pmInDom_serial(indom) != NOW_INDOM || inst >= NTIMES)
		return 0;
	return pmdaAddLabels(set, "{\"units\":\"%s\"}", parts[inst]);
}

/* Names: so that the host's files of names need not know the agent. */
static int simple_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	return pmdaTreePMID(tree, name, pmid);
}

static int simple_name(pmID pmid, char ***list, pmdaExt *ext)
{
	return pmdaTreeName(tree, pmid, list);
}

static int simple_children(const char *name, int traverse, char ***list, int **status, pmdaExt *ext)
{
	return pmdaTreeChildren(tree, name, traverse, list, status);
}

static void add_names(void)
{
	pmdaTreeCreate(&tree);
	for (int i = 0; i <= TIME; i++)
		pmdaTreeInsert(tree, metrics[i].m_desc.pmid, names[i]);
	pmdaTreeRebuildHash(tree, TIME + 1);
}

/* ---- the two ways to run it ---- */

static void simple_setup(pmdaInterface *dispatch)
{
	if (dispatch->status != 0)
		return;
	snprintf(conf_path, sizeof(conf_path), "%s/simple/simple.conf",
		 pmGetConfig("PCP_PMDAS_DIR"));
	dispatch->version.any.fetch = simple_fetch;
	dispatch->version.any.instance = simple_instance;
	dispatch->version.any.store = simple_store;
	dispatch->version.any.text = simple_text;
	dispatch->version.seven.label = simple_label;
	dispatch->version.seven.pmid = simple_pmid;
	dispatch->version.seven.name = simple_name;
	dispatch->version.seven.children = simple_children;
	pmdaSetFetchCallBack(dispatch, simple_value);
	pmdaSetLabelCallBack(dispatch, simple_instance_label);
	pmdaInit(dispatch, indoms, 2, metrics, TIME + 1);
	if (dispatch->status == 0)
		add_names();
}

/* In pmcd's process. */
__PMDA_INIT_CALL void simple_init(pmdaInterface *dispatch);
void simple_init(pmdaInterface *dispatch)
{
	pmdaDSO(dispatch, PMDA_INTERFACE_7, "simple", NULL);
	simple_setup(dispatch);
}

/* A process of its own. */
int main(int argc, char **argv)
{
	pmLongOptions long_options[] = {
	    PMDA_OPTIONS_HEADER("Options"),
	    PMOPT_DEBUG,
	    PMDAOPT_DOMAIN,
	    PMDAOPT_LOGFILE,
	    PMDAOPT_USERNAME,
	    PMOPT_VERSION,
	    PMOPT_HELP,
	    PMDA_OPTIONS_TEXT("\nExactly one of the following may be given:"),
	    PMDAOPT_INET,
	    PMDAOPT_PIPE,
	    PMDAOPT_UNIX,
	    PMDAOPT_IPV6,
	    PMDA_OPTIONS_END,
	};
	pmdaOptions opts = {.short_options = "D:d:i:l:pu:U:V6:?", .long_options = long_options};
	pmdaInterface dispatch;

	pmSetProgname(argv[0]);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, pmGetProgname(), 253, "simple.log", NULL);
	if (pmdaGetOptions(argc, argv, &opts, &dispatch) == 'V') {
		printf("%s version %s (Pitot %s)\n", pmGetProgname(), PCP_VERSION_STRING,
		       PITOT_VERSION);
		return 0;
	}
	if (opts.errors > 0) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	if (opts.username != NULL)
		pmSetProcessIdentity(opts.username);
	pmdaOpenLog(&dispatch);
	simple_setup(&dispatch);
	pmdaConnect(&dispatch);
	pmdaMain(&dispatch);
	return dispatch.status < 0;
}

/*
 * parity_agent - set-up, options, tables, default methods, trees and labels of an agent, with their
 * messages: see tests/libpcp/parity.py.
 *
 * Each case runs in a process of its own, once quietly and once with each set of debug flags.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/libpcp.h>
#include <pcp/pmda.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static pmdaInterface dispatch;

static int fetch(pmdaMetric *metric, unsigned int inst, pmAtomValue *atom)
{
	int item = (int)(metric->m_desc.pmid & 0x3ff);

	atom->ull = 0;
	if (item == 9)
		return PM_ERR_VALUE;
	if (item == 10)
		return PM_ERR_INST;
	if (item == 11)
		return -2;
	if (item == 12)
		return PM_ERR_PMID;
	atom->ul = 10 * (unsigned int)item + inst;
	return PMDA_FETCH_STATIC;
}

static pmdaInstid colors[] = {{0, (char *)"red"}, {1, (char *)"green leaf"}, {5, (char *)"blue"}};
static pmdaIndom indoms[] = {{3, 3, colors}, {4, 0, NULL}};
static pmdaMetric metrics[] = {
    {NULL, {PMDA_PMID(0, 0), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 1), PM_TYPE_U32, 3, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 2), PM_TYPE_32, 4, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(3, 3), PM_TYPE_NOSUPPORT, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 9), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 10), PM_TYPE_U32, 3, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 11), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
    {NULL, {PMDA_PMID(0, 12), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
};

static const char *safe(const char *s)
{
	return s == NULL ? "(null)" : s;
}

static void show_status(const char *what)
{
	printf("%s: status %d\n", what, dispatch.status);
	dispatch.status = 0;
}

static void daemon_setup(int version)
{
	pmdaDaemon(&dispatch, version, "parity", 250, "parity.log", NULL);
}

static void init(int flags, int nindoms, int nmetrics)
{
	daemon_setup(PMDA_INTERFACE_7);
	pmdaSetFetchCallBack(&dispatch, fetch);
	pmdaSetFlags(&dispatch, flags);
	pmdaInit(&dispatch, nindoms > 0 ? indoms : NULL, nindoms, nmetrics > 0 ? metrics : NULL,
		 nmetrics);
}

/* ---- set-up ---- */

static void show_versions(void)
{
	for (int version = 0; version < 10; version++) {
		daemon_setup(version);
		show_status("daemon");
		if (version < PMDA_INTERFACE_2 || version > PMDA_INTERFACE_LATEST)
			continue;
		pmdaSetFlags(&dispatch, PMDA_EXT_FLAG_DIRECT);
		pmdaSetCommFlags(&dispatch, PMDA_FLAG_AUTHORIZE);
		pmdaSetEndContextCallBack(&dispatch, NULL);
		show_status("end NULL");
		pmdaSetEndContextCallBack(&dispatch, (pmdaEndContextCallBack)exit);
		show_status("end");
		pmdaSetLabelCallBack(&dispatch, NULL);
		show_status("label");
		pmdaExtSetData(dispatch.version.any.ext, NULL);
		printf("flags %x comm %d %d %x\n", dispatch.version.any.ext->e_flags,
		       dispatch.comm.pmda_interface, dispatch.comm.pmapi_version,
		       dispatch.comm.flags);
	}
	daemon_setup(PMDA_INTERFACE_7);
	dispatch.comm.pmda_interface = 9;
	pmdaSetFetchCallBack(&dispatch, fetch);
	show_status("fetch");
	pmdaSetResultCallBack(&dispatch, NULL);
	show_status("result");
	pmdaSetCheckCallBack(&dispatch, NULL);
	show_status("check");
	pmdaSetDoneCallBack(&dispatch, NULL);
	show_status("done");
	pmdaSetFlags(&dispatch, 1);
	show_status("flags");
	pmdaSetData(&dispatch, NULL);
	show_status("data");
	pmdaInit(&dispatch, NULL, 0, NULL, 0);
	show_status("init");
	pmdaConnect(&dispatch);
	show_status("connect");
	printf("infd %d\n", __pmdaInFd(&dispatch));
}

static void show_init(void)
{
	static pmdaMetric bad[] = {
	    {NULL, {PMDA_PMID(0, 1), PM_TYPE_U32, 77, PM_SEM_INSTANT, {0}}},
	};

	daemon_setup(PMDA_INTERFACE_7);
	pmdaInit(&dispatch, NULL, 0, metrics, 1);
	show_status("no callback");
	pmdaSetFetchCallBack(&dispatch, fetch);
	pmdaInit(&dispatch, NULL, 0, NULL, -1);
	show_status("metrics < 0");
	pmdaInit(&dispatch, NULL, -1, NULL, 0);
	show_status("indoms < 0");
	pmdaInit(&dispatch, NULL, 0, NULL, 3);
	show_status("metrics NULL");
	pmdaInit(&dispatch, NULL, 2, NULL, 0);
	show_status("indoms NULL");
	pmdaInit(&dispatch, indoms, 2, bad, 1);
	show_status("undefined indom");
	dispatch.version.any.ext->e_status = -5;
	pmdaInit(&dispatch, NULL, 0, NULL, 0);
	show_status("e_status");
}

static void show_tables(void)
{
	static const int flags[] = {0, PMDA_EXT_FLAG_DIRECT, PMDA_EXT_FLAG_HASHED};

	for (size_t i = 0; i < COUNT(flags); i++) {
		for (int n = 3; n < 6; n++) {
			init(flags[i], 2, n);
			show_status("init");
			printf("direct %d flags %x\n", dispatch.version.any.ext->e_direct,
			       dispatch.version.any.ext->e_flags);
			for (int m = 0; m < n; m++)
				printf("%s %s\n", pmIDStr(metrics[m].m_desc.pmid),
				       pmInDomStr(metrics[m].m_desc.indom));
		}
	}
	pmdaRehash(dispatch.version.any.ext, metrics, 2);
	printf("flags %x n %d\n", dispatch.version.any.ext->e_flags,
	       dispatch.version.any.ext->e_nmetrics);
}

/* Set-up writes only the methods that it has, and the rest of the ext. */
static void show_places(void)
{
	const size_t first = offsetof(pmdaInterface, version.any.profile);

	for (int version = PMDA_INTERFACE_2; version <= PMDA_INTERFACE_LATEST; version++) {
		unsigned char *bytes = (unsigned char *)&dispatch;
		const pmdaExt *ext;

		memset(&dispatch, 0xaa, sizeof(dispatch));
		dispatch.domain = 77;
		pmdaDSO(&dispatch, version, (char *)"placed", (char *)"a help file");
		printf("version %d status %d flags %x written", version, dispatch.status,
		       dispatch.comm.flags);
		for (size_t at = first; at < sizeof(dispatch); at += sizeof(void *))
			printf(" %d", bytes[at] != 0xaa || bytes[at + 1] != 0xaa);
		ext = dispatch.version.any.ext;
		printf("\next %x %d %s %s %s %d %d %d %d %d %d %d %d %d %d %d %d %d\n",
		       ext->e_flags, ext->e_ext != NULL, safe(ext->e_sockname), ext->e_name,
		       safe(ext->e_helptext), ext->e_status, ext->e_infd, ext->e_outfd, ext->e_port,
		       ext->e_singular, ext->e_ordinal, ext->e_direct, ext->e_domain,
		       ext->e_nmetrics, ext->e_nindoms, ext->e_help, ext->e_io, ext->e_context);
		printf("ext %d %d %d %d %d %d %d %d %d\n", ext->e_prof == NULL,
		       ext->e_indoms == NULL, ext->e_metrics == NULL,
		       ext->e_resultCallBack == __pmFreeResultValues, ext->e_fetchCallBack == NULL,
		       ext->e_checkCallBack == NULL, ext->e_doneCallBack == NULL,
		       ext->e_endCallBack == NULL, ext->e_labelCallBack == NULL);
	}
	daemon_setup(PMDA_INTERFACE_7);
	printf("domain %d log %s\n", dispatch.domain, safe(dispatch.version.any.ext->e_logfile));
	printf("data %p\n", pmdaExtGetData(dispatch.version.any.ext));
	pmdaSetData(&dispatch, (void *)0x77);
	printf("data %p\n", pmdaExtGetData(dispatch.version.any.ext));
	pmdaSetFlags(&dispatch, PMDA_EXT_FLAG_DIRECT);
	pmdaSetFlags(&dispatch, 0);
	printf("flags %x\n", dispatch.version.any.ext->e_flags);
}

/* Which entry of a table is found, by each way of looking: twice the same PMID, other domains. */
static void show_lookups(void)
{
	static const int ways[] = {0, PMDA_EXT_FLAG_DIRECT, PMDA_EXT_FLAG_HASHED};
	const pmID base = (pmID)250 << 22;
	const pmID asked[] = {base,
			      base + 1,
			      base + 2,
			      base + 3,
			      base + 4,
			      base + 5,
			      base + 1023,
			      base + (1 << 10),
			      base + (1 << 10) + 1,
			      ((pmID)9 << 22) + 1};

	for (size_t i = 0; i < 2 * COUNT(ways); i++) {
		/* In order of items, so that an index may do; or not. */
		pmdaMetric table[] = {
		    {NULL, {PMDA_PMID(0, 0), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
		    {NULL, {PMDA_PMID(0, 1), PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
		    {NULL, {PMDA_PMID(1, 2), PM_TYPE_U64, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
		    {NULL, {PMDA_PMID(0, 3), PM_TYPE_64, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
		    {NULL, {PMDA_PMID(0, 1), PM_TYPE_FLOAT, PM_INDOM_NULL, PM_SEM_INSTANT, {0}}},
		};
		int n = i < COUNT(ways) ? 4 : 5;

		daemon_setup(PMDA_INTERFACE_7);
		pmdaSetFetchCallBack(&dispatch, fetch);
		pmdaSetFlags(&dispatch, ways[i % COUNT(ways)]);
		pmdaInit(&dispatch, NULL, 0, table, n);
		printf("way %d of %d\n", ways[i % COUNT(ways)], n);
		for (size_t j = 0; j < COUNT(asked); j++) {
			pmDesc desc = {.type = 99};
			int sts = pmdaDesc(asked[j], &desc, dispatch.version.any.ext);

			printf("%s: %d %d\n", pmIDStr(asked[j]), sts, desc.type);
		}
	}
}

/* ---- options ---- */

static pmLongOptions long_options[] = {
    PMDA_OPTIONS_HEADER("Options"),
    PMDAOPT_DEBUG,
    PMDAOPT_DOMAIN,
    PMDAOPT_HELPTEXT,
    PMDAOPT_LOGFILE,
    PMDAOPT_USERNAME,
    {"extra", 0, 'x', NULL, "an own one"},
    PMDA_OPTIONS_HEADER("Exactly one of the following options may appear"),
    PMDAOPT_INET,
    PMDAOPT_PIPE,
    PMDAOPT_UNIX,
    PMDAOPT_IPV6,
    PMDA_OPTIONS_END,
};

static int override_x(int c, pmdaOptions *opts)
{
	return c == 'l';
}

static void show_ext(int errors)
{
	const pmdaExt *ext = dispatch.version.any.ext;

	fflush(stdout);
	pmflush();
	printf("errors %d domain %d %d io %d port %d sock %s log %s help %s\n", errors,
	       dispatch.domain, ext->e_domain, ext->e_io, ext->e_port, safe(ext->e_sockname),
	       safe(ext->e_logfile), safe(ext->e_helptext));
}

static void show_options(void)
{
	static const char *const lines[] = {
	    "",
	    "-p",
	    "-d 42 -l file -h help -U user rest",
	    "-d 4x",
	    "-d",
	    "-i 1234",
	    "-i service",
	    "-6 99",
	    "-u /a/socket",
	    "-p -i 3",
	    "-i 3 -p",
	    "-i 3 -i 4",
	    "-u a -6 3",
	    "-x -p -x",
	    "--inet=77 --debug=nonsense --extra",
	    "--pipe --domain 7 --bogus",
	    "-z",
	    "rest -p",
	};

	for (size_t i = 0; i < 2 * COUNT(lines); i++) {
		char text[256], *argv[32] = {(char *)"parity"}, *save, *word;
		pmdaOptions opts = {.short_options = PMDA_OPTIONS "6:x",
				    .long_options = long_options};
		int argc = 1, c, err = 0;

		/* Each line twice: with and without an override. */
		if (i >= COUNT(lines))
			opts.override = override_x;
		snprintf(text, sizeof(text), "%s", lines[i % COUNT(lines)]);
		for (word = strtok_r(text, " ", &save); word != NULL;
		     word = strtok_r(NULL, " ", &save))
			argv[argc++] = word;
		daemon_setup(PMDA_INTERFACE_7);
		printf("options <%s>\n", lines[i % COUNT(lines)]);
		while ((c = pmdaGetOptions(argc, argv, &opts, &dispatch)) != EOF)
			printf("got %c %s\n", c, safe(opts.optarg));
		show_ext(opts.errors);
		printf("optind %d user %s\n", opts.optind, safe(opts.username));
		if (i == 2) {
			daemon_setup(PMDA_INTERFACE_7);
			while ((c = pmdaGetOpt(argc, argv, "D:d:h:i:l:pu:U:x", &dispatch, &err)) !=
			       EOF)
				printf("short %c %s\n", c, safe(optarg));
			show_ext(err);
			printf("optind %d\n", optind);
		}
	}
	dispatch.status = -1;
	pmdaOptions opts = {.short_options = "x", .long_options = long_options};
	printf("bad status %d",
	       pmdaGetOptions(1, (char *[]){(char *)"parity", NULL}, &opts, &dispatch));
	printf(" errors %d\n", opts.errors);
	fflush(stdout);
	pmdaUsageMessage(&opts);
}

/* ---- methods ---- */

static void show_fetch_of(pmdaExt *ext, int n, pmID *pmids)
{
	pmResult *result;
	int sts = pmdaFetch(n, pmids, &result, ext);

	printf("fetch %d\n", sts);
	if (sts >= 0)
		printf("time %ld %ld\n", (long)result->timestamp.tv_sec,
		       (long)result->timestamp.tv_usec);
	for (int i = 0; sts >= 0 && i < n; i++) {
		const pmValueSet *vset = result->vset[i];

		printf("  %s numval %d", pmIDStr(vset->pmid), vset->numval);
		for (int j = 0; j < vset->numval; j++)
			printf(" [%d]=%d", vset->vlist[j].inst, vset->vlist[j].value.lval);
		printf("\n");
	}
	if (sts >= 0)
		ext->e_resultCallBack(result);
}

static void show_methods_of(int version)
{
	pmID base = (pmID)250 << 22;
	pmID pmids[] = {base,      base + 1,  base + 2,  base + (3 << 10) + 3, base + 9,
			base + 10, base + 11, base + 12, base + 500,           base + (1 << 10)};
	pmInDom indom = pmInDom_build(250, 3);
	pmInDomProfile entry = {indom, PM_PROFILE_EXCLUDE, 1, (int[]){5}};
	pmProfile profile = {PM_PROFILE_INCLUDE, 1, &entry};
	pmdaExt *ext;
	pmDesc desc;
	char **names, *text;
	int *status, inst;
	pmID pmid;

	pmdaDSO(&dispatch, version, (char *)"parity", NULL);
	dispatch.domain = 250;
	pmdaSetFetchCallBack(&dispatch, fetch);
	pmdaInit(&dispatch, indoms, 2, metrics, COUNT(metrics));
	ext = dispatch.version.any.ext;
	show_fetch_of(ext, COUNT(pmids), pmids);
	show_fetch_of(ext, 1, pmids);
	pmdaSetFlags(&dispatch, PMDA_EXT_LABEL_CHANGE | PMDA_EXT_NAMES_CHANGE);
	show_fetch_of(ext, 1, pmids);
	printf("flags %x\n", ext->e_flags);
	for (size_t i = 0; i < COUNT(pmids); i++)
		printf("desc %d\n", pmdaDesc(pmids[i], &desc, ext));
	printf("text %d\n", pmdaText((int)pmids[0], PM_TEXT_PMID | PM_TEXT_HELP, &text, ext));
	printf("store %d\n", pmdaStore(NULL, ext));
	printf("names %d %d %d\n", pmdaPMID("a", &pmid, ext), pmdaName(base, &names, ext),
	       pmdaChildren("a", 0, &names, &status, ext));
	printf("attr %d\n", pmdaAttribute(3, PMDA_ATTR_USERID, "1000", 5, ext));
	printf("attr %d\n", pmdaAttribute(3, PMDA_ATTR_CONTAINER, "c", 2, ext));
	printf("attr %d\n", pmdaAttribute(3, 999, "x", 2, ext));
	printf("count %d %d %d\n", __pmdaCntInst(indom, ext), __pmdaCntInst(PM_INDOM_NULL, ext),
	       __pmdaCntInst(indom + 9, ext));
	pmdaProfile(&profile, ext);
	for (int k = 0; k < 3; k++) {
		__pmdaStartInst(k == 0 ? indom : k == 1 ? PM_INDOM_NULL : indom + 9, ext);
		while (__pmdaNextInst(&inst, ext))
			printf("inst %d\n", inst);
	}
	printf("context %d\n", pmdaGetContext());
}

static void show_methods(void)
{
	for (int version = PMDA_INTERFACE_2; version <= PMDA_INTERFACE_LATEST; version++)
		show_methods_of(version);
}

static void show_instances(void)
{
	static char *const names[] = {(char *)"red",
				      (char *)"green",
				      (char *)"green leaf",
				      (char *)"green x",
				      (char *)"",
				      (char *)"leaf",
				      NULL};
	pmInDom of[3] = {pmInDom_build(250, 3), pmInDom_build(250, 7), pmInDom_build(250, 99)};

	init(0, 2, 3);
	pmdaCacheStore(of[1], PMDA_CACHE_ADD, "red", NULL);
	pmdaCacheStore(of[1], PMDA_CACHE_ADD, "green leaf", NULL);
	pmdaCacheStore(of[1], PMDA_CACHE_HIDE, "red", NULL);
	for (size_t d = 0; d < COUNT(of); d++) {
		for (size_t n = 0; n < COUNT(names); n++) {
			for (int inst = -1; inst < 2; inst++) {
				pmInResult *r = NULL;
				int sts = pmdaInstance(of[d], inst, names[n], &r,
						       dispatch.version.any.ext);

				printf("%s %d <%s>: %d", pmInDomStr(of[d]), inst, safe(names[n]),
				       sts);
				for (int i = 0; sts >= 0 && i < r->numinst; i++)
					printf(" %d=%s", r->instlist ? r->instlist[i] : -1,
					       r->namelist ? r->namelist[i] : "");
				printf("\n");
			}
		}
	}
}

/* Walks of a table, a cache, no domain and an unknown one, with what each step says of itself. */
static void show_walks(void)
{
	pmInDom of[] = {pmInDom_build(250, 3), pmInDom_build(250, 7), PM_INDOM_NULL,
			pmInDom_build(250, 99)};
	int listed[] = {1, 5};
	pmInDomProfile entries[] = {{of[0], PM_PROFILE_EXCLUDE, 2, listed},
				    {of[1], PM_PROFILE_INCLUDE, 1, listed}};
	pmProfile profiles[] = {{PM_PROFILE_INCLUDE, 0, NULL},
				{PM_PROFILE_EXCLUDE, 0, NULL},
				{PM_PROFILE_EXCLUDE, 2, entries}};
	pmdaExt *ext;
	int inst;

	init(0, 2, 3);
	ext = dispatch.version.any.ext;
	pmdaCacheStore(of[1], PMDA_CACHE_ADD, "a", NULL);
	pmdaCacheStore(of[1], PMDA_CACHE_ADD, "b", NULL);
	pmdaCacheStore(of[1], PMDA_CACHE_ADD, "c", NULL);
	pmDebugOptions.indom = 1;
	for (size_t i = 0; i < COUNT(of) * COUNT(profiles); i++) {
		pmInDom indom = of[i % COUNT(of)];

		pmdaProfile(&profiles[i / COUNT(of)], ext);
		if (i < 3) /* the reference warns of an unknown one each time */
			printf("count %d\n", __pmdaCntInst(indom, ext));
		__pmdaStartInst(indom, ext);
		printf("singular %d ordinal %d\n", ext->e_singular, ext->e_ordinal);
		while (inst = -7, __pmdaNextInst(&inst, ext))
			printf("inst %d singular %d ordinal %d\n", inst, ext->e_singular,
			       ext->e_ordinal);
		printf("end %d singular %d ordinal %d\n", inst, ext->e_singular, ext->e_ordinal);
	}
}

/* ---- texts ---- */

static const char *scratch(const char *name)
{
	static char path[512];
	const char *folder = getenv("PITOT_SCRATCH");

	snprintf(path, sizeof(path), "%s/%s", folder == NULL ? "/tmp" : folder, name);
	return path;
}

static void put(const char *name, const void *bytes, size_t len)
{
	FILE *f = fopen(scratch(name), "w");

	if (f == NULL || fwrite(bytes, 1, len, f) != len || fclose(f) != 0)
		printf("no file\n");
}

static void show_texts(void)
{
	static const char text[] = "PcPh22\n\n@ a one\0help of a\0\0\0of the domain\0longer\0";
	const unsigned int pmid = (pmID)250 << 22;
	const unsigned int index[] = {
	    0x50635068, 0x31320000, 3,  pmid, 12,
	    16,         pmid + 1,   26, 27,   (pmInDom)250 << 22 | 3 | 1u << 31,
	    28,         42};
	static const int types[] = {PM_TEXT_PMID | PM_TEXT_ONELINE, PM_TEXT_PMID | PM_TEXT_HELP,
				    PM_TEXT_INDOM | PM_TEXT_ONELINE, PM_TEXT_INDOM | PM_TEXT_HELP,
				    0};
	const unsigned int idents[] = {pmid, pmid + 1, pmid + 2, (pmInDom)250 << 22 | 3, 7};

	put("texts.dir", index, sizeof(index));
	put("texts.pag", text, sizeof(text));
	pmdaDSO(&dispatch, PMDA_INTERFACE_7, (char *)"parity", (char *)scratch("texts"));
	pmdaSetFetchCallBack(&dispatch, fetch);
	pmdaInit(&dispatch, indoms, 2, metrics, 3);
	for (size_t i = 0; i < COUNT(idents) * COUNT(types); i++) {
		char *answer = (char *)"unset";
		int sts = pmdaText((int)idents[i / COUNT(types)], types[i % COUNT(types)], &answer,
				   dispatch.version.any.ext);

		printf("text %zu %d: %d <%s>\n", i / COUNT(types), types[i % COUNT(types)], sts,
		       safe(answer));
	}
}

/* ---- trees ---- */

static void show_list(int n, char **names, int *status)
{
	printf(": %d", n);
	for (int i = 0; i < n; i++)
		printf(" %s/%d", names[i], status == NULL ? -1 : status[i]);
	printf("\n");
}

static void show_tree(void)
{
	static const char *const names[] = {"t",   "t.a",       "t.a.one", "t.a.two", "t.b",
					    "t.c", "t.a.one.x", "nope",    "t.",      "t.ab"};
	static const char *const odd[] = {"u", "u.v", "t", "t.a", "x.y.z", "x.y", "x"};
	pmdaNameSpace *tree;
	pmID pmid, base = (pmID)250 << 22;
	char **list;
	int *status, n;

	printf("create %d\n", pmdaTreeCreate(&tree));
	printf("insert %d\n", pmdaTreeInsert(tree, base + 1, "t.a.one"));
	printf("insert %d\n", pmdaTreeInsert(tree, base + 2, "t.a.two"));
	printf("insert %d\n", pmdaTreeInsert(tree, base + 3, "t.b"));
	printf("insert %d\n", pmdaTreeInsert(tree, base + 1, "t.c"));
	printf("insert %d\n", pmdaTreeInsert(tree, base + 1, "t.c"));
	printf("insert %d\n", pmdaTreeInsert(tree, base + 7, "t.c"));
	printf("insert %d\n", pmdaTreeInsert(tree, ((pmID)511 << 22) + (77 << 10), "t.dyn"));
	pmdaTreeRebuildHash(tree, 4);
	printf("size %d %d\n", pmdaTreeSize(tree), pmdaTreeSize(NULL));
	for (size_t i = 0; i < COUNT(names); i++) {
		pmid = 0;
		printf("pmid %s %d", names[i], pmdaTreePMID(tree, names[i], &pmid));
		printf(" %s\n", pmIDStr(pmid));
		for (int traverse = 0; traverse < 2; traverse++) {
			list = NULL;
			status = NULL;
			printf("children %s %d", names[i], traverse);
			n = pmdaTreeChildren(tree, names[i], traverse, &list, &status);
			show_list(n, list, status);
		}
	}
	for (size_t i = 0; i < COUNT(odd); i++) {
		printf("insert <%s>: %d", odd[i], pmdaTreeInsert(tree, base + 20 + i, odd[i]));
		printf(" size %d\n", pmdaTreeSize(tree));
	}
	for (pmID id = base; id < base + 5; id++) {
		printf("name %s", pmIDStr(id));
		n = pmdaTreeName(tree, id, &list);
		show_list(n, list, NULL);
	}
	printf("NULL %d %d\n", pmdaTreePMID(NULL, "t", &pmid), pmdaTreeName(NULL, base, &list));
	pmdaTreeRelease(tree);
	pmdaTreeRelease(NULL);
}

/* ---- labels ---- */

static int label_callback(pmInDom indom, unsigned int inst, pmLabelSet **set)
{
	if (inst == 1)
		return PM_ERR_AGAIN;
	return pmdaAddLabels(set, "{\"i\":%d}", (int)inst);
}

static void show_sets(const char *what, int n, const pmLabelSet *sets)
{
	printf("%s: %d\n", what, n);
	for (int i = 0; i < n && sets != NULL; i++) {
		printf("  inst %d n %d", (int)sets[i].inst, sets[i].nlabels);
		for (int j = 0; j < sets[i].nlabels; j++)
			printf(" %02x", sets[i].labels[j].flags);
		if (sets[i].nlabels > 0)
			printf(" %.*s", (int)sets[i].jsonlen, sets[i].json);
		printf("\n");
	}
}

static void show_context(void)
{
	static const struct {
		const char *name, *text;
	} files[] = {
	    {"labels/b", "{\"two\":2,\"one\":\"b\"}"},
	    {"labels/a", "{\"one\":\"a\",\"zero\":{\"x\":1}}"},
	    {"labels/.hidden", "{\"hidden\":1}"},
	    {"labels/optional/note", "{\"note\":true,\"two\":3}"},
	};
	pmLabelSet *set = NULL;
	int sts;

	mkdir(scratch("labels"), 0755);
	mkdir(scratch("labels/optional"), 0755);
	for (size_t i = 0; i < COUNT(files); i++)
		put(files[i].name, files[i].text, strlen(files[i].text));
	setenv("PCP_SYSCONF_DIR", scratch("."), 1);
	pmDebugOptions.labels = 0; /* each library reports the files in its own words */
	init(0, 2, 3);
	sts = pmdaLabel(PM_IN_NULL, PM_LABEL_CONTEXT, &set, dispatch.version.any.ext);
	show_sets("context", sts, set);
	for (int i = 0; i < (set == NULL ? 0 : set->nlabels); i++)
		printf("%d %d %d %d\n", set->labels[i].name, set->labels[i].namelen,
		       set->labels[i].value, set->labels[i].valuelen);
}

static void show_labels(void)
{
	static const int types[] = {PM_LABEL_DOMAIN,
				    PM_LABEL_INDOM,
				    PM_LABEL_CLUSTER,
				    PM_LABEL_ITEM,
				    PM_LABEL_INSTANCES,
				    PM_LABEL_ITEM | PM_LABEL_OPTIONAL,
				    0,
				    1 << 12};
	pmInDomProfile entry = {pmInDom_build(250, 3), PM_PROFILE_EXCLUDE, 0, NULL};
	pmProfile none = {PM_PROFILE_INCLUDE, 1, &entry};
	pmLabelSet *set = NULL;
	pmdaExt *ext;
	int sts;

	init(0, 2, 3);
	ext = dispatch.version.any.ext;
	sts = pmdaAddLabels(&set, "{\"b\":%d,\"a\":\"q\"}", 1);
	printf("add %d\n", sts);
	show_sets("add", 1, set);
	sts = pmdaAddNotes(&set, "{\"a\":2}");
	printf("note %d\n", sts);
	show_sets("note", 1, set);
	printf("bad %d\n", pmdaAddLabels(&set, "not json"));
	printf("bad %d\n", pmdaAddNotes(&set, "{bad"));
	printf("flags %d %d\n", pmdaAddLabelFlags(set, PM_LABEL_ITEM), pmdaAddLabelFlags(NULL, 1));
	show_sets("flags", 1, set);
	for (size_t i = 0; i < COUNT(types); i++) {
		int ident = types[i] == PM_LABEL_INSTANCES || types[i] == PM_LABEL_INDOM
				? (int)pmInDom_build(250, 3)
				: (int)(((pmID)250 << 22) + 1);
		pmLabelSet *sets = NULL;
		int n = pmdaLabel(ident, types[i], &sets, ext);

		show_sets("label", n, sets);
		sets = set;
		if (types[i] != PM_LABEL_INSTANCES)
			printf("given %d\n", pmdaLabel(ident, types[i], &sets, ext));
	}
	for (int k = 0; k < 2; k++)
		printf("context %d\n", pmdaLabel(PM_IN_NULL, PM_LABEL_CONTEXT, &set, ext));
	pmdaSetLabelCallBack(&dispatch, label_callback);
	for (int k = 0; k < 4; k++) {
		pmInDom of = k == 2 ? PM_INDOM_NULL : pmInDom_build(250, k == 3 ? 99 : 3);
		pmLabelSet *sets = NULL;
		int n;

		if (k == 1)
			pmdaProfile(&none, ext);
		n = pmdaLabel((int)of, PM_LABEL_INSTANCES, &sets, ext);
		show_sets("instances", n, sets);
	}
}

int main(void)
{
	static void (*const cases[])(void) = {
	    show_versions,  show_init,  show_tables,  show_options, show_methods,
	    show_instances, show_tree,  show_labels,  show_walks,   show_places,
	    show_lookups,   show_texts, show_context,
	};

	static const char *const debug[] = {"", "libpmda,desperate,attr", "labels,auth"};

	setvbuf(stdout, NULL, _IOLBF, 0);
	pmSetProgname("parity");
	for (size_t i = 0; i < COUNT(debug) * COUNT(cases); i++) {
		printf("== case %zu\n", i);
		fflush(stdout);
		if (fork() == 0) {
			pmSetDebug(debug[i / COUNT(cases)]);
			cases[i % COUNT(cases)]();
			fflush(stdout);
			_exit(0);
		}
		while (wait(NULL) < 0)
			;
	}
	return 0;
}

/*
 * parity_internals - what agents use of the library beyond its API: hash tables, profiles, programs
 * that are run, memory maps, trees of names; see parity.py.
 */
#include <fcntl.h>
#include <sys/wait.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

/* The order of a walk is not guaranteed: the results are printed sorted. */
static char found[26];

static __pmHashWalkState note_node(const __pmHashNode *node, void *arg)
{
	found[*(const char *)node->data - 'a'] = *(const char *)node->data;
	return PM_HASH_WALK_NEXT;
}

static __pmHashWalkState stop_at_once(const __pmHashNode *node, void *arg)
{
	++*(int *)arg;
	return PM_HASH_WALK_STOP;
}

static __pmHashWalkState drop_odd(const __pmHashNode *node, void *arg)
{
	return node->key % 2 ? PM_HASH_WALK_DELETE_NEXT : PM_HASH_WALK_NEXT;
}

static void print_table(const char *what, __pmHashCtl *table)
{
	memset(found, 0, sizeof(found));
	__pmHashWalkCB(note_node, NULL, table);
	printf("hash %s:", what);
	for (size_t i = 0; i < sizeof(found); i++) {
		if (found[i] != '\0')
			printf(" %c", found[i]);
	}
	printf("\n");
}

static void hashes(void)
{
	static const unsigned int keys[] = {5, 17, 5, 0, 4294967295u, 1, 2, 3, 18, 33, 34, 49};
	static const char *const data[] = {"a", "b", "c", "d", "e", "f",
					   "g", "h", "i", "j", "k", "l"};
	__pmHashCtl table;
	__pmHashNode *node;
	int calls = 0;

	memset(&table, 0xff, sizeof(table));
	__pmHashInit(&table);
	print_table("empty", &table);
	printf("hash search in nothing: %d\n", __pmHashSearch(1, &table) != NULL);
	printf("hash del in nothing: %d\n", __pmHashDel(1, NULL, &table));
	printf("hash walk in nothing: %d\n", __pmHashWalk(&table, PM_HASH_WALK_START) != NULL);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		printf("hash add: %d", __pmHashAdd(keys[i], (void *)data[i], &table));
		printf(" %d nodes\n", table.nodes);
	}
	print_table("added", &table);
	node = __pmHashSearch(17, &table);
	printf("hash search 17: %s\n", node != NULL ? (const char *)node->data : "none");
	printf("hash search 99: %d\n", __pmHashSearch(99, &table) != NULL);
	printf("hash del 5 a: %d\n", __pmHashDel(5, (void *)data[0], &table));
	printf("hash del 5 b: %d %d nodes\n", __pmHashDel(5, (void *)data[1], &table), table.nodes);
	print_table("deleted", &table);
	memset(found, 0, sizeof(found));
	for (node = __pmHashWalk(&table, PM_HASH_WALK_START); node != NULL;
	     node = __pmHashWalk(&table, PM_HASH_WALK_NEXT))
		note_node(node, NULL);
	printf("hash walk: %.12s\n", found + 1);
	__pmHashWalkCB(stop_at_once, &calls, &table);
	printf("hash stopped after %d\n", calls);
	__pmHashWalkCB(drop_odd, NULL, &table);
	print_table("even", &table);
	__pmHashClear(&table);
	print_table("cleared", &table);
	__pmHashInit(&table);
	printf("hash room: %d", __pmHashPreAlloc(100, &table));
	printf(" %d chains\n", table.hsize);
	printf("hash add: %d\n", __pmHashAdd(7, (void *)data[0], &table));
	print_table("one", &table);
	__pmHashFree(&table);
	print_table("freed", &table);
}

static void profiles(void)
{
	int some[] = {1, 5}, none[] = {7};
	pmInDomProfile lists[] = {
	    {.indom = 10, .state = PM_PROFILE_INCLUDE, .instances_len = 2, .instances = some},
	    {.indom = 20, .state = PM_PROFILE_EXCLUDE, .instances_len = 2, .instances = some},
	    {.indom = 30, .state = PM_PROFILE_EXCLUDE, .instances_len = 0, .instances = NULL},
	    {.indom = 40, .state = PM_PROFILE_INCLUDE, .instances_len = 1, .instances = none},
	};
	pmProfile p = {.profile_len = 4, .profile = lists};

	for (p.state = PM_PROFILE_INCLUDE; p.state <= PM_PROFILE_EXCLUDE; p.state++)
		for (pmInDom indom = 10; indom <= 50; indom += 10)
			for (int inst = -1; inst < 8; inst += 2)
				printf("profile %d indom %u inst %d: %d\n", p.state, indom, inst,
				       __pmInProfile(indom, &p, inst));
	printf("profile none: %d\n", __pmInProfile(10, NULL, 1));
}

static void print_words(const char *text)
{
	__pmExecCtl_t *line = NULL;
	char buf[200];
	FILE *f = NULL;
	int r;

	r = __pmProcessAddArg(&line, "/usr/bin/printf");
	if (r == 0)
		r = __pmProcessAddArg(&line, "<%s>\\n");
	if (r == 0)
		r = __pmProcessUnpickArgs(&line, text);
	printf("words <%s>: %d", text, r);
	if (r == 0) {
		r = __pmProcessPipe(&line, "r", PM_EXEC_TOSS_STDERR, &f);
		printf(" pipe %d", r);
		while (r == 0 && fgets(buf, sizeof(buf), f) != NULL)
			printf(" %s", strtok(buf, "\n"));
		if (r == 0)
			printf(" close %d", __pmProcessPipeClose(f));
	}
	printf("\n");
}

static void pipe_status(const char *text)
{
	__pmExecCtl_t *line = NULL;
	FILE *f = NULL;
	int r = __pmProcessUnpickArgs(&line, text);

	if (r == 0)
		r = __pmProcessPipe(&line, "w", PM_EXEC_TOSS_ALL & ~PM_EXEC_TOSS_STDIN, &f);
	printf("status <%s>: %d", text, r);
	if (r == 0)
		printf(" %d", __pmProcessPipeClose(f));
	printf("\n");
}

static void programs(void)
{
	print_words("a b  c");
	print_words("\"a b\" 'c d' e");
	print_words("x\"a b\"y 'it\"s' \"o'k\"");
	print_words("  $HOME * | ; \\n ");
	print_words("\t tab\tbed ");
	print_words("\"not closed");
	print_words("'nor this");
	print_words("\"\" ''");
	print_words("a\\ b \\\"c");
	pipe_status("/bin/true");
	pipe_status("/bin/sh -c 'exit 7'");
	pipe_status("/bin/sh -c 'kill -9 $$'");
	pipe_status("/no/such/program");
	pipe_status("");
}

static void maps(void)
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	char *memory = __pmMemoryMap(fd, 16, 0);

	printf("map: %.4s\n", memory);
	__pmMemoryUnmap(memory, 16);
	printf("map writable: %d\n", __pmMemoryMap(fd, 16, 1) != NULL);
	printf("map of nothing: %d\n", __pmMemoryMap(-1, 16, 0) != NULL);
	close(fd);
}

static void trees(void)
{
	__pmnsNode leaf = {.name = "leaf", .pmid = 5};
	__pmnsNode other = {.name = "a_name_of_more_than_sixteen", .pmid = 0x3e800402};
	__pmnsNode below = {.name = "below", .pmid = PM_ID_NULL, .first = &other};
	__pmnsNode root = {.name = "root", .pmid = PM_ID_NULL, .first = &leaf};

	leaf.next = &below;
	leaf.parent = below.parent = &root;
	other.parent = &below;
	for (int verbose = -1; verbose < 2; verbose++) {
		printf("tree %d\n", verbose);
		__pmDumpNameNode(stdout, &root, verbose);
	}
}

static void others(void)
{
	struct timespec ts = {.tv_nsec = -1};

	printf("time: %d", __pmGetTimespec(&ts));
	printf(" %d\n", ts.tv_nsec >= 0 && ts.tv_nsec < 1000000000);
	printf("send: %d\n", __pmSendError(-1, 0, 0));
}

static void count_call(int id, void *data)
{
	++*(int *)data;
}

static void intervals(void)
{
	const struct timeval soon = {.tv_usec = 20000}, late = {.tv_sec = 100};
	volatile int count = 0;
	int id, second;

	printf("interval empty: %d\n", __pmAFisempty());
	printf("interval unknown: %d\n", __pmAFunregister(12345));
	id = __pmAFregister(&soon, (void *)&count, count_call);
	second = __pmAFregister(&late, (void *)&count, count_call);
	printf("interval ids: %d %d\n", id > 0, second - id);
	printf("interval empty: %d\n", __pmAFisempty());
	while (count < 2)
		pause();
	printf("interval called\n");
	__pmAFblock();
	count = 0;
	__pmtimevalSleep((struct timeval){.tv_usec = 100000});
	printf("interval blocked: %d\n", count);
	__pmAFunblock();
	__pmtimevalSleep((struct timeval){.tv_usec = 5000});
	printf("interval unblocked: %d\n", count > 0);
	printf("interval unregister: %d\n", __pmAFunregister(id));
	printf("interval again: %d\n", __pmAFunregister(id));
	printf("interval unregister: %d\n", __pmAFunregister(second));
	printf("interval empty: %d\n", __pmAFisempty());
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	hashes();
	profiles();
	programs();
	maps();
	trees();
	others();
	intervals();
	return 0;
}

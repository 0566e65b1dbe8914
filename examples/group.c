/*
 * group - the load and the processor time of a host, three times: a fetch group does the
 * look-ups, the rates and the units.
 *
 *     cc group.c $(pkg-config --cflags --libs libpcp)
 *     ./a.out localhost
 */
#include <stdio.h>
#include <unistd.h>
#include <pcp/pmapi.h>

enum { FETCHES = 3, PAUSE_SEC = 1, LOADS_MAX = 3 };

struct sample {
	struct timespec at;
	pmAtomValue user; /* processors in use */
	int user_status;
	pmAtomValue loads[LOADS_MAX];
	char *names[LOADS_MAX];
	unsigned int nloads;
};

static int group_make(const char *host, struct sample *s, pmFG *group)
{
	int r = pmCreateFetchGroup(group, PM_CONTEXT_HOST, host);

	if (r < 0)
		return r;
	pmExtendFetchGroup_timespec(*group, &s->at);
	r = pmExtendFetchGroup_item(*group, "kernel.all.cpu.user", NULL, "sec / sec", &s->user,
				    PM_TYPE_DOUBLE, &s->user_status);
	if (r < 0)
		return r;
	return pmExtendFetchGroup_indom(*group, "kernel.all.load", NULL, NULL, s->names, s->loads,
					PM_TYPE_FLOAT, NULL, LOADS_MAX, &s->nloads, NULL);
}

static void print_sample(const struct sample *s)
{
	pmPrintHighResStamp(stdout, &s->at);
	if (s->user_status == 0)
		printf(" user %.2f", s->user.d);
	for (unsigned int i = 0; i < s->nloads; i++)
		printf(" %s %.2f", s->names[i], s->loads[i].f);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct sample s = {0};
	pmFG group;
	int r = argc == 2 ? group_make(argv[1], &s, &group) : PM_ERR_NOCONTEXT;

	for (int i = 0; i < FETCHES && r >= 0; i++) {
		sleep(i == 0 ? 0 : PAUSE_SEC);
		r = pmFetchGroup(group);
		if (r >= 0)
			print_sample(&s);
	}
	if (r < 0)
		fprintf(stderr, "%s: %s\n", argv[0], pmErrStr(r));
	return r < 0;
}

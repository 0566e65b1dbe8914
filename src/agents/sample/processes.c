/* processes - instances as a process table has them: the first four stay, others come and go. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "processes.h"
#include "sample.h"

enum { MOST = 20, STAYING = 4 };

struct process {
	int id;
	char name[40];
	double began;
};

static struct process table[MOST];
static pmdaInstid instances[MOST];
static int nprocesses, last_id;

static void name_process(struct process *p)
{
	static const char *const folders[] = {"/etc", "/usr/bin", "/usr/local", "/usr/opt/bin"};
	static const char *const names[] = {"bozo",    "bobo",  "jester", "loko",
					    "pierrot", "waldo", "yobo",   "jojo"};

	if (p->id == 1)
		snprintf(p->name, sizeof(p->name), "%04d init", p->id);
	else
		snprintf(p->name, sizeof(p->name), "%04d %s/%s", p->id, folders[(p->id - 2) % 4],
			 names[(p->id - 2) % 8]);
}

static void add_process(void)
{
	if (nprocesses == MOST)
		return;
	last_id = last_id % 9999 + 1;
	table[nprocesses] = (struct process){.id = last_id, .began = sample_elapsed()};
	name_process(&table[nprocesses++]);
}

static void show_processes(void)
{
	for (int i = 0; i < nprocesses; i++)
		instances[i] = (pmdaInstid){table[i].id, table[i].name};
	sample_set_instances(PROCESSES, instances, nprocesses);
}

void processes_start(void)
{
	nprocesses = last_id = 0;
	while (nprocesses < STAYING)
		add_process();
	show_processes();
}

void processes_change(void)
{
	if (nprocesses > STAYING && sample_random(4) == 0) {
		int gone = STAYING + sample_random(nprocesses - STAYING);

		memmove(&table[gone], &table[gone + 1],
			(size_t)(nprocesses - gone - 1) * sizeof(table[0]));
		nprocesses--;
	}
	if (sample_random(4) == 0)
		add_process();
	show_processes();
}

static const struct process *find(int id)
{
	for (int i = 0; i < nprocesses; i++)
		if (table[i].id == id)
			return &table[i];
	return NULL;
}

static int ordinal(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->ul = (unsigned int)inst;
	return PMDA_FETCH_STATIC;
}

static int exec(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	const struct process *p = find(inst);
	const char *slash;

	if (p == NULL)
		return PM_ERR_INST;
	slash = strrchr(p->name, '/');
	ret_atom->cp = (char *)(uintptr_t)(slash != NULL ? slash + 1 : p->name);
	return PMDA_FETCH_STATIC;
}

static int age(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	const struct process *p = find(inst);

	if (p == NULL)
		return PM_ERR_INST;
	ret_atom->ull = (uint64_t)((sample_elapsed() - p->began) * 1000);
	return PMDA_FETCH_STATIC;
}

static int reset(const struct sample_metric *row, int inst, pmAtomValue *ret_atom)
{
	ret_atom->l = 0;
	return PMDA_FETCH_STATIC;
}

static int store_reset(const struct sample_metric *row, int inst, const pmAtomValue *atom)
{
	processes_start();
	return 0;
}

/* clang-format off */
static const struct sample_metric rows[] = {
    {"proc.ordinal", PROC_FIRST, PM_TYPE_U32, PROCESSES, PM_SEM_INSTANT, NO_UNITS, ordinal, NULL, 0,
     "The number of a process that is made up"},
    {"proc.exec", 157, PM_TYPE_STRING, PROCESSES, PM_SEM_INSTANT, NO_UNITS, exec, NULL, 0,
     "The last part of its program's path"},
    {"proc.time", PROC_LAST, PM_TYPE_U64, PROCESSES, PM_SEM_COUNTER, MSEC, age, NULL, 0, "Its age"},
    {"proc.reset", 159, PM_TYPE_32, ONE_VALUE, PM_SEM_INSTANT, NO_UNITS, reset, store_reset, 0,
     "A store brings the first four back and ends the others"},
};
/* clang-format on */

SAMPLE_GROUP(processes_group, rows);

/*
 * domains - instance domains: fixed, of any size, coming and going, with errors, profile needed;
 * and one that changes as a process table does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

/* ---- colours and mirage: a count that all their values share ---- */

static pmdaInstid colours[] = {{0, "red"}, {1, "green"}, {2, "blue"}};
static int shared;

static int next_shared(void)
{
	shared = (shared + 1) % 100;
	return shared;
}

static int colour(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = 100 * (call->inst + 1) + next_shared();
	return PMDA_FETCH_STATIC;
}

static int store_shared(const struct agent_call *call, const pmAtomValue *atom)
{
	shared = call->metric->type == PM_TYPE_64 ? (int)(atom->ll % 100) : atom->l % 100;
	return 0;
}

enum { MIRAGES = 50 };

static pmdaInstid mirages[MIRAGES];
static char mirage_names[MIRAGES][8];
static int mirage_shown[MIRAGES];
static int mirage_ms = 10000;
static double mirage_changed;

static void show_mirages(void)
{
	int n = 0;

	for (int i = 0; i < MIRAGES; i++)
		if (mirage_shown[i])
			mirages[n++] = (pmdaInstid){i, mirage_names[i]};
	sample_set_instances(MIRAGE, mirages, n);
}

/* One of them comes or goes for each span of time that has passed, the first one stays. */
static void change_mirages(void)
{
	double spans = mirage_ms > 0 ? (sample_elapsed() - mirage_changed) * 1000 / mirage_ms : 0;

	if (spans < 1)
		return;
	mirage_changed = sample_elapsed();
	for (int i = 0; i < spans && i < MIRAGES; i++)
		mirage_shown[1 + sample_random(MIRAGES - 1)] ^= 1;
	show_mirages();
}

static int mirage(const struct agent_call *call, pmAtomValue *ret_atom)
{
	return sample_number(
	    call->metric->type,
	    (double)call->metric->value.arg * (100 * call->inst + 100 - next_shared()), ret_atom);
}

static int mirage_control(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = mirage_ms;
	return PMDA_FETCH_STATIC;
}

static int store_mirage_control(const struct agent_call *call, const pmAtomValue *atom)
{
	mirage_ms = atom->l;
	return 0;
}

/* ---- the family: values only for a caller that names the instances ---- */

static pmdaInstid family[] = {
    {0, "colleen"}, {1, "terry"}, {2, "emma"}, {3, "cathy"}, {4, "fat bald bastard"},
};

/* Whether the profile names instances of the domain that it wants. */
static int is_named(pmInDom indom)
{
	const pmProfile *prof = sample_ext()->e_prof;

	for (int i = 0; prof != NULL && i < prof->profile_len; i++)
		if (prof->profile[i].indom == indom)
			return prof->profile[i].state == PM_PROFILE_EXCLUDE &&
			       prof->profile[i].instances_len > 0;
	return 0;
}

static int family_is_named(void)
{
	return is_named(pmInDom_build((unsigned int)sample_ext()->e_domain, FAMILY));
}

static int needprofile(const struct agent_call *call, pmAtomValue *ret_atom)
{
	static const float numbers[] = {3.05f, 12.05f, 11.09f, 11.09f, 5.26f};

	if (!family_is_named())
		return PMDA_FETCH_NOVALUES; /* the error: domains_error */
	ret_atom->f = numbers[call->inst];
	return PMDA_FETCH_STATIC;
}

/* ---- hordes and many: as many as one likes ---- */

enum { HORDE = 500, DOMAINS_MOST = 999999, NAME = 10 };

static pmdaInstid horde[HORDE];
static char horde_names[HORDE][4];
static pmdaInstid *many;
static char (*many_names)[NAME];
static int nmany;

static int horde_one(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = call->inst;
	return PMDA_FETCH_STATIC;
}

static int horde_two(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = HORDE - 1 - call->inst;
	return PMDA_FETCH_STATIC;
}

static int set_many(int n)
{
	char(*names)[NAME] = malloc((size_t)n * sizeof(*names) + 1);
	pmdaInstid *set = malloc((size_t)n * sizeof(*set) + 1);

	if (names == NULL || set == NULL) {
		free(names);
		free(set);
		return -ENOMEM;
	}
	for (int i = 0; i < n; i++) {
		snprintf(names[i], NAME, "i-%d", i);
		set[i] = (pmdaInstid){i, names[i]};
	}
	sample_set_instances(MANY, set, n);
	free(many);
	free(many_names);
	many = set;
	many_names = names;
	nmany = n;
	return 0;
}

static int many_count(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = nmany;
	return PMDA_FETCH_STATIC;
}

static int store_many(const struct agent_call *call, const pmAtomValue *atom)
{
	return set_many(atom->l < 0 ? 0 : atom->l > DOMAINS_MOST ? DOMAINS_MOST : atom->l);
}

/* ---- another number of instances at each fetch, or an error ---- */

enum { DODGEYS = 5 };

static pmdaInstid dodgeys[DODGEYS];
static char dodgey_names[DODGEYS][4] = {"d1", "d2", "d3", "d4", "d5"};
static int dodgey_control_value = DODGEYS;
static int dodgey_error; /* of the fetch that is being served, or 0 */

static void set_dodgeys(int mask)
{
	int n = 0;

	for (int i = 0; i < DODGEYS; i++)
		if ((mask & 1 << i) != 0)
			dodgeys[n++] = (pmdaInstid){i + 1, dodgey_names[i]};
	sample_set_instances(DODGEY, dodgeys, n);
}

/* Chooses the instances of a fetch, and perhaps an error. */
static void dodgey_begin(void)
{
	static const int errors[] = {PM_ERR_NOAGENT, PM_ERR_AGAIN, PM_ERR_APPVERSION};
	int n = dodgey_control_value;

	dodgey_error = n < 0 ? n : 0;
	if (n <= DODGEYS)
		return;
	set_dodgeys(1 + sample_random((1 << DODGEYS) - 1));
	if (sample_random(8) == 0)
		dodgey_error = errors[sample_random(3)];
}

static int dodgey(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = sample_random(100);
	return PMDA_FETCH_STATIC;
}

static int dodgey_control(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = dodgey_control_value;
	return PMDA_FETCH_STATIC;
}

static int store_dodgey(const struct agent_call *call, const pmAtomValue *atom)
{
	dodgey_control_value = atom->l;
	if (atom->l <= DODGEYS)
		set_dodgeys(atom->l < 0 ? 0 : (1 << atom->l) - 1);
	return 0;
}

/* ---- around a fetch ---- */

void domains_start(void)
{
	for (int i = 0; i < MIRAGES; i++)
		snprintf(mirage_names[i], sizeof(mirage_names[i]), "m-%02d", i);
	for (int i = 0; i < HORDE; i++) {
		snprintf(horde_names[i], sizeof(horde_names[i]), "%d", i);
		horde[i] = (pmdaInstid){i, horde_names[i]};
	}
	mirage_shown[0] = 1;
	show_mirages();
	set_dodgeys((1 << DODGEYS) - 1);
	sample_set_instances(COLOURS, colours, 3);
	sample_set_instances(FAMILY, family, 5);
	sample_set_instances(HORDES, horde, HORDE);
	set_many(5);
}

void domains_begin(unsigned int number)
{
	if (number == MIRAGE_ITEM || number == MIRAGE_LONG_ITEM)
		change_mirages();
	if (number == DODGEY_ITEM)
		dodgey_begin();
}

int domains_error(unsigned int number)
{
	if (number == NEEDPROFILE_ITEM)
		return family_is_named() ? 0 : PM_ERR_PROFILE;
	return number == DODGEY_ITEM ? dodgey_error : 0;
}

/* clang-format off */
#define EACH(name, item, type, indom, units, value, store, arg, help) \
    {name, 0, item, type, PM_SEM_INSTANT, indom, units, AGENT_CALLS(value, store, arg), help, NULL, 0}

static const struct agent_metric domains_rows[] = {
    EACH("colour", 5, PM_TYPE_32, OF(COLOURS), NO_UNITS, colour, store_shared, 0,
         "Three numbers: each is above the one fetched before; a store sets where they begin"),
    EACH("mirage", MIRAGE_ITEM, PM_TYPE_32, OF(MIRAGE), PMDA_PMUNITS(1, -1, 0, PM_SPACE_KBYTE,
     PM_TIME_SEC, 0),
         mirage, store_shared, 1, "Instances that come and go, as sample.controller.mirage says"),
    EACH("mirage_longlong", MIRAGE_LONG_ITEM, PM_TYPE_64, OF(MIRAGE),
         PMDA_PMUNITS(1, -1, 0, PM_SPACE_BYTE, PM_TIME_MSEC, 0), mirage, store_shared, 1000000,
         "Instances that come and go, with large numbers"),
    {"controller.mirage", 0, 155, PM_TYPE_32, PM_SEM_DISCRETE, ONE_VALUE, MSEC, AGENT_GET_STORE(mirage_control, store_mirage_control),
     "How long the instances of sample.mirage stay the same; can be stored", NULL, 0},
    {"needprofile", 0, NEEDPROFILE_ITEM, PM_TYPE_FLOAT, PM_SEM_DISCRETE, OF(FAMILY), NO_UNITS,
     AGENT_GET(needprofile), "Values only for a client that names the instances that it wants", NULL, 0},
    EACH("hordes.one", 52, PM_TYPE_32, OF(HORDES), NO_UNITS, horde_one, NULL, 0, "500 values, upwards"),
    EACH("hordes.two", 53, PM_TYPE_32, OF(HORDES), NO_UNITS, horde_two, NULL, 0,
     "500 values, downwards"),
    EACH("many.count", 79, PM_TYPE_32, ONE_VALUE, COUNT, many_count, store_many, 0,
         "How many instances sample.many.int has; up to 999999 can be stored"),
    EACH("many.int", 80, PM_TYPE_32, OF(MANY), COUNT, horde_one, NULL, 0,
         "As many values as sample.many.count says"),
    {"dodgey.control", 0, 61, PM_TYPE_32, PM_SEM_DISCRETE, ONE_VALUE, NO_UNITS, AGENT_GET_STORE(dodgey_control, store_dodgey),
     "Instances of sample.dodgey.value: 0 to 5; above: by chance; below: an error", NULL, 0},
    EACH("dodgey.value", DODGEY_ITEM, PM_TYPE_32, OF(DODGEY), NO_UNITS, dodgey, NULL, 0,
         "Values by chance, of the instances that sample.dodgey.control says"),
};
/* clang-format on */

ROWS_CLUSTER(domains, domains_rows);

/* ---- instances as a process table has them: the first four stay, others come and go ---- */

enum { PROCESS_MOST = 20, STAYING = 4 };

struct process {
	int id;
	char name[40];
	double began;
};

static struct process table[PROCESS_MOST];
static pmdaInstid instances[PROCESS_MOST];
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
	if (nprocesses == PROCESS_MOST)
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

static const struct process *process_find(int id)
{
	for (int i = 0; i < nprocesses; i++)
		if (table[i].id == id)
			return &table[i];
	return NULL;
}

static int ordinal(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->ul = (unsigned int)call->inst;
	return PMDA_FETCH_STATIC;
}

static int exec(const struct agent_call *call, pmAtomValue *ret_atom)
{
	const struct process *p = process_find(call->inst);
	const char *slash;

	if (p == NULL)
		return PM_ERR_INST;
	slash = strrchr(p->name, '/');
	ret_atom->cp = (char *)(uintptr_t)(slash != NULL ? slash + 1 : p->name);
	return PMDA_FETCH_STATIC;
}

static int age(const struct agent_call *call, pmAtomValue *ret_atom)
{
	const struct process *p = process_find(call->inst);

	if (p == NULL)
		return PM_ERR_INST;
	ret_atom->ull = (uint64_t)((sample_elapsed() - p->began) * 1000);
	return PMDA_FETCH_STATIC;
}

static int process_reset(const struct agent_call *call, pmAtomValue *ret_atom)
{
	ret_atom->l = 0;
	return PMDA_FETCH_STATIC;
}

static int store_reset(const struct agent_call *call, const pmAtomValue *atom)
{
	processes_start();
	return 0;
}

/* clang-format off */
static const struct agent_metric process_rows[] = {
    {"proc.ordinal", 0, PROC_FIRST, PM_TYPE_U32, PM_SEM_INSTANT, OF(PROCESSES), NO_UNITS,
     AGENT_GET(ordinal), "The number of a process that is made up", NULL, 0},
    {"proc.exec", 0, 157, PM_TYPE_STRING, PM_SEM_INSTANT, OF(PROCESSES), NO_UNITS, AGENT_GET(exec),
     "The last part of its program's path", NULL, 0},
    {"proc.time", 0, PROC_LAST, PM_TYPE_U64, PM_SEM_COUNTER, OF(PROCESSES), MSEC, AGENT_GET(age),
     "Its age", NULL, 0},
    {"proc.reset", 0, 159, PM_TYPE_32, PM_SEM_INSTANT, ONE_VALUE, NO_UNITS, AGENT_GET_STORE(process_reset, store_reset),
     "A store brings the first four back and ends the others", NULL, 0},
};
/* clang-format on */

ROWS_CLUSTER(processes, process_rows);

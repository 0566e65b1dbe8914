/*
 * pitot - the commands of the program, one row each in pitot.c.
 *
 * A command gets its own argv (argv[0] is its name) and returns an exit status.
 */
#ifndef PITOT_PITOT_H
#define PITOT_PITOT_H

struct pitot_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

enum pitot_exit {
	PITOT_OK = 0,
	PITOT_FAILED = 1,
	PITOT_USAGE = 2,
	PITOT_NOTHING = 3, /* there is no collector to look at */
};

int up_run(int argc, char **argv);
int status_run(int argc, char **argv);
int doctor_run(int argc, char **argv);
int trace_run(int argc, char **argv);

/* One line on stderr, "pitot: …". */
void pitot_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

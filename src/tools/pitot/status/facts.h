/*
 * facts - everything that `pitot status` prints and `pitot doctor` checks.
 */
#ifndef PITOT_STATUS_FACTS_H
#define PITOT_STATUS_FACTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/pitot/collector.h"
#include "tools/pitot/process.h"
#include "tools/pitot/up/up.h"

struct collector;

/* folder - a directory that the collector writes to: its owner, and its free space. */

struct folder {
	const char *role; /* "run", "log", "tmp", "state" */
	char path[PATH_MAX];
	int error;       /* 0, or -errno of examining it */
	int64_t uid;     /* its owner */
	int write_error; /* 0, or -errno of writing there as the user */
	int64_t free_kb; /* free for that user */
	int64_t size_kb;
	double free_part; /* share that is free, 0 to 1 */
	double
	    inodes_part; /* share of the inodes that is free; 1 if the file system has no limit */
};

/*
 * redirect - variables of the environment that change the address of the collector or the results
 * of clients.
 */

enum { REDIRECTS_MAX = 16 };

struct redirect {
	const char *name;
	const char *value;
	bool elsewhere; /* the address is another one, or does not exist */
};

/*
 * Notes the variables that are set, and unsets those that would make this program fail as they do
 * every other client. To be called before anything is read. Returns their number; redirects has
 * room for REDIRECTS_MAX.
 */
int redirect_note(struct redirect *redirects);

/*
 * Marks those that lead to another address than the collector's (NULL: no variable with an address
 * does).
 */
void redirect_judge(struct redirect *redirects, int n, const struct collector *c);

/*
 * target - the collector of the command: the user's `pitot up`, or the default of all tools, or the
 * one of -h.
 */

enum target_kind {
	TARGET_UP,      /* the user's own: its place has a lock or a socket */
	TARGET_DEFAULT, /* local: the default of PCP's tools */
	TARGET_HOST,    /* -h */
};

struct target {
	enum target_kind kind;
	struct place place;        /* the place of the user's `pitot up`, which may not run */
	pid_t up_pid;              /* pid of the one that runs; 0: none */
	bool lock_left;            /* there is a lock of one that has ended */
	int socket_error;          /* of connecting to the place's socket: 0, or -errno */
	char spec[PLACE_PATH + 8]; /* the argument for -h */
	uid_t uid;                 /* the user who runs the command */
	bool here;                 /* the specification names this host */
	pid_t socket_pid;          /* pid of the listener at spec.s socket; 0: unknown */
};

/* Chooses the target. host: the argument of -h, or NULL. Returns 0, or -1 after a message. */
int target_find(struct target *t, const char *host);

/*
 * facts - everything that `pitot status` prints and `pitot doctor` checks, gathered once.
 *
 *     target -> collector, twice, a window apart -> processes -> folders, files, environment
 *
 * Nothing is judged or printed here. An unknown fact is -1, NAN, NULL or "".
 */

enum {
	FACTS_FOLDERS = 8,
	FACTS_TEXT = CAPTURE_TEXT_MAX,
};

/* A file with the process id of a daemon. */
struct pidfile {
	char path[PLACE_PATH + 16];
	pid_t pid; /* 0: there is no such file */
	bool alive;
};

struct facts {
	struct target target;
	int reach;       /* 0, or the error of asking the collector */
	bool here;       /* its process is one of this host */
	double window_s; /* seconds between the two readings; 0: there was one reading */
	struct collector collector;
	struct process process; /* the process of the collector */
	double requests_per_s, fetches_per_s, requests_per_s_ever;
	double step_s;       /* seconds by which the wall clock was set within the window */
	double step_ever_s;  /* seconds since the collector started; NAN: unknown */
	double clock_off_s;  /* difference between its clock and ours that the exchange cannot
				explain */
	bool unsynchronised; /* no time service adjusts the clock */
	int nfolder;
	struct folder folders[FACTS_FOLDERS];
	int nredirect;
	struct redirect redirects[REDIRECTS_MAX];
	struct archives archives; /* of the user's own place */
	bool recording; /* the user's own `pitot up` has a recorder: the following members are known
			 */
	struct recorder_state recorder;
	struct process recorder_process;
	double now_s;      /* when it was examined, since the epoch */
	int record_status; /* result of pmlogger --check-syntax: 0 is good; < 0: could not be run */
	char record_text[FACTS_TEXT];
	struct portowner port; /* the port at which the collector would listen */
	struct pidfile pidfile;
	char config[PLACE_PATH + 32]; /* the collector's configuration; "": unknown */
	int config_status;            /* result of pmcd -v: 0 is good; < 0: could not be run */
	char config_text[FACTS_TEXT];
	char names[PLACE_PATH + 32]; /* the file of names with the errors; "": no file has any */
	char names_text[FACTS_TEXT];
};

/*
 * host: -h or NULL. window_s: 0 reads once. The caller frees the facts. Returns 0, or -1 after a
 * message.
 */
int facts_gather(struct facts *f, const char *host, double window_s);
void facts_free(struct facts *f);

/*
 * The state of an agent in one word: ready, late (owes answers), fenced, notready, starting or
 * down; for a PCP collector starting and notready are the same.
 */
const char *facts_agent_state(const struct collector_agent *a);

/* "dso", "pipe", "socket". */
const char *facts_agent_kind(const struct collector_agent *a);

/* The agent's last failure, or "". text holds at least 64 bytes. */
const char *facts_agent_error(const struct collector_agent *a, char *text, size_t size);

#endif

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

/*
 * folder - a directory that the collector writes to: whose it is, and is there room.
 */

struct folder {
	const char *role; /* "run", "log", "tmp", "state" */
	char path[PATH_MAX];
	int error;       /* 0, or -errno: it can't be looked at */
	int64_t uid;     /* its owner */
	int write_error; /* 0, or -errno: the user can't write there */
	int64_t free_kb; /* for that user */
	int64_t size_kb;
	double free_part;   /* 0 to 1 */
	double inodes_part; /* of the inodes, free; 1 where the file system has no such limit */
};

/*
 * redirect - variables of the environment that change where clients go, or what they see there.
 */

enum { REDIRECTS_MAX = 16 };

struct redirect {
	const char *name;
	const char *value;
	bool elsewhere; /* it leads away, or to what is not there */
};

/*
 * Notes those that are set, and takes away what would end us as it ends every other client: to be
 * called before anything is read. Their number; redirects has room for REDIRECTS_MAX.
 */
int redirect_note(struct redirect *redirects);

/* Which of them lead away from the collector (NULL: of those that name a place, none). */
void redirect_judge(struct redirect *redirects, int n, const struct collector *c);

/*
 * target - which collector is meant: the one of the user's `pitot up`, the one that tools reach
 * without -h, or the one that -h names.
 */

enum target_kind {
	TARGET_UP,      /* the user's own: a lock or a socket is in its place */
	TARGET_DEFAULT, /* local: as PCP's tools have it */
	TARGET_HOST,    /* -h */
};

struct target {
	enum target_kind kind;
	struct place place;        /* of the user's `pitot up`, whether it runs or not */
	pid_t up_pid;              /* that runs; 0: none */
	bool lock_left;            /* there is a lock of one that does not */
	int socket_error;          /* of the place's socket: 0, or -errno of connecting */
	char spec[PLACE_PATH + 8]; /* what to give to -h */
	uid_t uid;                 /* who asks */
	bool here;                 /* the specification means this host */
	pid_t socket_pid;          /* who listens at the Unix socket of spec; 0: unknown */
};

/* Decides. host: what -h says, or NULL. 0, or -1 after a message. */
int target_find(struct target *t, const char *host);

/*
 * facts - all that `pitot status` prints and `pitot doctor` judges, gathered once.
 *
 *     target -> collector, twice, a window apart -> processes -> folders, files, environment
 *
 * Nothing is judged or printed here. A fact that cannot be found stays unknown (-1, NAN, NULL, "").
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
	int reach;       /* 0, or why the collector could not be asked */
	bool here;       /* its process is one of this host */
	double window_s; /* between the two looks; 0: there was one */
	struct collector collector;
	struct process process; /* of the collector */
	double requests_per_s, fetches_per_s, requests_per_s_ever;
	double step_s;       /* by how much the wall clock was set within the window */
	double step_ever_s;  /* since the collector started; NAN: unknown */
	double clock_off_s;  /* its clock against ours, beyond what the exchange may explain */
	bool unsynchronised; /* no time service */
	int nfolder;
	struct folder folders[FACTS_FOLDERS];
	int nredirect;
	struct redirect redirects[REDIRECTS_MAX];
	struct archives archives; /* of the user's own place */
	bool recording;           /* the user's own `pitot up` is to record: what follows is known */
	struct recorder_state recorder;
	struct process recorder_process;
	double now_s;      /* when we looked at it, since the epoch */
	int record_status; /* of pmlogger --check-syntax: 0 is good; < 0: could not be run */
	char record_text[FACTS_TEXT];
	struct portowner port; /* that the collector would listen at if it ran */
	struct pidfile pidfile;
	char config[PLACE_PATH + 32]; /* the collector's configuration; "": unknown */
	int config_status;            /* of pmcd -v: 0 is good; < 0: could not be run */
	char config_text[FACTS_TEXT];
	char names[PLACE_PATH + 32]; /* the file of names with the errors; "": none has any */
	char names_text[FACTS_TEXT];
};

/* host: -h or NULL. window_s: 0 looks once. To be freed. 0, or -1 after a message. */
int facts_gather(struct facts *f, const char *host, double window_s);
void facts_free(struct facts *f);

#endif

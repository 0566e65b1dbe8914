/*
 * up - `pitot up`: its files, its daemons, the recorder, and what the recorder has kept.
 */
#ifndef PITOT_UP_UP_H
#define PITOT_UP_UP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/pitot/process.h"

/*
 * place - where `pitot up` finds its programs and keeps its files.
 *
 * Programs are beside the running one. State is in the XDG directories of a user, or in /var/lib
 * and /run for root; PCP_RUN_DIR, PCP_LOG_DIR and PCP_VAR_DIR from the environment win.
 */

enum { PLACE_PATH = PATH_MAX };

struct place {
	char prefix[PLACE_PATH];  /* the installation */
	char run_dir[PLACE_PATH]; /* socket, lock */
	char tmp_dir[PLACE_PATH]; /* their folder below /tmp, if there is no better one; or "" */
	char state_dir[PLACE_PATH];
	char log_dir[PLACE_PATH];
	char var_dir[PLACE_PATH]; /* instance numbers, name space */
	char socket[PLACE_PATH];
	char lock[PLACE_PATH];
	char pmcd_log[PLACE_PATH];
	char pmlogger_log[PLACE_PATH];
	char archive_dir[PLACE_PATH]; /* what the recorder writes */
	char port_dir[PLACE_PATH];    /* where recorders write their ports */
	int lock_fd;
	int archive_lock_fd; /* of place_lock_archives; -1: not locked */
};

/* Decides the paths. 0, or -1 after a message. */
int place_find(struct place *p);

/*
 * Makes the directories, private to the user, and takes the lock, which says that no second
 * `pitot up` of this user runs. owner and group get them if they are not (uid_t)-1.
 * 0, or -1 after a message.
 */
int place_make(struct place *p, uid_t owner, gid_t group);

/*
 * Puts PCP_* into the environment for the programs that are started, and takes out of it what would
 * make the collector listen elsewhere than `pitot up` says. 0, or -1 after a message.
 */
int place_export(const struct place *p);

/*
 * Locks the folder of the archives until this process ends: two recorders in it would make archives
 * that overlap. 0, or -1 after a message that names the process that has it.
 */
int place_lock_archives(struct place *p);

/* Removes what a run leaves: socket, lock and, when empty, the run directory. */
void place_clean(struct place *p);

/*
 * supervise - the daemons that `pitot up` keeps running.
 *
 * One that dies is started again, after a pause that doubles from one second to a minute and is
 * short again after a minute of steady work. None waits for another. Signals are taken
 * synchronously: nothing runs in a handler.
 */

enum { DAEMON_ARGS_MAX = 64 };

/* Whom daemons become. */
struct daemon_user {
	const char *name; /* NULL: no change of user; uid and gid are then -1 */
	uid_t uid;
	gid_t gid;
};

struct daemon {
	const char *what; /* "the collector": in messages */
	const char *log;
	const char *argv[DAEMON_ARGS_MAX]; /* ends with NULL */
	bool rereads;                      /* its configuration, at SIGHUP: ours is passed on */
	/* Called after each start and each unexpected end; NULL: no call. */
	void (*changed)(struct daemon *d);
	struct child child;
	int pause_ms;        /* before the next start */
	int64_t started_ms;  /* of this run */
	int64_t start_at_ms; /* 0: it runs, or is not to */
};

/* The first start. 0, or -errno after a message. */
int daemon_start(struct daemon *d, const struct daemon_user *user);

/* Ends it; does nothing where it does not run. */
void daemon_stop(struct daemon *d);

/* The next signal of child_parent_signals() within timeout_ms (< 0: for ever), or 0. */
int supervise_wait(int64_t timeout_ms);

/* Keeps them running until SIGINT, SIGTERM, or so many seconds have passed (0: never). */
void supervise(struct daemon *const daemons[], int n, const struct daemon_user *user, long seconds);

/*
 * recorder_state - a file in the run folder in which `pitot up` keeps what `pitot doctor` can't see
 * from outside: that there is to be a recorder, and how often it has ended.
 */

struct recorder_state {
	char folder[PLACE_PATH];
	char config[PLACE_PATH + 64];
	int64_t interval_ms; /* the shortest of its configuration; 0: it logs nothing repeatedly */
	pid_t pid;           /* 0: it does not run */
	int ends;            /* with an error, since `pitot up` started */
	double last_end;     /* seconds since the epoch; 0: never */
	char why[64];        /* "exited with status 1" */
};

/* Replaces the file. Without one the doctor knows less, and nothing else is wrong. */
void recorder_state_write(const struct place *p, const struct recorder_state *s);

/* False if there is no such file: nothing is to be recorded. */
bool recorder_state_read(const struct place *p, struct recorder_state *s);

void recorder_state_remove(const struct place *p);

/*
 * recorder - the pmlogger of `pitot up`: what it is given, and how much it may keep.
 */

#define RECORDER_INTERVAL_S "10" /* of what the configuration gives no interval */

struct recorder {
	bool off;
	uint64_t keep;      /* bytes of archives in all; 0: 2 GB, or a twentieth of the disk where that is less */
	const char *config; /* NULL: the installed one */
	struct daemon daemon;
	const struct place *place; /* once it is described */
	struct recorder_state state;
	/* The memory of its arguments. */
	char program[PLACE_PATH + 16];
	char config_path[PLACE_PATH + 64];
	char keep_text[48];
	char volume_text[32];
	char note[48];
	char base[2 * PLACE_PATH + 32];
};

/* Takes "500m", "2g", "800000000": bytes, with 1024 a step. 0, or -1 after a message that names the
 * option. */
int recorder_take_keep(struct recorder *r, const char *text);

/* Removes what a recorder that was stopped while it started has left in the place. */
void recorder_clean(const struct place *p, pid_t pid);

/*
 * Makes its daemon of the place, after its configuration was parsed. 0, or -1 after a message, which
 * for a configuration is the parser's.
 */
int recorder_describe(struct recorder *r, const struct place *p);

/*
 * verify - checks the files that the collector reads, by the programs that read them.
 */

/*
 * `pmcd -v` of a configuration: 0 if it is good, else its exit status or -errno, and text says what
 * is wrong, a line a mistake.
 */
int verify_config(const struct place *p, const char *config, char *text, size_t size);

/*
 * `pmlogger --check-syntax` of a configuration, the same way; *ret_interval_ms gets the shortest
 * interval at which it logs, 0 where nothing is logged again and again.
 */
int verify_record(const struct place *p, const char *config, char *text, size_t size,
		  int64_t *ret_interval_ms);

/*
 * The name-space files below a PCP_VAR_DIR. True if they are good, else file is the first that is
 * not, and text says why.
 */
bool verify_names(const char *var_dir, char *file, size_t file_size, char *text, size_t size);

/*
 * archives - what the recorder of `pitot up` has kept in its folder, and what its cap takes next.
 */

enum { ARCHIVES_NAME = 128 };

struct archives {
	pid_t recorder; /* that writes; 0: none */
	int count;      /* archives; 0: nothing was recorded, or the folder can't be read */
	uint64_t bytes;
	double since; /* the first time in the oldest, seconds since the epoch; NAN: unknown */
	double until; /* the last one in the newest */
	char oldest[ARCHIVES_NAME]; /* its name */
	uint64_t oldest_bytes;
	char next[ARCHIVES_NAME]; /* what goes next: a volume of it, or all of it; "": nothing can */
	uint64_t next_bytes;
	uint64_t cap; /* bytes in all; 0: none, or unknown */
	char writing[ARCHIVES_NAME]; /* the archive that the recorder writes, without its folder; "" */
	bool writing_gone;           /* its files are not in the folder */
	char covered[ARCHIVES_NAME]; /* an archive whose time another one covers, wholly or in part */
	char covering[ARCHIVES_NAME];
	double overlap_s; /* for so long; 0: none overlap */
};

/* The note with a recorder's cap in its port map file. text holds at least 48 bytes. */
const char *archives_note(uint64_t cap, char *text);

/* Looks into the folder, and for the recorder of a place. */
void archives_look(struct archives *a, const struct place *p, const char *folder);

/*
 * port - is a TCP port free on the addresses that the collector will listen on?
 */

enum { PORT_ADDRESSES_MAX = 16 };

/*
 * Checks that port can be bound on every address (numeric IPv4 or IPv6; count 0: the loopback
 * ones). *port 0 is replaced by a free port. 0, or -1 after a message that names address and
 * port; a loopback address that the host does not have is passed over.
 */
int port_check(int *port, char *const addresses[], int count);

#endif

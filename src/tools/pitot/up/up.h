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
 * place - the programs and the files of `pitot up`.
 *
 * Programs are in the folder of the running one. State is in the XDG directories of a user, or in
 * /var/lib and /run for root; PCP_RUN_DIR, PCP_LOG_DIR and PCP_VAR_DIR in the environment have
 * precedence.
 */

enum { PLACE_PATH = PATH_MAX };

struct place {
	char prefix[PLACE_PATH];  /* the installation */
	char run_dir[PLACE_PATH]; /* socket, lock */
	char tmp_dir[PLACE_PATH]; /* its folder below /tmp, if there is no better one; or "" */
	char state_dir[PLACE_PATH];
	char log_dir[PLACE_PATH];
	char var_dir[PLACE_PATH]; /* instance numbers, name space */
	char socket[PLACE_PATH];
	char lock[PLACE_PATH];
	char pmcd_log[PLACE_PATH];
	char pmlogger_log[PLACE_PATH];
	char archive_dir[PLACE_PATH]; /* the folder of the recorder's archives */
	char port_dir[PLACE_PATH];    /* the folder of the recorders' port files */
	int lock_fd;
	int archive_lock_fd; /* of place_lock_archives; -1: not locked */
};

/* Chooses the paths. Returns 0, or -1 after a message. */
int place_find(struct place *p);

/*
 * Makes the directories, private to the user, and takes the lock, so that no second `pitot up` of
 * this user can run. owner and group get the directories unless they are (uid_t)-1. Returns 0, or
 * -1 after a message.
 */
int place_make(struct place *p, uid_t owner, gid_t group);

/*
 * Sets PCP_* in the environment for the programs that are started, and removes variables that would
 * make the collector listen at another address than `pitot up` chose. Returns 0, or -1 after a
 * message.
 */
int place_export(const struct place *p);

/*
 * Locks the folder of the archives until this process ends, because two recorders would make
 * overlapping archives. Returns 0, or -1 after a message that names the process that holds the
 * lock.
 */
int place_lock_archives(struct place *p);

/* Removes the files of a run: socket, lock and, when empty, the run directory. */
void place_clean(struct place *p);

/*
 * supervise - the daemons that `pitot up` keeps running.
 *
 * A daemon that dies is started again, after a pause that doubles from one second to a minute and
 * is short again after a minute of steady work. The daemons do not wait for each other. Signals are
 * read synchronously: nothing runs in a signal handler.
 */

enum { DAEMON_ARGS_MAX = 64 };

/* The user that daemons run as. */
struct daemon_user {
	const char *name; /* NULL: no change of user; uid and gid are then -1 */
	uid_t uid;
	gid_t gid;
};

struct daemon {
	const char *what; /* "the collector": for messages */
	const char *log;
	const char *argv[DAEMON_ARGS_MAX]; /* ends with NULL */
	bool rereads;                      /* SIGHUP reloads its configuration: ours is forwarded */
	/* Called after each start and each unexpected end; may be NULL. */
	void (*changed)(struct daemon *d);
	struct child child;
	int pause_ms;        /* milliseconds before the next start */
	int64_t started_ms;  /* start time of this run */
	int64_t start_at_ms; /* time of the next start; 0: it runs, or is stopped */
};

/* Starts it for the first time. Returns 0, or -errno after a message. */
int daemon_start(struct daemon *d, const struct daemon_user *user);

/* Ends it; does nothing if it does not run. */
void daemon_stop(struct daemon *d);

/* Returns the next signal of child_parent_signals() within timeout_ms (< 0: no limit), or 0. */
int supervise_wait(int64_t timeout_ms);

/* Keeps the daemons running until SIGINT, SIGTERM, or the end of so many seconds (0: no limit). */
void supervise(struct daemon *const daemons[], int n, const struct daemon_user *user, long seconds);

/*
 * recorder_state - a file in the run folder for facts that `pitot doctor` cannot see from outside:
 * whether there should be a recorder, and how often it has ended.
 */

struct recorder_state {
	char folder[PLACE_PATH];
	char config[PLACE_PATH + 64];
	int64_t interval_ms; /* the shortest interval of its configuration; 0: it logs nothing
				repeatedly */
	pid_t pid;           /* 0: it does not run */
	int ends;            /* ends with an error, since `pitot up` started */
	double last_end;     /* seconds since the epoch; 0: never */
	char why[64];        /* "exited with status 1" */
};

/* Replaces the file. If that fails, the only consequence is that the doctor has fewer facts. */
void recorder_state_write(const struct place *p, const struct recorder_state *s);

/* Returns false if there is no such file: then there is no recorder. */
bool recorder_state_read(const struct place *p, struct recorder_state *s);

void recorder_state_remove(const struct place *p);

/* recorder - the pmlogger of `pitot up`: its arguments, and its limit of space. */

#define RECORDER_INTERVAL_S "10" /* the interval of metrics without one in the configuration */

struct recorder {
	bool off;
	uint64_t keep; /* limit in bytes; 0: 2 GB, or a twentieth of the disk if that is less */
	const char *config; /* NULL: the installed one */
	struct daemon daemon;
	const struct place *place; /* set when the recorder has been described */
	struct recorder_state state;
	/* The memory of its arguments. */
	char program[PLACE_PATH + 16];
	char config_path[PLACE_PATH + 64];
	char keep_text[48];
	char volume_text[32];
	char note[48];
	char base[2 * PLACE_PATH + 32];
};

/*
 * Parses "500m", "2g", "800000000": bytes, with steps of 1024. Returns 0, or -1 after a message
 * that names the option.
 */
int recorder_take_keep(struct recorder *r, const char *text);

/* Removes the files of a recorder that was stopped while it started. */
void recorder_clean(const struct place *p, pid_t pid);

/*
 * Makes the daemon, after its configuration was parsed. Returns 0, or -1 after a message, which is
 * the parser's for a wrong configuration.
 */
int recorder_describe(struct recorder *r, const struct place *p);

/* verify - checks the files that the collector reads, with the programs that read them. */

/*
 * Runs `pmcd -v` on a configuration. Returns 0 if it is good, else its exit status or -errno, and
 * text has the errors, one a line.
 */
int verify_config(const struct place *p, const char *config, char *text, size_t size);

/*
 * Runs `pmlogger --check-syntax` on a configuration, in the same way; *ret_interval_ms gets the
 * shortest interval of logging, 0 if nothing is logged repeatedly.
 */
int verify_record(const struct place *p, const char *config, char *text, size_t size,
		  int64_t *ret_interval_ms);

/*
 * Checks the name-space files below a PCP_VAR_DIR. Returns true if they are good, else file is the
 * first wrong one, and text has the error.
 */
bool verify_names(const char *var_dir, char *file, size_t file_size, char *text, size_t size);

/*
 * archives - the archives of `pitot up`'s recorder in its folder, and what its limit will remove
 * next.
 */

enum { ARCHIVES_NAME = 128 };

struct archives {
	pid_t recorder; /* pid of the writing recorder; 0: none */
	int count;      /* number of archives; 0: none, or the folder cannot be read */
	uint64_t bytes;
	double
	    since; /* the first time in the oldest archive, seconds since the epoch; NAN: unknown */
	double until;               /* the last time in the newest */
	char oldest[ARCHIVES_NAME]; /* its name */
	uint64_t oldest_bytes;
	char next[ARCHIVES_NAME]; /* what is removed next: a volume of it, or all of it; "": nothing
				   */
	uint64_t next_bytes;
	uint64_t cap;                /* limit of all bytes; 0: none, or unknown */
	char writing[ARCHIVES_NAME]; /* the archive that the recorder writes, without its folder; ""
				      */
	bool writing_gone;           /* the files of that archive are not in the folder */
	char covered[ARCHIVES_NAME]; /* an archive whose time another one covers, completely or in
					part */
	char covering[ARCHIVES_NAME];
	double overlap_s; /* seconds of the overlap; 0: none overlap */
};

/* The note with a recorder's limit in its port map file. text holds at least 48 bytes. */
const char *archives_note(uint64_t cap, char *text);

/* Examines the folder, and the recorder of a place. */
void archives_look(struct archives *a, const struct place *p, const char *folder);

/* port - whether a TCP port is free on the addresses of the collector. */

enum { PORT_ADDRESSES_MAX = 16 };

/*
 * Checks that port can be bound on every address (numeric IPv4 or IPv6; count 0: the loopback
 * addresses). *port 0 is replaced by a free port. Returns 0, or -1 after a message that names
 * address and port; a loopback address that the host does not have is skipped.
 */
int port_check(int *port, char *const addresses[], int count);

#endif

/*
 * place - where `pitot up` finds its programs and keeps its files.
 *
 * Programs are beside the running one. State is in the XDG directories of a user, or in /var/lib
 * and /run for root; PCP_RUN_DIR, PCP_LOG_DIR and PCP_VAR_DIR from the environment win.
 */
#ifndef PITOT_PLACE_H
#define PITOT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

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

#endif

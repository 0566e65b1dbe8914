/* process - a process that can be traced, as /proc describes it. */
#ifndef TRACING_PROCESS_H
#define TRACING_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESS_USER = 33, PROCESS_CGROUP = 200, PROCESS_WISH = 512, PROCESS_BOOT = 40 };

/* A process; pid and start are its key. */
struct process {
	pid_t pid;
	uid_t uid;
	uint64_t start;
	char command[16];
	char user[PROCESS_USER];
	char cgroup[PROCESS_CGROUP];
	uint32_t event_types, streams;
	uint32_t attached; /* 0, 1 */
	bool decided;      /* whether to attach it has been decided */
	unsigned int tries;
	bool found; /* by the scan under way */
	int inst;   /* of the thread that answers requests: -1 without a number */
};

/* Its command, which is anything, as part of a name. */
void process_take_command(struct process *process, const char command[16]);

/* Its start in clock ticks after boot (none when it has ended), and the user of its directory; 0,
 * -ESRCH, -EACCES. */
int process_start(pid_t pid, uint64_t *ret_start);
int process_owner(pid_t pid, uid_t *ret_uid);

/* Does it have more rights than who started it? Then its environment is not its user's. */
bool process_is_privileged(pid_t pid);
bool process_is_privileged_of(const void *auxv, size_t len);

/* The value of a variable in the environment that it was started with; "" without one. A value that
 * does not fit, or is after the first mebibyte, counts as none. */
void process_variable(pid_t pid, const char *name, char *value, size_t size);

/* The same in the text of an environment: len bytes. */
void process_variable_of(const char *text, size_t len, const char *name, char *value, size_t size);

/* Its cgroup (version 2, or the first one); "" if unknown. */
void process_cgroup(pid_t pid, char *text, size_t size);

/* A user's name, or the number if there is none. */
void process_user(uid_t uid, char *text, size_t size);

/* The identifier of this boot. */
void process_boot(char text[PROCESS_BOOT]);

#endif

/* portowner - the process that listens at a TCP port of this host, as far as the kernel shows
 * it. */
#ifndef PITOT_PORTOWNER_H
#define PITOT_PORTOWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct portowner {
	int port;
	bool taken;
	int64_t uid;   /* whose socket it is */
	pid_t pid;     /* 0: unknown, its descriptors are not ours to see */
	char name[32]; /* of the process; "": unknown */
};

void portowner_find(int port, struct portowner *ret_owner);

/* "process 12 (nginx) of root", "a process of user 33"; text holds at least 128 bytes. */
const char *portowner_text(const struct portowner *o, char *text, size_t size);

/* The name of a user, or its number. */
const char *user_name(int64_t uid, char *text, size_t size);

#endif

/*
 * config - tracing.conf: which processes are attached, and how much is kept of their events.
 *
 *     attach|ignore [user=PATTERN] [command=PATTERN] [events=NAME,NAME] [size=BYTES]
 *                   [policy=loop|until_full] ;
 *     queue BYTES ;  memory BYTES ;  linger SECONDS ;  recent EVENTS ;
 *
 * Words end at white space or a semicolon, unless they are quoted; a # begins a comment.
 */
#ifndef TRACING_CONFIG_H
#define TRACING_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config_rule {
	bool attach;                   /* or else: ignore */
	char *user, *command, *events; /* NULL: any */
	uint64_t size;                 /* 0: the default */
	int policy;                    /* POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL */
	char *text;                    /* as it was written */
};

struct config {
	struct config_rule *rules;
	size_t nrules;
	uint64_t queue, memory;
	unsigned int linger_s, recent;
};

void config_init(struct config *config);
void config_done(struct config *config);

/* From text, whose name is for messages: 0, -EINVAL or -ENOMEM and "NAME:LINE: why" in message.
 * On failure config is as config_init leaves it. */
int config_parse(struct config *config, const char *name, const char *text, char *message,
		 size_t size);

/* The same from a file; one that does not exist is an empty one. */
int config_load(struct config *config, const char *path, char *message, size_t size);

/* The first rule that fits a process, or NULL. */
const struct config_rule *config_find(const struct config *config, const char *user,
				      const char *command);

/* ---- the configuration that is in force, and its file, which may change ---- */

/* Reads it, before there is a thread: 0, or -EINVAL, -errno with a message. */
int settings_load(const char *path, char *message, size_t size);

/* The thread's, without the lock: a file that changed counts for processes that are not attached;
 * one with mistakes does not. */
void settings_look(void);

/* The statement about a process, or NULL. */
const struct config_rule *settings_rule(const char *user, const char *command);

/* When the thread has ended. */
void settings_done(void);

#endif

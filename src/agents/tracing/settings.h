/*
 * settings - the configuration that is in force, and its file, which may change.
 */
#ifndef TRACING_SETTINGS_H
#define TRACING_SETTINGS_H

#include <stddef.h>

#include "config.h"

/* Reads it, before there is a thread: 0, or -EINVAL, -errno with a message. */
int settings_load(const char *path, char *message, size_t size);

/* The thread's, without the lock: a file that changed counts for processes that are not attached; one
 * with mistakes does not. */
void settings_look(void);

/* The statement about a process, or NULL. */
const struct config_rule *settings_rule(const char *user, const char *command);

/* When the thread has ended. */
void settings_done(void);

#endif

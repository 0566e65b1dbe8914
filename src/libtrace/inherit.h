/*
 * inherit - what continues when a process is made or made anew: the constructor of the library,
 * its fork handlers, and the same found out later where no handler ran.
 *
 *     start, exec        own registry: the streams continue
 *     posix_spawn, vfork the parent's registry: INHERITED streams that are no younger
 *     fork               the parent's registry as it stood when fork() was called
 *     _Fork, clone       as fork, when the child first looks at its pid
 *
 * System calls only; see docs/trace-internals.md.
 */
#ifndef LIBTRACE_INHERIT_H
#define LIBTRACE_INHERIT_H

/* In a child after any kind of fork, as soon as it is known to be one: registry, family, and then
 * attach_after_fork(). Does nothing when it is done already. Signal-safe. */
void inherit_after_fork(void);

/* The calling process has its own registry from here on, even if the constructor has not run yet
 * or the process is a child without fork handlers. Signal-safe. */
void inherit_ensure(void);

#endif

/*
 * inherit - which streams continue in a new process: the constructor of the library, its fork
 * handlers, and the detection of forks whose handlers did not run.
 *
 *     start, exec        own registry: the streams continue
 *     posix_spawn, vfork the parent's registry: INHERITED streams that are not younger
 *     fork               the parent's registry at the time of fork()
 *     _Fork, clone       as fork, when the child first looks at its pid
 *
 * System calls only; see docs/trace-internals.md.
 */
#ifndef LIBTRACE_INHERIT_H
#define LIBTRACE_INHERIT_H

/* In a child after any kind of fork, once it is known to be one: sets up registry, family, and
 * then attach_after_fork(). Does nothing if that is done. Signal-safe. */
void inherit_after_fork(void);

/* Makes sure that the calling process has its own registry, even if the constructor has not run
 * yet or the process is a child without fork handlers. Signal-safe. */
void inherit_ensure(void);

#endif

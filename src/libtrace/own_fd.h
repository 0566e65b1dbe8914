/*
 * own_fd - descriptors that are the library's, in a process whose application may close all that it
 * finds, and get their numbers for files of its own: before one is used in a way that would hurt
 * such a file, it is held against the mark that was taken when it was made.
 */
#ifndef LIBTRACE_OWN_FD_H
#define LIBTRACE_OWN_FD_H

#include <stdbool.h>
#include <stdint.h>

/* What tells the file behind a descriptor from others; 0: there is none. */
uint64_t own_fd_mark(int fd);
bool own_fd_is(int fd, uint64_t mark);
/* Closes it if it is still ours. */
void own_fd_close(int fd, uint64_t mark);

#endif

/*
 * own_fd - descriptors that belong to the library.
 *
 * The application may close descriptors that it did not open and then get their numbers for its own
 * files. Before the library uses a descriptor in a way that could damage such a file, it compares
 * the file with the mark that was taken when the descriptor was made.
 */
#ifndef LIBTRACE_OWN_FD_H
#define LIBTRACE_OWN_FD_H

#include <stdbool.h>
#include <stdint.h>

/* A value that identifies the file of a descriptor; 0: the descriptor is closed. */
uint64_t host_fd_mark(int fd);
bool host_fd_is(int fd, uint64_t mark);
/* Closes it if it still is the library's. */
void host_fd_close(int fd, uint64_t mark);

#endif

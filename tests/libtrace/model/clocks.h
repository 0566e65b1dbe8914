/*
 * clocks - included before the code under test: its counter is the test's, and so is what it asks
 * the system about threads.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
unsigned long long hook_tick(void);
#define __rdtsc hook_tick
#endif

int hook_clock_gettime(clockid_t id, struct timespec *ret);
#define clock_gettime hook_clock_gettime

int hook_open(const char *path, int flags);
ssize_t hook_read(int fd, void *data, size_t size);
#define open hook_open
#define read hook_read

#endif

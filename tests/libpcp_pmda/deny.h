/*
 * deny - system calls of this process that fail from now on, really: the kernel refuses them
 * (seccomp), whichever library asks. There is no way back, so only for a process of its own.
 */
#ifndef TESTS_LIBPCP_PMDA_DENY_H
#define TESTS_LIBPCP_PMDA_DENY_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

enum { DENY_MAX = 4 };

/* Every call of one of these numbers, up to a negative one, gives error. 0, or -1. */
static inline int deny(const int *calls, int error)
{
	struct sock_filter code[2 * DENY_MAX + 2];
	struct sock_fprog program = {.filter = code};
	unsigned short n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (int i = 0; i < DENY_MAX && calls[i] >= 0; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 (unsigned int)calls[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(
		    BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned int)error & 0xffff));
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif

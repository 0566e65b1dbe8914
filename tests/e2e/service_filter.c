/*
 * service_filter - runs a program under a filter of system calls: those of ALLOWED_H (a file of
 * numbers that a test makes of a unit) go, any other is EPERM, as systemd sets it up for a service.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned int allowed[] = {
#include ALLOWED_H
};

enum { COUNT = sizeof(allowed) / sizeof(allowed[0]), PERM = 1 };

int main(int argc, char **argv)
{
	static struct sock_filter code[2 * COUNT + 2];
	struct sock_fprog program = {.len = 2 * COUNT + 2, .filter = code};
	struct sock_filter *p = code;

	(void)argc;
	*p++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < COUNT; i++) {
		*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	*p = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | PERM);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("service_filter");
		return 125;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 126;
}

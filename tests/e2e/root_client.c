/*
 * root_client - asks a pmdaroot whatever an agent may ask, and prints the answers.
 *
 *     root_client SOCKET [names]
 *
 * With "names" nothing is asked by process: 6.0.3's library takes the number of the process for the
 * length of a name that is not there.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pcp/pmdaroot.h>

enum { IPC_PIPE = 2, ABSENT_PID = 0x3fffff };

static void ask_by_process(int fd)
{
	char buf[256] = "";
	int r = pmdaRootContainerHostName(fd, NULL, getpid(), buf, sizeof(buf));

	printf("host of mine %d %s\n", r, buf);
	printf("too long %d\n", pmdaRootContainerHostName(fd, NULL, getpid(), buf, 1));
	printf("host of none %d\n",
	       pmdaRootContainerHostName(fd, NULL, ABSENT_PID, buf, sizeof(buf)));
}

static void ask_by_name(int fd)
{
	char buf[256] = "";

	printf("host of nosuch %d\n", pmdaRootContainerHostName(fd, "nosuch", 6, buf, sizeof(buf)));
	printf("pid of nosuch %d\n", pmdaRootContainerProcessID(fd, "nosuch", 6));
	printf("group of nosuch %d\n",
	       pmdaRootContainerCGroupName(fd, "nosuch", 6, buf, sizeof(buf)));
}

static void ask_process(int fd)
{
	int pid = -1, infd = -1, outfd = -1, status = -1;
	char buf[10] = "";

	printf("start %d",
	       pmdaRootProcessStart(fd, IPC_PIPE, "cat", 3, "/bin/cat", 8, &pid, &infd, &outfd));
	printf(" %d %d %d\n", pid > 0, infd >= 0, outfd >= 0);
	if (write(infd, "hello", 5) == 5 && read(outfd, buf, sizeof(buf) - 1) > 0)
		printf("it says %s\n", buf);
	printf("terminate %d\n", pmdaRootProcessTerminate(fd, pid));
	printf("wait %d", pmdaRootProcessWait(fd, pid, &status) == pid);
	printf(" %d\n", status);
	close(infd);
	close(outfd);
}

int main(int argc, char **argv)
{
	int fd = argc >= 2 ? pmdaRootConnect(argv[1]) : -1;

	pmSetProgname(argv[0]);
	if (fd < 0) {
		printf("connect %d\n", fd);
		return 1;
	}
	if (argc == 2)
		ask_by_process(fd);
	ask_by_name(fd);
	ask_process(fd);
	pmdaRootShutdown(fd);
	printf("ended %d\n", pmdaRootContainerProcessID(fd, "nosuch", 6) < 0);
	close(fd);
	return 0;
}

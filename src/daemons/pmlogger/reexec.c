/* reexec - see reexec.h. */
#include "daemons/pmlogger/reexec.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char program[PATH_MAX];

void reexec_remember(void)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n > 0 ? n : 0] = '\0';
}

const char *reexec_program(void)
{
	return program;
}

/* The arguments without -m and its own, and with ours in front. */
static char **new_arguments(char *const *argv)
{
	static char note[] = "-mreexec";
	size_t n = 0, k = 0;
	char **args;

	while (argv[n] != NULL)
		n++;
	args = calloc(n + 2, sizeof(*args));
	if (args == NULL)
		return NULL;
	args[k++] = argv[0];
	args[k++] = note;
	for (size_t i = 1; i < n; i++) {
		if (strncmp(argv[i], "--note=", 7) == 0)
			continue;
		if (strncmp(argv[i], "-m", 2) == 0 || strcmp(argv[i], "--note") == 0) {
			i += argv[i][1] == '-' || argv[i][2] == '\0';
			continue;
		}
		args[k++] = argv[i];
	}
	return args;
}

int reexec(char *const *argv)
{
	char **args = new_arguments(argv);
	sigset_t none;
	int err;

	if (args == NULL)
		return -ENOMEM;
	setenv("PMLOGGER_REEXEC", "1", 1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(program, args);
	err = -errno;
	free(args);
	return err;
}

/*
 * process - this process and its machine, as the system describes them: docs/spec/pmapi.md 1.1, 23,
 * 24.
 */
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#define MACHINE_ID_FILE "/etc/machine-id"
#define DEFAULT_USER    "pcp"

int getmachineid(char *buf, size_t buflen)
{
	char word[MAXMACHINEIDLEN + 1];
	FILE *f = fopen(MACHINE_ID_FILE, "re");
	int n;

	if (f == NULL)
		return -ENOTSUP;
	n = fscanf(f, "%256s", word);
	fclose(f);
	return n == 1 ? pmsprintf(buf, buflen, "%s", word) : -EINVAL;
}

int pmGetUsername(char **name)
{
	static char fallback[] = DEFAULT_USER;
	char *user = pmGetOptionalConfig("PCP_USER");

	if (user != NULL && *user != '\0') {
		*name = user;
		return 1;
	}
	*name = fallback;
	return 0;
}

/* Says why, and ends the program: it must not go on with rights that it was to give up. */
static void die(const char *what, const char *username)
{
	char text[PM_MAXERRMSGLEN];

	pmNotifyErr(LOG_CRIT, "%s for user %s: %s", what, username,
		    pmErrStr_r(-errno, text, sizeof(text)));
	exit(1);
}

int pmSetProcessIdentity(const char *username)
{
	struct passwd pw, *found = NULL;
	char space[16384];
	int r = getpwnam_r(username, &pw, space, sizeof(space), &found);

	if (found == NULL) {
		errno = r != 0 ? r : ENOENT;
		die("cannot find the passwd entry", username);
	}
	/* A process that has this user already may not change its groups, and need not (as
	 * 6.0.3). */
	if (getuid() == pw.pw_uid && geteuid() == pw.pw_uid && getgid() == pw.pw_gid &&
	    getegid() == pw.pw_gid && pw.pw_uid != 0)
		return 0;
	if (setgid(pw.pw_gid) < 0)
		die("setgid failed", username);
	if (initgroups(username, pw.pw_gid) < 0)
		die("initgroups failed", username);
	if (setuid(pw.pw_uid) < 0)
		die("setuid failed", username);
	return 0;
}

int __pmSetSignalHandler(int signal, __pmSignalHandler handler)
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	return sigaction(signal, &action, NULL) < 0 ? -errno : 0;
}

int __pmProcessExists(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

int __pmProcessDataSize(unsigned long *kbytes)
{
	unsigned long size, resident, shared, text, lib, data;
	FILE *f = fopen("/proc/self/statm", "re");
	int n;

	if (f == NULL)
		return -errno;
	n = fscanf(f, "%lu %lu %lu %lu %lu %lu", &size, &resident, &shared, &text, &lib, &data);
	fclose(f);
	if (n != 6)
		return -EINVAL;
	if (kbytes != NULL) /* agents begin with a call that asks for nothing */
		*kbytes = data * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
	return 0;
}

int __pmProcessRunTimes(double *user, double *system)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return -errno;
	*user = pmtimevalToReal(&usage.ru_utime);
	*system = pmtimevalToReal(&usage.ru_stime);
	return 0;
}

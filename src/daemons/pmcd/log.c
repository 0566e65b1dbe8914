/* log - see log.h. */
#include "daemons/pmcd/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "libbase/cleanup.h"
#include "libbase/clock.h"
#include "libbase/file.h"

enum {
	LOG_LINE_MAX = 4096,
	LOG_OFTEN_KINDS = 32,
	LOG_OFTEN_MS = 60000,
	LOG_HOSTS_MAX = 256, /* refused hosts remembered; then every refusal counts as logged */
	LOG_ADDRESS_LEN = 16,
	LOG_COPY_MAX = 1 << 20, /* bytes of a log that ends with the reason for not starting */
};

static off_t log_start; /* where in the file this run's log begins */

/* Refused hosts that were logged; only the loop's thread writes here. */
static struct {
	unsigned char addresses[LOG_HOSTS_MAX][LOG_ADDRESS_LEN];
	unsigned int count;
} refused;

static char *date(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(buf, size, "%a %b %e %H:%M:%S", &tm);
	return buf;
}

static char *long_date(char buf[32])
{
	time_t now = time(NULL);

	ctime_r(&now, buf);
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

/*
 * The log's folder belongs to the user that root becomes (docs/spec/pmcd.md 2), and root opens the
 * log: a link of another user must not lead root to another file. The system's own links
 * (/dev/stdout) and ours are good.
 */
static int open_log_file(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
	struct stat st;
	int fd = open(path, flags | O_NOFOLLOW, 0644);

	if (fd >= 0)
		return fd;
	if (errno == ELOOP && lstat(path, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()))
		fd = open(path, flags, 0644);
	return fd < 0 ? -errno : fd;
}

int log_open(const char *path)
{
	struct utsname self;
	char when[32];
	char line[512];
	int fd;

	if (strcmp(path, "-") != 0) {
		fd = open_log_file(path);
		if (fd < 0)
			return fd;
		log_start = lseek(fd, 0, SEEK_END);
		if (log_start < 0)
			log_start = 0; /* no file */
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		close(fd);
	}
	uname(&self);
	snprintf(line, sizeof(line), "Log for pmcd on %s started %s\n\n", self.nodename,
		 long_date(when));
	log_text(line);
	return 0;
}

void log_close(void)
{
	char when[32];
	char line[64];

	snprintf(line, sizeof(line), "\nLog finished %s\n", long_date(when));
	log_text(line);
}

off_t log_begin(void)
{
	return log_start;
}

void log_copy(const char *log_path, int to_fd)
{
	AUTO_FD int fd = open(log_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char part[4096];
	ssize_t n;

	if (fd < 0 || !file_is_regular(log_path) || lseek(fd, log_start, SEEK_SET) < 0)
		return;
	for (int left = LOG_COPY_MAX; left > 0; left -= (int)n) {
		n = read(fd, part, sizeof(part));
		if (n <= 0 || file_write_full(to_fd, part, (size_t)n) < 0)
			return;
	}
}

void log_text(const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(STDERR_FILENO, text, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		left -= (size_t)n;
	}
}

/* One write a line, so that lines of agents don't end up in the middle of ours. */
static void log_line(const char *level, const char *fmt, va_list ap)
{
	char line[LOG_LINE_MAX];
	char when[32];
	int n = snprintf(line, sizeof(line), "[%s] pmcd(%d) %s: ", date(when, sizeof(when)),
			 (int)getpid(), level);

	vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	strcat(line, "\n");
	log_text(line);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line("Info", fmt, ap);
	va_end(ap);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line("Error", fmt, ap);
	va_end(ap);
}

/* True if the last message with this format is old enough. When the table is full the last row is
 * shared. */
static bool may_repeat(const char *fmt)
{
	static struct {
		const char *fmt;
		uint64_t ms;
	} last[LOG_OFTEN_KINDS];
	uint64_t now_ms = clock_mono_ms();
	size_t i = 0;

	while (i + 1 < LOG_OFTEN_KINDS && last[i].fmt != NULL && last[i].fmt != fmt)
		i++;
	if (last[i].fmt != NULL && now_ms - last[i].ms < LOG_OFTEN_MS)
		return false;
	last[i].fmt = fmt;
	last[i].ms = now_ms;
	return true;
}

void log_often(const char *fmt, ...)
{
	va_list ap;

	if (!may_repeat(fmt))
		return;
	va_start(ap, fmt);
	log_line("Warning", fmt, ap);
	va_end(ap);
}

void log_plain(const char *fmt, ...)
{
	char line[LOG_LINE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	strcat(line, "\n");
	log_text(line);
}

static void address_bytes(const struct sockaddr *peer, unsigned char ret[LOG_ADDRESS_LEN])
{
	memset(ret, 0, LOG_ADDRESS_LEN);
	if (peer->sa_family == AF_INET)
		memcpy(ret, &((const struct sockaddr_in *)peer)->sin_addr, 4);
	else if (peer->sa_family == AF_INET6)
		memcpy(ret, &((const struct sockaddr_in6 *)peer)->sin6_addr, LOG_ADDRESS_LEN);
}

/* True if it was not known; remembers it. */
static bool is_new_host(const unsigned char address[LOG_ADDRESS_LEN])
{
	for (unsigned int i = 0; i < refused.count; i++) {
		if (memcmp(refused.addresses[i], address, LOG_ADDRESS_LEN) == 0)
			return false;
	}
	if (refused.count == LOG_HOSTS_MAX)
		return false;
	memcpy(refused.addresses[refused.count++], address, LOG_ADDRESS_LEN);
	return true;
}

void log_violation(const struct sockaddr *peer)
{
	unsigned char address[LOG_ADDRESS_LEN];
	char text[INET6_ADDRSTRLEN] = "unix:";

	address_bytes(peer, address);
	if (!is_new_host(address))
		return;
	if (peer->sa_family == AF_INET)
		inet_ntop(AF_INET, address, text, sizeof(text));
	else if (peer->sa_family == AF_INET6)
		inet_ntop(AF_INET6, address, text, sizeof(text));
	log_error("access violation from host %s", text);
}

void log_forget_hosts(void)
{
	refused.count = 0;
}

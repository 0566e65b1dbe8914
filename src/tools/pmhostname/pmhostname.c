/*
 * pmhostname - the name of a host as the resolver knows it (docs/spec/tools.md 9).
 */
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "tools/common/cmdline.h"

#define NAME_SIZE 1025 /* NI_MAXHOST */

/* clang-format off */
static const struct cmdline_row rows[] = {
	{ PMAPI_OPTIONS_HEADER("Options") },
	{ PMOPT_DEBUG },
	{ PMOPT_HELP },
	{ { PMLONGOPT_VERSION, 0, 'V', 0, NULL } },
	{ PMAPI_OPTIONS_END },
};
/* clang-format on */

/*
 * The name of the first address, or the address as text if it has no name. Returns false if the
 * host has no address.
 */
static bool find_name(const char *host, char *buf, size_t size)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *addrs;
	int sts;

	if (getaddrinfo(host, NULL, &hints, &addrs) != 0)
		return false;
	sts = getnameinfo(addrs->ai_addr, addrs->ai_addrlen, buf, (socklen_t)size, NULL, 0, 0);
	freeaddrinfo(addrs);
	return sts == 0;
}

static int pmhostname_print_name(const char *host)
{
	char own[NAME_SIZE], name[NAME_SIZE];

	if (host == NULL) {
		if (gethostname(own, sizeof(own)) < 0) {
			pmprintf("%s: gethostname failure\n", pmGetProgname());
			pmflush();
			return 1;
		}
		host = own;
	}
	puts(find_name(host, name, sizeof(name)) ? name : host);
	return 0;
}

int main(int argc, char **argv)
{
	pmOptions opts = {.flags = PM_OPTFLAG_POSIX, .short_usage = "[hostname]"};
	int status;

	cmdline_parse(&opts, rows, argc, argv);
	if (opts.optind < argc - 1)
		opts.errors++;
	if (cmdline_accept(&opts, &status))
		status = pmhostname_print_name(argv[opts.optind]);
	pmFreeOptions(&opts);
	return output_finish(status);
}

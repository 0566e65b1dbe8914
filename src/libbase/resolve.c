/* resolve - see resolve.h. */
#include "libbase/resolve.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

int resolve_host(const char *name, struct addrinfo **ret_list)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	int r = getaddrinfo(name, NULL, &hints, ret_list);

	/* Without a name, and not for listening, the answer is the loopback addresses. */
	if (r != 0 && strcmp(name, "localhost") == 0)
		r = getaddrinfo(NULL, "0", &hints, ret_list);
	return r;
}

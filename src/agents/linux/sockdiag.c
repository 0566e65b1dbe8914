#include "sockdiag.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A kernel that does not answer at all is not waited for longer than this. */
enum { ANSWER_S = 1 };

static int open_socket(void)
{
	const struct timeval wait = {.tv_sec = ANSWER_S};
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (sock >= 0)
		setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	return sock;
}

static bool ask(int sock, int family)
{
	const struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 request;
	} question = {
	    .head = {.nlmsg_len = sizeof(question),
		     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	    .request = {.sdiag_family = (uint8_t)family,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = UINT32_MAX},
	};

	return send(sock, &question, sizeof(question), 0) == (ssize_t)sizeof(question);
}

/* One datagram of the answer: 1 there are more, 0 it was the last, -1 it is an error or no answer.
 */
static int read_part(int sock, uint32_t *counts, unsigned int n)
{
	union {
		struct nlmsghdr head;
		char bytes[32768];
	} part;
	ssize_t len = recv(sock, &part, sizeof(part), 0);
	unsigned int left = len > 0 ? (unsigned int)len : 0;

	if (len <= 0)
		return -1;
	for (struct nlmsghdr *m = &part.head; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
		const struct inet_diag_msg *s = NLMSG_DATA(m);

		if (m->nlmsg_type == NLMSG_DONE)
			return 0;
		if (m->nlmsg_type != SOCK_DIAG_BY_FAMILY || m->nlmsg_len < NLMSG_LENGTH(sizeof(*s)))
			return -1;
		if (s->idiag_state < n)
			counts[s->idiag_state]++;
	}
	return 1;
}

bool sockdiag_count_tcp(const struct agent_refresh *r, int family, uint32_t *counts, unsigned int n)
{
	int sock, more = -1;

	if (agent_root(r)[0] != '\0')
		return false;
	sock = open_socket();
	if (sock < 0)
		return false;
	if (ask(sock, family))
		do
			more = read_part(sock, counts, n);
		while (more > 0);
	close(sock);
	return more == 0;
}

#include "netioctl.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* One socket for all questions; it stays open. The clusters that ask run on the fetching thread. */
static int sock = -1;

/* Asks; answer may hold what the request wants. */
static bool ask(unsigned long request, const char *name, struct ifreq *answer)
{
	if (strlen(name) >= sizeof(answer->ifr_name))
		return false;
	if (sock < 0)
		sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return false;
	strcpy(answer->ifr_name, name);
	return ioctl(sock, request, answer) >= 0;
}

bool netioctl(const struct agent_refresh *r, unsigned long request, const char *name,
	      struct ifreq *ret_answer)
{
	struct ifreq answer = {0};

	if (agent_root(r)[0] != '\0' || !ask(request, name, &answer))
		return false;
	*ret_answer = answer;
	return true;
}

bool netioctl_speed(const struct agent_refresh *r, const char *name, unsigned int *ret_mbit,
		    unsigned int *ret_duplex)
{
	struct ethtool_cmd command = {.cmd = ETHTOOL_GSET};
	struct ifreq answer = {.ifr_data = (void *)&command};
	unsigned int mbit;

	if (agent_root(r)[0] != '\0')
		return false;
	*ret_mbit = 0;
	*ret_duplex = 0;
	if (!ask(SIOCETHTOOL, name, &answer))
		return true;
	/* Unsigned, unlike the macro of the kernel's header. */
	mbit = (unsigned int)command.speed_hi << 16 | command.speed;
	if (mbit != (unsigned int)SPEED_UNKNOWN)
		*ret_mbit = mbit;
	if (command.duplex == DUPLEX_HALF || command.duplex == DUPLEX_FULL)
		*ret_duplex = command.duplex + 1u;
	return true;
}

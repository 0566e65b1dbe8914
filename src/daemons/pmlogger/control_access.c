/* control_access - see control_access.h. */
#include "daemons/pmlogger/control_access.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pcp/impl.h>

#include "daemons/pmlogger/config.h"
#include "libbase/buffer.h"
#include "libwire/pdu.h"

/* Names as the file has them; "" is what pmcd's list knows as everything. */
static int access_add_host(struct access_hosts *hosts, const struct access_names *names, const char *name,
			   const struct config_access *statement)
{
	const struct access_rule rule = {.specified = statement->specified,
					 .denied = statement->denied};
	struct buffer why = BUFFER_INIT;
	int r = access_hosts_add(hosts, names, name, &rule, &why);

	if (r == 0)
		fprintf(stderr, "__pmGetAddrInfo(%s), %s\n", name, buffer_str(&why));
	else if (r == -EINVAL)
		fprintf(stderr, "%s\n", buffer_str(&why));
	if (r == 0 || r == -EINVAL)
		fprintf(stderr, "error was on line %u\n", statement->line);
	buffer_done(&why);
	return r == 0 ? -EINVAL : r < 0 ? r : 0;
}

int control_access_init(struct access_hosts *hosts, const struct config *config)
{
	struct access_names names = access_names_system();
	int r = 0;

	*hosts = (struct access_hosts){0};
	if (!config->has_access)
		return 0;
	access_hosts_init(hosts, &names, CONFIG_OP_ALL);
	for (const struct config_access *a = config->access; a != NULL && r == 0; a = a->next) {
		for (const struct config_host *h = a->hosts; h != NULL && r == 0; h = h->next)
			r = access_add_host(hosts, &names, h->name, a);
	}
	if (r < 0)
		access_hosts_done(hosts);
	return r;
}

unsigned int control_access_op(const struct pdu_log_control *request)
{
	if (request->control == PM_LOG_MANDATORY)
		return CONFIG_OP_MANDATORY;
	return request->control == PM_LOG_ADVISORY ? CONFIG_OP_ADVISORY : 0;
}

bool control_access_peer(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

/* report - see report.h. */
#include "daemons/pmcd/report.h"

#include <unistd.h>

#include "daemons/pmcd/agent.h"
#include "daemons/pmcd/client.h"
#include "daemons/pmcd/log.h"
#include "daemons/pmcd/server.h"
#include "libbase/buffer.h"

static void agents_to(struct server *server, struct buffer *out)
{
	buffer_printf(out, "\nactive agent dom   pid  in out ver protocol parameters\n"
			   "============ === ===== === === === ======== ==========\n");
	for (unsigned int i = 0; i < server->agents.count; i++) {
		const struct agent *a = server->agents.all[i];

		if (a->state == AGENT_DOWN)
			continue;
		buffer_printf(out, "%-12s %3u", a->config->label, a->config->domain);
		a->ops->describe(a, out);
		buffer_printf(out, "\n");
	}
	buffer_printf(out, "\n");
}

static void log_buffer(struct buffer *out)
{
	log_text(buffer_str(out));
	buffer_done(out);
}

void report_lists(struct server *server)
{
	struct buffer out = BUFFER_INIT;

	agents_to(server, &out);
	access_dump(server->access, &out);
	buffer_printf(&out, "\n");
	log_buffer(&out);
}

void report_start(struct server *server)
{
	struct buffer out = BUFFER_INIT;

	agents_to(server, &out);
	access_dump(server->access, &out);
	buffer_printf(&out, "\npmcd: PID = %d, PDU version = %d\n", (int)getpid(), PDU_VERSION);
	listeners_dump(&server->listeners, &out);
	log_buffer(&out);
}

void report_clients(struct server *server)
{
	struct buffer out = BUFFER_INIT;

	buffer_printf(&out, "     fd  client connection from                    "
			    "ipc ver  operations denied\n"
			    "     ==  ========================================  "
			    "=======  =================\n");
	for (unsigned int i = 0; i < server->clients.nslot; i++) {
		const struct client *c = server->clients.all[i];
		char name[64];

		if (c == NULL)
			continue;
		buffer_printf(&out, "    %3d  %-40s  %7d  %s%s\n", c->fd,
			      client_peer_name(c, name, sizeof(name)), PDU_VERSION,
			      (c->denied & CONFIG_OP_FETCH) != 0 ? "fetch " : "",
			      (c->denied & CONFIG_OP_STORE) != 0 ? "store " : "");
	}
	log_buffer(&out);
}

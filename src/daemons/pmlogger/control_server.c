/* control_server - see control_server.h. */
#include "daemons/pmlogger/control_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/control_client.h"
#include "daemons/pmlogger/control_listen.h"
#include "daemons/pmlogger/control_recorder.h"
#include "daemons/pmlogger/port_map.h"
#include "daemons/pmlogger/timing.h"
#include "libbase/cleanup.h"

enum {
	CLIENTS_MAX = 16,
	FILES_RESERVE = 40, /* of the recorder: its archive, compression, a new volume, its end */
	AGAIN_MS = 500,
	BURST = 32, /* connections accepted in one turn */
};

struct control_server {
	struct control_owner owner;
	struct access_hosts hosts;
	struct control_listen listen;
	uv_poll_t polls[CONTROL_LISTEN_MAX];
	int watched;
	int handles; /* that are open, the timer too: the last one frees the server */
	struct list clients;
	int nclient;
	int max_clients;
	uv_timer_t again; /* listens again after a failure that is not ours to mend */
	bool deaf;        /* newcomers wait in the listeners' queues */
	bool unlisted;    /* there is no file that says where it is */
	int list_error;   /* why */
	bool ended;
};

/* The address of a client, kept for the list of hosts. */
struct peer {
	struct sockaddr_storage addr;
};

/* ---- When descriptors are short -------------------------------------------------------------- */

static void listener_ready(uv_poll_t *poll, int status, int events);

/* The recorder opens files as long as it runs, the most at its end: clients leave it a reserve. */
static int clients_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= CLIENTS_MAX + FILES_RESERVE)
		return CLIENTS_MAX;
	return limit.rlim_cur > FILES_RESERVE ? (int)(limit.rlim_cur - FILES_RESERVE) : 1;
}

static void listen_again(struct control_server *s)
{
	s->deaf = false;
	timing_stop(&s->again);
	for (int i = 0; i < s->listen.count && !s->ended; i++)
		uv_poll_start(&s->polls[i], UV_READABLE, listener_ready);
}

static void server_on_again(uv_timer_t *timer)
{
	listen_again(timer->data);
}

/* Newcomers wait in the listeners' queues: a listener that is watched would wake the loop for ever.
 */
static void stop_listening(struct control_server *s)
{
	s->deaf = true;
	timing_arm(&s->again, server_on_again, AGAIN_MS, 0);
	for (int i = 0; i < s->listen.count; i++)
		uv_poll_stop(&s->polls[i]);
}

/* EMFILE, ENFILE, ENOMEM and their like: the queue stays as it is. */
static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* ---- Clients come and go --------------------------------------------------------------------- */

static void client_ended(struct control_owner *owner, struct control_client *c)
{
	struct control_server *s = CONTAINER_OF(owner, struct control_server, owner);
	struct peer *peer = c->peer;

	access_hosts_leave(&s->hosts, (struct sockaddr *)&peer->addr);
	free(peer);
	c->peer = NULL;
	list_del(&c->link);
	s->nclient--;
	if (s->deaf)
		listen_again(s);
}

static void server_name_of(const struct control_server *s, const struct sockaddr *addr, char *buf,
			   size_t size)
{
	const void *bytes = addr->sa_family == AF_INET
				? (const void *)&((const struct sockaddr_in *)addr)->sin_addr
				: (const void *)&((const struct sockaddr_in6 *)addr)->sin6_addr;

	if (addr->sa_family == AF_UNIX)
		pmsprintf(buf, size, "%s", s->listen.path);
	else if (inet_ntop(addr->sa_family, bytes, buf, (socklen_t)size) == NULL)
		pmsprintf(buf, size, "pmlogger");
}

/* The oldest connection that is silent leaves its place to a new one. */
static void make_room(struct control_server *s)
{
	LIST_FOR_EACH (link, &s->clients) {
		struct control_client *c = LIST_ENTRY(link, struct control_client, link);

		if (control_client_is_silent(c)) {
			control_client_close(c);
			return;
		}
	}
}

/* May it come? 0 and what it may not do, or why not. */
static int admit(struct control_server *s, int fd, const struct sockaddr *addr,
		 unsigned int *ret_denied)
{
	int r;

	if (s->nclient >= s->max_clients)
		make_room(s);
	if (s->nclient >= s->max_clients)
		return -EADDRINUSE;
	r = access_hosts_enter(&s->hosts, addr, ret_denied);
	if (r < 0)
		return r;
	if (addr->sa_family != AF_UNIX || control_access_peer(fd))
		return 0;
	access_hosts_leave(&s->hosts, addr);
	return PM_ERR_PERMISSION;
}

static void begin_client(struct control_server *s, int fd, const struct sockaddr_storage *addr,
			 unsigned int denied)
{
	struct peer *peer = malloc(sizeof(*peer));
	struct control_client *c = NULL;
	char name[CONTROL_NAME_MAX];

	if (peer == NULL) {
		close(fd);
	} else {
		peer->addr = *addr;
		server_name_of(s, (const struct sockaddr *)addr, name, sizeof(name));
		c = control_client_new(&s->owner, fd, name, denied, peer);
	}
	if (c == NULL) {
		access_hosts_leave(&s->hosts, (const struct sockaddr *)addr);
		free(peer);
		return;
	}
	list_add_tail(&s->clients, &c->link);
	s->nclient++;
}

static void listener_ready(uv_poll_t *poll, int status, int events)
{
	struct control_server *s = poll->data;
	int at = (int)(poll - s->polls);
	struct sockaddr_storage addr;

	for (int i = 0; i < BURST; i++) {
		socklen_t len = sizeof(addr);
		unsigned int denied = 0;
		int fd = accept4(s->listen.fds[at], (struct sockaddr *)&addr, &len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);
		int r;

		if (fd < 0) {
			if (is_shortage(errno))
				stop_listening(s);
			return;
		}
		addr.ss_family = (sa_family_t)s->listen.families[at];
		r = admit(s, fd, (struct sockaddr *)&addr, &denied);
		if (r < 0)
			control_client_refuse(fd, r);
		else
			begin_client(s, fd, &addr, denied);
	}
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void server_release(struct control_server *s)
{
	control_listen_close(&s->listen);
	access_hosts_done(&s->hosts);
	free(s);
}

static void server_handle_closed(uv_handle_t *handle)
{
	struct control_server *s = handle->data;

	if (--s->handles == 0)
		server_release(s);
}

static int watch_listeners(struct control_server *s)
{
	uv_timer_init(s->owner.loop, &s->again);
	s->again.data = s;
	s->handles++;
	for (int i = 0; i < s->listen.count; i++) {
		int r = uv_poll_init(s->owner.loop, &s->polls[i], s->listen.fds[i]);

		if (r < 0)
			return r;
		s->polls[i].data = s;
		s->watched++;
		s->handles++;
		uv_poll_start(&s->polls[i], UV_READABLE, listener_ready);
	}
	return 0;
}

static struct control_about about(const struct control_server *s)
{
	struct control_about a = {0};

	s->owner.recorder->about(s->owner.logger, &a);
	return a;
}

/* One that may not write where recorders are listed records all the same. */
static int claim(struct control_server *s)
{
	bool primary = about(s).primary;
	int r = port_map_claim(primary);

	if (primary || (r != -EACCES && r != -EPERM && r != -EROFS))
		return r;
	s->unlisted = true;
	s->list_error = r;
	return 0;
}

/* pmlc looks for a socket of the user's own, too; without one it has to be given the port. */
static void warn_unlisted(const struct control_server *s)
{
	if (s->unlisted && s->listen.path[0] == '\0')
		pmNotifyErr(LOG_WARNING,
			    "control port: pmlc will not find it by its process: "
			    "path=\"%s/pmlogger\", error=%s",
			    pmGetOptionalConfig("PCP_TMP_DIR"), strerror(-s->list_error));
}

int control_server_new(uv_loop_t *loop, const struct control_recorder *recorder, struct logger *l,
		       const struct config *config, int max_version,
		       struct control_server **ret_server)
{
	struct control_server *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL)
		return -ENOMEM;
	s->owner = (struct control_owner){loop, recorder, l, max_version, client_ended};
	s->max_clients = clients_max();
	list_init(&s->clients);
	r = control_access_init(&s->hosts, config);
	if (r == 0)
		r = claim(s);
	if (r == 0)
		r = control_listen_open(&s->listen);
	if (r < 0) {
		server_release(s);
		return r;
	}
	warn_unlisted(s);
	r = watch_listeners(s);
	if (r < 0) {
		control_server_free(s);
		return r;
	}
	*ret_server = s;
	return 0;
}

int control_server_port(const struct control_server *s)
{
	return s->listen.port;
}

void control_server_publish(struct control_server *s)
{
	const struct control_about a = about(s);
	const struct port_map map = {
	    .port = s->listen.port,
	    .pmcd_host = a.pmcd_host,
	    .archive = a.archive,
	    .note = a.note,
	    .socket = s->listen.path,
	    .primary = a.primary,
	};
	char text[PM_MAXERRMSGLEN];
	int r = s->unlisted ? 0 : port_map_write(&map);

	if (r < 0)
		pmNotifyErr(LOG_ERR, "control port: cannot tell where it is: %s\n",
			    pmErrStr_r(r, text, sizeof(text)));
}

void control_server_free(struct control_server *s)
{
	if (s == NULL || s->ended)
		return;
	s->ended = true;
	port_map_remove();
	if (s->listen.path[0] != '\0')
		unlink(s->listen.path);
	LIST_FOR_EACH (pos, &s->clients)
		control_client_close(LIST_ENTRY(pos, struct control_client, link));
	for (int i = 0; i < s->watched; i++)
		uv_close((uv_handle_t *)&s->polls[i], server_handle_closed);
	timing_close(&s->again, server_handle_closed);
}

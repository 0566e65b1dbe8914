/*
 * control_server - the control port of the recorder: admission, requests, and answers
 * (docs/spec/logger.md A7, A8, Part B).
 *
 * Sixteen clients at once, each with a budget of its own; a client that does not read, or sends
 * half a request, costs the others nothing. The requests of one client are answered in order.
 */
#ifndef PMLOGGER_CONTROL_SERVER_H
#define PMLOGGER_CONTROL_SERVER_H

#include <uv.h>

struct config;
struct control_recorder;
struct control_server;
struct logger;

/*
 * Opens the sockets and evaluates the access rules of the configuration, which is not kept.
 * max_version is the highest protocol version that is offered, 2 or 3. 0 and *ret_server; -EINVAL
 * for a rule that makes no sense and -EEXIST for a primary recorder that runs already, which are
 * both said on stderr; -errno where no socket at all could be opened; -ENOMEM.
 */
int control_server_new(uv_loop_t *loop, const struct control_recorder *recorder, struct logger *l,
		       const struct config *config, int max_version,
		       struct control_server **ret_server);

/* Closes all, removes files and links; what the logger still owes an answer to is not answered to
 * anybody. The loop must run once more for its handles. NULL does nothing. */
void control_server_free(struct control_server *s);

/* The TCP port that is published; 0: none. */
int control_server_port(const struct control_server *s);

/* Writes the port map file and its links, or writes it again when the archive has another base. */
void control_server_publish(struct control_server *s);

#endif

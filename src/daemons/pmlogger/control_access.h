/*
 * control_access - who may ask what of the control port (docs/spec/logger.md A8).
 */
#ifndef PMLOGGER_CONTROL_ACCESS_H
#define PMLOGGER_CONTROL_ACCESS_H

#include "libaccess/access_hosts.h"

struct config;
struct pdu_log_control;

/*
 * Makes the list of hosts out of the rules of a configuration. Names are looked up, which may take
 * its time. 0; -EINVAL for a rule that makes no sense, said on stderr with its line; -ENOMEM.
 */
int control_access_init(struct access_hosts *hosts, const struct config *config);

/* The operation (CONFIG_OP_*) that a control request is; 0: one that everybody may, or none. */
unsigned int control_access_op(const struct pdu_log_control *request);

/* True if the other end of a Unix socket may control this process: root, or our own user. */
bool control_access_peer(int fd);

#endif

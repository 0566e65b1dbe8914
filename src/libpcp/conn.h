/*
 * conn - one connection to a collector: PDUs out, PDUs in, and whether they still match.
 *
 * Requests are gathered (conn_put), sent together (conn_flush) and answered one by one
 * (conn_reply). The receive buffer takes as much as there is, so a reply usually costs one system
 * call. A time limit covers each whole reply and each flush.
 *
 * Invariant: on an open connection the next PDU to arrive answers the next request. Anything that
 * could break that (a time-out, a reply of another type, a broken frame, a refusal that may still
 * be followed by an answer) closes the connection, and error is then the result of calls until it
 * is made again. A whole reply of the right type with bad contents does not close it.
 *
 * After fork the connection is the parent's: in the child it is closed, which the parent does not
 * see.
 *
 * Not for several threads at once: the context that owns it is locked.
 */
#ifndef LIBPCP_CONN_H
#define LIBPCP_CONN_H

#include <stdbool.h>

#include "libbase/arena.h"
#include "libbase/buffer.h"
#include "libwire/pdu.h"

struct result_source;

struct conn {
	int fd;    /* -1: closed */
	int error; /* while closed: PM_ERR_IPC, or why the collector refused us */
	unsigned int features;
	int32_t from;       /* goes into the header of requests */
	int timeout_ms;     /* 0: none */
	bool untried;       /* sent something that is only answered if it is refused */
	unsigned int forks; /* of this process when it was opened; see below */
	struct buffer in;
	struct buffer out;
	size_t taken;     /* bytes at the front of in: the PDU given out last */
	struct arena mem; /* of the body decoded last */
};

void conn_init(struct conn *c);

/* Closes it and frees its memory; conn_init makes it usable again. */
void conn_done(struct conn *c);

/* Takes the descriptor (blocking), which must not be open yet. */
void conn_open(struct conn *c, int fd);

/* False for what is closed, or was the parent's and is closed now. */
bool conn_is_open(struct conn *c);

/* Closes it, waiting at most a second until what was sent is out; later calls return error. */
void conn_close(struct conn *c, int error);

/* Gives the descriptor away, as it is, and is closed from then on. The descriptor; error;
 * PM_ERR_IPC if bytes came that were not requested. */
int conn_detach(struct conn *c, unsigned int *ret_features);

/* The limit for whole replies and flushes from here on, 0 for none. */
void conn_set_timeout(struct conn *c, int timeout_ms);

/* Adds a request to those to be sent. 0, -ENOMEM, -EINVAL (see pdu_encode), or c->error. */
int conn_put(struct conn *c, enum pdu_type type, const union pdu_body *body);

/* As conn_put for a RESULT made of n sources; see result_encode. */
int conn_put_result(struct conn *c, int64_t sec, int64_t usec, const struct result_source *sources,
		    size_t n);

/* Sends what was put. 0, PM_ERR_TIMEOUT, PM_ERR_IPC; c->error on a closed connection. */
int conn_flush(struct conn *c);

/*
 * Receives until at least need bytes are available that were not given out yet; *ret_bytes points
 * to them. Errors as conn_reply. For bytes that are not PDUs: conn_skip gives them out.
 */
int conn_peek(struct conn *c, size_t need, const uint8_t **ret_bytes, size_t *ret_len);
void conn_skip(struct conn *c, size_t len);

/*
 * Waits for the reply. 0 and *ret_body, valid until the next call on this connection, if it is of
 * type want; the negative code of an ERROR (also if want is PDU_ERROR); PM_ERR_TIMEOUT;
 * PM_ERR_IPC; -ENOMEM. The codes above zero of ERROR PDUs that come before it are or-ed into
 * *ret_changes if that is not NULL.
 */
int conn_reply(struct conn *c, enum pdu_type want, int *ret_changes, union pdu_body *ret_body);

/* The same, not decoded: the bytes of the whole PDU. */
int conn_reply_raw(struct conn *c, enum pdu_type want, int *ret_changes, const uint8_t **ret_pdu,
		   size_t *ret_len);

/* conn_put, conn_flush and conn_reply in one. */
int conn_call(struct conn *c, enum pdu_type type, const union pdu_body *request, enum pdu_type want,
	      union pdu_body *ret_body);

#endif

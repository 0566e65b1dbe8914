/*
 * fake - a small collector in a thread: answers every request from a table of three metrics, unless
 * a test wants it to misbehave.
 *
 *     fake.count   1.0.0  U32     singular, 7
 *     fake.name    1.0.1  string  singular, "seven"
 *     fake.load    1.0.2  double  instances 1 "one", 2 "two", 3 "three men" of domain 1.1
 */
#ifndef TESTS_LIBPCP_FAKE_H
#define TESTS_LIBPCP_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "libbase/buffer.h"
#include "libwire/pdu.h"

enum {
	FAKE_PLAIN = PDU_FEATURE_CONTAINER,
	FAKE_FEATURES = FAKE_PLAIN | PDU_FEATURE_LABELS | PDU_FEATURE_HIGHRES | PDU_FEATURE_DESCS,
	FAKE_CONNS = 4096,
};

#define FAKE_COUNT 0x00400000u
#define FAKE_NAME  0x00400001u
#define FAKE_LOAD  0x00400002u
#define FAKE_INDOM 0x00400001u

/* The handling of a request: the usual answer, or another one by the test. */
enum fake_verdict {
	FAKE_USUAL,   /* the usual answer is appended to out */
	FAKE_SEND,    /* what the test has put into out is sent */
	FAKE_SILENCE, /* as FAKE_SEND, and nothing more is said: the client's time runs out */
	FAKE_HANG_UP, /* as FAKE_SEND, then the connection is closed */
};

struct fake {
	/* Set before fake_start; hook may be NULL. It runs in the thread of the connection. */
	enum fake_verdict (*hook)(struct fake *f, const struct pdu_header *header,
				  const union pdu_body *request, struct buffer *out);
	void *arg;
	unsigned int features;
	int32_t refuse; /* below 0: the code of the challenge */

	/* The recorded requests, to be read after the client has its answer. */
	unsigned int requests; /* all but CREDS and ATTR */
	unsigned int profiles;
	uint32_t cred;
	char container[64];
	int32_t from;
	int32_t state; /* of the profile seen last */
	int entries;

	char spec[128]; /* "unix:PATH", for pmNewContext */
	char path[108];
	int listen_fd;
	pthread_t thread;
	pthread_mutex_t lock;
	bool stopping;
	int fds[FAKE_CONNS];
	pthread_t threads[FAKE_CONNS];
	int nconns;
};

/* Listens on a socket of its own. */
void fake_start(struct fake *f);

/* Closes everything; fake_restart listens on the same path again. */
void fake_stop(struct fake *f);
void fake_restart(struct fake *f);

/* The usual answer to a request. */
void fake_answer(struct fake *f, const struct pdu_header *header, const union pdu_body *request,
		 struct buffer *out);

/* A context on it, which must come into being; and its end. */
int fake_context(struct fake *f);

#endif

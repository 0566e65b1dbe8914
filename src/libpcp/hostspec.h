/*
 * hostspec - the address of a collector: the text that names it, parsed (docs/spec/pmcd.md 12).
 *
 * A pure function of the text: the caller that connects reads the environment (default ports,
 * proxy, socket). All strings are in the struct's own arena.
 */
#ifndef LIBPCP_HOSTSPEC_H
#define LIBPCP_HOSTSPEC_H

#include <stddef.h>

#include "libbase/arena.h"

enum hostspec_protocol {
	HOSTSPEC_PLAIN, /* no prefix, or pcp: */
	HOSTSPEC_PCPS,
	HOSTSPEC_LOCAL, /* Unix socket, falling back to TCP */
	HOSTSPEC_UNIX,
};

enum hostspec_attr {
	HOSTSPEC_COMPRESS,
	HOSTSPEC_USERAUTH,
	HOSTSPEC_USERNAME,
	HOSTSPEC_REALM,
	HOSTSPEC_METHOD,
	HOSTSPEC_PASSWORD,
	HOSTSPEC_UNIXSOCK,
	HOSTSPEC_ATTR_LOCAL,
	HOSTSPEC_USERID,
	HOSTSPEC_GROUPID,
	HOSTSPEC_PROCESSID,
	HOSTSPEC_SECURE,
	HOSTSPEC_CONTAINER,
	HOSTSPEC_EXCLUSIVE,
	HOSTSPEC_NATTR,
};

struct hostspec_host {
	const char *name; /* without brackets; "" only for a proxy */
	const int *ports; /* in the order to try; 65536 for every number above 65535 */
	size_t nports;    /* 0: the default ports */
};

struct hostspec {
	struct arena mem;
	enum hostspec_protocol protocol;
	struct hostspec_host host;         /* PLAIN and PCPS */
	struct hostspec_host proxy;        /* name NULL: none was given */
	const char *path;                  /* LOCAL and UNIX: absolute; NULL: the default socket */
	const char *attrs[HOSTSPEC_NATTR]; /* decoded value, "" without one, NULL if absent */
};

/* The fault of a text, and its position. */
struct hostspec_error {
	const char *reason; /* constant */
	size_t pos;         /* byte of the text that it is about */
};

/*
 * Takes text apart. 0 and *ret_spec (release with hostspec_done); PM_ERR_GENERIC and *ret_error for
 * a text outside the grammar; PM_ERR_NOTHOST if it names no host; -ENOMEM.
 */
int hostspec_parse(const char *text, struct hostspec *ret_spec, struct hostspec_error *ret_error);

void hostspec_done(struct hostspec *spec);

#endif

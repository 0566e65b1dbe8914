/*
 * listener - the sockets that clients connect to (docs/spec/pmcd.md 4).
 *
 * The last descriptors are reserved for agents. When only these are left the call-back accept makes
 * room for a newcomer, or refuses it. While connections that may soon make room still have time to
 * introduce themselves, or accept(2) itself fails for want of descriptors, the sockets are not
 * watched: newcomers wait in the kernel's queue.
 */
#ifndef PMCD_LISTENER_H
#define PMCD_LISTENER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>
#include <uv.h>

struct buffer;
struct loop;
struct options;
struct sockaddr;

/* Which of them take connections. */
enum listeners_which {
	LISTENERS_NONE,
	LISTENERS_LOCAL, /* the Unix socket */
	LISTENERS_ALL,
};

enum {
	LISTENERS_MAX = 64,
	LISTENER_BURST = 64, /* connections accepted in one turn */
	LISTENER_PAUSE_MS = 1000,
	LISTENER_SHORT_MS = 60000, /* for so long the metric reports that descriptors are short */
};

struct listener {
	uv_poll_t poll;
	int fd;
	int family;
	uint16_t port;
	char *text; /* the address, for the log */
};

/* Call-backs, with the arg of listeners_open. */
struct listeners_ops {
	/* Takes over a connection. False if no more can be accepted for now. */
	bool (*accept)(void *arg, int fd, const struct sockaddr *peer);
	/* Closes a connection for one that could not be accepted. False if none may be closed now.
	 */
	bool (*make_room)(void *arg);
	/* No more connections are accepted for now. */
	void (*starved)(void *arg);
};

struct listeners {
	struct loop *loop;
	const struct listeners_ops *ops;
	void *arg;
	struct listener *all;
	unsigned int count;
	int backlog;
	int fd_end; /* a client with this descriptor or a higher one is the last for now */
	enum listeners_which serving;
	uint64_t short_ms; /* when a connection last found no descriptor left; 0: never */
	bool starved;      /* no descriptor was left */
	uint64_t starved_ms;
	char *unix_path; /* to be removed at the end; NULL: no Unix socket */
};

/*
 * Opens everything that the options ask for. One socket of any kind is enough: 0, or -errno of the
 * last failure when there is none. Failures are logged. Nothing is accepted yet.
 */
int listeners_open(struct listeners *l, struct loop *loop, const struct options *options,
		   const struct listeners_ops *ops, void *arg);

/* The greatest descriptor of a socket, -1 if there is none. */
int listeners_highest_fd(const struct listeners *l);
void listeners_close(struct listeners *l);

/* From now on these take connections. */
void listeners_serve(struct listeners *l, enum listeners_which which);

/* With the connection fd, no descriptors are left but those that are reserved for agents. */
bool listeners_are_short(struct listeners *l, int fd);

/* Descriptors are or were short lately. */
bool listeners_were_short(const struct listeners *l);

/* A descriptor was released. */
void listeners_resume(struct listeners *l);

/* True if it wants to be called again. */
bool listeners_tick(struct listeners *l, uint64_t now_ms);

/* The table of ports for the log. */
void listeners_dump(const struct listeners *l, struct buffer *out);

#endif

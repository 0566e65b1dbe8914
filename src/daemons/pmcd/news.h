/*
 * news - what an agent has to hear of clients, and has not been told yet because it does not read.
 *
 * That a client has gone and which attributes it has are states, not messages: told late they need
 * telling once, however often they have changed meanwhile. So what an agent that is behind costs is
 * a byte for each client, and not a PDU for each change.
 */
#ifndef PMCD_NEWS_H
#define PMCD_NEWS_H

enum news_of {
	NEWS_GONE = 1u << 0,       /* the client that had this index has left; told first */
	NEWS_ATTRIBUTES = 1u << 1, /* the client with this index has other attributes */
};

/* A zeroed struct is valid and empty. */
struct news {
	unsigned char *of; /* by index of the client: enum news_of bits */
	unsigned int size;
	unsigned int count; /* indexes with any bit */
};

/* Notes bits for an index. 0, or -ENOMEM: they have to be told at once. */
int news_note(struct news *n, unsigned int index, unsigned int bits);

/* Takes what there is for an index; 0: nothing. */
unsigned int news_take(struct news *n, unsigned int index);

/* An index at or behind from with any news, -1 if there is none. */
long news_next(const struct news *n, unsigned int from);

/* Forgets everything. */
void news_done(struct news *n);

#endif

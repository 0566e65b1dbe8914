/*
 * notices - changes of clients that were not sent to an agent yet because it does not read.
 *
 * The end of a client and its attributes are states, not messages: sent late they need sending
 * once, however often they have changed meanwhile. So an agent that does not read costs a byte for
 * each client, and not a PDU for each change.
 */
#ifndef PMCD_NOTICES_H
#define PMCD_NOTICES_H

enum notices_of {
	NOTICES_GONE = 1u << 0,       /* the client that had this index has left; sent first */
	NOTICES_ATTRIBUTES = 1u << 1, /* the client with this index has other attributes */
};

/* A zeroed struct is valid and empty. */
struct notices {
	unsigned char *of; /* by index of the client: enum notices_of bits */
	unsigned int size;
	unsigned int count; /* indexes with any bit */
};

/* Notes bits for an index. 0, or -ENOMEM: they have to be sent at once. */
int notices_note(struct notices *n, unsigned int index, unsigned int bits);

/* Takes what there is for an index; 0: nothing. */
unsigned int notices_take(struct notices *n, unsigned int index);

/* An index at or after from with any notice, -1 if there is none. */
long notices_next(const struct notices *n, unsigned int from);

/* Forgets everything. */
void notices_done(struct notices *n);

#endif

/*
 * profile - the instances that a client wants (docs/spec/pdu.md 12).
 *
 * Equal profiles are one object: nearly all clients want everything, so a thousand of them share a
 * few bytes, and an agent that holds "everything" needs no PROFILE when the next client asks. A
 * profile never changes; it lives as long as it has a holder.
 */
#ifndef PMCD_PROFILE_H
#define PMCD_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

#include "libbase/hash.h"

struct profile {
	unsigned int refs;
	uint64_t hash;
	size_t len;                    /* of content */
	pmProfile p;                   /* its entries and lists follow in the same block */
	_Alignas(8) uint8_t content[]; /* the identity of a profile: all fields in a fixed order */
};

/* All profiles of the collector. */
struct profile_pool {
	struct hash all;
};

struct profile_slot {
	int32_t slot;
	struct profile *profile; /* held */
};

/* The profiles that one client sent, by slot. A zeroed struct is empty. */
struct profile_slots {
	struct profile_slot *slots;
	uint32_t count;
	size_t bytes; /* of all of them */
};

enum {
	PROFILE_SLOTS_MAX = 256,        /* contexts over one connection */
	PROFILE_BYTES_MAX = 1024 << 10, /* and what their profiles may hold together */
};

void profile_pool_done(struct profile_pool *pool);

/* The object for this content, held by the caller. NULL: out of memory. */
struct profile *profile_get(struct profile_pool *pool, const pmProfile *p);
struct profile *profile_hold(struct profile *profile);
void profile_put(struct profile_pool *pool, struct profile *profile); /* NULL is fine */

/* The part of a profile (NULL: everything) for a domain by name, or NULL; found once, it answers
 * for each instance in logarithmic time, because the lists were sorted. */
const pmInDomProfile *profile_entry(const struct profile *profile, pmInDom indom);
bool profile_wants(const struct profile *profile, const pmInDomProfile *entry, int inst);

/* Remembers the profile (and holds it) for a slot. 0, PM_ERR_TOOBIG for too many slots or bytes,
 * -ENOMEM. */
int profile_slots_set(struct profile_slots *s, struct profile_pool *pool, int32_t slot,
		      struct profile *profile);

/* NULL: the client sent none for this slot. */
struct profile *profile_slots_find(const struct profile_slots *s, int32_t slot);
void profile_slots_done(struct profile_slots *s, struct profile_pool *pool);

#endif

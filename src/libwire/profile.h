/*
 * profile - which instances a context wants (docs/spec/pmapi.md 4, docs/spec/pdu.md 12).
 *
 * A default for all instance domains, and one entry for each that was named: in state INCLUDE its
 * list holds the instances left out, in state EXCLUDE those that are wanted. Lists are kept in
 * ascending order. A zeroed pmProfile includes everything.
 */
#ifndef LIBWIRE_PROFILE_H
#define LIBWIRE_PROFILE_H

#include <stdbool.h>

#include <pcp/pmapi.h>

/*
 * Wants, or no longer wants, n instances of a domain; list NULL: all of them; indom PM_INDOM_NULL:
 * all of all domains. The list is copied. 0, PM_ERR_PROFILESPEC for a list without a domain,
 * -EINVAL for n below 0, -ENOMEM; on failure nothing has changed.
 */
int profile_add(pmProfile *profile, pmInDom indom, int n, const int *list);
int profile_del(pmProfile *profile, pmInDom indom, int n, const int *list);

/*
 * True if a profile wants an instance; NULL wants all. Lists need not be in order: agents are given
 * profiles of any origin. To ask for many instances of a domain, see libpcp_pmda's iterate.
 */
bool profile_wants(const pmProfile *profile, pmInDom indom, int inst);

/* Makes an independent copy. 0 or -ENOMEM. */
int profile_copy(const pmProfile *profile, pmProfile *ret_copy);

/* Frees the contents, and includes everything again. */
void profile_done(pmProfile *profile);

#endif

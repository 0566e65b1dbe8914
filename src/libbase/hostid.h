/* hostid - the names of this host: the facts of the labels of a context. */
#ifndef LIBBASE_HOSTID_H
#define LIBBASE_HOSTID_H

#include <stdbool.h>
#include <stddef.h>

enum { HOSTID_TEXT_MAX = 256 };

/* Its name, and its domain; "localhost" and "localdomain" where there is none. */
void hostid_name(char *buf, size_t size);
void hostid_domain(char *buf, size_t size);

/*
 * The identifier of the machine, or "localmachine" if it has none. True if labels.conf in
 * sysconf_dir asks for its hash instead ("machineid_hash = sha256" in [global], docs/spec/pmcd.md
 * 8.6): buf then has the hash, at most SHA256_HEX_LEN bytes.
 */
bool hostid_machine(const char *sysconf_dir, char *buf, size_t size);

#endif

/*
 * attribute - attributes of a client, by key and name (docs/spec/pdu.md 5.14).
 */
#ifndef DBPMDA_ATTRIBUTE_H
#define DBPMDA_ATTRIBUTE_H

/* The key of a name, or -1. */
int attribute_key(const char *name);

/* The name of a key, or NULL. */
const char *attribute_name(int key);

#endif

/*
 * names - names of instances and of name-space components, made of bytes that others chose.
 */
#ifndef TRACING_NAMES_H
#define TRACING_NAMES_H

#include <stddef.h>

/* An event type's name as part of an instance name: other bytes than [A-Za-z0-9_.-] are "_". */
void names_instance(const char *event, char *ret, size_t size);

/* As a component of a metric name: [A-Za-z][A-Za-z0-9_]*; a first byte that is not a letter gets
 * the prefix "e". */
void names_component(const char *text, char *ret, size_t size);

/* As the inside of a JSON string: text that is not UTF-8 as a whole is taken byte by byte. */
void names_json(const char *text, char *ret, size_t size);

/* Bytes as hexadecimal digits. */
void names_hex(const char *text, char *ret, size_t size);

#endif

/*
 * ctf_payload - the data of an event in the Common Trace Format: its bytes, and their description.
 *
 * Both come from the same walk over the fields, so that what is written is what is described. A
 * field is called as the program calls it with "_" in front, which readers take away again: that
 * way no name is a word of the language.
 */
#ifndef PITOT_CTF_PAYLOAD_H
#define PITOT_CTF_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace_source.h"

/* The most that the data of an event take. */
size_t ctf_payload_max(const struct trace_event *e);

/* Writes them; returns the end. */
uint8_t *ctf_payload_put(uint8_t *p, const struct trace_event *e);

/* The members of the structure, a line each. */
void ctf_payload_describe(FILE *out, const struct trace_type *type, enum trace_form form);

#endif

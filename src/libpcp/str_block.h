/*
 * str_block - a list of strings in one malloc'd block: the pointers, then the bytes. This is the
 * form in which the API gives out names, so that its caller frees them all with one free.
 */
#ifndef LIBPCP_STR_BLOCK_H
#define LIBPCP_STR_BLOCK_H

#include <stddef.h>

#include "libwire/pdu.h"

/* Copies n strings. *ret_block is NULL if n is 0. 0 or -ENOMEM. */
int str_block_new(const struct wire_str *strs, size_t n, char ***ret_block);

#endif

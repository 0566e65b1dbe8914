/*
 * hooks - the calls that -fsanitize=thread makes; defined in hooks.c. Only their names matter: the
 * compiler knows them without a header.
 */
#ifndef HOOKS_H
#define HOOKS_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif

#endif

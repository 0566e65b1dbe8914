/*
 * Numbers and strings, which are nearly all values, are formatted here; other values are converted
 * to a host value that the library prints.
 */
#include "tools/pmdumplog/value.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "libdisk/result_view.h"
#include "libvalue/value_block.h"

enum { DIGITS_ROOM = 24 };

static void print_unsigned(uint64_t v, bool negative)
{
	char text[DIGITS_ROOM];
	char *p = text + sizeof(text);

	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	if (negative)
		*--p = '-';
	fwrite_unlocked(p, 1, (size_t)(text + sizeof(text) - p), stdout);
}

void value_print_int(int64_t v)
{
	print_unsigned(v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0);
}

/* A whole number below 10^digits is printed without point and exponent by %.<digits>g. */
static void print_real(double v, int digits, double limit)
{
	if (fabs(v) < limit && v == trunc(v) && (v != 0 || !signbit(v)))
		value_print_int((int64_t)v);
	else
		printf("%.*g", digits, v);
}

static void print_atom(int type, const pmAtomValue *atom)
{
	switch (type) {
	case PM_TYPE_32:
		value_print_int(atom->l);
		break;
	case PM_TYPE_U32:
		print_unsigned(atom->ul, false);
		break;
	case PM_TYPE_64:
		value_print_int(atom->ll);
		break;
	case PM_TYPE_U64:
		print_unsigned(atom->ull, false);
		break;
	case PM_TYPE_FLOAT:
		print_real((double)atom->f, 8, 1e8);
		break;
	case PM_TYPE_DOUBLE:
		print_real(atom->d, 16, 1e15);
		break;
	}
}

/* Values that the library prints: aggregates, blocks of another type, NaN and infinity. */
static void print_odd(int type, const struct wire_value *value)
{
	pmValue host = {.inst = value->inst};
	pmValueBlock *block;

	if (value->block_len == 0) {
		host.value.lval = (int)value->insitu;
		pmPrintValue(stdout, PM_VAL_INSITU, type, &host, 1);
		return;
	}
	block = malloc(value->block_len + sizeof(*block));
	if (block == NULL)
		pmNoMem("value", value->block_len, PM_FATAL_ERR);
	if (value_block_to_host(value->block, value->block_len, block) < 0) {
		block->vtype = value->block[0];
		block->vlen = value->block_len;
		memcpy(block->vbuf, value->block + VALUE_BLOCK_HEADER,
		       value->block_len - VALUE_BLOCK_HEADER);
	}
	host.value.pval = block;
	pmPrintValue(stdout, PM_VAL_DPTR, type, &host, 1);
	free(block);
}

static void print_string(const struct wire_value *value)
{
	const char *s = (const char *)value->block + VALUE_BLOCK_HEADER;

	putchar_unlocked('"');
	fwrite_unlocked(s, 1, strnlen(s, value->block_len - VALUE_BLOCK_HEADER), stdout);
	putchar_unlocked('"');
}

void value_print(int type, const struct wire_value *value)
{
	pmAtomValue atom;

	if (type == PM_TYPE_STRING && value->block_len != 0 && value->block[0] == PM_TYPE_STRING)
		print_string(value);
	else if (type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE &&
		 wire_value_number(value, type, &atom) == 0)
		print_atom(type, &atom);
	else
		print_odd(type, value);
}

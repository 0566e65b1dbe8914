#include "tools/pmevent/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/real.h"

bool field_is_number(const struct field *f)
{
	switch (f->type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_FLOAT:
	case PM_TYPE_DOUBLE:
		return true;
	default:
		return false;
	}
}

const char *field_number(const struct field *f, char buf[FIELD_NUMBER])
{
	switch (f->type) {
	case PM_TYPE_32:
		pmsprintf(buf, FIELD_NUMBER, "%" PRId32, f->value.l);
		break;
	case PM_TYPE_U32:
		pmsprintf(buf, FIELD_NUMBER, "%" PRIu32, f->value.ul);
		break;
	case PM_TYPE_64:
		pmsprintf(buf, FIELD_NUMBER, "%" PRId64, f->value.ll);
		break;
	case PM_TYPE_U64:
		pmsprintf(buf, FIELD_NUMBER, "%" PRIu64, f->value.ull);
		break;
	case PM_TYPE_FLOAT:
		real_float(f->value.f, buf);
		break;
	case PM_TYPE_DOUBLE:
		real_double(f->value.d, buf);
		break;
	default:
		buf[0] = '\0';
		break;
	}
	return buf;
}

/* Appends the bytes of an aggregate. */
static const unsigned char *field_bytes(const struct field *f, size_t *ret_n)
{
	*ret_n = 0;
	if (f->type != PM_TYPE_AGGREGATE || f->value.vbp == NULL ||
	    f->value.vbp->vlen < PM_VAL_HDR_SIZE)
		return (const unsigned char *)"";
	*ret_n = f->value.vbp->vlen - PM_VAL_HDR_SIZE;
	return (const unsigned char *)f->value.vbp->vbuf;
}

static char *hexadecimal(const unsigned char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * n + 1);

	if (text == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * n] = '\0';
	return text;
}

char *field_text(const struct field *f)
{
	char buf[FIELD_NUMBER];
	size_t n;
	const unsigned char *bytes;

	if (f->type == PM_TYPE_STRING)
		return strdup(f->value.cp);
	if (f->type != PM_TYPE_AGGREGATE)
		return strdup(field_number(f, buf));
	bytes = field_bytes(f, &n);
	return hexadecimal(bytes, n);
}

/*
 * stuff - values for results: from an atom, from text; and their release: docs/spec/pmapi.md 24.
 */
#include <float.h>
#include <math.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

#include "libpcp/cnumber.h"
#include "libpcp/results.h"

/* Blocks are not shorter than this: programs of old read eight bytes. */
#define BLOCK_MIN 8

static int stuff_block(const void *bytes, size_t len, pmValue *value, int type)
{
	size_t vlen = PM_VAL_HDR_SIZE + len;
	pmValueBlock *block;

	if (vlen > PM_VAL_VLEN_MAX)
		return PM_ERR_TOOBIG;
	block = malloc(vlen > BLOCK_MIN ? vlen : BLOCK_MIN);
	if (block == NULL)
		return -ENOMEM;
	block->vlen = (unsigned int)vlen;
	block->vtype = (unsigned int)type;
	memcpy(block->vbuf, bytes, len);
	value->value.pval = block;
	return PM_VAL_DPTR;
}

static int stuff_aggregate(const pmValueBlock *block, pmValue *value)
{
	if (block->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_TYPE;
	return stuff_block(block->vbuf, block->vlen - PM_VAL_HDR_SIZE, value, PM_TYPE_AGGREGATE);
}

int __pmStuffValue(const pmAtomValue *atom, pmValue *value, int type)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		value->value.lval = atom->l;
		return PM_VAL_INSITU;
	case PM_TYPE_FLOAT:
		return stuff_block(&atom->f, sizeof(atom->f), value, type);
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return stuff_block(&atom->ull, sizeof(atom->ull), value, type);
	case PM_TYPE_STRING:
		return stuff_block(atom->cp, strlen(atom->cp) + 1, value, type);
	case PM_TYPE_AGGREGATE:
		return stuff_aggregate(atom->vbp, value);
	case PM_TYPE_AGGREGATE_STATIC:
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		value->value.pval = atom->vbp;
		return PM_VAL_SPTR;
	default:
		return PM_ERR_TYPE;
	}
}

/* Decimal, or hexadecimal after 0x; an octal number is read as a decimal one. */
static int text_base(const char *text)
{
	const char *p = text;

	while (*p == ' ' || *p == '\t')
		p++;
	if (*p == '-' || *p == '+')
		p++;
	return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 16 : 10;
}

/* After the number nothing may follow; errno is that of the conversion. */
static int number_end(const char *end)
{
	if (*end != '\0')
		return PM_ERR_TYPE;
	return errno == ERANGE ? -ERANGE : 0;
}

static int text_to_signed(const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoll(text, &end, text_base(text));
	return number_end(end);
}

static int text_to_unsigned(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, text_base(text));
	return number_end(end);
}

static int text_to_real(const char *text, double *ret)
{
	char *end;

	if (text_base(text) == 16)
		return PM_ERR_TYPE;
	errno = 0;
	*ret = cnumber_parse(text, &end);
	return number_end(end);
}

static int text_to_32(const char *text, pmAtomValue *atom)
{
	int64_t v;
	int r = text_to_signed(text, &v);

	if (r < 0)
		return r;
	if (v < INT32_MIN || v > INT32_MAX)
		return -ERANGE;
	atom->l = (int32_t)v;
	return 0;
}

static int text_to_u32(const char *text, pmAtomValue *atom)
{
	uint64_t v;
	int r = text_to_unsigned(text, &v);

	if (r < 0)
		return r;
	if (v > UINT32_MAX)
		return -ERANGE;
	atom->ul = (uint32_t)v;
	return 0;
}

static int text_to_float(const char *text, pmAtomValue *atom)
{
	double v;
	int r = text_to_real(text, &v);

	if (r < 0)
		return r;
	if (fabs(v) < FLT_MIN || fabs(v) > FLT_MAX)
		return -ERANGE;
	atom->f = (float)v;
	return 0;
}

int __pmStringValue(const char *text, pmAtomValue *atom, int type)
{
	int64_t v;
	uint64_t u;
	int r;

	switch (type) {
	case PM_TYPE_32:
		return text_to_32(text, atom);
	case PM_TYPE_U32:
		return text_to_u32(text, atom);
	case PM_TYPE_64:
		r = text_to_signed(text, &v);
		if (r == 0)
			atom->ll = v;
		return r;
	case PM_TYPE_U64:
		r = text_to_unsigned(text, &u);
		if (r == 0)
			atom->ull = u;
		return r;
	case PM_TYPE_FLOAT:
		return text_to_float(text, atom);
	case PM_TYPE_DOUBLE:
		return text_to_real(text, &atom->d);
	case PM_TYPE_STRING:
		atom->cp = strdup(text);
		return atom->cp != NULL ? 0 : -ENOMEM;
	default:
		return PM_ERR_TYPE;
	}
}

void __pmFreeResultValues(pmResult *result)
{
	/* The values of a fetched result are in one block with it, which its owner still has to
	 * free. */
	if (!results_forget(result))
		results_free_sets(result->vset, result->numpmid);
}

void __pmFreeInResult(pmInResult *result)
{
	if (result == NULL)
		return;
	if (result->namelist != NULL)
		for (int i = 0; i < result->numinst; i++)
			free(result->namelist[i]);
	free(result->namelist);
	free(result->instlist);
	free(result);
}

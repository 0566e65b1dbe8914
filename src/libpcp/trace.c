/* trace - see trace.h. */
#include "libpcp/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libpcp/context.h"
#include "libwire/pdu.h"

enum { WORDS_IN_LINE = 8, ID_MAX = 20, NAME_MAX_LEN = 20 };

/*
 * PDUs: their words as a little-endian machine reads them, the rest of the last one as "~".
 */

static uint32_t word_at(const uint8_t *p, size_t left)
{
	uint8_t bytes[4] = {'~', '~', '~', '~'};

	memcpy(bytes, p, left < sizeof(bytes) ? left : sizeof(bytes));
	return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 |
	       bytes[0];
}

/* The header is printed in the order of the numbers, in host byte order. */
static uint32_t header_word(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void trace_pdu(bool sent, int fd, const uint8_t *pdu, size_t len)
{
	char name[NAME_MAX_LEN];

	if (!pmDebugOptions.pdu)
		return;
	pdu_name_r(header_word(pdu + 4), name, sizeof(name));
	fprintf(stderr, "[%d]%s: %s fd=%d len=%zu", (int)getpid(), sent ? "pmXmitPDU" : "pmGetPDU",
		name, fd, len);
	if (!sent)
		fprintf(stderr, " from=%d", (int)header_word(pdu + 8));
	for (size_t i = 0; i * 4 < len; i++) {
		if (i % WORDS_IN_LINE == 0)
			fprintf(stderr, "\n%03zu: ", i);
		fprintf(stderr, "%8x ",
			i < PDU_HEADER_LEN / 4 ? header_word(pdu + i * 4)
					       : word_at(pdu + i * 4, len - i * 4));
	}
	putc('\n', stderr);
}

void trace_context(const char *call, int arg, const char *name, int result)
{
	if (!pmDebugOptions.context && !pmDebugOptions.pmapi)
		return;
	fprintf(stderr, "%s(%d", call, arg);
	if (name != NULL)
		fprintf(stderr, ", %s", name);
	fprintf(stderr, ") -> %d\n", result);
}

void trace_call(int result, const char *fmt, ...)
{
	va_list ap;

	if (!pmDebugOptions.pmapi)
		return;
	va_start(ap, fmt);
	flockfile(stderr);
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, " -> %d\n", result);
	funlockfile(stderr);
	va_end(ap);
}

static const char *state_text(int state)
{
	return state == PM_PROFILE_INCLUDE ? "INCLUDE" : "EXCLUDE";
}

void trace_profile(const char *what, const pmProfile *profile)
{
	char id[ID_MAX];

	if (!pmDebugOptions.profile)
		return;
	fprintf(stderr, "%s\nDump Instance Profile state=%s, %d profiles\n", what,
		state_text(profile->state), profile->profile_len);
	for (int i = 0; i < profile->profile_len; i++) {
		const pmInDomProfile *p = &profile->profile[i];

		fprintf(stderr, "\tProfile [%d] indom=%u [%s] state=%s %d instances\n", i, p->indom,
			pmInDomStr_r(p->indom, id, sizeof(id)), state_text(p->state),
			p->instances_len);
		if (p->instances_len == 0)
			continue;
		fprintf(stderr, "\t\tInstances:");
		for (int j = 0; j < p->instances_len; j++)
			fprintf(stderr, " [%d]", p->instances[j]);
		putc('\n', stderr);
	}
}

void trace_names(int n, const char **names, const pmID *pmids, int result)
{
	char id[ID_MAX];

	if (!pmDebugOptions.pmns)
		return;
	for (int i = 0; i < n; i++)
		fprintf(stderr, "pmLookupName: [%d] %s -> %s\n", i, names[i],
			pmIDStr_r(pmids[i], id, sizeof(id)));
	fprintf(stderr, "pmLookupName(%d, ...) -> %d\n", n, result);
}

void trace_insts(pmInDom indom, const struct context_insts *insts, int n)
{
	char id[ID_MAX];

	if (!pmDebugOptions.indom)
		return;
	fprintf(stderr, "pmInResult dump for InDom %s (0x%x), numinst=%d\n",
		pmInDomStr_r(indom, id, sizeof(id)), indom, n);
	for (int i = 0; i < n; i++) {
		fprintf(stderr, "  [%d] inst=%d", i, insts->ids[i]);
		if (insts->names[i][0] != '\0')
			fprintf(stderr, " name=\"%s\"", insts->names[i]);
		putc('\n', stderr);
	}
}

void trace_labels(unsigned int ident, int type, pmLabelSet *sets, int n)
{
	if (pmDebugOptions.labels)
		pmPrintLabelSets(stderr, (int)ident, type, sets, n);
}

/* ---- Results -------------------------------------------------------------------------------- */

static void print_names(pmID pmid)
{
	char **names;
	int n = pmNameAll(pmid, &names);

	if (n <= 0)
		return;
	fprintf(stderr, " (");
	for (int i = 0; i < n; i++)
		fprintf(stderr, "%s%s", i > 0 ? ", " : "", names[i]);
	fprintf(stderr, ")");
	free(names);
}

/* The type of a value, as far as the value itself shows it. */
static int type_of(const pmValueSet *vset, const pmValue *v)
{
	if (vset->valfmt == PM_VAL_INSITU)
		return PM_TYPE_32;
	return v->value.pval->vtype == 0 ? PM_TYPE_UNKNOWN : v->value.pval->vtype;
}

static void print_value(const pmValueSet *vset, const pmValue *v, pmInDom indom)
{
	char *name = NULL;

	fprintf(stderr, "   ");
	if (v->inst != (int)PM_IN_NULL) {
		fprintf(stderr, " inst [%d", v->inst);
		if (indom != PM_INDOM_NULL && pmNameInDom(indom, v->inst, &name) >= 0)
			fprintf(stderr, " or \"%s\"", name);
		fprintf(stderr, "]");
		free(name);
	}
	fprintf(stderr, "%svalue ", v->inst != (int)PM_IN_NULL ? " " : "");
	pmPrintValue(stderr, vset->valfmt, type_of(vset, v), v, 1);
	putc('\n', stderr);
}

static void print_values(const pmValueSet *vset)
{
	char text[PM_MAXERRMSGLEN];
	pmDesc desc = {.indom = PM_INDOM_NULL};

	fprintf(stderr, "  %s", pmIDStr_r(vset->pmid, text, sizeof(text)));
	print_names(vset->pmid);
	if (vset->numval <= 0) {
		fprintf(stderr, ": %s\n",
			vset->numval == 0 ? "No values returned!"
					  : pmErrStr_r(vset->numval, text, sizeof(text)));
		return;
	}
	fprintf(stderr, ": numval: %d valfmt: %d vlist[]:\n", vset->numval, vset->valfmt);
	if (vset->vlist[0].inst != (int)PM_IN_NULL && pmLookupDesc(vset->pmid, &desc) < 0)
		desc.indom = PM_INDOM_NULL;
	for (int i = 0; i < vset->numval; i++)
		print_value(vset, &vset->vlist[i], desc.indom);
}

void trace_result(const pmHighResResult *result)
{
	if (!pmDebugOptions.fetch)
		return;
	fprintf(stderr, "pmFetch returns ...\n__pmResult dump from %p timestamp: %lld.%09ld ",
		(const void *)result, (long long)result->timestamp.tv_sec,
		result->timestamp.tv_nsec);
	pmPrintHighResStamp(stderr, &result->timestamp);
	fprintf(stderr, " numpmid: %d\n", result->numpmid);
	for (int i = 0; i < result->numpmid; i++)
		print_values(result->vset[i]);
}

void trace_value(int type, const pmAtomValue *out, int otype, int result)
{
	char text[PM_MAXERRMSGLEN];

	if (!pmDebugOptions.value)
		return;
	fprintf(stderr, "pmExtractValue: [%s] -> ", pmTypeStr(type));
	if (result < 0)
		fprintf(stderr, "%s\n", pmErrStr_r(result, text, sizeof(text)));
	else
		fprintf(stderr, "%s [%s]\n", pmAtomStr_r(out, otype, text, sizeof(text)),
			pmTypeStr(otype));
}

void trace_config(const char *name, const char *value)
{
	if (pmDebugOptions.config)
		fprintf(stderr, "pmgetconfig: (init) %s=%s\n", name, value);
}

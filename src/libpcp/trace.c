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

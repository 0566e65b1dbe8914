/* pdu_count - see pdu_count.h. */
#include "libpcp/pdu_count.h"

#include <stdio.h>

#include <pcp/libpcp.h>

#include "libwire/pdu.h"

enum { NCOUNT = PDU_LAST - PDU_FIRST + 1 };

static unsigned int counts_in[NCOUNT];
static unsigned int counts_out[NCOUNT];

unsigned int *__pmPDUCntIn = counts_in;
unsigned int *__pmPDUCntOut = counts_out;

static void count(unsigned int *counts, uint32_t type)
{
	if (type >= PDU_FIRST && type <= PDU_LAST)
		__atomic_fetch_add(&counts[type - PDU_FIRST], 1, __ATOMIC_RELAXED);
}

void pdu_count_in(uint32_t type)
{
	count(__pmPDUCntIn, type);
}

void pdu_count_out(uint32_t type)
{
	count(__pmPDUCntOut, type);
}

void __pmDumpPDUCnt(FILE *f)
{
	unsigned int total_in = 0;
	unsigned int total_out = 0;
	char name[20];

	fprintf(f, "PDU stats ...\n%-20s %6s %6s\n", "Type", "Xmit", "Recv");
	for (unsigned int i = 0; i < NCOUNT; i++) {
		unsigned int in = __atomic_load_n(&__pmPDUCntIn[i], __ATOMIC_RELAXED);
		unsigned int out = __atomic_load_n(&__pmPDUCntOut[i], __ATOMIC_RELAXED);

		if (in == 0 && out == 0)
			continue;
		fprintf(f, "%-20s %6u %6u\n", pdu_name_r(PDU_FIRST + i, name, sizeof(name)), out,
			in);
		total_in += in;
		total_out += out;
	}
	fprintf(f, "%-20s %6u %6u\n", "Total", total_out, total_in);
}

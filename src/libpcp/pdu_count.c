/* pdu_count - see pdu_count.h. */
#include "libpcp/pdu_count.h"

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

#include "tools/pmprobe/traffic.h"

#include <stdio.h>

#include <pcp/libpcp.h>

/* The library's counters, one for each PDU type from PDU_ERROR on (docs/spec/pmapi.md 24). */
#define N_PDU_TYPES 23

static void print_counters(const char *title, const unsigned int *counters)
{
	unsigned int total = 0;

	fputs(title, stdout);
	for (int i = 0; i < N_PDU_TYPES; i++) {
		printf(" %3d", (int)counters[i]);
		total += counters[i];
	}
	printf("\nTotal: %d\n", (int)total);
}

void traffic_print(void)
{
	print_counters("PDUs send", __pmPDUCntOut);
	print_counters("PDUs recv", __pmPDUCntIn);
}

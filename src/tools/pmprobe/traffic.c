#include "tools/pmprobe/traffic.h"

#include <stdio.h>

/*
 * The library's counters, one a PDU type from PDU_ERROR on (docs/spec/pmapi.md 24): exported for
 * this program, declared in no installed header.
 */
#define N_PDU_TYPES 23

extern unsigned int *__pmPDUCntIn;
extern unsigned int *__pmPDUCntOut;

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

/*
 * builtin_instances - the instance domains of the agent "pmcd", and what their metrics read
 * (docs/spec/pmcd.md 11).
 */
#ifndef PMCD_BUILTIN_INSTANCES_H
#define PMCD_BUILTIN_INSTANCES_H

#include <stdint.h>

enum {
	REGISTERS = 16,
	PMIE_PATH_LEN = 4097,
	PMIE_HOST_LEN = 65,
};

/* The contents of a pmlogger's port map file (docs/spec/pdu.md 11). */
struct logger {
	unsigned int port;
	const char *pmcd_host;
	const char *archive;
};

/* A pmie's memory-mapped file, in host order. */
struct pmie {
	char config[PMIE_PATH_LEN];
	char log[PMIE_PATH_LEN];
	char host[PMIE_HOST_LEN];
	float expected;
	uint32_t numrules, actions, true_, false_, unknown, actual, version;
};

/* Scratch registers: any client that may store sees what any other put there. */
extern int builtin_registers[REGISTERS];

#endif

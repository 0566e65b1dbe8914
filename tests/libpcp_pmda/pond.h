/*
 * pond - an agent for the tests of the framework: what its refreshes find is set by the test.
 */
#ifndef TESTS_POND_H
#define TESTS_POND_H

#include <stdint.h>

#include <pitot/agent.h>

/* The data that pond's clusters read next. */
struct pond_world {
	int status;           /* what refresh of cluster birds returns */
	const char *birds[8]; /* instances of cluster birds, ended by NULL */
	const char *rings[8]; /* instances that cluster rings knows more about */
	int given[8];         /* ids of cluster nests, ended by -1 */
	int birds_reads, rings_reads, nests_reads, depth_reads, deep_reads;
	int depth_wanted; /* whether agent_wanted said so at the last read */
};

extern struct pond_world pond_world;

/* Releases one refresh of the cluster "deep", which blocks until then. */
void pond_let_go(void);

extern const struct agent pond;

/* A new dispatch of the agent, with its status. Resets the data. */
void pond_open(const struct agent *agent, pmdaInterface *ret_dispatch);

/* One metric: the number of its values or an error; the i-th value's id and atom. */
int pond_fetch(pmdaInterface *dispatch, unsigned int cluster, unsigned int item);
int pond_inst(int i);
pmAtomValue pond_atom(int i, int type); /* a string is the caller's */

/* The result of the instance method. */
void pond_free_list(pmInResult *list);

#endif

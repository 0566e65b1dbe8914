/* feed - events from a source, fetch by fetch or record by record, to standard output. */
#ifndef PMEVENT_FEED_H
#define PMEVENT_FEED_H

struct command;

/* The rest of the program, after the command line has been read. Returns the exit status. */
int feed_run(struct command *c, int argc, char **argv);

#endif

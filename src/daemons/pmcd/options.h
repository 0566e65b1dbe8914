/*
 * options - the command line and the environment (docs/spec/pmcd.md 2, 3).
 *
 * Options of parts that are not there (TLS, authentication, service discovery) are accepted, and
 * the log has that they are missing.
 */
#ifndef PMCD_OPTIONS_H
#define PMCD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	OPTIONS_PORTS_MAX = 32,
	OPTIONS_INTERFACES_MAX = 32,
	OPTIONS_PATH_MAX = 4096,
	OPTIONS_NOTES_MAX = 16,
	PMCD_PORT_DEFAULT = 44321,
};

struct options {
	const char *config_path;
	char *access_path;    /* the file of access statements beside it */
	const char *hostname; /* -H; NULL: the host's own */
	const char *log_path;
	const char *namespace_file; /* -n, -N; NULL: the default */
	bool unique_names;
	char socket_path[OPTIONS_PATH_MAX]; /* "": none */
	const char *user;
	const char *fatal_path; /* -x; NULL: the terminal */
	bool foreground;
	bool verify;
	bool help, version;
	bool require_account; /* -S */
	uint16_t ports[OPTIONS_PORTS_MAX];
	unsigned int nport;
	const char *interfaces[OPTIONS_INTERFACES_MAX];
	unsigned int ninterface;
	bool any_address; /* PMCD_LOCAL=0: all of them */
	int backlog;
	long pdu_ceiling;
	unsigned int timeout_s;
	unsigned int creds_timeout_s;
	unsigned int silence_s;
	unsigned int trace;
	bool restart_agents;
	const char *notes[OPTIONS_NOTES_MAX]; /* lines for the log: what was set, what is missing */
	unsigned int nnote;
};

/* Reads both. 0, or -EINVAL after an error was reported on standard error. argv and the environment
 * are referred to from then on. */
int options_parse(struct options *o, int argc, char **argv);
void options_done(struct options *o);

/* What -? prints, on standard output. */
void options_usage(void);

#endif

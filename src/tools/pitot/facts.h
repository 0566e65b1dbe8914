/*
 * facts - all that `pitot status` prints and `pitot doctor` judges, gathered once.
 *
 *     target -> collector, twice, a window apart -> processes -> folders, files, environment
 *
 * Nothing is judged or printed here. A fact that cannot be found stays unknown (-1, NAN, NULL, "").
 */
#ifndef PITOT_FACTS_H
#define PITOT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "archives.h"
#include "capture.h"
#include "clocks.h"
#include "collector.h"
#include "folder.h"
#include "portowner.h"
#include "process.h"
#include "recorder_state.h"
#include "redirect.h"
#include "target.h"

enum {
	FACTS_FOLDERS = 8,
	FACTS_TEXT = CAPTURE_TEXT_MAX,
};

/* A file with the process id of a daemon. */
struct pidfile {
	char path[PLACE_PATH + 16];
	pid_t pid; /* 0: there is no such file */
	bool alive;
};

struct facts {
	struct target target;
	int reach;       /* 0, or why the collector could not be asked */
	bool here;       /* its process is one of this host */
	double window_s; /* between the two looks; 0: there was one */
	struct collector collector;
	struct process process; /* of the collector */
	double requests_per_s, fetches_per_s, requests_per_s_ever;
	double step_s;       /* by how much the wall clock was set within the window */
	double step_ever_s;  /* since the collector started; NAN: unknown */
	double clock_off_s;  /* its clock against ours, beyond what the exchange may explain */
	bool unsynchronised; /* no time service */
	int nfolder;
	struct folder folders[FACTS_FOLDERS];
	int nredirect;
	struct redirect redirects[REDIRECTS_MAX];
	struct archives archives; /* of the user's own place */
	bool recording;           /* the user's own `pitot up` is to record: what follows is known */
	struct recorder_state recorder;
	struct process recorder_process;
	double now_s;      /* when we looked at it, since the epoch */
	int record_status; /* of pmlogger --check-syntax: 0 is good; < 0: could not be run */
	char record_text[FACTS_TEXT];
	struct portowner port; /* that the collector would listen at if it ran */
	struct pidfile pidfile;
	char config[PLACE_PATH + 32]; /* the collector's configuration; "": unknown */
	int config_status;            /* of pmcd -v: 0 is good; < 0: could not be run */
	char config_text[FACTS_TEXT];
	char names[PLACE_PATH + 32]; /* the file of names with the errors; "": none has any */
	char names_text[FACTS_TEXT];
};

/* host: -h or NULL. window_s: 0 looks once. To be freed. 0, or -1 after a message. */
int facts_gather(struct facts *f, const char *host, double window_s);
void facts_free(struct facts *f);

#endif

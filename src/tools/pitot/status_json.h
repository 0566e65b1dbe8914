/* status_json - facts and findings for programs: one object a line, its members in pitot-status(1).
 */
#ifndef PITOT_STATUS_JSON_H
#define PITOT_STATUS_JSON_H

#include <stdbool.h>

#include "doctor.h"
#include "facts.h"

/* findings_only: without what runs. 0 or -1 after a message. */
int status_json_print(const struct facts *f, const struct doctor *d, bool findings_only);

/* The verdict in a word: well, warning, error, nothing (runs). */
const char *status_verdict(const struct doctor *d);

#endif

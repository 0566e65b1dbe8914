/* status_text - facts and findings for people. */
#ifndef PITOT_STATUS_TEXT_H
#define PITOT_STATUS_TEXT_H

#include "doctor.h"
#include "facts.h"
#include "paint.h"

/* The collector, and its agents. */
void status_text_print(const struct facts *f, const struct doctor *d, const struct paint *p);

/* The findings that are at least so bad, or the word that there are none. */
void status_text_findings(const struct doctor *d, enum severity least, const struct paint *p);

#endif

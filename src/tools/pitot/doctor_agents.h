/* doctor_agents - checks of the agents; the rows are in doctor.c. */
#ifndef PITOT_DOCTOR_AGENTS_H
#define PITOT_DOCTOR_AGENTS_H

struct doctor;
struct facts;

void check_agent_down(struct doctor *d, const struct facts *f);
void check_agent_restarting(struct doctor *d, const struct facts *f);
void check_agent_late(struct doctor *d, const struct facts *f);
void check_agent_timeouts(struct doctor *d, const struct facts *f);
void check_agent_notready(struct doctor *d, const struct facts *f);
void check_agent_fenced(struct doctor *d, const struct facts *f);

#endif

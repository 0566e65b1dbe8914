/* doctor_collector - checks of the collector: does it run, where, and which; rows in doctor.c. */
#ifndef PITOT_DOCTOR_COLLECTOR_H
#define PITOT_DOCTOR_COLLECTOR_H

struct doctor;
struct facts;

void check_not_running(struct doctor *d, const struct facts *f);
void check_unreachable(struct doctor *d, const struct facts *f);
void check_hung(struct doctor *d, const struct facts *f);
void check_restarting(struct doctor *d, const struct facts *f);
void check_port_taken(struct doctor *d, const struct facts *f);
void check_other_collector(struct doctor *d, const struct facts *f);
void check_stale_socket(struct doctor *d, const struct facts *f);
void check_stale_lock(struct doctor *d, const struct facts *f);
void check_stale_pidfile(struct doctor *d, const struct facts *f);
void check_version(struct doctor *d, const struct facts *f);
void check_program_replaced(struct doctor *d, const struct facts *f);
void check_configuration(struct doctor *d, const struct facts *f);
void check_name_space(struct doctor *d, const struct facts *f);

#endif

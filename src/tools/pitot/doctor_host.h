/* doctor_host - checks of what the host gives: room, rights, descriptors, time; rows in doctor.c.
 */
#ifndef PITOT_DOCTOR_HOST_H
#define PITOT_DOCTOR_HOST_H

struct doctor;
struct facts;

void check_directory(struct doctor *d, const struct facts *f);
void check_directory_owner(struct doctor *d, const struct facts *f);
void check_disk_full(struct doctor *d, const struct facts *f);
void check_disk_nearly_full(struct doctor *d, const struct facts *f);
void check_descriptors(struct doctor *d, const struct facts *f);
void check_descriptors_gone(struct doctor *d, const struct facts *f);
void check_descriptors_limit(struct doctor *d, const struct facts *f);
void check_clock_stepped(struct doctor *d, const struct facts *f);
void check_clock_was_stepped(struct doctor *d, const struct facts *f);
void check_clock_differs(struct doctor *d, const struct facts *f);
void check_clock_free_running(struct doctor *d, const struct facts *f);
void check_environment(struct doctor *d, const struct facts *f);

#endif

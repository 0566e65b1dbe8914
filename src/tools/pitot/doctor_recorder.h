/* doctor_recorder - checks of the recorder of the user's `pitot up`; rows in doctor.c. */
#ifndef PITOT_DOCTOR_RECORDER_H
#define PITOT_DOCTOR_RECORDER_H

struct doctor;
struct facts;

void check_recorder_down(struct doctor *d, const struct facts *f);
void check_recorder_restarting(struct doctor *d, const struct facts *f);
void check_recorder_stalled(struct doctor *d, const struct facts *f);
void check_recorder_folder_gone(struct doctor *d, const struct facts *f);
void check_recorder_overlapping(struct doctor *d, const struct facts *f);
void check_recorder_configuration(struct doctor *d, const struct facts *f);

#endif

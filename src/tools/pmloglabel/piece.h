/*
 * piece - one file of an archive and its label.
 */
#ifndef PMLOGLABEL_PIECE_H
#define PMLOGLABEL_PIECE_H

#include <stdbool.h>
#include <stdio.h>

#include "libdisk/log_label.h"

enum { PIECE_NAME = 32 };

struct piece {
	const char *path; /* borrowed */
	int32_t volume;   /* the volume that its label should have */
	char name[PIECE_NAME];
	struct log_label label; /* the part that could be read */
	int sts;                /* 0, or the error */
	bool unread;            /* it could not be read at all */
	bool foreign;           /* it is not a PCP label */
};

/* Reads the label of a file. */
struct piece piece_read(const char *path, int32_t volume);

/* Reports the error of a label on standard error, if it has one. */
void piece_complain(const struct piece *p);

enum piece_field {
	PIECE_VERSION = 1u << 0,
	PIECE_PID = 1u << 1,
	PIECE_HOST = 1u << 2,
	PIECE_TIMEZONE = 1u << 3,
	PIECE_ZONEINFO = 1u << 4,
	PIECE_ALL_FIELDS = (1u << 5) - 1,
};

/*
 * Reports how it differs from the label of another file in some fields. Returns the number of
 * differences.
 */
int piece_compare(const struct piece *p, const struct piece *reference, unsigned int fields);

/*
 * Overwrites the label of a file with one of the same version, even if its lengths or its magic
 * number are damaged. Returns 0; PM_ERR_LABEL if there is no sign of such a label; -errno.
 */
int piece_write(const struct piece *p, const struct log_label *label);

#endif

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
	int32_t volume;   /* what its label is to say */
	char name[PIECE_NAME];
	struct log_label label; /* as far as it could be read */
	int sts;                /* 0, or what is wrong with it */
	bool unread;            /* it could not be read at all */
	bool foreign;           /* it is no PCP label */
};

/* Reads the label of a file. */
struct piece piece_read(const char *path, int32_t volume);

/* Says on standard error what is wrong with it, if something is. */
void piece_complain(const struct piece *p);

enum piece_field {
	PIECE_VERSION = 1u << 0,
	PIECE_PID = 1u << 1,
	PIECE_HOST = 1u << 2,
	PIECE_TIMEZONE = 1u << 3,
	PIECE_ZONEINFO = 1u << 4,
	PIECE_ALL_FIELDS = (1u << 5) - 1,
};

/* Says how it differs from the label of another file in some fields. How many differences there
 * are. */
int piece_compare(const struct piece *p, const struct piece *reference, unsigned int fields);

/* Writes a label over the one that is there, of the same version, also where its lengths or its magic
 * number are damaged. 0; PM_ERR_LABEL if nothing says that such a label is there, -errno. */
int piece_write(const struct piece *p, const struct log_label *label);

#endif

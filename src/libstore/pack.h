/* pack - the bytes of a file in a compressed form. */
#ifndef LIBSTORE_PACK_H
#define LIBSTORE_PACK_H

#include "libstore/archive_compress.h"

enum { PACK_BLOCK = ARCHIVE_COMPRESS_BLOCK }; /* of .xz; .zst is one frame */

/* From where in is to its end. 0; -ENOSYS without the library; -EIO, -errno, -ENOMEM. */
int pack_file(enum archive_form form, int in, int out);

#endif

/*
 * repair - copies the whole records of an archive to a new archive, with a new index.
 */
#ifndef PMLOGCHECK_REPAIR_H
#define PMLOGCHECK_REPAIR_H

#include <stdbool.h>

/*
 * Prints on standard error how much was copied and skipped. keep: values without a descriptor are
 * copied, although readers cannot show them; otherwise they are left out. Returns false after
 * reporting an error.
 */
bool repair_run(const char *archive, const char *out, bool keep);

#endif

/*
 * repair - copies what is whole of an archive to a new one, with a new index.
 */
#ifndef PMLOGCHECK_REPAIR_H
#define PMLOGCHECK_REPAIR_H

#include <stdbool.h>

/* Says what was copied and what was skipped on standard error. keep: values without a descriptor are copied, too, which no reader can show; else
 * they are left out. False after an error was reported. */
bool repair_run(const char *archive, const char *out, bool keep);

#endif

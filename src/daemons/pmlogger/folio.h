/* folio - the file "Latest" of a folder of archives: which one a daemon writes now. */
#ifndef PMLOGGER_FOLIO_H
#define PMLOGGER_FOLIO_H

/*
 * Writes it into the current directory, if that is below PCP_ARCHIVE_DIR. host is the collector's,
 * base the archive's. 0; 0 elsewhere; -errno.
 */
int folio_write(const char *host, const char *base);

#endif

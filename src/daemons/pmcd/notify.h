/* notify - word to the service manager through $NOTIFY_SOCKET; nothing happens without one. */
#ifndef PMCD_NOTIFY_H
#define PMCD_NOTIFY_H

void notify_ready(void);
void notify_stopping(void);

#endif

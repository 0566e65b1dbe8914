/*
 * service - word to the service manager through $NOTIFY_SOCKET (sd_notify(3)'s protocol); nothing
 * happens without one.
 */
#ifndef LIBBASE_SERVICE_H
#define LIBBASE_SERVICE_H

#include <stdint.h>

/* The service can be used from now on; this process is the one to watch. */
void service_ready(void);

/* It is going to end. */
void service_stopping(void);

/* Reports that the service is alive: call it at least twice in service_watchdog_ms(). */
void service_alive(void);

/* How long the manager waits for a sign of life of this process, in ms; 0: it does not. */
uint64_t service_watchdog_ms(void);

#endif

/* port - is a TCP port free on the addresses that the collector will listen on? */
#ifndef PITOT_PORT_H
#define PITOT_PORT_H

enum { PORT_ADDRESSES_MAX = 16 };

/*
 * Checks that port can be bound on every address (numeric IPv4 or IPv6; count 0: the loopback
 * ones). *port 0 is replaced by a free port. 0, or -1 after a message that names address and
 * port; a loopback address that the host does not have is passed over.
 */
int port_check(int *port, char *const addresses[], int count);

#endif

/*
 * probe - each record is also a static probe point, `libtrace:event`, for bpftrace, perf, SystemTap
 * and gdb: a note in the object says where it is and where its arguments are. Nobody looks: it is
 * one nop.
 *
 *     arg0 the event type's id, arg1 the data, arg2 their bytes, arg3 the address of the call
 *
 * An event that several streams record is several records. Without <sys/sdt.h> (systemtap-sdt-dev)
 * at build time there is no probe.
 */
#ifndef LIBTRACE_PROBE_H
#define LIBTRACE_PROBE_H

#ifdef HAVE_SYS_SDT_H
#include <sys/sdt.h>
#define PROBE_EVENT(id, data, length, address) \
	STAP_PROBE4(libtrace, event, id, data, length, address)
#else
#define PROBE_EVENT(id, data, length, address) ((void)0)
#endif

#endif

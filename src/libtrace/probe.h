/*
 * probe - each record is also a static probe point, `libtrace:event`, for bpftrace, perf, SystemTap
 * and gdb. A note in the object file gives its place and the places of its arguments. It is one nop
 * as long as no tool is attached.
 *
 *     arg0 id of the event type, arg1 data, arg2 number of bytes, arg3 address of the call
 *
 * An event that several streams record hits the probe once per stream. There is no probe if
 * <sys/sdt.h> (systemtap-sdt-dev) is missing at build time.
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

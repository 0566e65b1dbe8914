/* pmdbg.h - empty: pmDebugOptions is in <pcp/pmapi.h>, the debug bits in <pcp/deprecated.h>. */

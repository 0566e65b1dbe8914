/* pdu - see pdu.h. */
#include "libwire/pdu.h"

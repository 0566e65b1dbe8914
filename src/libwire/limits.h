/* limits - what bytes from outside may claim (docs/spec/pdu.md 2.2, 4.5, 5; pmcd.md 15). */
#ifndef LIBWIRE_LIMITS_H
#define LIBWIRE_LIMITS_H

enum {
	PDU_HEADER_LEN = 12,
	PDU_CLIENT_MAX = 65536,       /* default ceiling of what a server takes from a client */
	PDU_PEER_MAX = 256 << 20,     /* from a collector or an agent; the type allows 2^31-1 */
	PDU_CREDS_MAX = 1024,         /* credentials in a CREDS */
	PDU_ATTR_MAX = 4095,          /* bytes of an attribute's value */
	PDU_SASL_MAX = 2047,          /* bytes of an authentication payload */
	PDU_LABELS_MAX = 254,         /* labels in a set */
	PDU_LABEL_JSON_MAX = 65534,   /* bytes of a set's text */
	PDU_LOG_STRING_MAX = 256,     /* each string of a LOG_STATUS */
	PDU_NAMES_REQUEST_MAX = 63 << 10, /* a client splits longer lists of names */
};

#endif

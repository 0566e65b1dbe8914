/* send - PDUs that an agent sends itself, outside of any context: docs/spec/pmapi.md 24. */
#include <pcp/libpcp.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libpcp/pdu_count.h"
#include "libpcp/trace.h"
#include "libwire/pdu.h"

int __pmSendError(int fd, int from, int code)
{
	struct buffer out = {0};
	int r = pdu_encode_error(&out, from, code);
	int len = (int)buffer_pending(&out);

	if (r == 0)
		r = file_write_full(fd, buffer_head(&out), buffer_pending(&out));
	if (r == 0) {
		pdu_count_out(PDU_ERROR);
		trace_pdu(true, fd, buffer_head(&out), buffer_pending(&out));
	}
	buffer_done(&out);
	return r < 0 ? r : len;
}

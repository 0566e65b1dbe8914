// header_cxx - <trace.h> as C++: its functions have C linkage, or this program would not link.
#include <trace.h>
#include <trace_np.h>

namespace {

const char expected[] = "of C++";

bool next(trace_id_t trid, posix_trace_event_info &info, char *data, size_t room, size_t &len)
{
	int unavailable;

	return posix_trace_trygetnext_event(trid, &info, data, room, &len, &unavailable) == 0 &&
	       unavailable == 0;
}

} // namespace

int main()
{
	posix_trace_event_info info;
	trace_event_id_t id;
	trace_attr_t attr;
	trace_id_t trid;
	char data[64];
	size_t len;

	if (posix_trace_attr_init(&attr) != 0 || posix_trace_create(0, &attr, &trid) != 0 ||
	    posix_trace_eventid_open("C++", &id) != 0 || posix_trace_start(trid) != 0)
		return 1;
	posix_trace_event(id, expected, sizeof(expected));
	if (!next(trid, info, data, sizeof(data), len) || info.posix_event_id != POSIX_TRACE_START)
		return 2;
	if (!next(trid, info, data, sizeof(data), len) || info.posix_event_id != id)
		return 3;
	if (len != sizeof(expected) || data[0] != 'o')
		return 4;
	return posix_trace_shutdown(trid) == 0 ? 0 : 5;
}

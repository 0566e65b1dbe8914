/* plugin - a plug-in with trace points; its host does not use the library. */
#include <trace_np.h>

__attribute__((visibility("default"))) int plugin_trace(int events);

/* Traces the process from within, and counts what came: 0, or a number that says what was wrong. */
int plugin_trace(int events)
{
	struct posix_trace_counts_np counts;
	trace_event_id_t id;
	trace_id_t trid;

	if (posix_trace_eventid_open("plugged", &id) != 0)
		return 1;
	if (posix_trace_create(0, 0, &trid) != 0 || posix_trace_start(trid) != 0)
		return 2;
	for (int i = 0; i < events; i++)
		posix_trace_event(id, &i, sizeof(i));
	if (posix_trace_get_counts_np(trid, &counts) != 0 || counts.recorded != (uint64_t)events)
		return 3;
	return posix_trace_shutdown(trid) == 0 ? 0 : 4;
}

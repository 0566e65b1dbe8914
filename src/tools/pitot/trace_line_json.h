/* trace_line_json - an event as one JSON object on a line; the members are in pitot-trace(1). */
#ifndef PITOT_TRACE_LINE_JSON_H
#define PITOT_TRACE_LINE_JSON_H

struct trace_event;
struct trace_line;
struct trace_source;

void trace_line_json(struct trace_line *l, struct trace_source *s, const struct trace_event *e);

#endif

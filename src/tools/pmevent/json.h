/* json - an event as one JSON object on a line; the members are in pmevent(1). */
#ifndef PMEVENT_JSON_H
#define PMEVENT_JSON_H

struct record;

void json_print(const struct record *r);

#endif

/* drain - see drain.h. */
#include "libtrace/drain.h"

#include "libtrace/run.h"
#include "libtrace/status.h"

enum {
	/* The second round takes all events that were recorded before the drain began. A few more
	 * rounds serve handlers' events that waited, and runs that end and begin. Beyond that a
	 * writer is forging old ticks. */
	DRAIN_ROUNDS = 64,
};

/* The event is in the log, or counted, before it is consumed. After a kill between the two the
 * reader reports it again, and its token shows that the log has it. */
int drain(struct reader *reader, struct log_writer *writer, uint64_t tick)
{
	uint64_t end = reader->ctl->round + DRAIN_ROUNDS;
	const struct event *event;
	int r;

	log_writer_set_stop(writer, !control_filtered(reader->ctl, POSIX_TRACE_STOP));
	while (reader->ctl->round <= end && (event = reader_oldest(reader)) != NULL &&
	       reader->tick <= tick) {
		r = log_writer_add(writer, event, event->token);
		if (r < 0)
			return r;
		reader_consume(reader);
		if (r > 0)
			run_log_full(reader->seg, reader->ctl); /* */
	}
	return 0;
}

int drain_end(struct reader *reader, struct log_writer *writer)
{
	struct posix_trace_status_info status;
	struct posix_trace_counts_np counts;
	struct event event;
	uint64_t last;
	int r, end;

	reader_finish(reader);
	r = drain(reader, writer, UINT64_MAX);
	last = reader->ctl->round + DRAIN_ROUNDS;
	while (r < 0 && reader->ctl->round <= last && reader_peek(reader, &event) == 1) {
		log_writer_lose(writer, &event, event.token);
		reader_consume(reader);
	}
	status_read(reader, false, &status);
	status.posix_stream_flush_status = POSIX_TRACE_NOT_FLUSHING;
	status_counts(reader, &counts);
	end = log_writer_complete(writer, &status, &counts);
	return r < 0 ? r : end;
}

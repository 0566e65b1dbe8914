/*
 * fuzz_control - any bytes as the messages of a client to the control port of a recorder.
 *
 * The first byte selects the size of the pieces in which the rest is sent, and whether the recorder
 * answers at once or after the client has sent everything. Requests to the recorder are
 * well-formed, and the client receives complete PDUs, the last of which is an error if it was
 * disconnected.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include <pcp/pmapi.h>

#include "daemons/pmlogger/control_client.h"
#include "daemons/pmlogger/control_recorder.h"
#include "fuzz.h"
#include "libbase/arena.h"

enum { PIECE_MASK = 0x3f, LATER = 0x40, HEARD_MAX = 1 << 20 };

struct logger {
	bool later;
	control_answered answered; /* NULL: no answer is owed */
	void *arg;
	int volume;
};

static bool ended;

static void recorder_control(struct logger *l, const struct pdu_log_control *request,
			     const char *client, control_answered answered, void *arg)
{
	FUZZ_REQUIRE(request->numpmid > 0 && strcmp(client, "fuzz") == 0);
	for (uint32_t i = 0; i < request->numpmid; i++)
		FUZZ_REQUIRE(request->sets[i].numval <= 0 || request->sets[i].insts != NULL);
	FUZZ_REQUIRE(l->answered == NULL);
	if (l->later) {
		l->answered = answered;
		l->arg = arg;
	} else {
		answered(arg, request->control == 13 ? 0 : PM_ERR_IPC, NULL, 0);
	}
}

static int recorder_new_volume(struct logger *l, const char *cause)
{
	return ++l->volume;
}

static void recorder_status(struct logger *l, struct pdu_log_status *ret_status)
{
	*ret_status =
	    (struct pdu_log_status){.state = 1, .volume = l->volume, .fqdn = {"local:", 6}};
}

static const struct control_recorder recorder = {
    .control = recorder_control,
    .new_volume = recorder_new_volume,
    .status = recorder_status,
};

static void client_ended(struct control_owner *owner, struct control_client *c)
{
	ended = true;
}

/* Checks that the received bytes are complete PDUs that a recorder may send. */
static void check_heard(const uint8_t *bytes, size_t len)
{
	struct arena mem = ARENA_INIT;
	struct pdu_header header;
	union pdu_body body;

	while (len > 0) {
		FUZZ_REQUIRE(len >= PDU_HEADER_LEN && pdu_header_get(bytes, &header) == 0);
		FUZZ_REQUIRE(header.len <= len &&
			     (pdu_roles(header.type) & PDU_LOG_TO_CLIENT) != 0);
		/* The recorder of this target returns an empty result, which a real one never
		   sends. */
		FUZZ_REQUIRE(pdu_decode(bytes, header.len, &mem, &body) == 0 ||
			     header.type == PDU_RESULT);
		bytes += header.len;
		len -= header.len;
	}
	arena_done(&mem);
}

static size_t hear(int fd, uint8_t *heard, size_t len)
{
	ssize_t n;

	while (len < HEARD_MAX && (n = recv(fd, heard + len, HEARD_MAX - len, MSG_DONTWAIT)) > 0)
		len += (size_t)n;
	return len;
}

static void turn(uv_loop_t *loop)
{
	for (int i = 0; i < 4; i++)
		uv_run(loop, UV_RUN_NOWAIT);
}

static void answer(struct logger *l)
{
	control_answered answered = l->answered;

	l->answered = NULL;
	if (answered != NULL)
		answered(l->arg, 0, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t heard[HEARD_MAX];
	struct logger logger = {0};
	struct control_owner owner = {
	    .recorder = &recorder, .logger = &logger, .max_version = 3, .ended = client_ended};
	struct control_client *c;
	uv_loop_t loop;
	size_t piece, len = 0;
	int fds[2];

	if (size == 0)
		return 0;
	piece = data[0] & PIECE_MASK;
	logger.later = (data[0] & LATER) != 0;
	ended = false;
	uv_loop_init(&loop);
	owner.loop = &loop;
	FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
	c = control_client_new(&owner, fds[0], "fuzz", data[0] >> 7, NULL);
	FUZZ_REQUIRE(c != NULL);
	for (size_t at = 1; at < size && !ended;) {
		size_t n = piece == 0 || size - at < piece ? size - at : piece;
		ssize_t sent = send(fds[1], data + at, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		at += sent > 0 ? (size_t)sent : 0;
		turn(&loop);
		len = hear(fds[1], heard, len);
		if (sent < 0) {
			/* The server reads nothing more from the client until the answer is
			   ready. */
			FUZZ_REQUIRE(ended || logger.answered != NULL);
			answer(&logger);
		}
	}
	while (logger.answered != NULL) {
		answer(&logger);
		turn(&loop);
	}
	turn(&loop);
	len = hear(fds[1], heard, len);
	check_heard(heard, len);
	if (!ended)
		control_client_close(c);
	answer(&logger);
	turn(&loop);
	FUZZ_REQUIRE(uv_loop_close(&loop) == 0);
	close(fds[1]);
	return 0;
}

/* pdu_log - the PDUs of a logger's control port: LOG_CONTROL, LOG_REQUEST, LOG_STATUS and its v2.
 */
#include "libbase/timespec.h"
#include "libwire/pdu_inner.h"

enum {
	CONTROL_SET_MIN = 8,
	CONTROL_INST_LEN = 8,
	STATUS_V2_HOST = 64, /* bytes of the two names, and of the two time zones */
	STATUS_V2_TZ = 40,
	USEC_PER_SEC = 1000000,
};

/* Instances of one metric into the next of what is left of the array; how many there were. */
static size_t get_control_set(struct pdu_in *in, struct wire_control_set *set,
			      struct wire_control_inst *insts, size_t left)
{
	set->pmid = get_u32(&in->r);
	set->numval = get_i32(&in->r);
	set->insts = set->numval > 0 ? insts : NULL;
	if (set->numval <= 0)
		return 0;
	if ((size_t)set->numval > left) {
		reader_fail(&in->r);
		return 0;
	}
	for (int32_t i = 0; i < set->numval; i++) {
		insts[i].inst = get_i32(&in->r);
		insts[i].value = get_i32(&in->r);
	}
	return (size_t)set->numval;
}

void pdu_get_log_control(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_log_control *control = &body->log_control;
	struct wire_control_inst *insts;
	struct wire_control_set *sets;
	size_t left;

	control->control = get_i32(&in->r);
	control->state = get_i32(&in->r);
	control->delta_ms = get_i32(&in->r);
	control->numpmid = pdu_in_count(in, 1, CONTROL_SET_MIN);
	control->sets = sets = pdu_in_alloc(in, control->numpmid, sizeof(*sets));
	/* All that is not the sets' own words is pairs, so this is how many there can be. */
	left = reader_left(&in->r) / CONTROL_INST_LEN - control->numpmid;
	insts = pdu_in_alloc(in, left, sizeof(*insts));
	for (uint32_t i = 0; i < control->numpmid && in->r.err == 0; i++) {
		size_t n = get_control_set(in, &sets[i], insts, left);

		insts += n;
		left -= n;
	}
}

void pdu_put_log_control(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_log_control *control = &body->log_control;

	if (control->numpmid == 0)
		frame_out_fail(out, -EINVAL);
	put_i32(out, control->control);
	put_i32(out, control->state);
	put_i32(out, control->delta_ms);
	frame_put_u32(out, control->numpmid);
	for (uint32_t i = 0; i < control->numpmid && out->err == 0; i++) {
		const struct wire_control_set *set = &control->sets[i];

		frame_put_u32(out, set->pmid);
		put_i32(out, set->numval);
		for (int32_t j = 0; j < set->numval; j++) {
			put_i32(out, set->insts[j].inst);
			put_i32(out, set->insts[j].value);
		}
	}
}

void pdu_get_log_request(struct pdu_in *in, union pdu_body *body)
{
	body->log_request.request = get_i32(&in->r);
}

void pdu_put_log_request(struct frame_out *out, const union pdu_body *body)
{
	put_i32(out, body->log_request.request);
}

static void get_stamp_v2(struct pdu_in *in, int64_t *ret_sec, int32_t *ret_nsec)
{
	int32_t usec;

	*ret_sec = get_i32(&in->r);
	usec = get_i32(&in->r);
	if (usec < 0 || usec >= USEC_PER_SEC)
		reader_fail(&in->r);
	else
		*ret_nsec = usec * TIMESPEC_NSEC_PER_USEC;
}

/* A field of fixed size that holds a NUL-terminated string. */
static struct wire_str get_field(struct pdu_in *in, size_t size)
{
	struct wire_str str = {NULL, 0};
	const char *s = get_bytes(&in->r, size);
	const char *end = s != NULL ? memchr(s, '\0', size) : NULL;

	if (end == NULL) {
		reader_fail(&in->r);
		return str;
	}
	str.s = s;
	str.len = (uint32_t)(end - s);
	return str;
}

void pdu_get_log_status_v2(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_log_status *status = &body->log_status;

	get_u32(&in->r); /* padding */
	get_stamp_v2(in, &status->start_sec, &status->start_nsec);
	get_stamp_v2(in, &status->last_sec, &status->last_nsec);
	get_stamp_v2(in, &status->now_sec, &status->now_nsec);
	status->state = get_i32(&in->r);
	status->volume = get_i32(&in->r);
	status->size = get_i64(&in->r);
	status->pmcd_host = get_field(in, STATUS_V2_HOST);
	status->fqdn = get_field(in, STATUS_V2_HOST);
	status->pmcd_tz = get_field(in, STATUS_V2_TZ);
	status->logger_tz = get_field(in, STATUS_V2_TZ);
	status->pmcd_zoneinfo = status->logger_zoneinfo = (struct wire_str){NULL, 0};
}

static void put_stamp_v2(struct frame_out *out, int64_t sec, int32_t nsec)
{
	put_low32(out, sec);
	put_i32(out, nsec / TIMESPEC_NSEC_PER_USEC);
}

/* The part of the string that fits into the field, and NULs. */
static void put_field(struct frame_out *out, struct wire_str str, size_t size)
{
	size_t len = str.len < size ? str.len : size - 1;
	uint8_t *p = frame_out_room(out, size);

	if (p == NULL)
		return;
	memset(p, 0, size);
	if (len > 0)
		memcpy(p, str.s, len);
}

void pdu_put_log_status_v2(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_log_status *status = &body->log_status;

	frame_put_u32(out, VALUE_PAD_BYTE * 0x01010101u);
	put_stamp_v2(out, status->start_sec, status->start_nsec);
	put_stamp_v2(out, status->last_sec, status->last_nsec);
	put_stamp_v2(out, status->now_sec, status->now_nsec);
	put_i32(out, status->state);
	put_i32(out, status->volume);
	put_i64(out, status->size);
	put_field(out, status->pmcd_host, STATUS_V2_HOST);
	put_field(out, status->fqdn, STATUS_V2_HOST);
	put_field(out, status->pmcd_tz, STATUS_V2_TZ);
	put_field(out, status->logger_tz, STATUS_V2_TZ);
}

/* The halves of the 64-bit seconds travel low word first: that is the format (5.19). */
static void get_stamp(struct pdu_in *in, int64_t *ret_sec, int32_t *ret_nsec)
{
	uint64_t low = get_u32(&in->r);
	uint64_t high = get_u32(&in->r);

	*ret_sec = (int64_t)(high << 32 | low);
	*ret_nsec = get_i32(&in->r);
}

static void put_stamp(struct frame_out *out, int64_t sec, int32_t nsec)
{
	put_low32(out, sec);
	put_low32(out, sec >> 32);
	put_i32(out, nsec);
}

/* The strings in the order of the wire: six lengths, then the bytes. */
enum { STATUS_STRINGS = 6 };

static struct wire_str get_status_string(struct pdu_in *in, uint32_t len)
{
	struct wire_str str = {NULL, 0};
	const char *s = get_bytes(&in->r, len);

	if (s == NULL || len == 0)
		return str;
	if (s[len - 1] != '\0')
		reader_fail(&in->r);
	str.s = s;
	str.len = len - 1;
	return str;
}

static void get_status_strings(struct pdu_in *in, struct wire_str *const strings[STATUS_STRINGS])
{
	uint32_t len[STATUS_STRINGS];
	uint32_t total = 0;

	for (size_t i = 0; i < STATUS_STRINGS; i++) {
		len[i] = get_u32(&in->r);
		if (len[i] > PDU_LOG_STRING_MAX)
			reader_fail(&in->r);
	}
	for (size_t i = 0; i < STATUS_STRINGS && in->r.err == 0; i++) {
		*strings[i] = get_status_string(in, len[i]);
		total += len[i];
	}
	get_bytes(&in->r, -total & 3);
}

void pdu_get_log_status(struct pdu_in *in, union pdu_body *body)
{
	struct pdu_log_status *status = &body->log_status;
	struct wire_str *const strings[STATUS_STRINGS] = {
	    &status->pmcd_host,     &status->fqdn,      &status->pmcd_tz,
	    &status->pmcd_zoneinfo, &status->logger_tz, &status->logger_zoneinfo,
	};

	get_stamp(in, &status->start_sec, &status->start_nsec);
	get_stamp(in, &status->last_sec, &status->last_nsec);
	get_stamp(in, &status->now_sec, &status->now_nsec);
	status->state = get_i32(&in->r);
	status->volume = get_i32(&in->r);
	status->size = get_i64(&in->r);
	get_status_strings(in, strings);
}

void pdu_put_log_status(struct frame_out *out, const union pdu_body *body)
{
	const struct pdu_log_status *status = &body->log_status;
	const struct wire_str strings[STATUS_STRINGS] = {
	    status->pmcd_host,     status->fqdn,      status->pmcd_tz,
	    status->pmcd_zoneinfo, status->logger_tz, status->logger_zoneinfo,
	};

	put_stamp(out, status->start_sec, status->start_nsec);
	put_stamp(out, status->last_sec, status->last_nsec);
	put_stamp(out, status->now_sec, status->now_nsec);
	put_i32(out, status->state);
	put_i32(out, status->volume);
	put_i64(out, status->size);
	for (size_t i = 0; i < STATUS_STRINGS; i++) {
		if (strings[i].len >= PDU_LOG_STRING_MAX)
			frame_out_fail(out, -EINVAL);
		frame_put_u32(out, strings[i].len > 0 ? strings[i].len + 1 : 0);
	}
	for (size_t i = 0; i < STATUS_STRINGS; i++) {
		if (strings[i].len > 0) {
			frame_put_bytes(out, strings[i].s, strings[i].len);
			frame_put_bytes(out, "", 1);
		}
	}
	put_padding(out);
}

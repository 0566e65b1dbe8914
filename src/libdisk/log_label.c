/* log_label - see log_label.h. */
#include "libdisk/log_label.h"

#include <errno.h>
#include <string.h>

#include "libdisk/record.h"
#include "libdisk/stamp.h"

enum {
	AT_MAGIC = 4,
	AT_PID = 8,
	AT_START = 12,
	VERSION_BITS = 0xff,
	HOST_V2 = 64,
	ZONE_V2 = 40,
};

static void get_text(const uint8_t **p, size_t width, char *text)
{
	size_t len = strnlen((const char *)*p, width - 1);

	memcpy(text, *p, len);
	memset(text + len, 0, LOG_LABEL_TEXT - len);
	*p += width;
}

static int get_version(const uint8_t *p, size_t len)
{
	uint32_t magic = load_be32(p + AT_MAGIC);
	int version = magic & VERSION_BITS;

	if ((magic & ~(uint32_t)VERSION_BITS) != LOG_LABEL_MAGIC)
		return PM_ERR_LABEL;
	if (version != DISK_V2 && version != DISK_V3)
		return PM_ERR_LABEL;
	if (len < log_label_len(version) || record_check(p, log_label_len(version)) < 0)
		return PM_ERR_LABEL;
	return version;
}

bool log_label_has_host(const struct log_label *label, const char *host)
{
	if (label->version == DISK_V2)
		return strncmp(label->host, host, HOST_V2 - 1) == 0;
	return strcmp(label->host, host) == 0;
}

int log_label_decode(const void *file, size_t len, struct log_label *ret_label)
{
	const uint8_t *p = file;
	struct log_label label = {.version = 0};
	int version;

	if (len < RECORD_MIN)
		return PM_ERR_NODATA;
	version = get_version(p, len);
	if (version < 0)
		return version;
	label.version = version;
	label.pid = (int32_t)load_be32(p + AT_PID);
	label.start = stamp_load(p + AT_START, version);
	p += AT_START + stamp_len(version);
	label.volume = (int32_t)load_be32(p);
	p += 4;
	if (version == DISK_V2) {
		get_text(&p, HOST_V2, label.host);
		get_text(&p, ZONE_V2, label.timezone);
	} else {
		label.features = load_be32(p);
		p += 8; /* a reserved word follows */
		get_text(&p, LOG_LABEL_TEXT, label.host);
		get_text(&p, LOG_LABEL_TEXT, label.timezone);
		get_text(&p, LOG_LABEL_TEXT, label.zoneinfo);
	}
	*ret_label = label;
	return 0;
}

static void put_text(struct frame_out *out, size_t width, const char *text)
{
	uint8_t *p = frame_out_room(out, width);
	size_t len = strnlen(text, width - 1);

	if (p == NULL)
		return;
	memcpy(p, text, len);
	memset(p + len, 0, width - len);
}

int log_label_encode(struct buffer *b, const struct log_label *label)
{
	struct frame_out out;

	if (label->version != DISK_V2 && label->version != DISK_V3)
		return -EINVAL;
	record_out_begin(&out, b);
	frame_put_u32(&out, LOG_LABEL_MAGIC | (uint32_t)label->version);
	frame_put_u32(&out, (uint32_t)label->pid);
	record_put_stamp(&out, &label->start, label->version);
	frame_put_u32(&out, (uint32_t)label->volume);
	if (label->version == DISK_V2) {
		put_text(&out, HOST_V2, label->host);
		put_text(&out, ZONE_V2, label->timezone);
	} else {
		frame_put_u32(&out, label->features);
		frame_put_u32(&out, 0);
		put_text(&out, LOG_LABEL_TEXT, label->host);
		put_text(&out, LOG_LABEL_TEXT, label->timezone);
		put_text(&out, LOG_LABEL_TEXT, label->zoneinfo);
	}
	return record_out_end(&out);
}

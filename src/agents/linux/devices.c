/* devices - hardware that has folders in /sys/class, and serial lines. */
#include <errno.h>
#include <string.h>

#include "keys.h"
#include "linux.h"
#include "scan.h"

/*
 * ---- devices ----
 *
 * Hardware that has folders in /sys/class: how many there are, and what SCSI devices are called.
 */

struct devices {
	uint32_t ntape;
	uint32_t nfchost;
};

struct scsi {
	const char *name;
};

static const struct agent_indom scsi_indom = {
    11, 0, NULL, 0, "SCSI devices", "scsiH:C:I:L: host, channel, target, logical unit.",
};

/* clang-format off */
static const struct agent_metric scsi_metrics[] = {
	{ "hinv.map.scsi", 15, 0, STR, DISCRETE, &scsi_indom, AGENT_NONE, FIELD(scsi, name),
	  "What the kernel calls each SCSI device", "As sda or st0.", 0 },
};

static const struct agent_metric devices_metrics[] = {
	{ "hinv.ntape", 71, 16, U32, DISCRETE, ONE, AGENT_NONE, FIELD(devices, ntape),
	  "Tape drives",
	  "Folders stN of scsi_tape; those of other modes of the same drive don't count.", 0 },
	{ "hinv.nfchost", 91, 16, U32, DISCRETE, ONE, AGENT_NONE, FIELD(devices, nfchost),
	  "Fibre Channel adapters", "Folders hostN of fc_host.", 0 },
};
/* clang-format on */

/* Entries that are called prefix and a number; 0 if there is no such folder. */
static uint32_t count(struct agent_refresh *r, const char *folder, const char *prefix)
{
	DIR *dir = agent_opendir(r, "sys/class/%s", folder);
	size_t len = strlen(prefix);
	struct dirent *entry;
	uint32_t n = 0;

	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL) {
		const char *digits = entry->d_name + len;

		if (strncmp(entry->d_name, prefix, len) == 0 && *digits != '\0' &&
		    digits[strspn(digits, "0123456789")] == '\0')
			n++;
	}
	closedir(dir);
	return n;
}

static int devices_refresh(struct agent_refresh *r, void *snapshot)
{
	struct devices *d = snapshot;

	if (agent_wanted(r, NULL, offsetof(struct devices, ntape)))
		d->ntape = count(r, "scsi_tape", "st");
	if (agent_wanted(r, NULL, offsetof(struct devices, nfchost)))
		d->nfchost = count(r, "fc_host", "host");
	return 0;
}

const struct agent_cluster devices_cluster = {
    .name = "devices",
    .source = "/sys/class",
    .size = sizeof(struct devices),
    .refresh = devices_refresh,
    .metrics = devices_metrics,
    .nmetrics = NROWS(devices_metrics),
};

/* The kernel's name of a device: the entry of its folder block, or the shortest of scsi_tape. */
static const char *scsi_name(struct agent_refresh *r, const char *device)
{
	static const char *const kinds[] = {"block", "scsi_tape"};
	char best[64] = "";

	for (size_t i = 0; i < NROWS(kinds) && best[0] == '\0'; i++) {
		DIR *dir = agent_opendir(r, "sys/class/scsi_device/%s/device/%s", device, kinds[i]);
		struct dirent *entry;

		while (dir != NULL && (entry = readdir(dir)) != NULL) {
			size_t len = strlen(entry->d_name);

			if (entry->d_name[0] == '.' || len >= sizeof(best))
				continue;
			if (best[0] == '\0' || len < strlen(best))
				memcpy(best, entry->d_name, len + 1);
		}
		if (dir != NULL)
			closedir(dir);
	}
	return best[0] != '\0' ? agent_string(r, best, strlen(best)) : NULL;
}

static int scsi_refresh(struct agent_refresh *r, void *snapshot)
{
	DIR *dir = agent_opendir(r, "sys/class/scsi_device");
	struct dirent *entry;
	int status = 0;

	if (dir == NULL)
		return 0;
	while (status == 0 && (entry = readdir(dir)) != NULL) {
		char name[64];
		struct scsi *scsi;
		int len;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		len = snprintf(name, sizeof(name), "scsi%s", entry->d_name);
		if ((size_t)len >= sizeof(name))
			continue;
		scsi = agent_add(r, &scsi_indom, name, (size_t)len);
		if (scsi == NULL)
			status = -ENOMEM;
		else
			scsi->name = scsi_name(r, entry->d_name);
	}
	closedir(dir);
	return status;
}

const struct agent_cluster scsi_cluster = {
    .name = "scsi",
    .source = "/sys/class/scsi_device",
    .refresh = scsi_refresh,
    .metrics = scsi_metrics,
    .nmetrics = NROWS(scsi_metrics),
    .fills = {{&scsi_indom, sizeof(struct scsi), 1}},
    .max_age_ms = 1000,
};

/*
 * ---- serial ----
 *
 * Serial lines: /proc/tty/driver/serial, which only root may read.
 *
 *     0: uart:16550A port:000003F8 irq:4 tx:218 rx:12 brk:3 oe:4 fe:5 pe:6 RTS|CTS
 *     1: uart:unknown port:000002F8 irq:3                              no device: left out
 *
 * A count that is missing is 0.
 */

struct serial {
	uint32_t tx, rx, frame, parity, brk, overrun, irq;
};

static const struct agent_indom serial_indom = {
    35, 0, NULL, 0, "Serial lines", "By number: N is ttySN.",
};

/* clang-format off */
#define ROW(n, member, sem, text)                                                                  \
	{ "tty.serial." #member, 74, n, U32, sem, &serial_indom, AGENT_NONE,                       \
	  FIELD(serial, member), text, NULL, 0 }

static const struct agent_metric serial_metrics[] = {
	ROW(0, tx, COUNTER, "Bytes sent on each serial line"),
	ROW(1, rx, COUNTER, "Bytes received on each serial line"),
	ROW(2, frame, COUNTER, "Framing errors on each serial line"),
	ROW(3, parity, COUNTER, "Parity errors on each serial line"),
	ROW(4, brk, COUNTER, "Breaks received on each serial line"),
	ROW(5, overrun, COUNTER, "Bytes lost on each serial line because they came too fast"),
	ROW(6, irq, DISCRETE, "Number of the interrupt of each serial line"),
};

static const struct {
	const char *word;
	size_t offset;
} words[] = {
	{ "irq:", offsetof(struct serial, irq) }, { "tx:", offsetof(struct serial, tx) },
	{ "rx:", offsetof(struct serial, rx) }, { "fe:", offsetof(struct serial, frame) },
	{ "pe:", offsetof(struct serial, parity) }, { "brk:", offsetof(struct serial, brk) },
	{ "oe:", offsetof(struct serial, overrun) },
};
/* clang-format on */

/* One "word:number" of a line. */
static void read_word(struct serial *serial, const char *word)
{
	struct scan s = {word};
	uint64_t value;

	for (size_t i = 0; i < NROWS(words); i++)
		if (scan_text(&s, words[i].word)) {
			if (scan_u64(&s, &value))
				*(uint32_t *)(void *)((char *)serial + words[i].offset) =
				    (uint32_t)value;
			return;
		}
}

static int serial_read_line(struct agent_refresh *r, struct scan *s)
{
	struct serial *serial;
	const char *name, *word;
	size_t name_len, len;

	if (*s->p < '0' || *s->p > '9' || !scan_word(s, &name, &name_len) ||
	    name[name_len - 1] != ':' || !scan_word(s, &word, &len) ||
	    (len == strlen("uart:unknown") && memcmp(word, "uart:unknown", len) == 0))
		return 0;
	serial = agent_add(r, &serial_indom, name, name_len - 1);
	if (serial == NULL)
		return -ENOMEM;
	*serial = (struct serial){0};
	while (scan_word(s, &word, &len))
		read_word(serial, word);
	return 0;
}

static int serial_refresh(struct agent_refresh *r, void *snapshot)
{
	return lines_read(r, "proc/tty/driver/serial", serial_read_line);
}

const struct agent_cluster serial_cluster = {
    .name = "serial",
    .source = "/proc/tty/driver/serial",
    .refresh = serial_refresh,
    .optional = 1,
    .metrics = serial_metrics,
    .nmetrics = NROWS(serial_metrics),
    .fills = {{&serial_indom, sizeof(struct serial), 1}},
};

/*
 * serial - serial lines: /proc/tty/driver/serial, which only root may read.
 *
 *     0: uart:16550A port:000003F8 irq:4 tx:218 rx:12 brk:3 oe:4 fe:5 pe:6 RTS|CTS
 *     1: uart:unknown port:000002F8 irq:3                              no device: left out
 *
 * A count that is missing is 0.
 */
#include <errno.h>

#include "lines.h"
#include "linux.h"
#include "scan.h"

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

static int read_line(struct agent_refresh *r, struct scan *s)
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
	return lines_read(r, "proc/tty/driver/serial", read_line);
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

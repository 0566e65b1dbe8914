/*
 * linkstate - the settings of each network interface: the folders of /sys/class/net, or the
 * kernel's answers to ioctl(2) where they are the same.
 *
 * It costs a call or a file for each interface and metric, so only those requested are read. An
 * attribute that a driver does not report (speed and duplex of virtual interfaces) is absent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* In this order: both define the same things, and the second one gives way. */
#include <net/if.h>

#include <linux/wireless.h>

#include "linux.h"
#include "netdev.h"
#include "scan.h"

struct linkstate {
	uint32_t mtu;
	float speed;
	uint64_t baudrate;
	uint32_t duplex;
	uint32_t up;
	uint32_t running;
	uint32_t wireless;
	uint32_t type;
	uint32_t virtual;
};

/* clang-format off */
#define LINK(name, item, type, sem, units, member, text, more)                                     \
	{ "network.interface." name, 3, item, type, sem, &interface_indom, units,                  \
	  FIELD(linkstate, member), text, more, 0 }

static const struct agent_metric linkstate_metrics[] = {
	LINK("mtu", 21, U32, INSTANT, AGENT_BYTE, mtu, "Largest packet that each interface sends",
	  NULL),
	LINK("speed", 22, F32, DISCRETE, AGENT_MBYTE_PER_SEC, speed, "Speed of each interface",
	     "As its driver tells it; absent where it does not know."),
	LINK("baudrate", 23, U64, DISCRETE, AGENT_BYTE_PER_SEC, baudrate,
	     "Speed of each interface, in bytes", "The same as network.interface.speed."),
	LINK("duplex", 24, U32, DISCRETE, AGENT_NONE, duplex, "Duplex mode of each interface",
	     "1 half, 2 full; absent where the driver does not know."),
	LINK("up", 25, U32, INSTANT, AGENT_NONE, up, "Whether each interface is up",
	     "1 if it was told to be up, 0 if not: the flag IFF_UP."),
	LINK("running", 26, U32, INSTANT, AGENT_NONE, running, "Whether each interface can work",
	     "1 if it is up and so is the link below it, else 0: the flag IFF_RUNNING."),
	LINK("wireless", 28, U32, DISCRETE, AGENT_NONE, wireless,
	  "Whether each interface is a wireless one",
	     "1 if it is, else 0."),
	LINK("type", 29, U32, DISCRETE, AGENT_NONE, type, "Kind of each interface",
	     "A number of <net/if_arp.h>: 1 is Ethernet, 772 loopback."),
	LINK("virtual", 30, U32, DISCRETE, AGENT_NONE, virtual,
	  "Whether each interface is a virtual one",
	     "1 if it has no hardware of its own, else 0."),
};
/* clang-format on */

/* One file of an interface's folder: its text without the newline, or "". */
static const char *linkstate_attribute(struct agent_refresh *r, const char *name, const char *file,
				       char *buf, size_t size)
{
	if (agent_read_into(r, buf, size, "sys/class/net/%s/%s", name, file) < 0)
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

static void put_number(struct agent_refresh *r, const char *name, const char *file, uint32_t *at)
{
	char buf[32];
	struct scan s = {linkstate_attribute(r, name, file, buf, sizeof(buf))};
	uint64_t v;

	if (scan_u64(&s, &v))
		*at = (uint32_t)v;
}

/* From the files; 0 is unknown. */
static void read_speed(struct agent_refresh *r, const char *name, unsigned int *ret_mbit,
		       unsigned int *ret_duplex)
{
	char speed[32], duplex[32];
	struct scan s = {linkstate_attribute(r, name, "speed", speed, sizeof(speed))};
	uint64_t mbit;

	*ret_mbit = 0;
	if (scan_u64(&s, &mbit) &&
	    mbit < UINT32_MAX) /* -1 is unknown; some kernels say it unsigned */
		*ret_mbit = (unsigned int)mbit;
	linkstate_attribute(r, name, "duplex", duplex, sizeof(duplex));
	*ret_duplex = strcmp(duplex, "full") == 0 ? 2 : strcmp(duplex, "half") == 0;
}

static void put_speed(struct agent_refresh *r, const char *name, struct linkstate *l)
{
	unsigned int mbit, duplex;

	if (!netioctl_speed(r, name, &mbit, &duplex))
		read_speed(r, name, &mbit, &duplex);
	if (duplex != 0)
		l->duplex = duplex;
	if (mbit == 0)
		return;
	l->baudrate = mbit * UINT64_C(1000000) / 8;
	l->speed = (float)((double)l->baudrate / (1024 * 1024));
}

/* IFF_RUNNING is not in the file flags: it is IFF_UP and a link that is up or of unknown state. */
static void put_state(struct agent_refresh *r, const char *name, struct linkstate *l)
{
	char flags[32], buf[32];
	struct ifreq answer;
	const char *state;

	if (netioctl(r, SIOCGIFFLAGS, name, &answer)) {
		l->up = (answer.ifr_flags & IFF_UP) != 0;
		l->running = (answer.ifr_flags & IFF_RUNNING) != 0;
		return;
	}
	l->up =
	    strtoul(linkstate_attribute(r, name, "flags", flags, sizeof(flags)), NULL, 16) & IFF_UP;
	state = linkstate_attribute(r, name, "operstate", buf, sizeof(buf));
	l->running = l->up && (strcmp(state, "up") == 0 || strcmp(state, "unknown") == 0);
}

static void put_mtu(struct agent_refresh *r, const char *name, struct linkstate *l)
{
	struct ifreq answer;

	if (netioctl(r, SIOCGIFMTU, name, &answer))
		l->mtu = (uint32_t)answer.ifr_mtu;
	else
		put_number(r, name, "mtu", &l->mtu);
}

static void put_type(struct agent_refresh *r, const char *name, struct linkstate *l)
{
	struct ifreq answer;

	if (netioctl(r, SIOCGIFHWADDR, name, &answer))
		l->type = answer.ifr_hwaddr.sa_family;
	else
		put_number(r, name, "type", &l->type);
}

static bool is_there(struct agent_refresh *r, const char *format, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), format, name);
	return faccessat(agent_root_fd(r), path, F_OK, 0) == 0;
}

/* The kernel answers in a fraction of the time that it needs for a path it does not have. */
static bool is_wireless(struct agent_refresh *r, const char *name)
{
	struct ifreq answer;

	if (agent_root(r)[0] == '\0')
		return netioctl(r, SIOCGIWNAME, name, &answer);
	return is_there(r, "sys/class/net/%s/wireless", name);
}

/* This machine's folder stays open: a path of five names costs more than a path of one. */
static bool is_virtual(struct agent_refresh *r, const char *name)
{
	static int folder = -1;

	if (agent_root(r)[0] != '\0')
		return is_there(r, "sys/devices/virtual/net/%s", name);
	if (folder < 0)
		folder = open("/sys/devices/virtual/net", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return folder >= 0 && faccessat(folder, name, F_OK, 0) == 0;
}

static bool linkstate_wanted(struct agent_refresh *r, size_t offset)
{
	return agent_wanted(r, &interface_indom, offset);
}

#define WANTED(member) linkstate_wanted(r, offsetof(struct linkstate, member))

static int read_interface(struct agent_refresh *r, const char *text, size_t len)
{
	struct linkstate *l = agent_add(r, &interface_indom, text, len);
	char name[64];

	if (l == NULL)
		return -ENOMEM;
	if (len >= sizeof(name))
		return 0;
	memcpy(name, text, len);
	name[len] = '\0';
	if (WANTED(mtu))
		put_mtu(r, name, l);
	if (WANTED(speed) || WANTED(baudrate) || WANTED(duplex))
		put_speed(r, name, l);
	if (WANTED(up) || WANTED(running))
		put_state(r, name, l);
	if (WANTED(wireless))
		l->wireless = is_wireless(r, name);
	if (WANTED(type))
		put_type(r, name, l);
	if (WANTED(virtual))
		l->virtual = is_virtual(r, name);
	return 0;
}

/* The interfaces are those of /proc/net/dev. */
static int linkstate_refresh(struct agent_refresh *r, void *snapshot)
{
	const char *name;
	struct scan s;
	size_t len;
	long n = agent_read(r, "proc/net/dev", &s.p);
	int status = 0;

	if (n < 0)
		return (int)n;
	do {
		if (netdev_name(&s, &name, &len))
			status = read_interface(r, name, len);
	} while (status == 0 && scan_next_line(&s));
	return status;
}

const struct agent_cluster linkstate_cluster = {
    .name = "linkstate",
    .source = "/sys/class/net and ioctl(2)",
    .refresh = linkstate_refresh,
    .metrics = linkstate_metrics,
    .nmetrics = NROWS(linkstate_metrics),
    .fills = {{&interface_indom, sizeof(struct linkstate), 0}},
};

/* rights - see rights.h. */
#include "daemons/pmcd/rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libbase/cleanup.h"

enum {
	RIGHTS_WORD_MAX = 512,
};

/* The agents of Debian's package insist on being root by name (setuid), and get no more than that
 * and to read what is closed to others: maps and files of processes, debugfs, slabinfo. */
static const char default_rows[] = "proc=setgid,setuid,dac_read_search,sys_ptrace "
				   "xfs=setgid,setuid,dac_read_search "
				   "linux=setgid,setuid,dac_read_search,ipc_owner "
				   "kvm=setgid,setuid,dac_read_search,perfmon";

/* By number (capabilities(7)). */
static const char *const names[] = {
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
};
_Static_assert(ARRAY_SIZE(names) == 41, "one name a capability");

static int cap_bits(const char *name, uint64_t *bits)
{
	if (strncasecmp(name, "cap_", 4) == 0)
		name += 4;
	if (strcmp(name, "all") == 0) {
		*bits |= (UINT64_C(1) << ARRAY_SIZE(names)) - 1;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(name, names[i]) == 0) {
			*bits |= UINT64_C(1) << i;
			return 0;
		}
	}
	return -EINVAL;
}

/* "label=name,name"; the label may have any characters but blanks and '='. */
static int parse_row(struct rights *r, char *word)
{
	struct rights_row *row = &r->rows[r->nrow];
	char *value = strchr(word, '=');
	char *save = NULL;

	if (value == NULL || value == word || value - word >= RIGHTS_LABEL_MAX ||
	    r->nrow == RIGHTS_ROWS_MAX)
		return -EINVAL;
	*value++ = '\0';
	*row = (struct rights_row){0};
	strcpy(row->label, word);
	for (char *c = strtok_r(value, ",", &save); c != NULL; c = strtok_r(NULL, ",", &save)) {
		if (cap_bits(c, &row->caps) < 0)
			return -EINVAL;
	}
	r->nrow++;
	return 0;
}

int rights_parse(struct rights *r, const char *text, char *ret_word, unsigned int size)
{
	static const char blanks[] = " \t";

	*r = (struct rights){0};
	if (text == NULL)
		text = default_rows;
	for (text += strspn(text, blanks); *text != '\0'; text += strspn(text, blanks)) {
		size_t len = strcspn(text, blanks);
		char word[RIGHTS_WORD_MAX];

		snprintf(ret_word, size, "%.*s", (int)len, text);
		snprintf(word, sizeof(word), "%.*s", (int)len, text);
		if (len >= sizeof(word) || parse_row(r, word) < 0)
			return -EINVAL;
		text += len;
	}
	return 0;
}

/*
 * The kernel's three sets of this thread
 */

struct cap_sets {
	uint64_t effective, permitted, inheritable;
};

static int cap_get(struct cap_sets *ret)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return -errno;
	ret->effective = data[0].effective | (uint64_t)data[1].effective << 32;
	ret->permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
	ret->inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
	return 0;
}

static int cap_set(const struct cap_sets *sets)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++) {
		data[i].effective = (uint32_t)(sets->effective >> 32 * i);
		data[i].permitted = (uint32_t)(sets->permitted >> 32 * i);
		data[i].inheritable = (uint32_t)(sets->inheritable >> 32 * i);
	}
	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

static int become(const struct passwd *pw)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 || initgroups(pw->pw_name, pw->pw_gid) < 0 ||
	    setgid(pw->pw_gid) < 0 || setuid(pw->pw_uid) < 0 ||
	    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

int rights_drop(struct rights *r, const char *user)
{
	const struct passwd *pw;
	struct cap_sets sets;
	uint64_t wanted = 0;
	int err;

	if (geteuid() != 0)
		return 0;
	pw = getpwnam(user);
	if (pw == NULL)
		return -ENOENT;
	if (pw->pw_uid == 0)
		return 0;
	for (unsigned int i = 0; i < r->nrow; i++)
		wanted |= r->rows[i].caps;
	err = become(pw);
	if (err == 0)
		err = cap_get(&sets);
	if (err < 0)
		return err;
	sets = (struct cap_sets){.permitted = sets.permitted & wanted};
	err = cap_set(&sets);
	if (err < 0)
		return err;
	r->kept = sets.permitted;
	r->dropped = true;
	return 0;
}

uint64_t rights_of(const struct rights *r, const char *label)
{
	for (unsigned int i = 0; r->dropped && i < r->nrow; i++) {
		if (strcmp(r->rows[i].label, label) == 0)
			return r->rows[i].caps & r->kept;
	}
	return 0;
}

int rights_lend(uint64_t caps)
{
	struct cap_sets sets;
	int r = cap_get(&sets);

	if (r < 0)
		return r;
	sets.inheritable = caps;
	r = cap_set(&sets);
	for (unsigned long i = 0; r == 0 && i < ARRAY_SIZE(names); i++) {
		if ((caps >> i & 1) != 0 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0) < 0)
			r = -errno;
	}
	if (r < 0)
		rights_take_back();
	return r;
}

void rights_take_back(void)
{
	struct cap_sets sets;

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (cap_get(&sets) < 0)
		return;
	sets.inheritable = 0;
	cap_set(&sets);
}

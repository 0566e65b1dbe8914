/* hostid - see hostid.h. */
#include "libbase/hostid.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libbase/buffer.h"
#include "libbase/file.h"
#include "libbase/sha256.h"

enum { CONF_MAX = 65535 };

void hostid_name(char *buf, size_t size)
{
	if (gethostname(buf, size) < 0 || buf[0] == '\0')
		snprintf(buf, size, "localhost");
	buf[size - 1] = '\0';
}

void hostid_domain(char *buf, size_t size)
{
	if (getdomainname(buf, size) < 0 || buf[0] == '\0' || strcmp(buf, "(none)") == 0)
		snprintf(buf, size, "localdomain");
	buf[size - 1] = '\0';
}

/* The first line of a small file; fallback when there is none. */
static void read_line(const char *path, const char *fallback, char *buf, size_t size)
{
	struct buffer b = BUFFER_INIT;

	snprintf(buf, size, "%s", fallback);
	if (file_read_all(path, HOSTID_TEXT_MAX, &b) == 0 && buffer_pending(&b) > 0) {
		snprintf(buf, size, "%s", buffer_str(&b));
		buf[strcspn(buf, "\r\n")] = '\0';
	}
	buffer_done(&b);
}

static bool wants_hash(const char *sysconf_dir)
{
	char path[PATH_MAX], key[64], value[64];
	struct buffer b = BUFFER_INIT;
	bool global = false, wanted = false;
	char *save = NULL;

	snprintf(path, sizeof(path), "%s/labels.conf", sysconf_dir);
	if (file_read_all(path, CONF_MAX, &b) == 0) {
		for (char *line = strtok_r((char *)buffer_str(&b), "\n", &save); line != NULL;
		     line = strtok_r(NULL, "\n", &save)) {
			if (*line == '[')
				global = strncmp(line, "[global]", 8) == 0;
			else if (global && sscanf(line, " %63[a-z_] = %63s", key, value) == 2 &&
				 strcmp(key, "machineid_hash") == 0)
				wanted = strcmp(value, "sha256") == 0;
		}
	}
	buffer_done(&b);
	return wanted;
}

bool hostid_machine(const char *sysconf_dir, char *buf, size_t size)
{
	char hex[SHA256_HEX_LEN];

	read_line("/etc/machine-id", "localmachine", buf, size);
	if (!wants_hash(sysconf_dir))
		return false;
	sha256_hex(buf, strlen(buf), hex);
	snprintf(buf, size, "%s", hex);
	return true;
}

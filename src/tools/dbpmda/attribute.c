/* attribute - see attribute.h. */
#include "tools/dbpmda/attribute.h"

#include <string.h>

/* clang-format off */
static const char *const names[] = {
	[1] = "protocol", [2] = "secure", [3] = "compress", [4] = "userauth",
	[5] = "username", [6] = "authname", [7] = "password", [8] = "method",
	[9] = "realm", [10] = "unixsock", [11] = "userid", [12] = "groupid",
	[13] = "local", [14] = "processid", [15] = "container", [16] = "exclusive",
};
/* clang-format on */

enum { ATTRIBUTE_COUNT = sizeof(names) / sizeof(names[0]) };

int attribute_key(const char *name)
{
	for (int i = 1; i < ATTRIBUTE_COUNT; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	return -1;
}

const char *attribute_name(int key)
{
	return key > 0 && key < ATTRIBUTE_COUNT ? names[key] : NULL;
}

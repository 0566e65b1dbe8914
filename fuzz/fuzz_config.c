/*
 * fuzz_config - any bytes as pmcd.conf, and as a file of access statements; then the access lists
 * of the accepted statements, with look-ups in which every name exists.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "daemons/pmcd/access.h"
#include "daemons/pmcd/config.h"
#include "fuzz.h"
#include "libbase/buffer.h"

static int any_host(void *arg, const char *name, struct sockaddr_storage *ret_addrs, int max)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_addrs;

	memset(ret_addrs, 0, sizeof(*ret_addrs));
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = (uint32_t)strlen(name);
	return 1;
}

static int self(void *arg, char *buf, size_t size)
{
	buf[0] = 'x';
	buf[1] = '\0';
	return 0;
}

static int any_user(void *arg, const char *name, uid_t *ret_uid, gid_t *ret_gids, int max)
{
	*ret_uid = ret_gids[0] = (uid_t)strlen(name);
	return 1;
}

static const struct access_names world = {
    .host = any_host, .self = self, .user = any_user, .group = any_user, .ipv6 = true};

static void check_message(void *arg, const char *file, unsigned int line, const char *text)
{
	FUZZ_REQUIRE(strncmp(text, "pmcd config", 11) == 0 ||
		     strncmp(text, "access config", 13) == 0);
}

static void check_access(const struct config *c)
{
	const struct sockaddr_in peer = {.sin_family = AF_INET, .sin_addr.s_addr = 5};
	const struct sockaddr *addr = (const struct sockaddr *)&peer;
	struct access_account who = {.known = true, .uid = 5, .gid = 6};
	struct buffer out = BUFFER_INIT;
	struct access *a;
	unsigned int denied;
	int r = access_new(c, "f", &world, check_message, NULL, &a);

	FUZZ_REQUIRE(r >= 0);
	if (r > 0)
		return;
	if (access_host_enter(a, addr, &denied) == 0) {
		FUZZ_REQUIRE(denied != CONFIG_OP_ALL);
		if (access_account_enter(a, &who, &denied) == 0)
			access_account_leave(a, &who);
		access_host_leave(a, addr);
	}
	access_dump(a, &out);
	buffer_done(&out);
	access_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct config c;
	int r;

	config_init(&c);
	r = config_parse(&c, text, size, "f", check_message, NULL);
	FUZZ_REQUIRE(r >= 0);
	FUZZ_REQUIRE(r > 0 || !c.failed);
	for (const struct config_agent *a = c.agents; a != NULL; a = a->next)
		FUZZ_REQUIRE(a->domain <= CONFIG_DOMAIN_MAX && config_agent_equal(a, a));
	r = config_parse_access(&c, text, size, "f", check_message, NULL);
	FUZZ_REQUIRE(r >= 0);
	check_access(&c);
	config_done(&c);
	return 0;
}

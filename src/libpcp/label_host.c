/* label_host - see label_host.h. The facts are those of pmcd (docs/spec/pmcd.md 8.6). */
#include "libpcp/label_host.h"

#include <unistd.h>

#include <pcp/libpcp.h>

#include "libbase/hostid.h"

enum { JSON_MAX = 4 * HOSTID_TEXT_MAX };

/* A member with a string; what JSON would need escapes for is left out. */
static int add_string(pmLabelSet **set, const char *name, const char *value)
{
	char json[JSON_MAX];
	size_t len = (size_t)pmsprintf(json, sizeof(json), "{\"%s\":\"", name);

	for (; *value != '\0' && len + sizeof("\"}") < sizeof(json); value++) {
		if (*value != '"' && *value != '\\' && (unsigned char)*value >= ' ')
			json[len++] = *value;
	}
	pmstrncpy(json + len, sizeof(json) - len, "\"}");
	return __pmAddLabels(set, json, PM_LABEL_CONTEXT);
}

static int add_host(pmLabelSet **set)
{
	const char *dir = pmGetOptionalConfig("PCP_SYSCONF_DIR");
	char text[HOSTID_TEXT_MAX];
	bool hashed;
	int r;

	hostid_name(text, sizeof(text));
	r = add_string(set, "hostname", text);
	if (r < 0)
		return r;
	hostid_domain(text, sizeof(text));
	r = add_string(set, "domainname", text);
	if (r < 0)
		return r;
	hashed = hostid_machine(dir == NULL ? "" : dir, text, sizeof(text));
	return add_string(set, hashed ? "machineid_sha256" : "machineid", text);
}

static int add_process(pmLabelSet **set)
{
	char json[64];

	pmsprintf(json, sizeof(json), "{\"groupid\":%u,\"userid\":%u}", getgid(), getuid());
	return __pmAddLabels(set, json, PM_LABEL_CONTEXT | PM_LABEL_OPTIONAL);
}

int label_host_set(pmLabelSet **ret_set)
{
	pmLabelSet *set = NULL;
	int r;

	/* A site without files has none of these labels. */
	__pmGetContextLabels(&set);
	r = add_host(&set);
	if (r >= 0)
		r = add_process(&set);
	if (r < 0) {
		pmFreeLabelSets(set, 1);
		return r;
	}
	*ret_set = set;
	return 1;
}

/* agent_check - see agent_check.h. */
#include "agent_check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <syslog.h>

/* What __builtin_classify_type says of a type; 0: not known. */
enum kind { KIND_UNKNOWN = 0, KIND_INTEGER = 1, KIND_CHAR = 2, KIND_ENUM = 3, KIND_BOOL = 4, KIND_POINTER = 5, KIND_REAL = 8 };

static int fail(const struct agent *agent, const char *what, const char *name, const char *why)
{
	pmNotifyErr(LOG_CRIT, "agent %s: %s %s: %s", agent->name != NULL ? agent->name : "(no name)", what,
		    name != NULL ? name : "(no name)", why);
	return -EINVAL;
}

int agent_check_failed(const struct agent *agent, const struct agent_metric *m, const char *why)
{
	return fail(agent, "metric", m->name, why);
}

static bool is_integer(enum kind kind)
{
	return kind == KIND_UNKNOWN || (kind >= KIND_INTEGER && kind <= KIND_BOOL);
}

static bool is(enum kind kind, enum kind wanted)
{
	return kind == KIND_UNKNOWN || kind == wanted;
}

static bool type_fits(const struct agent_metric *m)
{
	unsigned int width = agent_field_width(&m->value);
	enum kind kind = (enum kind)(m->value.width >> AGENT_KIND_SHIFT);

	switch (m->type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		return (width == 4 || width == 8) && is_integer(kind);
	case PM_TYPE_64:
	case PM_TYPE_U64:
		return width == 8 && is_integer(kind);
	case PM_TYPE_FLOAT:
		return width == sizeof(float) && is(kind, KIND_REAL);
	case PM_TYPE_DOUBLE:
		return width == sizeof(double) && is(kind, KIND_REAL);
	case PM_TYPE_STRING:
		return width == sizeof(char *) && is(kind, KIND_POINTER);
	default:
		return false;
	}
}

int agent_check_metric(const struct agent *agent, const struct agent_metric *m)
{
	if (m->name == NULL || m->name[0] == '\0')
		return agent_check_failed(agent, m, "a metric needs a name");
	if (m->oneline == NULL)
		return agent_check_failed(agent, m, "a metric needs a line of help, or \"\"");
	if (m->cluster > AGENT_SELF || m->item > AGENT_ITEM_MAX)
		return agent_check_failed(agent, m, "PMID out of range: clusters are 0 to 4094, items 0 to 1023");
	if (!type_fits(m))
		return agent_check_failed(agent, m,
					  "the member does not fit the type: an integer of 4 or 8 bytes for 32 and U32, "
					  "of 8 for 64 and U64, a float for FLOAT, a double for DOUBLE, a const char * "
					  "for STRING");
	if (m->indom != NULL && m->indom->serial > AGENT_SERIAL_MAX)
		return agent_check_failed(agent, m, "the serial number of its instance domain is above 4194303");
	return 0;
}

static int check_cluster(const struct agent *agent, const struct agent_cluster *c)
{
	if (c == NULL || c->name == NULL)
		return fail(agent, "cluster", NULL, "a cluster needs a name");
	if (c->refresh == NULL)
		return fail(agent, "cluster", c->name, "it has no refresh, which fills its values");
	if (c->metrics == NULL && c->nmetrics > 0)
		return fail(agent, "cluster", c->name, "it has a number of metrics, but no metrics");
	return 0;
}

int agent_check(const struct agent *agent, int domain)
{
	char text[64];
	int r = 0;

	if (agent->name == NULL || agent->name[0] == '\0')
		return fail(agent, "name", NULL, "an agent needs a name");
	if (domain < 1 || domain > AGENT_DOMAIN_MAX) {
		snprintf(text, sizeof(text), "%d", domain);
		return fail(agent, "domain", text, "domains are 1 to 510");
	}
	if (agent->clusters == NULL && agent->nclusters > 0)
		return fail(agent, "clusters", NULL, "there is a number of clusters, but no clusters");
	for (unsigned int i = 0; r == 0 && i < agent->nclusters; i++)
		r = check_cluster(agent, agent->clusters[i]);
	return r;
}

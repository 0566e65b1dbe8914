/*
 * ident - metric and instance domain identifiers: docs/spec/pmapi.md 2.1, 11.
 */
#include <pcp/pmapi.h>

#define IDENT_TEXT_MAX 20

#define DOMAIN_SHIFT  22
#define DOMAIN_MASK   0x1ffu
#define CLUSTER_SHIFT 10
#define CLUSTER_MASK  0xfffu
#define ITEM_MASK     0x3ffu
#define SERIAL_MASK   0x3fffffu

pmID pmID_build(unsigned int domain, unsigned int cluster, unsigned int item)
{
	return (domain & DOMAIN_MASK) << DOMAIN_SHIFT | (cluster & CLUSTER_MASK) << CLUSTER_SHIFT |
	       (item & ITEM_MASK);
}

unsigned int pmID_domain(pmID pmid)
{
	return pmid >> DOMAIN_SHIFT & DOMAIN_MASK;
}

unsigned int pmID_cluster(pmID pmid)
{
	return pmid >> CLUSTER_SHIFT & CLUSTER_MASK;
}

unsigned int pmID_item(pmID pmid)
{
	return pmid & ITEM_MASK;
}

pmInDom pmInDom_build(unsigned int domain, unsigned int serial)
{
	return (domain & DOMAIN_MASK) << DOMAIN_SHIFT | (serial & SERIAL_MASK);
}

unsigned int pmInDom_domain(pmInDom indom)
{
	return indom >> DOMAIN_SHIFT & DOMAIN_MASK;
}

unsigned int pmInDom_serial(pmInDom indom)
{
	return indom & SERIAL_MASK;
}

char *pmIDStr_r(pmID pmid, char *buf, int buflen)
{
	size_t size = buflen > 0 ? (size_t)buflen : 0;

	if (pmid == PM_ID_NULL)
		pmsprintf(buf, size, "PM_ID_NULL");
	else if (IS_DYNAMIC_ROOT(pmid))
		pmsprintf(buf, size, "%u.*.*", pmID_cluster(pmid));
	else
		pmsprintf(buf, size, "%u.%u.%u", pmID_domain(pmid), pmID_cluster(pmid),
			  pmID_item(pmid));
	return buf;
}

const char *pmIDStr(pmID pmid)
{
	static char buf[IDENT_TEXT_MAX];

	return pmIDStr_r(pmid, buf, sizeof(buf));
}

char *pmInDomStr_r(pmInDom indom, char *buf, int buflen)
{
	size_t size = buflen > 0 ? (size_t)buflen : 0;

	if (indom == PM_INDOM_NULL)
		pmsprintf(buf, size, "PM_INDOM_NULL");
	else
		pmsprintf(buf, size, "%u.%u", pmInDom_domain(indom), pmInDom_serial(indom));
	return buf;
}

const char *pmInDomStr(pmInDom indom)
{
	static char buf[IDENT_TEXT_MAX];

	return pmInDomStr_r(indom, buf, sizeof(buf));
}

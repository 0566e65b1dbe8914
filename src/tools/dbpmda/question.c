/* question - see question.h. */
#include "tools/dbpmda/question.h"

#include <pcp/pmda.h>

/* clang-format off */
static const struct question_row rows[ASK_NKIND] = {
	[ASK_DESC]	= { "desc",	 "DescReq",	    PMDA_INTERFACE_2, NULL },
	[ASK_FETCH]	= { "fetch",	 "Fetch",	    PMDA_INTERFACE_2, NULL },
	[ASK_INSTANCE]	= { "instance",	 "InstanceReq",	    PMDA_INTERFACE_2, NULL },
	[ASK_TEXT]	= { "text",	 "TextReq",	    PMDA_INTERFACE_2, NULL },
	[ASK_STORE]	= { "store",	 "Result",	    PMDA_INTERFACE_2, NULL },
	[ASK_PROFILE]	= { "profile",	 "Profile",	    PMDA_INTERFACE_2, NULL },
	[ASK_PMID]	= { "pmid",	 "IDList",	    PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_NAME]	= { "name",	 "IDList",	    PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_CHILDREN]	= { "children",	 "ChildReq",	    PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_TRAVERSE]	= { "children",	 "TraversePMNS", PMDA_INTERFACE_4, "dynamic metric names" },
	[ASK_ATTRIBUTE]	= { "attribute", "Auth",	    PMDA_INTERFACE_6, "authentication" },
	[ASK_LABEL]	= { "label",	 "LabelReq",	    PMDA_INTERFACE_7, "labels" },
};
/* clang-format on */

const struct question_row *question_row(enum question_kind kind)
{
	return &rows[kind];
}

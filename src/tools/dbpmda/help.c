/* help - see help.h. */
#include "tools/dbpmda/help.h"

#include <stdio.h>

/* clang-format off */
static const struct {
	enum verb verb;
	const char *usage;
} usages[] = {
	{ VERB_ATTR,	  "attr name [value]" },
	{ VERB_ATTR,	  "attr attr# [value]" },
	{ VERB_CHILDREN,  "children metric-name" },
	{ VERB_CLOSE,	  "close" },
	{ VERB_DEBUG,	  "debug all | none" },
	{ VERB_DEBUG,	  "debug [-]flag [ [-]flag ... ] (- prefix to clear)" },
	{ VERB_DESC,	  "desc metric" },
	{ VERB_FETCH,	  "fetch metric [ metric ... ]" },
	{ VERB_GETDESC,	  "getdesc on | off" },
	{ VERB_GETINAME,  "getiname on | off" },
	{ VERB_INSTANCE,  "instance indom# [ number | name | \"name\" ]" },
	{ VERB_LABEL,	  "label context" },
	{ VERB_LABEL,	  "label domain" },
	{ VERB_LABEL,	  "label indom indom#" },
	{ VERB_LABEL,	  "label cluster cluster#" },
	{ VERB_LABEL,	  "label item metric" },
	{ VERB_LABEL,	  "label instances indom#" },
	{ VERB_NAME,	  "name pmid#" },
	{ VERB_NAMESPACE, "namespace fname" },
	{ VERB_OPEN,	  "open dso dsoname init_routine [ domain# ]" },
	{ VERB_OPEN,	  "open pipe execname [ arg ... ]" },
	{ VERB_OPEN,	  "open socket unix sockname" },
	{ VERB_OPEN,	  "open socket inet port#|service" },
	{ VERB_OPEN,	  "open socket ipv6 port#|service" },
	{ VERB_PMID,	  "pmid metric-name" },
	{ VERB_PROFILE,	  "profile indom# [ all | none ]" },
	{ VERB_PROFILE,	  "profile indom# [ add | delete ] number" },
	{ VERB_QUIT,	  "quit" },
	{ VERB_STATUS,	  "status" },
	{ VERB_STORE,	  "store metric \"value\"" },
	{ VERB_TEXT,	  "text metric" },
	{ VERB_TEXT,	  "text indom indom#" },
	{ VERB_TIMER,	  "timer on | off" },
	{ VERB_TRAVERSE,  "traverse metric-name" },
	{ VERB_WAIT,	  "wait seconds" },
	{ VERB_WATCH,	  "watch logfilename" },
};

static const char *const explanations[VERB_NVERB] = {
	[VERB_ATTR] =
	    "Tells the agent an attribute of its client: the attribute's name in quotes or\n"
	    "its number, and a value. Needs an agent of interface version 6 or later.\n",
	[VERB_CHILDREN] =
	    "Lists the names one level below a name that the agent itself makes (dynamic\n"
	    "names), each with \"leaf\" or \"non-leaf\".\n",
	[VERB_CLOSE] =
	    "Takes leave of the agent: the connection is closed, the library unloaded.\n",
	[VERB_DEBUG] =
	    "Switches debug output of the PCP libraries, by the names of \"pmdbg -l\" or by\n"
	    "number. A minus sign before a name switches that one off.\n",
	[VERB_DESC] =
	    "Shows what kind of values a metric has: type, instance domain, semantics,\n"
	    "units. A metric is named, or is a PMID: N, N.N (cluster and item) or N.N.N.\n",
	[VERB_FETCH] =
	    "Asks for the values of metrics and shows the result, with the instances that\n"
	    "\"profile\" leaves in. Values are shown by their type after \"getdesc on\".\n",
	[VERB_GETDESC] =
	    "Whether \"fetch\" first asks for descriptions, to show values by their type.\n",
	[VERB_GETINAME] =
	    "Whether \"fetch\" asks for the names of the instances that it shows.\n",
	[VERB_INSTANCE] =
	    "Lists the instances of a domain, or the one with a number or a name. A domain\n"
	    "is a number or N.N: the agent's domain and a serial number.\n",
	[VERB_NAME] =
	    "Asks the agent for the names of a metric that it names itself: N.N.N.\n",
	[VERB_NAMESPACE] =
	    "Reads names of metrics from another file from now on.\n",
	[VERB_OPEN] =
	    "Opens an agent, closing the one before: a library with the name of its\n"
	    "initialization function (and a domain number), a program that talks through\n"
	    "pipes with its arguments, or one that listens on a socket.\n",
	[VERB_PMID] =
	    "Asks the agent for the PMID of a name that it makes itself.\n",
	[VERB_PROFILE] =
	    "Chooses the instances of a domain that \"fetch\" is to give: all, none, one\n"
	    "more, or one less. The agent is told before the next fetch.\n",
	[VERB_QUIT] =
	    "Ends this program; so do \"q\", \"exit\", and the end of the input.\n",
	[VERB_STATUS] =
	    "Shows what is open, what is switched on, and the profile.\n",
	[VERB_STORE] =
	    "Fetches a metric and stores a value in its place, for every instance that the\n"
	    "profile leaves in.\n",
	[VERB_TEXT] =
	    "Shows the help texts of a metric or of an instance domain: one line, and all.\n",
	[VERB_TIMER] =
	    "Whether the time that the agent took is shown after each request.\n",
	[VERB_TRAVERSE] =
	    "Lists all names below a name that the agent itself makes (dynamic names).\n",
	[VERB_WAIT] =
	    "Does nothing for some seconds.\n",
	[VERB_WATCH] =
	    "Shows the lines that a file gains, such as the agent's log, between commands.\n",
};
/* clang-format on */

void help_usage(enum verb verb)
{
	for (size_t i = 0; i < sizeof(usages) / sizeof(usages[0]); i++) {
		if (verb == VERB_NONE || usages[i].verb == verb)
			puts(usages[i].usage);
	}
}

void help_all(void)
{
	printf("help [ command ]\n\n");
	help_usage(VERB_NONE);
	putchar('\n');
}

void help_about(enum verb verb)
{
	putchar('\n');
	help_usage(verb);
	putchar('\n');
	if (explanations[verb] != NULL)
		printf("%s\n", explanations[verb]);
}

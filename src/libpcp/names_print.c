/* names_print - lists and trees of names, printed (docs/spec/pmapi.md 24). */
#include <stdio.h>

#include <pcp/libpcp.h>
#include <pcp/pmapi.h>

enum {
	TREE_INDENT = 4,
	TREE_DEPTH = 1000, /* deeper is a circle */
};

void __pmPrintMetricNames(FILE *f, int n, char **names, char *sep)
{
	if (n < 1) {
		fprintf(f, "<nonames>");
		return;
	}
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i > 0 ? sep : "", names[i]);
}

static void print_link(FILE *f, const char *what, const __pmnsNode *node)
{
	if (node == NULL)
		fprintf(f, "%s: <null>", what);
	else
		fprintf(f, "%s: %p", what, (const void *)node);
}

static void print_links(FILE *f, const __pmnsNode *node)
{
	print_link(f, "\t[first", node->first);
	print_link(f, " next", node->next);
	print_link(f, " parent", node->parent);
	print_link(f, " hash", node->hash);
}

static void dump_level(FILE *f, const __pmnsNode *node, int verbose, int level)
{
	char text[32];

	for (; node != NULL; node = node->next) {
		if (verbose > 1)
			fprintf(f, "%p", (const void *)node);
		fprintf(f, "%*s %-16.16s", level * TREE_INDENT, "", node->name);
		if (verbose > 0 && node->first == NULL)
			fprintf(f, " %u %s 0x%08x", node->pmid,
				pmIDStr_r(node->pmid, text, sizeof(text)), node->pmid);
		if (verbose > 1)
			print_links(f, node);
		putc('\n', f);
		if (level < TREE_DEPTH)
			dump_level(f, node->first, verbose, level + 1);
	}
}

void __pmDumpNameNode(FILE *f, const __pmnsNode *node, int verbose)
{
	dump_level(f, node, verbose, 0);
}

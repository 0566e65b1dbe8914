/*
 * build - from the text of a name space to its tree: the actions of the grammar (parse.y).
 *
 * Nodes may be defined in any order: a definition makes its node at once, and the entry that names
 * it links it into the tree. Nodes that are left unreferenced or undefined are found at the end.
 */
#ifndef LIBPMNS_BUILD_H
#define LIBPMNS_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libpmns/lex.h"
#include "libpmns/pmns.h"

struct buffer;

enum {
	BUILD_PMID_TEXT = 32, /* room for any PMID as text */
	BUILD_WAITING = 16,
};

/* A new leaf on its way into the indexes. */
struct build_leaf {
	uint32_t node;
	uint32_t key;
	pmID pmid;
	struct token name;
};

struct build {
	struct pmns *ns;
	struct source src;
	const struct pmns_options *opt; /* not NULL */
	struct lex lex;
	struct token word;   /* the current word */
	uint32_t block;      /* the node whose entries come */
	uint32_t nloose;     /* nodes that are defined, and not in the tree yet */
	uint32_t nundefined; /* nodes that are in the tree, and not defined yet */
	bool suspect;        /* one is both leaf and non-leaf, or defined twice */
	bool skip;           /* ... is not one: its entries are read and forgotten */
	/* A look-up in a large index is a wait for memory. The last few leaves wait here while it
	 * is fetched: a ring of which the oldest is settled when it is full. */
	struct build_leaf waiting[BUILD_WAITING];
	unsigned int nwaiting, oldest;
	int err; /* the first failure; said already if it is PM_ERR_PMNS */
};

/* Parses src into ns, which is fresh. 0, PM_ERR_PMNS (said), -E2BIG, -ENOMEM. */
int build_parse(struct pmns *ns, const struct source *src, const struct pmns_options *opt);

/* The parser over b->src (parse.y): 0, or not 0 with b->err set or out of memory. */
int build_run_grammar(struct build *b);

/* The word at which the grammar found no way on; what says what it expected. */
int build_syntax_error(struct build *b, const char *what);

/*
 * Actions. Each returns 0, or a negative error that is also in b->err.
 */

/* "path {" begins the definition of a node. */
int build_open(struct build *b, struct token path);

/* "name": a child that is a non-leaf. */
int build_nonleaf(struct build *b, struct token name);

/* "name pmid": a leaf or a dynamic root. */
int build_leaf(struct build *b, struct token name, struct token pmid);

/* A line that begins with '#', without its newline. */
int build_marker(struct build *b, struct token line);

/* Says what is wrong at a token, once. Returns PM_ERR_PMNS. */
int build_error(struct build *b, struct token at, const char *what);

/* "D:C:I", "D:*:*", blanks allowed at the colons: 0, or PM_ERR_PMNS with the text of the error. */
int build_pmid(const char *s, size_t len, pmID *ret_pmid, const char **ret_error);

/* "1.2.3", or "1.*.*" for a dynamic root. Returns buf. */
const char *build_pmid_text(pmID pmid, char *buf, size_t size);

/* Gives a message to opt, if it wants any; the buffer is released. */
void build_say(const struct pmns_options *opt, struct buffer *text);

#endif

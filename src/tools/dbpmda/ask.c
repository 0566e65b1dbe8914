/*
 * ask - commands that ask the agent a question and print the answer (docs/spec/pmda.md 19.6).
 */
#include "tools/dbpmda/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/dbpmda/agent.h"
#include "tools/dbpmda/command.h"

enum { IDENT_LEN = 32 };

/* Sends a question and reads its answer. */
static int ask_ask(struct session *s, const struct question *q, struct answer *a)
{
	answer_init(a);
	return s->agent->ops->ask(s->agent, q, a);
}

/* A list of names has NULL entries only by a mistake of the agent. */
static const char *shown(const char *name)
{
	return name == NULL ? "(null)" : name;
}

static void print_pmid(pmID pmid)
{
	char text[IDENT_LEN];

	printf("PMID: %s\n", pmIDStr_r(pmid, text, sizeof(text)));
}

static void ask_print_indom(const char *heading, pmInDom indom)
{
	char text[IDENT_LEN];

	printf("%s: %s\n", heading, pmInDomStr_r(indom, text, sizeof(text)));
}

int ask_desc(struct session *s, const struct command *c)
{
	const struct question q = {.kind = ASK_DESC, .pmid = c->pmids[0]};
	struct answer a;
	int r;

	print_pmid(c->pmids[0]);
	r = ask_ask(s, &q, &a);
	if (r >= 0)
		pmPrintDesc(stdout, &a.desc);
	answer_done(&a);
	return r;
}

/* The descriptions of the fetched metrics, malloc'd, or NULL after printing an error. */
static pmDesc *get_descs(struct session *s, const struct command *c)
{
	pmDesc *descs = calloc((size_t)c->npmid, sizeof(*descs));

	if (descs == NULL)
		pmNoMem("fetch", (size_t)c->npmid * sizeof(*descs), PM_FATAL_ERR);
	for (int i = 0; i < c->npmid; i++) {
		const struct question q = {.kind = ASK_DESC, .pmid = c->pmids[i]};
		struct answer a;
		int r = ask_ask(s, &q, &a);

		descs[i] = a.desc;
		answer_done(&a);
		if (r < 0) {
			free(descs);
			return NULL;
		}
	}
	return descs;
}

static int fetch_and_dump(struct session *s, const struct command *c, const pmDesc *descs)
{
	const struct question q = {.kind = ASK_FETCH, .n = c->npmid, .pmids = c->pmids};
	struct answer a;
	int r = ask_ask(s, &q, &a);

	if (r >= 0) {
		dump_result(s, a.result, c->npmid, c->pmids, descs);
		s->agent->ops->result_free(s->agent, a.result);
	}
	answer_done(&a);
	return r;
}

int ask_fetch(struct session *s, const struct command *c)
{
	pmDesc *descs = NULL;
	char text[IDENT_LEN];
	int r;

	printf("PMID(s):");
	for (int i = 0; i < c->npmid; i++)
		printf(" %s", pmIDStr_r(c->pmids[i], text, sizeof(text)));
	putchar('\n');
	if (s->getdesc || s->getiname) {
		descs = get_descs(s, c);
		if (descs == NULL)
			return PM_ERR_PMID;
		for (int i = 0; pmDebugOptions.pdu && !s->agent->ops->in_process && i < c->npmid;
		     i++)
			pmPrintDesc(stdout, &descs[i]);
	}
	r = session_send_profile(s);
	if (r >= 0)
		r = fetch_and_dump(s, c, descs);
	free(descs);
	return r;
}

int ask_store(struct session *s, const struct command *c)
{
	print_pmid(c->pmids[0]);
	return store_value(s, c->pmids[0], c->text);
}

int ask_instance(struct session *s, const struct command *c)
{
	const struct question q = {
	    .kind = ASK_INSTANCE,
	    .ident = c->indom,
	    .inst = c->has_number ? c->number : (int)PM_IN_NULL,
	    .name = c->text,
	};
	struct answer a;
	int r;

	ask_print_indom("pmInDom", c->indom);
	r = ask_ask(s, &q, &a);
	for (int i = 0; r >= 0 && i < a.n; i++) {
		printf("[%3d]", i);
		if (a.insts != NULL)
			printf(" inst: %d", a.insts[i]);
		if (a.names != NULL)
			printf(" name: \"%s\"", shown(a.names[i]));
		putchar('\n');
	}
	if (r >= 0 && a.n == 0)
		printf("Instance domain is empty\n");
	answer_done(&a);
	return r;
}

/* Prints one of the two texts. */
static int ask_one_text(struct session *s, struct question *q, int length)
{
	bool line = length == PM_TEXT_ONELINE;
	struct answer a;
	int r;

	q->type = (q->type & ~(PM_TEXT_ONELINE | PM_TEXT_HELP)) | length;
	r = ask_ask(s, q, &a);
	if (r >= 0 && (a.text == NULL || a.text[0] == '\0'))
		printf(line ? "[<no one line help text specified>]\n"
			    : "<no help text specified>\n");
	else if (r >= 0)
		printf(line ? "[%s]\n" : "%s\n", a.text);
	answer_done(&a);
	return r;
}

int ask_text(struct session *s, const struct command *c)
{
	bool indom = c->form == FORM_INDOM;
	struct question q = {
	    .kind = ASK_TEXT,
	    .ident = indom ? c->indom : c->pmids[0],
	    .type = indom ? PM_TEXT_INDOM : PM_TEXT_PMID,
	};
	int r1, r2;

	if (indom)
		ask_print_indom("pmInDom", c->indom);
	else
		print_pmid(c->pmids[0]);
	r1 = ask_one_text(s, &q, PM_TEXT_ONELINE);
	r2 = ask_one_text(s, &q, PM_TEXT_HELP);
	return r1 < 0 ? r1 : r2;
}

/*
 * Names
 */

static void print_name_with_status(int status, const char *name)
{
	printf("   %8s %s\n", status == PMNS_LEAF_STATUS ? "leaf" : "non-leaf", name);
}

int ask_pmid(struct session *s, const struct command *c)
{
	const struct question q = {.kind = ASK_PMID, .name = c->text};
	char text[IDENT_LEN];
	struct answer a;
	int r;

	printf("Metric: %s\n", c->text);
	r = ask_ask(s, &q, &a);
	if (r >= 0)
		printf("   %s\n", pmIDStr_r(a.pmid, text, sizeof(text)));
	answer_done(&a);
	return r;
}

/* Agents in this process are reported to have returned 0; for other agents nothing is printed. */
static void print_no_names(const struct session *s, const char *method)
{
	if (s->agent->ops->in_process)
		printf("Warning: DSO %s() returns 0\n", method);
}

int ask_name(struct session *s, const struct command *c)
{
	const struct question q = {.kind = ASK_NAME, .pmid = c->pmids[0]};
	struct answer a;
	int r;

	if (!s->agent->ops->can(s->agent, ASK_NAME))
		return PM_ERR_NYI;
	print_pmid(c->pmids[0]);
	r = ask_ask(s, &q, &a);
	for (int i = 0; r >= 0 && i < a.n; i++)
		printf("   %s\n", shown(a.names[i]));
	if (r >= 0 && a.n == 0)
		print_no_names(s, "name");
	answer_done(&a);
	return r;
}

static int ask_below(struct session *s, const struct command *c, enum question_kind kind)
{
	const struct question q = {.kind = kind, .name = c->text};
	struct answer a;
	int r;

	printf("Metric: %s\n", c->text);
	r = ask_ask(s, &q, &a);
	for (int i = 0; r >= 0 && i < a.n; i++) {
		if (a.status != NULL)
			print_name_with_status(a.status[i], shown(a.names[i]));
		else
			printf("   %s\n", shown(a.names[i]));
	}
	if (r >= 0 && a.n == 0)
		print_no_names(s, "children");
	answer_done(&a);
	return r;
}

int ask_children(struct session *s, const struct command *c)
{
	return ask_below(s, c, ASK_CHILDREN);
}

int ask_traverse(struct session *s, const struct command *c)
{
	return ask_below(s, c, ASK_TRAVERSE);
}

int ask_attribute(struct session *s, const struct command *c)
{
	const struct question q = {
	    .kind = ASK_ATTRIBUTE, .type = c->number, .name = c->text != NULL ? c->text : ""};
	struct answer a;
	int r;

	if (!s->agent->ops->can(s->agent, ASK_ATTRIBUTE))
		return PM_ERR_NYI;
	printf("Attribute: %s=%s\n", attribute_name(c->number), c->text != NULL ? c->text : "''");
	r = ask_ask(s, &q, &a);
	if (r >= 0)
		printf("Success\n");
	answer_done(&a);
	return r;
}

/*
 * Labels
 */

static void label_context(const struct command *c, struct question *q)
{
}

static void label_indom(const struct command *c, struct question *q)
{
	q->ident = c->indom;
	ask_print_indom("pmInDom", c->indom);
}

static void label_instances(const struct command *c, struct question *q)
{
	q->ident = c->indom;
	ask_print_indom("Instances of pmInDom", c->indom);
}

static void label_cluster(const struct command *c, struct question *q)
{
	pmID pmid = (pmID)c->number;

	q->ident = pmid;
	printf("Cluster: %u.%u\n", pmID_domain(pmid), pmID_cluster(pmid));
}

static void label_item(const struct command *c, struct question *q)
{
	q->ident = c->pmids[0];
	print_pmid(c->pmids[0]);
}

/* Prints the heading and sets the subject of the labels. */
struct label_row {
	enum form form;
	int type;
	void (*head)(const struct command *c, struct question *q);
};

/* clang-format off */
static const struct label_row label_rows[] = {
	{ FORM_CONTEXT,	  PM_LABEL_CONTEXT,   label_context },
	{ FORM_DOMAIN,	  PM_LABEL_DOMAIN,    label_context },
	{ FORM_INDOM,	  PM_LABEL_INDOM,     label_indom },
	{ FORM_CLUSTER,	  PM_LABEL_CLUSTER,   label_cluster },
	{ FORM_ITEM,	  PM_LABEL_ITEM,      label_item },
	{ FORM_INSTANCES, PM_LABEL_INSTANCES, label_instances },
};
/* clang-format on */

static void print_label_set(const pmLabelSet *set, int index)
{
	if (set->inst == PM_IN_NULL)
		printf("Labels:\n");
	else
		printf("[%3d] Labels inst: %d\n", index, (int)set->inst);
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *l = set->labels == NULL ? NULL : &set->labels[i];

		if (l == NULL || set->json == NULL || l->name + l->namelen > (int)set->jsonlen ||
		    l->value + l->valuelen > (int)set->jsonlen) {
			printf("Error: no text of label %d\n", i);
			continue;
		}
		printf("    %.*s=%.*s\n", (int)l->namelen, set->json + l->name, (int)l->valuelen,
		       set->json + l->value);
	}
}

static void print_labels(const struct session *s, const struct answer *a)
{
	for (int i = 0; i < a->n; i++)
		print_label_set(&a->sets[i], i);
	if (a->n > 0)
		return;
	if (s->agent->ops->in_process)
		printf("Info: DSO label() returns 0\n");
	else
		printf("Info: __pmDecodeLabel() returns 0 label sets\n");
}

int ask_label(struct session *s, const struct command *c)
{
	struct question q = {.kind = ASK_LABEL, .ident = PM_IN_NULL};
	const struct label_row *row = label_rows;
	struct answer a;
	int r;

	while (row->form != c->form)
		row++;
	q.type = row->type;
	row->head(c, &q);
	/* An agent process gets the instance domain first. */
	if (c->form == FORM_INSTANCES && !s->agent->ops->in_process)
		session_send_profile(s);
	r = ask_ask(s, &q, &a);
	if (r >= 0)
		print_labels(s, &a);
	answer_done(&a);
	return r;
}

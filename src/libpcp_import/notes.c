/*
 * notes - help texts and labels of a context.
 *
 * A text is kept, and is written once. Labels are collected into one set for each subject until
 * they are written; the next label of the subject begins a new set.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/libpcp.h>

#include "libbase/buffer.h"
#include "libpcp_import/import.h"

/* ---- texts ---- */

static bool same_text(const struct import_text *a, const struct import_text *b)
{
	return a->type == b->type && a->class == b->class && a->id == b->id &&
	       strcmp(a->content, b->content) == 0;
}

int import_copy_text(struct import *c, const struct import_text *text)
{
	char *content;

	if (import_grow(&c->texts, c->ntexts, sizeof(*text)) != 0)
		return -ENOMEM;
	content = strdup(text->content);
	if (content == NULL)
		return -ENOMEM;
	c->texts[c->ntexts] = *text;
	c->texts[c->ntexts].content = content;
	c->texts[c->ntexts++].written = false;
	return 0;
}

int import_put_text(struct import *c, const struct import_text *text)
{
	if (text->type != PM_TEXT_PMID && text->type != PM_TEXT_INDOM)
		return PMI_ERR_BADTEXTTYPE;
	if (text->class != PM_TEXT_ONELINE && text->class != PM_TEXT_HELP)
		return PMI_ERR_BADTEXTCLASS;
	if (text->id == PM_ID_NULL)
		return PMI_ERR_BADTEXTID;
	if (text->content == NULL || text->content[0] == '\0')
		return PMI_ERR_EMPTYTEXTCONTENT;
	for (size_t i = 0; i < c->ntexts; i++) {
		if (same_text(&c->texts[i], text))
			return PMI_ERR_DUPTEXT;
	}
	return import_copy_text(c, text);
}

int pmiPutText(unsigned int type, unsigned int class_, unsigned int id, const char *content)
{
	struct import *c = import_enter();
	struct import_text text = {type, class_, id, (char *)(uintptr_t)content, false};

	return import_leave(c, c != NULL ? import_put_text(c, &text) : 0);
}

/* ---- labels ---- */

void import_drop_labels(struct import *c)
{
	for (size_t i = 0; i < c->nlabels; i++)
		pmFreeLabelSets(c->labels[i].set, 1);
	c->nlabels = 0;
	free(c->labels);
	c->labels = NULL;
}

int import_copy_label(struct import *c, const struct import_label *label)
{
	pmLabelSet *set;

	if (import_grow(&c->labels, c->nlabels, sizeof(*label)) != 0)
		return -ENOMEM;
	set = __pmDupLabelSets(label->set, 1);
	if (set == NULL)
		return -ENOMEM;
	c->labels[c->nlabels] = *label;
	c->labels[c->nlabels++].set = set;
	return 0;
}

static int check_label(const struct import_label *of, const char *name, const char *value)
{
	switch (of->type) {
	case PM_LABEL_CONTEXT:
		break;
	case PM_LABEL_INSTANCES:
		if (of->inst == (int)PM_IN_NULL)
			return PMI_ERR_BADLABELINSTANCE;
		/* fall through */
	case PM_LABEL_DOMAIN:
	case PM_LABEL_INDOM:
	case PM_LABEL_CLUSTER:
	case PM_LABEL_ITEM:
		if (of->id == PM_ID_NULL)
			return PMI_ERR_BADLABELID;
		break;
	default:
		return PMI_ERR_BADLABELTYPE;
	}
	if (name == NULL || name[0] == '\0')
		return PMI_ERR_EMPTYLABELNAME;
	if (value == NULL || value[0] == '\0')
		return PMI_ERR_EMPTYLABELVALUE;
	return 0;
}

/* A context has one set, whatever number it is given. */
static bool same_subject(const struct import_label *a, const struct import_label *b)
{
	if (a->type == PM_LABEL_CONTEXT)
		return b->type == PM_LABEL_CONTEXT;
	return a->type == b->type && a->id == b->id && a->inst == b->inst;
}

/* The words of JSON are values of their own; all else is text. */
static bool is_word(const char *value)
{
	return strcasecmp(value, "true") == 0 || strcasecmp(value, "false") == 0 ||
	       strcasecmp(value, "null") == 0;
}

static int add_to_set(struct import_label *label, const char *name, const char *value)
{
	struct buffer json = BUFFER_INIT;
	const char *text;
	int r = PMI_ERR_ADDLABELERROR;

	if (strchr(name, '.') != NULL) /* only names inside of objects are joined by dots */
		return r;
	buffer_printf(&json, is_word(value) ? "{\"%s\":%s}" : "{\"%s\":\"%s\"}", name, value);
	text = json.err == 0 ? buffer_str(&json) : NULL;
	if (text != NULL && __pmAddLabels(&label->set, text, (int)label->type) > 0)
		r = 0;
	buffer_done(&json);
	return r;
}

static int new_set(struct import *c, const struct import_label *of, const char *name,
		   const char *value)
{
	struct import_label label = *of;
	int r = import_grow(&c->labels, c->nlabels, sizeof(label));

	label.set = NULL;
	if (r == 0)
		r = add_to_set(&label, name, value);
	if (r != 0) {
		pmFreeLabelSets(label.set, label.set != NULL ? 1 : 0);
		return r;
	}
	label.set->inst = (unsigned int)label.inst;
	c->labels[c->nlabels++] = label;
	return 0;
}

int import_put_label(struct import *c, const struct import_label *set_of, const char *name,
		     const char *value)
{
	int r = check_label(set_of, name, value);

	if (r != 0)
		return r;
	for (size_t i = 0; i < c->nlabels; i++) {
		if (same_subject(&c->labels[i], set_of))
			return add_to_set(&c->labels[i], name, value);
	}
	return new_set(c, set_of, name, value);
}

int pmiPutLabel(unsigned int type, unsigned int id, unsigned int inst, const char *name,
		const char *value)
{
	struct import *c = import_enter();
	struct import_label label = {type, id, (int)inst, NULL};

	if (type != PM_LABEL_INSTANCES)
		label.inst = (int)PM_IN_NULL;
	return import_leave(c, c != NULL ? import_put_label(c, &label, name, value) : 0);
}

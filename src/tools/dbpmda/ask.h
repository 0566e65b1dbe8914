/*
 * ask - commands that ask the agent a question and print the answer (docs/spec/pmda.md 19.6).
 *
 * An agent is open. Each function returns 0 or more, or an error that has been printed.
 */
#ifndef DBPMDA_ASK_H
#define DBPMDA_ASK_H

struct command;
struct session;

int ask_attribute(struct session *s, const struct command *c);
int ask_children(struct session *s, const struct command *c);
int ask_desc(struct session *s, const struct command *c);
int ask_fetch(struct session *s, const struct command *c);
int ask_instance(struct session *s, const struct command *c);
int ask_label(struct session *s, const struct command *c);
int ask_name(struct session *s, const struct command *c);
int ask_pmid(struct session *s, const struct command *c);
int ask_store(struct session *s, const struct command *c);
int ask_text(struct session *s, const struct command *c);
int ask_traverse(struct session *s, const struct command *c);

#endif

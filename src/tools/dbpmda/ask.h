/*
 * ask - commands that ask the agent something, and print what it says (docs/spec/pmda.md 19.6).
 *
 * Each returns 0 or more, or an error that has been printed. An agent is open.
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

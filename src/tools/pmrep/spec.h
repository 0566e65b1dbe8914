/*
 * spec - a metric as it is requested: its name, and how its column looks.
 *
 *     metric[,label[,instances[,unit[,type[,width[,precision[,limit]]]]]]]
 */
#ifndef PMREP_SPEC_H
#define PMREP_SPEC_H

#include <stdbool.h>
#include <stddef.h>

/* All texts are owned; NULL: not given. */
struct spec {
	char *name;
	char *label;
	char *instances;
	char *unit;
	char *formula; /* of a derived metric */
	bool raw;
	int width, precision; /* or SETTINGS_UNSET */
	int limit;            /* 0: none */
};

struct specs {
	struct spec *list;
	size_t n;
};

/*
 * Adds a metric, in the place of an earlier one of the same name. `rest` is the part after the
 * metric's name, or NULL. Returns the place in the list, or PM_ERR_CONV after reporting a wrong
 * number. Exits if out of memory.
 */
int specs_add(struct specs *specs, const char *name, const char *rest);

bool specs_have(const struct specs *specs, const char *name);

/* Adds a metric of the command line, whose name ends at the first comma. */
int specs_add_argument(struct specs *specs, const char *argument);

/*
 * Changes one property of a metric: "label", "formula", "instances", "unit", "type", "width",
 * "precision" or "limit". Returns 0, PM_ERR_NAME for another name, or PM_ERR_CONV after reporting a
 * wrong number.
 */
int spec_set(struct spec *spec, const char *property, const char *value);

void specs_done(struct specs *specs);

#endif

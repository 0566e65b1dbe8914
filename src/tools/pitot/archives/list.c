/*
 * list - `pitot archives list`: the archives of the folders as a table, or as JSON.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/pitot/archives/archives.h"
#include "tools/pitot/pitot.h"

enum { LIST_SCHEMA = 1, LIST_TIME = 32, LIST_SIZE = 16 };

static const char *const state_names[] = {
    [STORED_COMPLETE] = "complete",
    [STORED_WRITTEN] = "being written",
    [STORED_DAMAGED] = "damaged",
};

/*
 * Text
 */

static const char *time_text(const struct timespec *t, char *text)
{
	struct tm tm;

	if (t->tv_sec == 0 || localtime_r(&t->tv_sec, &tm) == NULL ||
	    strftime(text, LIST_TIME, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		strcpy(text, "-");
	return text;
}

static const char *bytes_text(uint64_t bytes, char *text)
{
	static const char units[] = "KMGT";
	double v = (double)bytes;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(text, LIST_SIZE, "%" PRIu64, bytes);
		return text;
	}
	for (v /= 1024; v >= 1024 && i + 2 < sizeof(units); i++)
		v /= 1024;
	snprintf(text, LIST_SIZE, "%.1f%c", v, units[i]);
	return text;
}

static int column(const struct stored_folder *f, bool host)
{
	size_t width = 7;

	for (size_t i = 0; i < f->n; i++) {
		size_t len = strlen(host ? f->at[i].label.host : f->at[i].name);

		if (len > width)
			width = len;
	}
	return (int)width;
}

/* Names of files and hosts may have control characters. */
static void print_clean(const char *word, int width)
{
	char *text = strdup(word);

	if (text == NULL)
		pmNoMem("word", strlen(word), PM_FATAL_ERR);
	word_clean(text);
	printf("%-*s  ", width, text);
	free(text);
}

static void print_archive(const struct stored *s, int name_width, int host_width)
{
	char start[LIST_TIME], end[LIST_TIME], size[LIST_SIZE], reason[STORED_REASON];

	print_clean(s->name, name_width);
	print_clean(s->labelled ? s->label.host : "-", host_width);
	printf("%-19s  %-19s  %7zu  %6zu  %8s  %s", time_text(&s->label.start, start),
	       time_text(&s->end, end), s->files.nvolumes, s->packed, bytes_text(s->bytes, size),
	       state_names[s->state]);
	if (s->state == STORED_DAMAGED) {
		strcpy(reason, s->reason);
		word_clean(reason);
		printf(": %s", reason);
	}
	putchar('\n');
}

static void print_folder(const char *dir, const struct stored_folder *f)
{
	const int name_width = column(f, false), host_width = column(f, true);
	char size[LIST_SIZE];
	uint64_t bytes = 0;

	if (f->n > 0)
		printf("%-*s  %-*s  %-19s  %-19s  %7s  %6s  %8s  %s\n", name_width, "ARCHIVE",
		       host_width, "HOST", "START", "END", "VOLUMES", "PACKED", "SIZE", "STATE");
	for (size_t i = 0; i < f->n; i++) {
		print_archive(&f->at[i], name_width, host_width);
		bytes += f->at[i].bytes;
	}
	printf("%s: %zu archives, %s\n", dir, f->n, bytes_text(bytes, size));
}

/*
 * JSON
 */

static json_t *time_json(const struct timespec *t)
{
	return t->tv_sec != 0 ? json_real((double)t->tv_sec + (double)t->tv_nsec / 1e9)
			      : json_null();
}

/* Null for text that is not UTF-8. */
static json_t *text_json(const char *text)
{
	json_t *o = json_string(text);

	return o != NULL ? o : json_null();
}

static json_t *archive_json(const char *dir, const struct stored *s)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:I,s:s,s:o}", "directory", text_json(dir),
			 "name", text_json(s->name), "host",
			 s->labelled ? text_json(s->label.host) : json_null(), "start",
			 time_json(&s->label.start), "end", time_json(&s->end), "volumes",
			 (json_int_t)s->files.nvolumes, "packed", (json_int_t)s->packed, "bytes",
			 (json_int_t)s->bytes, "state",
			 s->state == STORED_WRITTEN ? "written" : state_names[s->state], "reason",
			 s->state == STORED_DAMAGED ? text_json(s->reason) : json_null());
}

static int print_json(json_t *archives, uint64_t bytes)
{
	json_t *o = json_pack("{s:i,s:I,s:o}", "schema", LIST_SCHEMA, "bytes", (json_int_t)bytes,
			      "archives", archives);
	int r = o != NULL ? json_dumpf(o, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) : -1;

	putchar('\n');
	json_decref(o);
	return r == 0 ? PITOT_OK : PITOT_FAILED;
}

int list_folders(const struct archives_options *o, char *const dirs[], size_t n)
{
	json_t *archives = o->json ? json_array() : NULL;
	int status = PITOT_OK;
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++) {
		struct stored_folder f;
		int sts = stored_folder_read(dirs[i], &f);

		if (sts < 0) {
			status = stored_failed(dirs[i], sts);
			continue;
		}
		if (!o->json)
			print_folder(dirs[i], &f);
		for (size_t j = 0; j < f.n && o->json; j++) {
			json_array_append_new(archives, archive_json(dirs[i], &f.at[j]));
			bytes += f.at[j].bytes;
		}
		stored_folder_done(&f);
	}
	if (o->json && print_json(archives, bytes) != PITOT_OK)
		status = PITOT_FAILED;
	return status;
}

/*
 * frames - pass 0: the label of a file and the length words of all its records, or the completeness
 * of the entries of an index. The file may contain any bytes.
 */
#include "tools/pmlogcheck/frames.h"

#include <inttypes.h>
#include <stdarg.h>

#include <pcp/pmapi.h>

#include "libbase/endian_be.h"
#include "libdisk/index_entry.h"
#include "libdisk/log_label.h"
#include "libdisk/meta.h"
#include "libdisk/record.h"
#include "libstore/member.h"

enum { WORD = 4 };

struct walk {
	struct member *m;
	const char *path;
	enum frames_kind kind;
	FILE *out;
	uint64_t size;
	uint64_t at; /* the offset of the current record */
	uint64_t record;
	int version;
	bool line_open; /* "start pass0 ..." has no newline yet */
};

static void close_line(struct walk *w)
{
	if (w->line_open)
		fputc('\n', w->out);
	w->line_open = false;
}

/* "PATH[record 7]: …", or of the label "PATH: …" */
__attribute__((format(printf, 3, 4))) static void say(struct walk *w, bool number, const char *fmt,
						      ...)
{
	va_list ap;

	close_line(w);
	fputs(w->path, w->out);
	if (number)
		fprintf(w->out, "[record %" PRIu64 "]", w->record);
	fputs(": ", w->out);
	va_start(ap, fmt);
	vfprintf(w->out, fmt, ap);
	va_end(ap);
	fputc('\n', w->out);
}

static void say_eof(struct walk *w, const char *where, uint64_t wanted, uint64_t got)
{
	bool label = w->record == 0;

	say(w, !label, "unexpected EOF in %s %s, wanted %" PRIu64 ", got %" PRIu64 " bytes",
	    label ? "label record" : "record", where, wanted, got);
}

static void say_illegal(struct walk *w, const char *where, int32_t len)
{
	bool label = w->record == 0;

	say(w, !label, "illegal %s record length (%d)%s", where, len,
	    label ? " in label record" : "");
}

static void say_mismatch(struct walk *w, int32_t head, int32_t trailer)
{
	bool label = w->record == 0;

	say(w, !label, "%slength mismatch: header %d != trailer %d", label ? "label record " : "",
	    head, trailer);
}

/*
 * Reads the word at an offset inside the file. Returns 0, which is never a valid length, if the
 * file has been truncated in the meantime.
 */
static uint32_t word_at(struct walk *w, uint64_t at)
{
	size_t left;
	const uint8_t *p = member_at(w->m, at, WORD, &left);

	return p != NULL ? load_be32(p) : 0;
}

/* Checks the record at w->at. Returns its length, or 0 after reporting an error. */
static uint64_t check_frame(struct walk *w)
{
	uint64_t left = w->size - w->at, want;
	int32_t head, trailer;

	if (left < WORD) {
		say(w, true, "unexpected EOF in record header, wanted %d, got %" PRIu64 " bytes",
		    WORD, left);
		return 0;
	}
	head = (int32_t)word_at(w, w->at);
	if (head < RECORD_MIN) {
		say_illegal(w, "header", head);
		return 0;
	}
	want = (uint64_t)head - RECORD_MIN;
	left -= WORD;
	if (left < want) {
		say_eof(w, "body", want, left);
		return 0;
	}
	left -= want;
	if (left < WORD) {
		say_eof(w, "trailer", WORD, left);
		return 0;
	}
	trailer = (int32_t)word_at(w, w->at + (uint64_t)head - WORD);
	if (trailer == head)
		return (uint64_t)head;
	if (trailer < RECORD_MIN && trailer >= 0)
		say_illegal(w, "trailer", trailer);
	else
		say_mismatch(w, head, trailer);
	return 0;
}

static bool known_version(int version)
{
	return version == DISK_V2 || version == DISK_V3;
}

/* Checks the label, whose frame is whole. Returns false if the file cannot be used. */
static bool check_label(struct walk *w, uint64_t len)
{
	uint32_t magic = len >= RECORD_MIN + WORD ? word_at(w, WORD) : 0;
	bool foreign = (magic & 0xffffff00) != LOG_LABEL_MAGIC;
	char text[PM_MAXERRMSGLEN];
	struct log_label label;
	const uint8_t *p;
	size_t left;
	int sts;

	w->version = (int)(magic & 0xff);
	if (foreign)
		say(w, false, "bad label magic number: 0x%x not 0x%x as expected",
		    magic & 0xffffff00, (unsigned int)LOG_LABEL_MAGIC);
	if (!known_version(w->version))
		say(w, false, "bad label version: %d not %d or %d as expected", w->version, DISK_V2,
		    DISK_V3);
	else if (foreign)
		return true; /* the error for the magic number was printed; opening adds nothing */
	p = member_at(w->m, 0, (size_t)len, &left);
	sts = p != NULL ? log_label_decode(p, (size_t)len, &label) : PM_ERR_LABEL;
	if (sts < 0)
		say(w, false, "cannot load label record: %s", pmErrStr_r(sts, text, sizeof(text)));
	return sts >= 0;
}

static void compare_version(struct walk *w, struct frames_version *first)
{
	if (first->version == 0)
		*first = (struct frames_version){w->version, w->path};
	else if (first->version != w->version)
		say(w, false, "mismatched label version: %d not %d as expected from %s", w->version,
		    first->version, first->path);
}

/* Reports a record type that the version of a .meta does not have; readers accept it. */
static void check_type(struct walk *w, uint64_t len)
{
	uint32_t type = len >= RECORD_MIN + WORD ? word_at(w, w->at + WORD) : 0;

	if (meta_name(type) != NULL && !meta_type_in_version(type, w->version))
		say(w, true, "unexpected record type %s (%u) for V%d archive", meta_name(type),
		    type, w->version);
}

static bool check_entries(struct walk *w)
{
	uint64_t len = index_entry_len(w->version), left = w->size - w->at;

	w->record += left / len;
	if (left % len == 0)
		return true;
	say(w, true, "unexpected EOF in index entry, wanted %" PRIu64 ", got %" PRIu64 " bytes",
	    len, left % len);
	return false;
}

/* Returns false if a record is damaged, which has been reported. */
static bool check_records(struct walk *w, void (*tick)(uint64_t at, uint64_t size))
{
	uint64_t len;

	for (; w->at < w->size; w->at += len, w->record++) {
		if (tick != NULL)
			tick(w->at, w->size);
		len = check_frame(w);
		if (len == 0) {
			fprintf(w->out, "%s: last valid record ends at offset %" PRIu64 "\n",
				w->path, w->at);
			return false;
		}
		if (w->kind == FRAMES_META)
			check_type(w, len);
	}
	return true;
}

static bool check_file(struct walk *w, struct frames_version *first,
		       void (*tick)(uint64_t at, uint64_t size))
{
	uint64_t len = 0;

	if (w->size > 0) {
		len = check_frame(w);
		if (len == 0 || !check_label(w, len))
			return false;
	}
	if (w->size == len) {
		say(w, false, "contains no PCP data");
		return true;
	}
	compare_version(w, first);
	w->at = len;
	w->record = 1;
	return w->kind == FRAMES_INDEX ? check_entries(w) : check_records(w, tick);
}

struct frames frames_check(struct member *m, const char *path, enum frames_kind kind,
			   struct frames_version *first, bool verbose, FILE *out,
			   void (*tick)(uint64_t at, uint64_t size))
{
	struct walk w = {.m = m, .path = path, .kind = kind, .out = out, .size = member_size(m)};
	struct frames f = {0};

	if (verbose)
		fprintf(out, "%s: start pass0 ... ", path);
	w.line_open = verbose;
	f.fatal = !check_file(&w, first, tick);
	f.records = w.record;
	if (w.line_open)
		fprintf(out, "found %" PRIu64 " records\n", f.records);
	return f;
}

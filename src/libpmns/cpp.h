/*
 * cpp - the preprocessor of name-space files (docs/spec/pmcd.md 10.2, "pmcpp").
 *
 * Comments become blanks; #include, #define, #undef, #ifdef, #ifndef, #else and #endif at the start
 * of a line are obeyed; names of macros are replaced as whole words, once. One line comes out for
 * each that goes in, and a linemarker where the file changes. #shell runs nothing: it is an error.
 */
#ifndef LIBPMNS_CPP_H
#define LIBPMNS_CPP_H

#include <stddef.h>

struct buffer;

enum {
	CPP_DEPTH_MAX = 5,          /* files open at once, the main file is one */
	CPP_FILE_MAX = 64 << 20,    /* bytes of a file */
	CPP_INPUT_MAX = 256 << 20,  /* bytes read in all, a file included twice counted twice */
	CPP_OUTPUT_MAX = 256 << 20, /* bytes that come out */
};

/* A text in memory. */
struct cpp_text {
	const char *name; /* how #include calls it */
	const char *text;
	size_t len;
};

/* A macro of the command line: "name value", as after #define, and its place for messages. */
struct cpp_define {
	const char *text;
	unsigned int number;
};

enum cpp_flags {
	CPP_PERCENT = 1u << 0, /* directives begin with % in place of #, and comments are text */
	CPP_MARKED = 1u << 1,  /* a macro is replaced only as #name or #{name} (%name, %{name}) */
	CPP_NO_MARKERS = 1u << 2, /* no linemarkers */
};

/* All fields may be zero. */
struct cpp_options {
	unsigned int flags;               /* enum cpp_flags */
	const struct cpp_define *defines; /* the last one has no text; defined first */
	const char *const *dirs; /* searched for included files after the folder of the main file */
	/* A file that is there without being found on disk. */
	const struct cpp_text *extra;
	/* Macros that are defined before the text begins: its #define lines. The text may define
	 * the same names again. */
	const struct cpp_text *prelude;
	/* Told of each included file before it is read. */
	void (*opened)(void *arg, const char *path);
	void *arg;
};

/*
 * Appends the text of main, preprocessed, to out; main->name is its path (for messages and for the
 * folder to search). 0; -EINVAL for an error in the text, -EFBIG over a limit, -ENOMEM. For the
 * first two, out has what came before it, and error gets the message, lines without a final
 * newline: "pmcpp: file[3]: #bad line\npmcpp: Error: what is wrong".
 */
int cpp_run(const struct cpp_text *main, const struct cpp_options *opt, struct buffer *out,
	    struct buffer *error);

/* ---- the text that is to be preprocessed ---- */

/* Appends a whole file, or standard input (path NULL), of at most CPP_FILE_MAX bytes. 0, -errno,
 * -EFBIG, -ENOMEM. */
int cpp_input(const char *path, struct buffer *text);

#endif

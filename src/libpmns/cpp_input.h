/* cpp_input - the text that is to be preprocessed. */
#ifndef LIBPMNS_CPP_INPUT_H
#define LIBPMNS_CPP_INPUT_H

struct buffer;

/* Appends a whole file, or standard input (path NULL), of at most CPP_FILE_MAX bytes. 0, -errno,
 * -EFBIG, -ENOMEM. */
int cpp_input(const char *path, struct buffer *text);

#endif

/*
 * run_corpus - the main function of a fuzz target without libFuzzer.
 *
 * Runs every file of the folders named on the command line through the target once. The folders
 * contain the inputs of earlier crashes; if the target crashes, so does this program.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "libbase/buffer.h"
#include "libbase/file.h"

enum { INPUT_MAX = 1 << 20 };

/* The input is in memory of exactly its length, so that a sanitizer detects a read beyond it. */
static int run_file(const char *path)
{
	struct buffer b = BUFFER_INIT;
	uint8_t *input = NULL;
	int r = file_read_all(path, INPUT_MAX, &b);

	if (r == 0) {
		input = malloc(b.len > 0 ? b.len : 1);
		r = input == NULL ? -ENOMEM : 0;
	}
	if (r == 0) {
		if (b.len > 0)
			memcpy(input, b.data, b.len);
		LLVMFuzzerTestOneInput(input, b.len);
	} else {
		fprintf(stderr, "%s: %s\n", path, strerror(-r));
	}
	free(input);
	buffer_done(&b);
	return r;
}

/* Returns the number of files, or a negative error. A missing folder counts as empty. */
static int run_folder(const char *folder)
{
	struct dirent **files;
	int n = scandir(folder, &files, NULL, alphasort);
	int ran = 0, r = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, files[i]->d_name);
		if (files[i]->d_name[0] != '.' && r == 0) {
			r = run_file(path);
			ran++;
		}
		free(files[i]);
	}
	free(files);
	return r < 0 ? r : ran;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int ran = run_folder(argv[i]);

		if (ran < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-ran));
			return 1;
		}
		printf("%s: %d files\n", argv[i], ran);
	}
	return 0;
}

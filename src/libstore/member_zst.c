/* member_zst - see member_zst.h. A member in .zst form is unpacked whole. */
#include "libstore/member_zst.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/member_library.h"
#include "libstore/member_source.h"
#include "libstore/member_unpack.h"

/* Written once, under once. */
static struct zstd_library library;
static const struct zstd_library *loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define X(call) MEMBER_CALL(struct zstd_library, call)
static const struct member_call calls[] = {ZSTD_CALLS(X)};
static const struct member_call encoder_calls[] = {ZSTD_ENCODER_CALLS(X)};
#undef X

static void library_load(void)
{
	void *handle = member_library_open("libzstd.so.1");

	if (handle == NULL || !member_library_calls(handle, calls, ARRAY_SIZE(calls), &library))
		return;
	library.encoder =
	    member_library_calls(handle, encoder_calls, ARRAY_SIZE(encoder_calls), &library);
	loaded = &library;
}

const struct zstd_library *zstd_library(void)
{
	pthread_once(&once, library_load);
	return loaded;
}

/* Reads and decodes to the end of the file. A dictionary of more than 128 MB is an error. */
static int stream_unpack(const struct zstd_library *zstd, ZSTD_DStream *stream, int fd,
			 struct member_unpack *unpack)
{
	AUTO_FREE uint8_t *in = malloc(MEMBER_UNPACK_CHUNK);
	AUTO_FREE uint8_t *out = malloc(MEMBER_UNPACK_CHUNK);
	size_t more = 1; /* of the frame; an empty file has none */
	int r = in != NULL && out != NULL ? 0 : -ENOMEM;

	while (r == 0) {
		ssize_t n = read(fd, in, MEMBER_UNPACK_CHUNK);
		ZSTD_inBuffer from = {in, n > 0 ? (size_t)n : 0, 0};

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return more == 0 ? 0 : PM_ERR_LOGREC;
		do {
			ZSTD_outBuffer to = {out, MEMBER_UNPACK_CHUNK, 0};

			more = zstd->ZSTD_decompressStream(stream, &to, &from);
			r = zstd->ZSTD_isError(more) ? PM_ERR_LOGREC
						     : member_unpack_add(unpack, out, to.pos);
			if (from.pos == from.size && (more == 0 || to.pos < to.size))
				break;
		} while (r == 0);
	}
	return r;
}

int member_source_zst(int in, const char *option, struct member_source **ret_source)
{
	AUTO_FD int fd = in;
	struct member_unpack unpack;
	ZSTD_DStream *stream;
	int r;

	(void)option;
	if (zstd_library() == NULL)
		return PM_ERR_LOGFILE;
	stream = loaded->ZSTD_createDStream();
	if (stream == NULL)
		return -ENOMEM;
	r = member_unpack_begin(&unpack);
	if (r == 0)
		r = member_unpack_end(&unpack, stream_unpack(loaded, stream, fd, &unpack),
				      ret_source);
	loaded->ZSTD_freeDStream(stream);
	return r;
}

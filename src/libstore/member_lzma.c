/* member_lzma - see member_lzma.h; and members that are unpacked whole with it. */
#include "libstore/member_lzma.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/member.h"
#include "libstore/member_library.h"
#include "libstore/member_source.h"
#include "libstore/member_unpack.h"

/* Written once, under once. */
static struct lzma_library library;
static const struct lzma_library *loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define X(call) MEMBER_CALL(struct lzma_library, call)
static const struct member_call calls[] = {LZMA_CALLS(X)};
static const struct member_call block_calls[] = {LZMA_BLOCK_CALLS(X)};
static const struct member_call encoder_calls[] = {LZMA_ENCODER_CALLS(X)};
#undef X

static void library_load(void)
{
	void *handle = member_library_open("liblzma.so.5");

	if (handle == NULL || !member_library_calls(handle, calls, ARRAY_SIZE(calls), &library))
		return;
	library.blocks =
	    member_library_calls(handle, block_calls, ARRAY_SIZE(block_calls), &library);
	library.encoder =
	    member_library_calls(handle, encoder_calls, ARRAY_SIZE(encoder_calls), &library);
	loaded = &library;
}

const struct lzma_library *lzma_library(void)
{
	pthread_once(&once, library_load);
	return loaded;
}

/* Reads and decodes until the stream ends. */
static int stream_unpack(const struct lzma_library *lzma, lzma_stream *stream, int fd,
			 struct member_unpack *unpack)
{
	AUTO_FREE uint8_t *in = malloc(MEMBER_UNPACK_CHUNK);
	AUTO_FREE uint8_t *out = malloc(MEMBER_UNPACK_CHUNK);
	lzma_ret status = LZMA_OK;
	lzma_action action = LZMA_RUN;
	int r = in != NULL && out != NULL ? 0 : -ENOMEM;

	while (r == 0 && status == LZMA_OK) {
		if (stream->avail_in == 0 && action == LZMA_RUN) {
			ssize_t n = read(fd, in, MEMBER_UNPACK_CHUNK);

			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				return -errno;
			if (n == 0)
				action = LZMA_FINISH;
			stream->next_in = in;
			stream->avail_in = (size_t)n;
		}
		stream->next_out = out;
		stream->avail_out = MEMBER_UNPACK_CHUNK;
		status = lzma->lzma_code(stream, action);
		r = member_unpack_add(unpack, out, MEMBER_UNPACK_CHUNK - stream->avail_out);
	}
	if (r == 0 && status != LZMA_STREAM_END)
		r = status == LZMA_MEM_ERROR ? -ENOMEM : PM_ERR_LOGREC;
	return r;
}

/* All of a file, which is taken, by a decoder of either form. */
static int unpack_whole(int in, bool alone, struct member_source **ret_source)
{
	const struct lzma_library *lzma = lzma_library();
	AUTO_FD int fd = in;
	lzma_stream stream = LZMA_STREAM_INIT;
	struct member_unpack unpack;
	lzma_ret status;
	int r;

	if (lzma == NULL)
		return PM_ERR_LOGFILE;
	status = alone ? lzma->lzma_alone_decoder(&stream, MEMBER_MEMORY_MAX)
		       : lzma->lzma_stream_decoder(&stream, MEMBER_MEMORY_MAX, LZMA_CONCATENATED);
	if (status != LZMA_OK)
		return -ENOMEM;
	r = member_unpack_begin(&unpack);
	if (r == 0)
		r = member_unpack_end(&unpack, stream_unpack(lzma, &stream, fd, &unpack),
				      ret_source);
	lzma->lzma_end(&stream);
	return r;
}

int member_source_lzma(int fd, const char *option, struct member_source **ret_source)
{
	(void)option;
	return unpack_whole(fd, true, ret_source);
}

int member_lzma_whole(int fd, struct member_source **ret_source)
{
	return unpack_whole(fd, false, ret_source);
}

/* member_lzma - see member_lzma.h; and members that are unpacked from their beginning with it. */
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
#include "libstore/member_stream.h"

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

struct decoder {
	struct member_decoder base;
	const struct lzma_library *lzma;
	int fd; /* owned */
	lzma_stream stream;
	lzma_action action;
	lzma_ret status; /* LZMA_OK while there may be more */
	uint8_t in[MEMBER_CHUNK];
};

/* Gives the decoder more of the file, once it has used up what it had. */
static int refill(struct decoder *d)
{
	ssize_t n;

	if (d->stream.avail_in > 0 || d->action == LZMA_FINISH)
		return 0;
	do
		n = read(d->fd, d->in, sizeof(d->in));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n == 0)
		d->action = LZMA_FINISH;
	d->stream.next_in = d->in;
	d->stream.avail_in = (size_t)n;
	return 0;
}

static int64_t decoder_read(struct member_decoder *decoder, void *buf, size_t len)
{
	struct decoder *d = (struct decoder *)decoder;
	int r;

	d->stream.next_out = buf;
	d->stream.avail_out = len;
	while (d->status == LZMA_OK && d->stream.avail_out > 0) {
		r = refill(d);
		if (r < 0)
			return r;
		d->status = d->lzma->lzma_code(&d->stream, d->action);
	}
	if (d->stream.avail_out < len)
		return (int64_t)(len - d->stream.avail_out);
	if (d->status == LZMA_STREAM_END)
		return 0;
	return d->status == LZMA_MEM_ERROR ? -ENOMEM : PM_ERR_LOGREC;
}

static void decoder_close(struct member_decoder *decoder)
{
	struct decoder *d = (struct decoder *)decoder;

	d->lzma->lzma_end(&d->stream);
	close(d->fd);
	free(d);
}

static const struct member_decoder_ops decoder_ops = {decoder_read, decoder_close};

/* A file, which is taken, by a decoder of either form. */
static int open_stream(int in, bool alone, uint64_t size, uint64_t limit,
		       struct member_source **ret_source)
{
	const struct lzma_library *lzma = lzma_library();
	AUTO_FD int fd = in;
	struct decoder *d;
	lzma_ret status;

	if (lzma == NULL)
		return PM_ERR_LOGFILE;
	d = malloc(sizeof(*d));
	if (d == NULL)
		return -ENOMEM;
	d->base.ops = &decoder_ops;
	d->lzma = lzma;
	d->stream = (lzma_stream)LZMA_STREAM_INIT;
	d->action = LZMA_RUN;
	d->status = LZMA_OK;
	status = alone ? lzma->lzma_alone_decoder(&d->stream, MEMBER_MEMORY_MAX)
		       : lzma->lzma_stream_decoder(&d->stream, MEMBER_MEMORY_MAX, LZMA_CONCATENATED);
	if (status != LZMA_OK) {
		free(d);
		return -ENOMEM;
	}
	d->fd = TAKE_FD(fd);
	return member_stream_open(&d->base, size, limit, ret_source);
}

int member_source_lzma(int fd, const char *option, uint64_t limit,
		       struct member_source **ret_source)
{
	(void)option;
	return open_stream(fd, true, MEMBER_SIZE_UNKNOWN, limit, ret_source);
}

int member_lzma_whole(int fd, uint64_t size, uint64_t limit, struct member_source **ret_source)
{
	return open_stream(fd, false, size, limit, ret_source);
}

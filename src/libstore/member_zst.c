/* member_zst - see member_zst.h. A member in .zst form is unpacked from its beginning. */
#include "libstore/member_zst.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/member_library.h"
#include "libstore/member_source.h"
#include "libstore/member_stream.h"

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

struct decoder {
	struct member_decoder base;
	const struct zstd_library *zstd;
	ZSTD_DStream *stream; /* owned */
	int fd;               /* owned */
	size_t more;          /* of the frame; an empty file has none */
	bool full;            /* the last call filled what it was given: it may have more */
	ZSTD_inBuffer from;
	uint8_t in[MEMBER_CHUNK];
};

/* Reads more of the file once all of it was used. 1; 0 at its end; or an error. */
static int refill(struct decoder *d)
{
	ssize_t n;

	if (d->from.pos < d->from.size || d->full)
		return 1;
	do
		n = read(d->fd, d->in, sizeof(d->in));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	d->from = (ZSTD_inBuffer){d->in, (size_t)n, 0};
	return n > 0;
}

/* A dictionary of more than 128 MB is an error. */
static int64_t decoder_read(struct member_decoder *decoder, void *buf, size_t len)
{
	struct decoder *d = (struct decoder *)decoder;
	ZSTD_outBuffer to = {buf, len, 0};

	while (to.pos == 0) {
		int r = refill(d);

		if (r < 0)
			return r;
		if (r == 0)
			return d->more == 0 ? 0 : PM_ERR_LOGREC;
		d->more = d->zstd->ZSTD_decompressStream(d->stream, &to, &d->from);
		if (d->zstd->ZSTD_isError(d->more))
			return PM_ERR_LOGREC;
		d->full = d->more != 0 && to.pos == to.size;
	}
	return (int64_t)to.pos;
}

static void decoder_close(struct member_decoder *decoder)
{
	struct decoder *d = (struct decoder *)decoder;

	d->zstd->ZSTD_freeDStream(d->stream);
	close(d->fd);
	free(d);
}

static const struct member_decoder_ops decoder_ops = {decoder_read, decoder_close};

int member_source_zst(int in, const char *option, uint64_t limit,
		      struct member_source **ret_source)
{
	const struct zstd_library *zstd = zstd_library();
	AUTO_FD int fd = in;
	struct decoder *d;

	(void)option;
	if (zstd == NULL)
		return PM_ERR_LOGFILE;
	d = malloc(sizeof(*d));
	if (d == NULL)
		return -ENOMEM;
	d->base.ops = &decoder_ops;
	d->zstd = zstd;
	d->stream = zstd->ZSTD_createDStream();
	d->more = 1;
	d->full = false;
	d->from = (ZSTD_inBuffer){d->in, 0, 0};
	if (d->stream == NULL) {
		free(d);
		return -ENOMEM;
	}
	d->fd = TAKE_FD(fd);
	return member_stream_open(&d->base, MEMBER_SIZE_UNKNOWN, limit, ret_source);
}

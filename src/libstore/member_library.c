/*
 * member_library - members that a library unpacks from their beginning: .xz and .lzma by liblzma,
 * .zst by libzstd.
 */
#include "libstore/member_inner.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "libbase/cleanup.h"
#include "libstore/member.h"

/* ---- a library that is loaded when the first member needs it ---- */

/* A function: its name, and where in the caller's struct the pointer to it is kept. */
struct member_call {
	const char *name;
	size_t offset;
};

/* For a list of them by an X macro: MEMBER_CALL(struct of_pointers, function). */
#define MEMBER_CALL(type, call) {#call, offsetof(type, call)},

/* A handle that is never closed, or NULL. */
static void *member_library_open(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* Looks all n up; false if one is not there. */
static bool member_library_calls(void *handle, const struct member_call *calls, size_t n,
				 void *ret_calls)
{
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		void *call = dlsym(handle, calls[i].name);

		memcpy((char *)ret_calls + calls[i].offset, &call, sizeof(call));
		all = call != NULL && all;
	}
	return all;
}

/* ---- .xz and .lzma ---- */

/* Written once, under once. */
static struct lzma_library lzma_functions;
static const struct lzma_library *lzma_loaded;
static pthread_once_t lzma_once = PTHREAD_ONCE_INIT;

#define X(call) MEMBER_CALL(struct lzma_library, call)
static const struct member_call lzma_calls[] = {LZMA_CALLS(X)};
static const struct member_call block_calls[] = {LZMA_BLOCK_CALLS(X)};
static const struct member_call lzma_encoder_calls[] = {LZMA_ENCODER_CALLS(X)};
#undef X

static void lzma_library_load(void)
{
	void *handle = member_library_open("liblzma.so.5");

	if (handle == NULL ||
	    !member_library_calls(handle, lzma_calls, ARRAY_SIZE(lzma_calls), &lzma_functions))
		return;
	lzma_functions.blocks =
	    member_library_calls(handle, block_calls, ARRAY_SIZE(block_calls), &lzma_functions);
	lzma_functions.encoder = member_library_calls(
	    handle, lzma_encoder_calls, ARRAY_SIZE(lzma_encoder_calls), &lzma_functions);
	lzma_loaded = &lzma_functions;
}

const struct lzma_library *lzma_library(void)
{
	pthread_once(&lzma_once, lzma_library_load);
	return lzma_loaded;
}

struct lzma_decoder {
	struct member_decoder base;
	const struct lzma_library *lzma;
	int fd; /* owned */
	lzma_stream stream;
	lzma_action action;
	lzma_ret status; /* LZMA_OK while there may be more */
	uint8_t in[MEMBER_CHUNK];
};

/* Gives the decoder more of the file, once it has used up what it had. */
static int lzma_refill(struct lzma_decoder *d)
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

static int64_t lzma_decoder_read(struct member_decoder *decoder, void *buf, size_t len)
{
	struct lzma_decoder *d = (struct lzma_decoder *)decoder;
	int r;

	d->stream.next_out = buf;
	d->stream.avail_out = len;
	while (d->status == LZMA_OK && d->stream.avail_out > 0) {
		r = lzma_refill(d);
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

static void lzma_decoder_close(struct member_decoder *decoder)
{
	struct lzma_decoder *d = (struct lzma_decoder *)decoder;

	d->lzma->lzma_end(&d->stream);
	close(d->fd);
	free(d);
}

static const struct member_decoder_ops lzma_decoder_ops = {lzma_decoder_read, lzma_decoder_close};

/* A file, which is taken, by a decoder of either form. */
static int open_stream(int in, bool alone, uint64_t size, uint64_t limit,
		       struct member_source **ret_source)
{
	const struct lzma_library *lzma = lzma_library();
	AUTO_FD int fd = in;
	struct lzma_decoder *d;
	lzma_ret status;

	if (lzma == NULL)
		return PM_ERR_LOGFILE;
	d = malloc(sizeof(*d));
	if (d == NULL)
		return -ENOMEM;
	d->base.ops = &lzma_decoder_ops;
	d->lzma = lzma;
	d->stream = (lzma_stream)LZMA_STREAM_INIT;
	d->action = LZMA_RUN;
	d->status = LZMA_OK;
	status = alone
		     ? lzma->lzma_alone_decoder(&d->stream, MEMBER_MEMORY_MAX)
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

/* ---- .zst ---- */

/* Written once, under once. */
static struct zstd_library zst_functions;
static const struct zstd_library *zst_loaded;
static pthread_once_t zst_once = PTHREAD_ONCE_INIT;

#define X(call) MEMBER_CALL(struct zstd_library, call)
static const struct member_call zst_calls[] = {ZSTD_CALLS(X)};
static const struct member_call zst_encoder_calls[] = {ZSTD_ENCODER_CALLS(X)};
#undef X

static void zst_library_load(void)
{
	void *handle = member_library_open("libzstd.so.1");

	if (handle == NULL ||
	    !member_library_calls(handle, zst_calls, ARRAY_SIZE(zst_calls), &zst_functions))
		return;
	zst_functions.encoder = member_library_calls(handle, zst_encoder_calls,
						     ARRAY_SIZE(zst_encoder_calls), &zst_functions);
	zst_loaded = &zst_functions;
}

const struct zstd_library *zstd_library(void)
{
	pthread_once(&zst_once, zst_library_load);
	return zst_loaded;
}

struct zst_decoder {
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
static int zst_refill(struct zst_decoder *d)
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
static int64_t zst_decoder_read(struct member_decoder *decoder, void *buf, size_t len)
{
	struct zst_decoder *d = (struct zst_decoder *)decoder;
	ZSTD_outBuffer to = {buf, len, 0};

	while (to.pos == 0) {
		int r = zst_refill(d);

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

static void zst_decoder_close(struct member_decoder *decoder)
{
	struct zst_decoder *d = (struct zst_decoder *)decoder;

	d->zstd->ZSTD_freeDStream(d->stream);
	close(d->fd);
	free(d);
}

static const struct member_decoder_ops zst_decoder_ops = {zst_decoder_read, zst_decoder_close};

int member_source_zst(int in, const char *option, uint64_t limit, struct member_source **ret_source)
{
	const struct zstd_library *zstd = zstd_library();
	AUTO_FD int fd = in;
	struct zst_decoder *d;

	(void)option;
	if (zstd == NULL)
		return PM_ERR_LOGFILE;
	d = malloc(sizeof(*d));
	if (d == NULL)
		return -ENOMEM;
	d->base.ops = &zst_decoder_ops;
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

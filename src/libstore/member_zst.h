/* member_zst - libzstd, loaded when it is first needed: nothing links it. */
#ifndef LIBSTORE_MEMBER_ZST_H
#define LIBSTORE_MEMBER_ZST_H

#include <stdbool.h>

#include <zstd.h>

#define ZSTD_CALLS(X)                                                                              \
	X(ZSTD_createDStream) X(ZSTD_freeDStream) X(ZSTD_decompressStream) X(ZSTD_isError)
#define ZSTD_ENCODER_CALLS(X)                                                                      \
	X(ZSTD_createCCtx) X(ZSTD_freeCCtx) X(ZSTD_CCtx_setParameter) X(ZSTD_compressStream2)

struct zstd_library {
	bool encoder; /* the second group is there */
#define X(call) __typeof__(&call) call;
	ZSTD_CALLS(X)
	ZSTD_ENCODER_CALLS(X)
#undef X
};

/* NULL if there is none. */
const struct zstd_library *zstd_library(void);

#endif

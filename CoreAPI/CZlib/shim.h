#pragma once

/* The input is constant, like Swift's buffers of received bytes. */
#ifndef ZLIB_CONST
#define ZLIB_CONST
#endif
#include <zlib.h>

/* Macros that Swift does not import: they pass this header's version and size. */
static inline int czlib_begin_inflating(z_stream *_Nonnull stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

/* Deflate with zlib's usual level, memory and strategy. */
static inline int czlib_begin_deflating(z_stream *_Nonnull stream, int window_bits) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

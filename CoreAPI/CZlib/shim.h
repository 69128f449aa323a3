#pragma once

/* The input is constant, as Swift's buffers of what came are. */
#ifndef ZLIB_CONST
#define ZLIB_CONST
#endif
#include <zlib.h>

/* A macro that Swift does not import: it passes on the version and the size that this header has. */
static inline int czlib_begin_inflating(z_stream *_Nonnull stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

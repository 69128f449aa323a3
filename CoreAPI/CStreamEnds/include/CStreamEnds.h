#pragma once

#include <stdbool.h>

/*
 * Whether an HTTP/2 stream was ended by its server (END_STREAM, RFC 9113 §8.1) or cut.
 *
 * libcurl hears of it and keeps it to itself: a stream that is reset with NO_ERROR before its end, or that lies on a connection which
 * libcurl itself gives up, is a complete response to it, 7.88.1 and newer. It asks nghttp2 to be told of frames by one function,
 * and that function is defined here as well: on ELF systems the program's own definition comes before the library's, and
 * hands on what it got. Weak, so that a program into which nghttp2 is linked statically keeps nghttp2's, and sees no ends.
 */

/* Told that the server has ended a stream; `transfer` is what libcurl tied to it, its easy handle. */
typedef void (*cstreamends_observer)(void *_Nullable context, void *_Nonnull transfer);

/* Whether libcurl's calls come through here. Where they do not, HTTP/2 cannot tell an end from a cut. */
bool cstreamends_are_seen(void);

/* Whether libcurl has asked nghttp2 for frames through here. Once it speaks HTTP/2, it has. */
bool cstreamends_were_asked_for(void);

/* For the HTTP/2 connections that the calling thread opens and uses from now on; NULL ends it. */
void cstreamends_observe(cstreamends_observer _Nullable observer, void *_Nullable context);

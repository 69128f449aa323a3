#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Reports how an HTTP/2 stream ended: by its server (END_STREAM, RFC 9113 §8.1), or cut, refused or abandoned as unreadable.
 *
 * libcurl knows this and does not report it. If a stream is reset with NO_ERROR before its end, or if libcurl itself abandons the
 * stream's connection, libcurl 7.88.1 and newer report a complete response. A stream that the server refused, one that nghttp2
 * rejected, and one whose head is too long for libcurl are all reported as a lost connection. And data that libcurl has read
 * without room for it may wait for an event that never happens.
 *
 * libcurl registers callbacks for frames, fields and ends with three functions of nghttp2. This file defines the same functions:
 * on ELF systems the program's own definition comes before the library's. Each passes its arguments on. They are weak, so that a
 * program with a statically linked nghttp2 keeps nghttp2's functions, and observes no ends.
 */

typedef enum {
    /* A head arrived, possibly an interim one: the server has begun to process the request. */
    CHTTP2_BEGAN,
    /* The server has ended the stream. */
    CHTTP2_ENDED,
    /* The server has reset the stream with NO_ERROR, which asks for no more of the request. */
    CHTTP2_STOPPED,
    /* The server has reset the stream, and libcurl gets to know it. */
    CHTTP2_RESET,
    /* The stream is closed with REFUSED_STREAM: reset by its server, beyond a GOAWAY, or never sent (RFC 9113 §8.7). */
    CHTTP2_REFUSED,
    /* nghttp2 abandons the stream, or a connection with only this stream, because of the server's bytes. */
    CHTTP2_UNREADABLE,
    /* nghttp2 abandons the connection, because of the server's bytes on this stream or another. */
    CHTTP2_GIVEN_UP,
    /* Comes before UNREADABLE or GIVEN_UP if libcurl would use the abandoned connection again. */
    CHTTP2_KEPT,
    /* libcurl refuses to keep more of the stream's fields. */
    CHTTP2_HEAD_TOO_LARGE,
    /* libcurl has no room for more of the stream's data, and keeps the excess elsewhere. */
    CHTTP2_FULL,
    /* libcurl had room for the stream's data. */
    CHTTP2_ROOM,
    /* Of a connection: libcurl has read more than its streams have room for, and continues when one of them is read. */
    CHTTP2_INPUT_LEFT,
    /* Of a connection: no read data is left. */
    CHTTP2_INPUT_TAKEN,
} chttp2_event;

/*
 * Called for each event of a stream or a connection. `subject` is the stream's easy handle, or nghttp2's session. `code` is an
 * error of RFC 9113 §7, or with FULL and ROOM the number of received bytes.
 * The result matters only for STOPPED: whether to hide the reset from libcurl.
 */
typedef bool (*chttp2_observer)(void *_Nullable context, void *_Nonnull subject, chttp2_event event, uint32_t code);

/* Whether libcurl's calls pass through here. If not, a cut over HTTP/2 looks like an end. */
bool chttp2_is_observable(void);

/* Whether libcurl has registered for nghttp2's frames through here; true once it uses HTTP/2. */
bool chttp2_is_in_use(void);

/* The status of the last head on this thread: three digits, or an empty text. */
const char *_Nonnull chttp2_last_status(void);

/*
 * The name of the field for which nghttp2 has refused a head since the last call; an empty text for another reason.
 */
const char *_Nonnull chttp2_refused_field(void);

/* Observes the HTTP/2 connections that the calling thread opens and uses from now on; NULL stops that. */
void chttp2_observe(chttp2_observer _Nullable observer, void *_Nullable context);

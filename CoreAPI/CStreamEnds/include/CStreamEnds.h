#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * How an HTTP/2 stream ended: by its server (END_STREAM, RFC 9113 §8.1), or cut, refused or given up as unreadable.
 *
 * libcurl hears of it and keeps it to itself. A stream that is reset with NO_ERROR before its end, or that lies on a connection which
 * libcurl itself gives up, is a complete response to it, 7.88.1 and newer; one that the server refused, one that nghttp2 found unsound
 * and one whose head is too long for libcurl are all a lost connection. And what it has read and has no room for may wait for an
 * event that does not come. It asks nghttp2 to be told of frames, fields and ends by three
 * functions, and those are defined here as well: on ELF systems the program's own definition comes before the library's, and
 * hands on what it got. Weak, so that a program into which nghttp2 is linked statically keeps nghttp2's, and sees no ends.
 */

typedef enum {
    /* A head came, be it an interim one: the server has done something with the request. */
    CSTREAMENDS_BEGAN,
    /* The server has ended the stream. */
    CSTREAMENDS_ENDED,
    /* It is reset with NO_ERROR, which asks for no more of the request. */
    CSTREAMENDS_STOPPED,
    /* The stream is closed with REFUSED_STREAM: reset by its server, beyond the last of a GOAWAY, or never sent (RFC 9113 §8.7). */
    CSTREAMENDS_REFUSED,
    /* nghttp2 gives the stream up, or the connection of which it is the first and only one, for what the server sent. */
    CSTREAMENDS_UNREADABLE,
    /* nghttp2 gives the connection up, for what the server sent on this stream or another. */
    CSTREAMENDS_GIVEN_UP,
    /* libcurl will not keep more of the stream's fields. */
    CSTREAMENDS_HEAD_TOO_LARGE,
    /* libcurl has no room for more of the stream's data; what came beyond its room lies beside. */
    CSTREAMENDS_FULL,
    /* It had room for what came. */
    CSTREAMENDS_ROOM,
    /* Of a connection: libcurl has read more of it than its streams have room for, and will go on when one of them is read. */
    CSTREAMENDS_INPUT_LEFT,
    /* Of a connection: nothing that was read is left. */
    CSTREAMENDS_INPUT_TAKEN,
} cstreamends_event;

/*
 * Told what became of a stream or a connection; `subject` is what libcurl tied to the stream, its easy handle, or nghttp2's session, and
 * `code` an error of RFC 9113 §7, or with FULL and ROOM how many bytes came.
 * Its answer counts where a stream is STOPPED: whether libcurl is not to hear of it.
 */
typedef bool (*cstreamends_observer)(void *_Nullable context, void *_Nonnull subject, cstreamends_event event, uint32_t code);

/* Whether libcurl's calls come through here. Where they do not, HTTP/2 cannot tell an end from a cut. */
bool cstreamends_are_seen(void);

/* Whether libcurl has asked nghttp2 for frames through here. Once it speaks HTTP/2, it has. */
bool cstreamends_were_asked_for(void);

/* Of the head that came last on this thread: its status, three digits, or an empty text. */
const char *_Nonnull cstreamends_last_status(void);

/*
 * The name of the field for which nghttp2 has refused a head since this was asked last; an empty text where it was for something
 * else.
 */
const char *_Nonnull cstreamends_refused_field(void);

/* For the HTTP/2 connections that the calling thread opens and uses from now on; NULL ends it. */
void cstreamends_observe(cstreamends_observer _Nullable observer, void *_Nullable context);

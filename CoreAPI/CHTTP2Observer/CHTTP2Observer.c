#define _GNU_SOURCE
#include "CHTTP2Observer.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* nghttp2's, unchanged since 1.0; its header is not needed to build. */
typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;
typedef struct {
    size_t length;
    int32_t stream;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
} frame_head;
/* The part that this file reads of nghttp2's frame, a union of structures that begin with a head. */
typedef union {
    frame_head head;
    struct {
        frame_head head;
        uint32_t code;
    } reset;
    struct {
        frame_head head;
        int32_t last_stream;
        uint32_t code;
    } go_away;
} frame;
typedef int (*on_frame)(nghttp2_session *session, const frame *frame, void *user_data);
typedef int (*on_field)(nghttp2_session *session, const frame *frame, const uint8_t *name, size_t name_length,
                        const uint8_t *value, size_t value_length, uint8_t flags, void *user_data);
typedef int (*on_data)(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t length,
                       void *user_data);
typedef int (*on_close)(nghttp2_session *session, int32_t stream, uint32_t code, void *user_data);
typedef void (*set_on_frame)(nghttp2_session_callbacks *callbacks, on_frame callback);
typedef void (*set_on_field)(nghttp2_session_callbacks *callbacks, on_field callback);
typedef void (*set_on_data)(nghttp2_session_callbacks *callbacks, on_data callback);
typedef void (*set_on_close)(nghttp2_session_callbacks *callbacks, on_close callback);
typedef void *(*get_user_data)(nghttp2_session *session, int32_t stream);
typedef uint32_t (*get_next_stream)(nghttp2_session *session);
typedef int (*on_error)(nghttp2_session *session, int code, const char *text, size_t length, void *user_data);
typedef void (*set_on_error)(nghttp2_session_callbacks *callbacks, on_error callback);
typedef ptrdiff_t (*read_input)(nghttp2_session *session, const uint8_t *input, size_t length);
typedef void (*delete_session)(nghttp2_session *session);

#define SET_ON_FRAME "nghttp2_session_callbacks_set_on_frame_recv_callback"
#define SET_ON_FIELD "nghttp2_session_callbacks_set_on_header_callback"
#define SET_ON_DATA "nghttp2_session_callbacks_set_on_data_chunk_recv_callback"
#define SET_ON_CLOSE "nghttp2_session_callbacks_set_on_stream_close_callback"

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, GOAWAY = 7, END_STREAM = 1 };
enum { NO_ERROR = 0, PROTOCOL_ERROR = 1, STREAM_CLOSED = 5, REFUSED_STREAM = 7, CANCEL = 8 };
/* NGHTTP2_ERR_CALLBACK_FAILURE: libcurl is out of room for fields. NGHTTP2_ERR_PAUSE: a stream's buffer is full. */
enum { CALLBACK_FAILURE = -902, PAUSE = -526 };
/* NGHTTP2_ERR_HTTP_HEADER: a field that HTTP/2 forbids. */
enum { FORBIDDEN_FIELD = -531 };

static _Thread_local chttp2_observer observer;
static _Thread_local void *observer_context;

/* The status of the last head, and the refused field. */
static _Thread_local char last_status[4];
static _Thread_local char refused_field[64];
/* Whether one of libcurl's callbacks below has failed since nghttp2 was given its last input. */
static _Thread_local bool has_failed;
/* The stream whose reset is hidden from libcurl. */
static _Thread_local nghttp2_session *spared_session;
static _Thread_local int32_t spared_stream;

/* libcurl's own callbacks: one function each for all connections. Set before the first frame arrives. */
static _Atomic(on_frame) original_on_frame;
static _Atomic(on_field) original_on_field;
static _Atomic(on_data) original_on_data;
static _Atomic(on_close) original_on_close;

/* Further functions of nghttp2. */
static _Atomic(get_user_data) transfer_of;
static _Atomic(get_next_stream) next_stream;
static _Atomic(set_on_frame) set_on_leaving;
/* Newer than the others; without it fewer events are observed. */
static _Atomic(set_on_error) set_on_refusal;

/* nghttp2's own functions, looked up on first use. */
static _Atomic(read_input) original_read_input;
static _Atomic(delete_session) original_delete_session;

static bool find_nghttp2(void) {
    if (atomic_load(&transfer_of) != NULL) return true;
    get_user_data user_data = (get_user_data)dlsym(RTLD_DEFAULT, "nghttp2_session_get_stream_user_data");
    get_next_stream next = (get_next_stream)dlsym(RTLD_DEFAULT, "nghttp2_session_get_next_stream_id");
    set_on_frame leaving = (set_on_frame)dlsym(RTLD_DEFAULT, "nghttp2_session_callbacks_set_before_frame_send_callback");
    if (user_data == NULL || next == NULL || leaving == NULL) return false;
    atomic_store(&set_on_refusal, (set_on_error)dlsym(RTLD_DEFAULT, "nghttp2_session_callbacks_set_error_callback2"));
    atomic_store(&set_on_leaving, leaving);
    atomic_store(&next_stream, next);
    atomic_store(&transfer_of, user_data);
    return true;
}

static bool tell(nghttp2_session *session, int32_t stream, chttp2_event event, uint32_t code) {
    if (observer == NULL) return false;
    void *transfer = atomic_load(&transfer_of)(session, stream);
    return transfer != NULL && observer(observer_context, transfer, event, code);
}

static int noting_failure(int result) {
    if (result == CALLBACK_FAILURE) has_failed = true;
    return result;
}

/* The cause is known only if the connection has had one stream. The client's streams have odd numbers (RFC 9113 §5.1.1). */
static void give_up(nghttp2_session *session, uint32_t code, bool is_kept) {
    int64_t end = atomic_load(&next_stream)(session);
    if (observer == NULL) return;
    for (int64_t stream = 1; stream < end; stream += 2) {
        void *transfer = atomic_load(&transfer_of)(session, (int32_t)stream);
        if (transfer == NULL) continue;
        if (is_kept) observer(observer_context, transfer, CHTTP2_KEPT, code);
        observer(observer_context, transfer, end == 3 ? CHTTP2_UNREADABLE : CHTTP2_GIVEN_UP, code);
    }
}

/*
 * A server that has answered may ask for no more of the request with RST_STREAM(NO_ERROR); the client must not discard the answer
 * (RFC 9113 §8.1). libcurl does so while it is sending. This file hides the reset from libcurl; the loop ends the transfer.
 */
static int frame_came(nghttp2_session *session, const frame *frame, void *user_data) {
    if (frame->head.type == RST_STREAM && frame->reset.code == NO_ERROR
        && tell(session, frame->head.stream, CHTTP2_STOPPED, NO_ERROR)) {
        spared_session = session;
        spared_stream = frame->head.stream;
        return 0;
    }
    if (frame->head.type == RST_STREAM) tell(session, frame->head.stream, CHTTP2_RESET, frame->reset.code);
    if (frame->head.type == HEADERS) tell(session, frame->head.stream, CHTTP2_BEGAN, NO_ERROR);
    if ((frame->head.type == HEADERS || frame->head.type == DATA) && (frame->head.flags & END_STREAM)) {
        tell(session, frame->head.stream, CHTTP2_ENDED, NO_ERROR);
    }
    return noting_failure(atomic_load(&original_on_frame)(session, frame, user_data));
}

static int field_came(nghttp2_session *session, const frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
                      size_t value_length, uint8_t flags, void *user_data) {
    if (name_length == 7 && value_length == 3 && memcmp(name, ":status", 7) == 0) {
        memcpy(last_status, value, 3);
        refused_field[0] = 0;
    }
    int result = atomic_load(&original_on_field)(session, frame, name, name_length, value, value_length, flags, user_data);
    if (result == CALLBACK_FAILURE) tell(session, frame->head.stream, CHTTP2_HEAD_TOO_LARGE, NO_ERROR);
    return noting_failure(result);
}

static int data_came(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t length,
                     void *user_data) {
    int result = atomic_load(&original_on_data)(session, flags, stream, data, length, user_data);
    tell(session, stream, result == PAUSE ? CHTTP2_FULL : CHTTP2_ROOM, (uint32_t)length);
    return noting_failure(result);
}

/* Called before libcurl's callback, which detaches the handle from the stream. */
static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t code, void *user_data) {
    bool is_spared = spared_session == session && spared_stream == stream;
    spared_session = NULL;
    if (is_spared) return 0;
    if (code == REFUSED_STREAM) tell(session, stream, CHTTP2_REFUSED, code);
    return noting_failure(atomic_load(&original_on_close)(session, stream, code, user_data));
}

/*
 * nghttp2 answers an error of a stream with RST_STREAM, and an error of a connection with GOAWAY, which names no stream. libcurl
 * itself resets with STREAM_CLOSED and CANCEL, and goes away with NO_ERROR.
 */
static int frame_leaves(nghttp2_session *session, const frame *frame, void *user_data) {
    (void)user_data;
    if (frame->head.type == RST_STREAM) {
        uint32_t code = frame->reset.code;
        if (code != NO_ERROR && code != STREAM_CLOSED && code != REFUSED_STREAM && code != CANCEL) {
            tell(session, frame->head.stream, CHTTP2_UNREADABLE, code);
        }
    } else if (frame->head.type == GOAWAY && frame->go_away.code != NO_ERROR) {
        give_up(session, frame->go_away.code, false);
    }
    return 0;
}

/* nghttp2 reports a forbidden field as text only: "… name: [content-length], value: [22]". The value may be a secret. */
static int field_refused(nghttp2_session *session, int code, const char *text, size_t length, void *user_data) {
    (void)session;
    (void)user_data;
    static const char mark[] = "name: [";
    /* "Ignoring …" reports a harmless field. */
    bool is_refused = code == FORBIDDEN_FIELD && length > 7 && memcmp(text, "Invalid", 7) == 0;
    const char *start = is_refused ? memmem(text, length, mark, sizeof mark - 1) : NULL;
    if (start == NULL) return 0;
    start += sizeof mark - 1;
    size_t count = 0;
    while (start + count < text + length && start[count] != ']' && count < sizeof refused_field - 1) count++;
    memcpy(refused_field, start, count);
    refused_field[count] = 0;
    return 0;
}

/* Other code in the process may use nghttp2 too; only callbacks set on a loop's thread are libcurl's. */
#define IS_LIBCURLS(callback, original) \
    (observer != NULL && (callback) != NULL && find_nghttp2() \
     && (atomic_compare_exchange_strong(&(original), &known, (callback)) || known == (callback)))

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *callbacks, on_frame callback) {
    set_on_frame next = (set_on_frame)dlsym(RTLD_NEXT, SET_ON_FRAME);
    if (next == NULL) return;
    on_frame known = NULL;
    if (IS_LIBCURLS(callback, original_on_frame)) {
        callback = frame_came;
        atomic_load(&set_on_leaving)(callbacks, frame_leaves);
        set_on_error set_refusal = atomic_load(&set_on_refusal);
        if (set_refusal != NULL) set_refusal(callbacks, field_refused);
    }
    next(callbacks, callback);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_header_callback(nghttp2_session_callbacks *callbacks, on_field callback) {
    set_on_field next = (set_on_field)dlsym(RTLD_NEXT, SET_ON_FIELD);
    if (next == NULL) return;
    on_field known = NULL;
    next(callbacks, IS_LIBCURLS(callback, original_on_field) ? field_came : callback);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_data_chunk_recv_callback(nghttp2_session_callbacks *callbacks, on_data callback) {
    set_on_data next = (set_on_data)dlsym(RTLD_NEXT, SET_ON_DATA);
    if (next == NULL) return;
    on_data known = NULL;
    next(callbacks, IS_LIBCURLS(callback, original_on_data) ? data_came : callback);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_stream_close_callback(nghttp2_session_callbacks *callbacks, on_close callback) {
    set_on_close next = (set_on_close)dlsym(RTLD_NEXT, SET_ON_CLOSE);
    if (next == NULL) return;
    on_close known = NULL;
    next(callbacks, IS_LIBCURLS(callback, original_on_close) ? stream_closed : callback);
}

/*
 * libcurl stops at a full stream buffer, and keeps later data for a read that may never happen.
 *
 * After an invalid frame of the connection, such as a WINDOW_UPDATE of 0, a callback of libcurl 8.14.1 fails, and nghttp2 with
 * it. libcurl then takes the streams for complete, and uses the connection again. That callback cannot be observed: an executable
 * exports only functions that the libcurl it was linked with needs, and older ones do not need its setter. So a failure of no
 * observed callback is taken for its failure.
 */
__attribute__((weak, visibility("default"))) ptrdiff_t nghttp2_session_mem_recv(nghttp2_session *session, const uint8_t *input,
                                                                                size_t length) {
    read_input next = atomic_load(&original_read_input);
    if (next == NULL) {
        next = (read_input)dlsym(RTLD_NEXT, "nghttp2_session_mem_recv");
        if (next == NULL) return CALLBACK_FAILURE;
        atomic_store(&original_read_input, next);
    }
    has_failed = false;
    ptrdiff_t taken = next(session, input, length);
    if (observer != NULL) {
        if (taken == CALLBACK_FAILURE && !has_failed && chttp2_is_in_use()) give_up(session, PROTOCOL_ERROR, true);
        bool is_left = taken >= 0 && (size_t)taken < length;
        observer(observer_context, session, is_left ? CHTTP2_INPUT_LEFT : CHTTP2_INPUT_TAKEN, NO_ERROR);
    }
    return taken;
}

__attribute__((weak, visibility("default"))) void nghttp2_session_del(nghttp2_session *session) {
    delete_session next = atomic_load(&original_delete_session);
    if (next == NULL) {
        next = (delete_session)dlsym(RTLD_NEXT, "nghttp2_session_del");
        if (next == NULL) return;
        atomic_store(&original_delete_session, next);
    }
    if (observer != NULL && session != NULL) observer(observer_context, session, CHTTP2_INPUT_TAKEN, NO_ERROR);
    next(session);
}

bool chttp2_is_observable(void) {
#ifndef __ELF__
    return false;
#endif
    return dlsym(RTLD_DEFAULT, SET_ON_FRAME) == (void *)nghttp2_session_callbacks_set_on_frame_recv_callback
           && dlsym(RTLD_NEXT, SET_ON_FRAME) != NULL && dlsym(RTLD_NEXT, SET_ON_FIELD) != NULL
           && dlsym(RTLD_NEXT, SET_ON_DATA) != NULL && dlsym(RTLD_NEXT, SET_ON_CLOSE) != NULL && find_nghttp2();
}

const char *chttp2_last_status(void) { return last_status; }

const char *chttp2_refused_field(void) {
    static _Thread_local char name[sizeof refused_field];
    memcpy(name, refused_field, sizeof name);
    refused_field[0] = 0;
    return name;
}

bool chttp2_is_in_use(void) { return atomic_load(&original_on_frame) != NULL; }

void chttp2_observe(chttp2_observer new_observer, void *context) {
    observer = new_observer;
    observer_context = context;
}

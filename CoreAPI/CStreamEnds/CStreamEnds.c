#define _GNU_SOURCE
#include "CStreamEnds.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

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
/* The frame is a union of structures that begin with its head; what of them is looked at. */
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
typedef int (*on_field)(nghttp2_session *session, const frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
                        size_t value_length, uint8_t flags, void *user_data);
typedef void *(*get_user_data)(nghttp2_session *session, int32_t stream);
typedef uint32_t (*get_next_stream)(nghttp2_session *session);
typedef void (*set_on_frame)(nghttp2_session_callbacks *callbacks, on_frame callback);
typedef void (*set_on_field)(nghttp2_session_callbacks *callbacks, on_field callback);

#define SET_ON_FRAME "nghttp2_session_callbacks_set_on_frame_recv_callback"
#define SET_ON_FIELD "nghttp2_session_callbacks_set_on_header_callback"
#define SET_ON_LEAVING "nghttp2_session_callbacks_set_before_frame_send_callback"

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, GOAWAY = 7, END_STREAM = 1 };
enum { NO_ERROR = 0, STREAM_CLOSED = 5, REFUSED_STREAM = 7, CANCEL = 8 };
/* NGHTTP2_ERR_CALLBACK_FAILURE: libcurl is out of room for fields. */
enum { CALLBACK_FAILURE = -902 };

static _Thread_local cstreamends_observer observer;
static _Thread_local void *observer_context;

/* libcurl's own callbacks: one function each, whichever connection it is for. Set before the first frame comes. */
static _Atomic(on_frame) original_on_frame;
static _Atomic(on_field) original_on_field;

/* What else is needed of nghttp2; found once, before the first frame comes. */
static _Atomic(get_user_data) transfer_of;
static _Atomic(get_next_stream) next_stream;

static bool find_nghttp2(void) {
    get_user_data user_data = (get_user_data)dlsym(RTLD_DEFAULT, "nghttp2_session_get_stream_user_data");
    get_next_stream next = (get_next_stream)dlsym(RTLD_DEFAULT, "nghttp2_session_get_next_stream_id");
    atomic_store(&transfer_of, user_data);
    atomic_store(&next_stream, next);
    return user_data != NULL && next != NULL;
}

static void tell(nghttp2_session *session, int32_t stream, cstreamends_event event, uint32_t code) {
    void *transfer = atomic_load(&transfer_of)(session, stream);
    if (transfer != NULL) observer(observer_context, transfer, event, code);
}

/* The client's streams, which have odd numbers (RFC 9113 §5.1.1), from one of them to the last. */
static void tell_from(nghttp2_session *session, int64_t first, cstreamends_event event, uint32_t code) {
    int64_t end = atomic_load(&next_stream)(session);
    for (int64_t stream = first | 1; stream < end; stream += 2) tell(session, (int32_t)stream, event, code);
}

/* Nobody, where several streams are open: it is not known then which of them the server broke the connection with. */
static void tell_if_alone(nghttp2_session *session, cstreamends_event event, uint32_t code) {
    int64_t end = atomic_load(&next_stream)(session);
    int32_t open = 0;
    for (int64_t stream = 1; stream < end; stream += 2) {
        if (atomic_load(&transfer_of)(session, (int32_t)stream) == NULL) continue;
        if (open != 0) return;
        open = (int32_t)stream;
    }
    if (open != 0) tell(session, open, event, code);
}

static int frame_came(nghttp2_session *session, const frame *frame, void *user_data) {
    if (observer != NULL) {
        switch (frame->head.type) {
        case DATA:
        case HEADERS:
            if (frame->head.flags & END_STREAM) tell(session, frame->head.stream, CSTREAMENDS_ENDED, NO_ERROR);
            break;
        case RST_STREAM:
            if (frame->reset.code == REFUSED_STREAM) tell(session, frame->head.stream, CSTREAMENDS_REFUSED, REFUSED_STREAM);
            break;
        case GOAWAY:
            tell_from(session, (int64_t)frame->go_away.last_stream + 1, CSTREAMENDS_REFUSED, frame->go_away.code);
            break;
        }
    }
    return atomic_load(&original_on_frame)(session, frame, user_data);
}

static int field_came(nghttp2_session *session, const frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
                      size_t value_length, uint8_t flags, void *user_data) {
    int result = atomic_load(&original_on_field)(session, frame, name, name_length, value, value_length, flags, user_data);
    if (result == CALLBACK_FAILURE && observer != NULL) tell(session, frame->head.stream, CSTREAMENDS_HEAD_TOO_LARGE, NO_ERROR);
    return result;
}

/* What libcurl has no use for any more, it has untied from its stream, and it resets with CANCEL or STREAM_CLOSED. */
static int frame_leaves(nghttp2_session *session, const frame *frame, void *user_data) {
    (void)user_data;
    if (observer == NULL) return 0;
    if (frame->head.type == RST_STREAM && frame->reset.code != NO_ERROR && frame->reset.code != STREAM_CLOSED
        && frame->reset.code != CANCEL) {
        tell(session, frame->head.stream, CSTREAMENDS_UNREADABLE, frame->reset.code);
    } else if (frame->head.type == GOAWAY && frame->go_away.code != NO_ERROR) {
        tell_if_alone(session, CSTREAMENDS_UNREADABLE, frame->go_away.code);
    }
    return 0;
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *callbacks, on_frame callback) {
    set_on_frame next = (set_on_frame)dlsym(RTLD_NEXT, SET_ON_FRAME);
    if (next == NULL) return;
    /* Others in the process use nghttp2 too; only what a loop's thread sets is libcurl's, and of interest. */
    if (observer != NULL && callback != NULL && find_nghttp2()) {
        on_frame known = NULL;
        if (atomic_compare_exchange_strong(&original_on_frame, &known, callback) || known == callback) callback = frame_came;
        set_on_frame set_on_leaving = (set_on_frame)dlsym(RTLD_DEFAULT, SET_ON_LEAVING);
        if (set_on_leaving != NULL) set_on_leaving(callbacks, frame_leaves);
    }
    next(callbacks, callback);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_header_callback(nghttp2_session_callbacks *callbacks, on_field callback) {
    set_on_field next = (set_on_field)dlsym(RTLD_NEXT, SET_ON_FIELD);
    if (next == NULL) return;
    if (observer != NULL && callback != NULL && find_nghttp2()) {
        on_field known = NULL;
        if (atomic_compare_exchange_strong(&original_on_field, &known, callback) || known == callback) callback = field_came;
    }
    next(callbacks, callback);
}

bool cstreamends_are_seen(void) {
#ifndef __ELF__
    return false;
#endif
    return dlsym(RTLD_DEFAULT, SET_ON_FRAME) == (void *)nghttp2_session_callbacks_set_on_frame_recv_callback
           && dlsym(RTLD_NEXT, SET_ON_FRAME) != NULL && dlsym(RTLD_NEXT, SET_ON_FIELD) != NULL && find_nghttp2();
}

bool cstreamends_were_asked_for(void) { return atomic_load(&original_on_frame) != NULL; }

void cstreamends_observe(cstreamends_observer new_observer, void *context) {
    observer = new_observer;
    observer_context = context;
}

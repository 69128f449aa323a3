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
/* The frame is a union that begins with its head. */
typedef int (*on_frame)(nghttp2_session *session, const frame_head *frame, void *user_data);
typedef void (*set_on_frame)(nghttp2_session_callbacks *callbacks, on_frame callback);
typedef void *(*get_user_data)(nghttp2_session *session, int32_t stream);

#define SETTER "nghttp2_session_callbacks_set_on_frame_recv_callback"
#define GETTER "nghttp2_session_get_stream_user_data"

enum { DATA = 0, HEADERS = 1, END_STREAM = 1 };

static _Thread_local cstreamends_observer observer;
static _Thread_local void *observer_context;

/* libcurl's own callback: one function, whichever connection it is for. Set before the first frame comes. */
static _Atomic(on_frame) original;
static _Atomic(get_user_data) transfer_of;

static int frame_came(nghttp2_session *session, const frame_head *frame, void *user_data) {
    if (observer != NULL && (frame->type == DATA || frame->type == HEADERS) && (frame->flags & END_STREAM)) {
        void *transfer = atomic_load(&transfer_of)(session, frame->stream);
        if (transfer != NULL) observer(observer_context, transfer);
    }
    return atomic_load(&original)(session, frame, user_data);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *callbacks, on_frame callback) {
    set_on_frame next = (set_on_frame)dlsym(RTLD_NEXT, SETTER);
    get_user_data getter = (get_user_data)dlsym(RTLD_DEFAULT, GETTER);
    if (next == NULL) return;
    /* Others in the process use nghttp2 too; only what a loop's thread sets is libcurl's, and of interest. */
    if (observer != NULL && callback != NULL && getter != NULL) {
        on_frame known = NULL;
        atomic_store(&transfer_of, getter);
        if (atomic_compare_exchange_strong(&original, &known, callback) || known == callback) callback = frame_came;
    }
    next(callbacks, callback);
}

bool cstreamends_are_seen(void) {
#ifndef __ELF__
    return false;
#endif
    return dlsym(RTLD_DEFAULT, SETTER) == (void *)nghttp2_session_callbacks_set_on_frame_recv_callback
           && dlsym(RTLD_NEXT, SETTER) != NULL && dlsym(RTLD_DEFAULT, GETTER) != NULL;
}

bool cstreamends_were_asked_for(void) { return atomic_load(&original) != NULL; }

void cstreamends_observe(cstreamends_observer new_observer, void *context) {
    observer = new_observer;
    observer_context = context;
}

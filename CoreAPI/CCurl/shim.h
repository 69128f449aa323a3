#pragma once

#include <curl/curl.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#else
#include <pthread.h>
#endif

/*
 * libcurl's setters and getters are variadic, so Swift cannot call them. And reading a value of the wrong width through `va_arg`
 * is undefined behaviour. Each function here sets one family of options. It refuses an option of another family
 * (CURLE_BAD_FUNCTION_ARGUMENT), because libcurl would misread its value.
 */

static inline int ccurl_is_family(CURLoption option, unsigned family) {
    return ((unsigned)option / 10000u) * 10000u == family;
}

static inline CURLcode ccurl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
    if (!ccurl_is_family(option, CURLOPTTYPE_LONG)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    if (!ccurl_is_family(option, CURLOPTTYPE_OFF_T)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(handle, option, value);
}

/* libcurl copies strings; NULL removes a default. */
static inline CURLcode ccurl_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    if (!ccurl_is_family(option, CURLOPTTYPE_OBJECTPOINT)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(handle, option, value);
}

/* libcurl keeps pointers (PRIVATE, WRITEDATA, ERRORBUFFER …) without a copy. */
static inline CURLcode ccurl_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
    if (!ccurl_is_family(option, CURLOPTTYPE_OBJECTPOINT)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(handle, option, value);
}

/* libcurl keeps lists without a copy: they must outlive the transfer. */
static inline CURLcode ccurl_set_list(CURL *_Nonnull handle, CURLoption option, struct curl_slist *_Nullable value) {
    if (!ccurl_is_family(option, CURLOPTTYPE_OBJECTPOINT)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(handle, option, value);
}

/* libcurl copies the bytes. */
static inline CURLcode ccurl_set_blob(CURL *_Nonnull handle, CURLoption option, const void *_Nonnull bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    if (!ccurl_is_family(option, CURLOPTTYPE_BLOB)) return CURLE_BAD_FUNCTION_ARGUMENT;
    return curl_easy_setopt(handle, option, &blob);
}

/* One function per callback, because each has its own type. */
static inline CURLcode ccurl_set_write(CURL *_Nonnull handle, curl_write_callback _Nonnull callback, void *_Nullable context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline CURLcode ccurl_set_header(CURL *_Nonnull handle, curl_write_callback _Nonnull callback, void *_Nullable context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

static inline CURLcode ccurl_set_read(CURL *_Nonnull handle, curl_read_callback _Nonnull callback, void *_Nullable context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

static inline CURLcode ccurl_set_seek(CURL *_Nonnull handle, curl_seek_callback _Nonnull callback, void *_Nullable context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
}

static inline CURLcode ccurl_set_progress(CURL *_Nonnull handle, curl_xferinfo_callback _Nonnull callback,
                                          void *_Nullable context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

static inline CURLcode ccurl_set_ssl_context(CURL *_Nonnull handle, curl_ssl_ctx_callback _Nonnull callback,
                                             void *_Nullable context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, context);
}

static inline CURLcode ccurl_set_prereq(CURL *_Nonnull handle, curl_prereq_callback _Nonnull callback, void *_Nullable context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

/* The connection keeps the second, so its context must outlive the connection and not only the handle. */
static inline CURLcode ccurl_set_sockets(CURL *_Nonnull handle, curl_opensocket_callback _Nonnull open,
                                         curl_closesocket_callback _Nonnull close, void *_Nonnull opener,
                                         void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, opener);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, close);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
    if (!ccurl_is_family((CURLoption)option, CURLOPTTYPE_LONG)) return CURLM_UNKNOWN_OPTION;
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_sockets(CURLM *_Nonnull multi, curl_socket_callback _Nonnull callback,
                                                void *_Nonnull context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

/* `curl_multi_socket_all`, deprecated because it handles every transfer, which is the purpose here. */
static inline CURLMcode ccurl_multi_act_on_all(CURLM *_Nonnull multi, int *_Nonnull running) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return (curl_multi_socket_all)(multi, running);
#pragma GCC diagnostic pop
}

/* Getters return 0 or NULL for a value that libcurl does not know, and refuse an option of another family. */
static inline long ccurl_get_long(CURL *_Nonnull handle, CURLINFO info) {
    long value = 0;
    if ((info & CURLINFO_TYPEMASK) != CURLINFO_LONG) return 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline curl_off_t ccurl_get_offset(CURL *_Nonnull handle, CURLINFO info) {
    curl_off_t value = 0;
    if ((info & CURLINFO_TYPEMASK) != CURLINFO_OFF_T) return 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline const char *_Nullable ccurl_get_string(CURL *_Nonnull handle, CURLINFO info) {
    char *value = NULL;
    if ((info & CURLINFO_TYPEMASK) != CURLINFO_STRING) return NULL;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}

/* The socket of a connection that was opened by CURLOPT_CONNECT_ONLY, or CURL_SOCKET_BAD. */
static inline curl_socket_t ccurl_get_socket(CURL *_Nonnull handle) {
    curl_socket_t value = CURL_SOCKET_BAD;
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}

static inline void *_Nullable ccurl_get_private(CURL *_Nonnull handle) {
    char *value = NULL;
    return curl_easy_getinfo(handle, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

/* OpenSSL's `SSL *` of the connection that the transfer uses; NULL without TLS, and with another TLS library. */
static inline void *_Nullable ccurl_get_openssl_session(CURL *_Nonnull handle) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == NULL) return NULL;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

/* The next finished transfer, or NULL without one. Messages other than "done" are skipped; libcurl has no others today. */
static inline CURL *_Nullable ccurl_multi_next_done(CURLM *_Nonnull multi, CURLcode *_Nonnull result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

static inline curl_version_info_data *_Nullable ccurl_version(void) { return curl_version_info(CURLVERSION_NOW); }

/* The name that debuggers and `top` show; at most 15 bytes on Linux. */
static inline void ccurl_name_this_thread(const char *_Nonnull name) {
#ifdef __linux__
    prctl(PR_SET_NAME, name);
#else
    pthread_setname_np(name);
#endif
}

static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

/* With CURLOPT_NOSIGNAL libcurl leaves SIGPIPE to the program, and OpenSSL writes to sockets that the peer has closed. A handler
   that the process has set itself stays. */
static inline void ccurl_ignore_sigpipe(void) {
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) != 0 || (action.sa_flags & SA_SIGINFO) || action.sa_handler != SIG_DFL) return;
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

/* Constants that are macros which Swift does not import. */
static const size_t ccurl_readfunc_abort = CURL_READFUNC_ABORT;
static const size_t ccurl_readfunc_pause = CURL_READFUNC_PAUSE;
static const size_t ccurl_writefunc_pause = CURL_WRITEFUNC_PAUSE;
static const int ccurl_seekfunc_ok = CURL_SEEKFUNC_OK;
static const int ccurl_seekfunc_fail = CURL_SEEKFUNC_FAIL;
static const curl_socket_t ccurl_bad_socket = CURL_SOCKET_BAD;
static const int ccurl_prereqfunc_ok = CURL_PREREQFUNC_OK;
static const int ccurl_prereqfunc_abort = CURL_PREREQFUNC_ABORT;
static const long ccurl_http_version_1_1 = CURL_HTTP_VERSION_1_1;
static const long ccurl_http_version_2_tls = CURL_HTTP_VERSION_2TLS;
static const long ccurl_tls_1_2_or_newer = CURL_SSLVERSION_TLSv1_2;
static const long ccurl_tls_1_3_or_newer = CURL_SSLVERSION_TLSv1_3;

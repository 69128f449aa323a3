// What the programs of this folder share: a server on a thread of the same process, a few lines of HTTP/1.1 and HTTP/2, a client
// over the multi interface, and the verdict. It needs libcurl, OpenSSL and POSIX threads.
#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused)) static

// MARK: The verdict

// Prints a line and ends the program: with 0 if the defect shows, with 1 if libcurl is right, with 2 if the program cannot tell.
_Noreturn __attribute__((format(printf, 2, 3))) UNUSED void verdict(int code, const char *format, ...) {
    static const char *names[] = {"shows", "right", "unclear"};
    va_list arguments;
    va_start(arguments, format);
    printf("%s, libcurl %s: ", names[code], curl_version_info(CURLVERSION_NOW)->version);
    vprintf(format, arguments);
    printf("\n");
    fflush(stdout);
    _exit(code);
}
enum { SHOWS, RIGHT, UNCLEAR };

#define NEED(condition) \
    do { \
        if (!(condition)) verdict(UNCLEAR, "%s:%d: not so: %s", __FILE__, __LINE__, #condition); \
    } while (0)

UNUSED void out_of_time(int number) {
    (void)number;
    verdict(UNCLEAR, "no end within 30 s");
}

UNUSED long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

UNUSED void pause_for(long duration) { usleep((useconds_t)duration * 1000); }

// Waits until the other thread has counted so far.
UNUSED void wait_for(atomic_int *counter, int value) {
    while (*counter < value) pause_for(1);
}

// MARK: The server

struct connection {
    int number, descriptor;
    SSL *tls;
    int is_http2;
    // HTTP/2: whether the settings were exchanged, and the frames to be sent.
    int is_greeted;
    unsigned char frames[1 << 17];
    size_t count;
};

// Each program serves a connection in its own way, on a thread for each. The connection is closed afterwards.
static void serve(struct connection *);

static int is_secure, port;
static SSL_CTX *tls_context;

// Returns 0 at the connection's end.
UNUSED int take(struct connection *c, void *bytes, size_t count) {
    for (size_t taken = 0; taken < count;) {
        long n = c->tls ? SSL_read(c->tls, (char *)bytes + taken, (int)(count - taken))
                        : recv(c->descriptor, (char *)bytes + taken, count - taken, 0);
        if (n <= 0) return 0;
        taken += (size_t)n;
    }
    return 1;
}

UNUSED int put(struct connection *c, const void *bytes, size_t count) {
    for (size_t sent = 0; sent < count;) {
        long n = c->tls ? SSL_write(c->tls, (const char *)bytes + sent, (int)(count - sent))
                        : send(c->descriptor, (const char *)bytes + sent, count - sent, 0);
        if (n <= 0) return 0;
        sent += (size_t)n;
    }
    return 1;
}

UNUSED int say(struct connection *c, const char *text) { return put(c, text, strlen(text)); }

// Reads and forgets until the client closes.
UNUSED void read_on(struct connection *c) {
    for (char byte; take(c, &byte, 1);) {}
}

// Reads an HTTP/1.1 request up to its empty line. Returns its size, or 0 at the connection's end.
UNUSED size_t read_head(struct connection *c, char *head, size_t size) {
    for (size_t count = 0; count < size - 1 && take(c, head + count, 1);) {
        head[++count] = 0;
        if (count >= 4 && memcmp(head + count - 4, "\r\n\r\n", 4) == 0) return count;
    }
    return 0;
}

enum { DATA, HEADERS, RESET = 3, SETTINGS, PING = 6, GOAWAY, WINDOW_UPDATE, CONTINUATION };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

// Adds an HTTP/2 frame to those that the next `flush` sends in one piece.
UNUSED void frame(struct connection *c, int type, int flags, unsigned stream, const void *payload, size_t size) {
    unsigned char head[] = {
        size >> 16, size >> 8, size, type, flags, stream >> 24, stream >> 16, stream >> 8, stream,
    };
    NEED(c->count + sizeof head + size <= sizeof c->frames);
    memcpy(c->frames + c->count, head, sizeof head);
    if (size) memcpy(c->frames + c->count + sizeof head, payload, size);
    c->count += sizeof head + size;
}

// A head with nothing but the status 200 (index 8 of RFC 7541, appendix A).
UNUSED void head(struct connection *c, unsigned stream, int ends) { frame(c, HEADERS, END_HEADERS | ends, stream, "\x88", 1); }

UNUSED int flush(struct connection *c) {
    size_t count = c->count;
    c->count = 0;
    return put(c, c->frames, count);
}

// Reads frames up to a request's head, or up to its end. Returns the request's stream, or 0 at the connection's end.
UNUSED unsigned read_request(struct connection *c, int whole) {
    unsigned char head[9], payload[1 << 14];
    if (!c->is_greeted) {
        if (!take(c, payload, 24)) return 0;
        c->is_greeted = 1;
        frame(c, SETTINGS, 0, 0, NULL, 0);
        flush(c);
    }
    while (take(c, head, 9)) {
        size_t size = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        NEED(size <= sizeof payload);
        if (!take(c, payload, size)) return 0;
        if (head[3] == SETTINGS && !(head[4] & ACK)) {
            frame(c, SETTINGS, ACK, 0, NULL, 0);
            flush(c);
        }
        if (head[3] > HEADERS || (whole && !(head[4] & END_STREAM))) continue;
        if (head[3] == HEADERS || whole) return (unsigned)head[6] << 16 | (unsigned)head[7] << 8 | head[8];
    }
    return 0;
}

// Chooses HTTP/2 if the client offers it.
UNUSED int choose_protocol(
    SSL *tls, const unsigned char **out, unsigned char *size, const unsigned char *in, unsigned n, void *v) {
    static const unsigned char own[] = "\2h2\10http/1.1";
    (void)tls, (void)v;
    int chosen = SSL_select_next_proto((unsigned char **)out, size, own, sizeof own - 1, in, n);
    return chosen == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

UNUSED void *serve_one(void *value) {
    struct connection *c = value;
    int now = 1, is_open = 1;
    setsockopt(c->descriptor, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    if (is_secure) {
        c->tls = SSL_new(tls_context);
        SSL_set_fd(c->tls, c->descriptor);
        is_open = SSL_accept(c->tls) == 1;
        const unsigned char *protocol;
        unsigned size;
        SSL_get0_alpn_selected(c->tls, &protocol, &size);
        c->is_http2 = size == 2;
    }
    if (is_open) serve(c);
    if (c->tls) SSL_free(c->tls);
    close(c->descriptor);
    free(c);
    return NULL;
}

UNUSED void *serve_all(void *value) {
    for (int number = 0;; number++) {
        struct connection *c = calloc(1, sizeof *c);
        pthread_t thread;
        c->number = number;
        c->descriptor = accept((int)(long)value, NULL, NULL);
        if (c->descriptor < 0 || pthread_create(&thread, NULL, serve_one, c)) exit(UNCLEAR);
        pthread_detach(thread);
    }
}

// A certificate that signs itself, for clients that do not verify it.
UNUSED void make_certificate(void) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    tls_context = SSL_CTX_new(TLS_server_method());
    NEED(SSL_CTX_use_certificate(tls_context, certificate) == 1 && SSL_CTX_use_PrivateKey(tls_context, key) == 1);
    SSL_CTX_set_alpn_select_cb(tls_context, choose_protocol, NULL);
}

// Starts the server, and bounds the program's time.
UNUSED void start(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGALRM, out_of_time);
    alarm(30);
    if (is_secure) make_certificate();
    NEED(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 16) == 0);
    NEED(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    port = ntohs(address.sin_port);
    NEED(pthread_create(&thread, NULL, serve_all, (void *)(long)listener) == 0);
}

// MARK: The client

// What all transfers have received so far.
static atomic_int received_heads, received_bytes;

// A transfer and its outcome.
struct transfer {
    CURL *easy;
    int is_done;
    CURLcode code;
    size_t size;
    char body[1 << 10], error[CURL_ERROR_SIZE];
};

UNUSED size_t keep_body(char *bytes, size_t one, size_t count, void *value) {
    struct transfer *t = value;
    (void)one;
    for (size_t i = 0; i < count && t->size + i < sizeof t->body - 1; i++) t->body[t->size + i] = bytes[i];
    t->size += count;
    received_bytes += (int)count;
    return count;
}

UNUSED size_t note_line(char *bytes, size_t one, size_t count, void *value) {
    (void)one, (void)value;
    if (bytes[0] == '\r') received_heads++;
    return count;
}

// A GET of the server. `version` is a CURL_HTTP_VERSION_….
UNUSED void prepare(struct transfer *t, long version) {
    char url[64];
    snprintf(url, sizeof url, "http%s://127.0.0.1:%d/", is_secure ? "s" : "", port);
    memset(t, 0, sizeof *t);
    t->easy = curl_easy_init();
    curl_easy_setopt(t->easy, CURLOPT_URL, url);
    curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, version);
    curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(t->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(t->easy, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, 3000L);
    curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, keep_body);
    curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, note_line);
    curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->error);
    curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
}

UNUSED CURLcode perform(struct transfer *t) {
    t->size = 0;
    memset(t->body, 0, sizeof t->body);
    t->code = curl_easy_perform(t->easy);
    t->is_done = 1;
    return t->code;
}

// Notes the outcomes of transfers that have ended.
UNUSED void note_ended(CURLM *multi) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        struct transfer *t;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
        t->code = message->data.result;
        t->is_done = 1;
        curl_multi_remove_handle(multi, t->easy);
    }
}

// Lets libcurl work until all transfers are done, or for that many milliseconds.
UNUSED void drive(CURLM *multi, long duration) {
    long end = milliseconds() + duration;
    int running = 1;
    while (running && milliseconds() < end) {
        curl_multi_perform(multi, &running);
        note_ended(multi);
        if (running) curl_multi_poll(multi, NULL, 0, 10, NULL);
    }
}

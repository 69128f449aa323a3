// A request over HTTP/2 is sent on a busy HTTP/1.1 connection, and gets a part of another response
//
// What happens: a multi handle has an HTTP/1.1 connection to a host, which is busy because its transfer has paused. It also has
// an HTTP/2 connection to the same host. The next request that allows HTTP/2 goes to the busy HTTP/1.1 connection. Its response
// is what libcurl reads next from there: the rest of the other body. Here that body contains the text of a response, so the
// second transfer succeeds with "another", which its server never sent to it.
//
// Expected: a busy HTTP/1.1 connection takes no further request (RFC 9112 §9.2: responses belong to requests by their order
// alone). The request gets the stream of the HTTP/2 connection and its own response.
//
// Tried: 7.88.1 (Debian 12) shows it. 8.14.1 (Debian 13) does not. The commit 1c37d472a0 of 8.5.0, "url: ConnectionExists
// revisited", changes the condition.
//
// To run it, with reproduce.h beside it: cc busy-connection-shared.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static atomic_int requests;

static void serve(struct connection *c) {
    char request[4096];
    for (unsigned stream; c->is_http2 && (stream = read_request(c, 1)) != 0;) {
        // The first stream gets no response, so that the connection is busy, too.
        if (++requests == 2) continue;
        head(c, stream, 0);
        frame(c, DATA, END_STREAM, stream, "its own", 7);
        flush(c);
    }
    if (c->is_http2 || !read_head(c, request, sizeof request)) return;
    requests++;
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 51\r\n\r\nfirst ");
    wait_for(&received_heads, 1);
    // By now the client has paused.
    pause_for(100);
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nanother");
    read_on(c);
}

static size_t pause_body(char *bytes, size_t one, size_t count, void *value) {
    (void)bytes, (void)one, (void)count, (void)value;
    return CURL_WRITEFUNC_PAUSE;
}

int main(void) {
    struct transfer paused, held, last;
    is_secure = 1;
    start();
    CURLM *multi = curl_multi_init();
    prepare(&paused, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(paused.easy, CURLOPT_WRITEFUNCTION, pause_body);
    curl_multi_add_handle(multi, paused.easy);
    while (received_heads < 1) drive(multi, 10);
    prepare(&held, CURL_HTTP_VERSION_2_0);
    curl_multi_add_handle(multi, held.easy);
    while (requests < 2) drive(multi, 10);
    // By now the rest of the first body is there.
    pause_for(200);
    prepare(&last, CURL_HTTP_VERSION_2_0);
    curl_multi_add_handle(multi, last.easy);
    drive(multi, 5000);
    NEED(last.is_done);
    int is_right = strcmp(last.body, "its own") == 0;
    verdict(is_right ? RIGHT : SHOWS, "the request over HTTP/2 got the response \"%s\" (code %d)", last.body, last.code);
}

// A request is sent on an HTTP/2 connection that the server has closed, and fails
//
// What happens: after a response the server closes in an orderly way, with TLS's close_notify and TCP's FIN, but without GOAWAY.
// Both are there before the next transfer begins. libcurl does not notice, uses the connection again, and the transfer fails. The
// server never sees the request.
//
// Expected: libcurl, which looks at an idle connection before it uses it again, sees the end and opens a new connection.
//
// Tried: 7.88.1 (Debian 12) fails with code 18, 8.14.1 (Debian 13) with code 16.
//
// To run it, with reproduce.h beside it: cc silent-end.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static atomic_int requests, has_ended;

static void serve(struct connection *c) {
    for (unsigned stream; (stream = read_request(c, 1)) != 0;) {
        requests++;
        head(c, stream, END_STREAM);
        flush(c);
        if (c->number > 0) continue;
        wait_for(&received_heads, 1);
        // By now the first transfer is over.
        pause_for(100);
        SSL_shutdown(c->tls);
        shutdown(c->descriptor, SHUT_WR);
        has_ended = 1;
        read_on(c);
        return;
    }
}

int main(void) {
    struct transfer t;
    is_secure = 1;
    start();
    prepare(&t, CURL_HTTP_VERSION_2_0);
    NEED(perform(&t) == CURLE_OK);
    wait_for(&has_ended, 1);
    pause_for(100);
    perform(&t);
    verdict(t.code ? SHOWS : RIGHT, "a transfer after the connection's end ends with code %d, and %d of 2 requests arrived",
        t.code, requests);
}

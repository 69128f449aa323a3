// An HTTP/2 connection is used again after a connection error, and the next request fails on it
//
// What happens: after a response's head the server sends a WINDOW_UPDATE of 0 for the connection, a connection error (RFC 9113
// §6.9). That transfer fails, as it should. But libcurl keeps the connection. The next transfer uses it and fails with "nghttp2
// recv error -902".
//
// Expected: libcurl closes the connection (RFC 9113 §5.4.1), and the next transfer opens a new one.
//
// Tried: 8.14.1 (Debian 13) gives code 16 for both transfers. 7.88.1 (Debian 12) closes the connection. But it gives code 0 for
// the first of them, whose stream has no end.
//
// To run it, with reproduce.h beside it: cc kept-connection.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    for (unsigned stream; (stream = read_request(c, 1)) != 0;) {
        int is_broken = c->number == 0 && stream == 3;
        head(c, stream, is_broken ? 0 : END_STREAM);
        flush(c);
        if (!is_broken) continue;
        wait_for(&received_heads, 2);
        frame(c, WINDOW_UPDATE, 0, 0, "\0\0\0\0", 4);
        flush(c);
    }
}

int main(void) {
    struct transfer t;
    is_secure = 1;
    start();
    prepare(&t, CURL_HTTP_VERSION_2_0);
    NEED(perform(&t) == CURLE_OK);
    CURLcode broken = perform(&t), next = perform(&t);
    verdict(next ? SHOWS : RIGHT, "after an invalid frame the transfer ends with code %d, and the next one with %d (%s)", broken,
        next, curl_easy_strerror(next));
}

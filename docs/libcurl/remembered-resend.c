// A handle counts resends over all its transfers, and gives up one that was sent twice
//
// What happens: a server closes each connection at its second request. So each transfer on a reused handle is sent again once on
// a new connection, and succeeds. The seventh fails: "Connection died, tried 5 times before giving up". It was tried twice.
//
// Expected: each transfer has five tries of its own. A long-lived handle should not fail because of its earlier transfers.
//
// Tried: 7.88.1 (Debian 12) and 8.14.1 (Debian 13) fail so. In the source of 8.17.0 each transfer resets the count; it was not
// tried.
//
// To run it, with reproduce.h beside it: cc remembered-resend.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    char request[4096];
    if (!read_head(c, request, sizeof request)) return;
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    // As a server does whose limit of idle time ends at this moment.
    read_head(c, request, sizeof request);
}

int main(void) {
    struct transfer t;
    start();
    prepare(&t, CURL_HTTP_VERSION_1_1);
    for (int i = 1; i <= 12; i++) {
        if (perform(&t)) verdict(SHOWS, "the transfer %d of the handle ends with code %d: %s", i, t.code, t.error);
    }
    verdict(RIGHT, "twelve transfers of a handle succeed");
}

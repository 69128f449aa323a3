// A POST is sent a second time without the application's consent
//
// What happens: a server reads a POST on a reused connection, and closes the connection without a response. libcurl sends the
// POST again on a new connection, up to five times. No option prevents that. An order that the server has processed is placed
// twice.
//
// Expected: a request that is not idempotent is not sent again, or an option forbids it. "A user agent SHOULD NOT automatically
// retry a request with a non-idempotent method unless it has some means to know that the request semantics are actually
// idempotent" (RFC 9110 §9.2.2).
//
// Tried: with 7.88.1 (Debian 12) and 8.14.1 (Debian 13) the POST arrives twice.
//
// To run it, with reproduce.h beside it: cc silent-resend.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static atomic_int orders;

static void serve(struct connection *c) {
    char request[4096], body[5];
    while (read_head(c, request, sizeof request)) {
        // It has the whole order, and closes.
        if (strncmp(request, "POST", 4) == 0 && take(c, body, sizeof body) && ++orders == 1) return;
        say(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
}

int main(void) {
    struct transfer t;
    start();
    prepare(&t, CURL_HTTP_VERSION_1_1);
    NEED(perform(&t) == CURLE_OK);
    curl_easy_setopt(t.easy, CURLOPT_POSTFIELDS, "order");
    perform(&t);
    NEED(orders > 0);
    verdict(orders > 1 ? SHOWS : RIGHT, "a POST arrived %d times, and ended with code %d", orders, t.code);
}

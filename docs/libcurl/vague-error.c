// The codes for some unreadable responses name another cause
//
// What happens: 1. A header line of 110,000 bytes gives code 27, "Out of memory". 2. A chunk whose size is "zz" gives code 56,
// "Failure when receiving data from the peer", as a lost connection does.
//
// Expected: 1. CURLE_TOO_LARGE. 2. CURLE_WEIRD_SERVER_REPLY, as for other malformed responses. An application that retries after
// a lost connection should not do so here.
//
// Tried: 7.88.1 (Debian 12) gives 27 and 56. 8.14.1 (Debian 13) gives 100, which is right, and 56.
//
// To run it, with reproduce.h beside it: cc vague-error.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    static char line[110000];
    char request[4096];
    memset(line, 'a', sizeof line);
    if (!read_head(c, request, sizeof request)) return;
    if (c->number == 0) {
        say(c, "HTTP/1.1 200 OK\r\nX: ");
        put(c, line, sizeof line);
        say(c, "\r\nContent-Length: 0\r\n\r\n");
    } else {
        say(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n");
    }
    read_on(c);
}

int main(void) {
    struct transfer t;
    start();
    prepare(&t, CURL_HTTP_VERSION_1_1);
    CURLcode large = perform(&t), chunk = perform(&t);
    NEED(large != CURLE_OK && chunk != CURLE_OK);
    verdict(large == CURLE_OUT_OF_MEMORY || chunk == CURLE_RECV_ERROR ? SHOWS : RIGHT,
        "code %d (%s) for a long line, and code %d (%s) for a chunk's size that is no number", large, curl_easy_strerror(large),
        chunk, curl_easy_strerror(chunk));
}

// An HTTP/1.1 connection is used again although unread bytes are in OpenSSL's buffer
//
// What happens: a TLS record contains the end of a response and further bytes, here the text of a second response. libcurl reads
// the response exactly to its end. The rest is decrypted and waits in OpenSSL, where no look at the socket finds it. libcurl uses
// the connection again, and takes the bytes for the response to the next request.
//
// Expected: the connection is closed. "If a client receives data on a connection that doesn't have outstanding requests, the
// client MUST NOT consider that data to be a valid response" (RFC 9112 §9.2).
//
// Tried: with 8.14.1 (Debian 13) the second transfer gets the body "wrong". With 7.88.1 (Debian 12) it gets no response and ends
// by its timeout.
//
// To run it, with reproduce.h beside it: cc unread-bytes.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    char request[4096];
    while (read_head(c, request, sizeof request)) {
        say(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
        if (c->number > 0) {
            say(c, "right");
            continue;
        }
        // In a record of its own, so that libcurl reads the body only.
        wait_for(&received_heads, 1);
        pause_for(50);
        say(c, "firstHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong");
        read_on(c);
    }
}

int main(void) {
    struct transfer t;
    is_secure = 1;
    start();
    prepare(&t, CURL_HTTP_VERSION_1_1);
    perform(&t);
    NEED(t.code == CURLE_OK && strcmp(t.body, "first") == 0);
    perform(&t);
    verdict(strcmp(t.body, "right") ? SHOWS : RIGHT, "the second transfer gets \"%s\" (code %d)", t.body, t.code);
}

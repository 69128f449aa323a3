// An incomplete HTTP/2 response counts as complete if its stream is reset with NO_ERROR
//
// What happens: the server sends a head without Content-Length, a part of the body, and RST_STREAM(NO_ERROR). It never sends
// END_STREAM. The transfer ends with code 0, so the application takes the part for the whole.
//
// Expected: an error, such as CURLE_PARTIAL_FILE. Only END_STREAM ends a message (RFC 9113 §8.1). NO_ERROR is an answer to an
// upload after a complete response.
//
// Tried: 7.88.1 (Debian 12) and 8.14.1 (Debian 13) end with code 0.
//
// To run it, with reproduce.h beside it: cc unannounced-end.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    unsigned stream = read_request(c, 1);
    head(c, stream, 0);
    frame(c, DATA, 0, stream, "part", 4);
    flush(c);
    wait_for(&received_bytes, 4);
    frame(c, RESET, 0, stream, "\0\0\0\0", 4);
    flush(c);
    read_on(c);
}

int main(void) {
    struct transfer t;
    start();
    prepare(&t, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    perform(&t);
    NEED(t.size == 4);
    verdict(t.code == CURLE_OK ? SHOWS : RIGHT, "code %d for the body \"%s\" of a stream without END_STREAM", t.code, t.body);
}

// CURLOPT_BUFFERSIZE is rejected for a handle whose HTTP/2 connection was busy when its transfer ended
//
// What happens: two transfers share an HTTP/2 connection. When one ends before the other, its handle keeps its receive buffer.
// curl_easy_setopt(CURLOPT_BUFFERSIZE) then returns 43, CURLE_BAD_FUNCTION_ARGUMENT, although the handle is idle and removed from
// the multi handle.
//
// Expected: CURLE_OK. The documentation of CURLOPT_BUFFERSIZE only warns of a handle that is used for an active transfer.
//
// Tried: 7.88.1 (Debian 12) returns 43. 8.14.1 (Debian 13) returns 0.
//
// To run it, with reproduce.h beside it: cc kept-buffer.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    for (unsigned stream; (stream = read_request(c, 1)) != 0;) {
        // The stream 3 stays open.
        if (stream != 3) head(c, stream, END_STREAM);
        flush(c);
    }
}

int main(void) {
    struct transfer t[3];
    is_secure = 1;
    start();
    CURLM *multi = curl_multi_init();
    for (int i = 0; i < 3; i++) {
        prepare(&t[i], CURL_HTTP_VERSION_2_0);
        curl_multi_add_handle(multi, t[i].easy);
        drive(multi, 200);
    }
    while (!t[2].is_done) drive(multi, 10);
    NEED(t[0].is_done && t[0].code == CURLE_OK && !t[1].is_done && t[2].code == CURLE_OK);
    CURLcode code = curl_easy_setopt(t[2].easy, CURLOPT_BUFFERSIZE, 30000L);
    verdict(code ? SHOWS : RIGHT, "CURLOPT_BUFFERSIZE returns %d for an idle handle", code);
}

// An upload over HTTP/2 that waits for its window keeps a processor busy
//
// What happens: the server grants no window beyond the first 65,535 bytes of a request's body. libcurl can send nothing, but
// still waits for room in the socket, which has some. So curl_multi_poll returns at once, again and again, and curl_multi_perform
// does nothing.
//
// Expected: libcurl waits for the socket to be readable, because only a WINDOW_UPDATE (RFC 9113 §6.9) lets it go on.
//
// Tried: with 7.88.1 (Debian 12) curl_multi_poll returns several 100,000 times in a second. With 8.14.1 (Debian 13) it returns
// when its timeout ends.
//
// To run it, with reproduce.h beside it: cc spinning-upload.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    // Reads all frames, and grants no window.
    read_request(c, 1);
}

int main(void) {
    static char body[1 << 20];
    struct transfer t;
    int running = 1, rounds = 0;
    start();
    prepare(&t, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    curl_easy_setopt(t.easy, CURLOPT_POSTFIELDSIZE, (long)sizeof body);
    curl_easy_setopt(t.easy, CURLOPT_POSTFIELDS, body);
    CURLM *multi = curl_multi_init();
    curl_multi_add_handle(multi, t.easy);
    drive(multi, 1000);
    for (long end = milliseconds() + 1000; running && milliseconds() < end; rounds++) {
        curl_multi_perform(multi, &running);
        curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    NEED(running);
    verdict(rounds > 100 ? SHOWS : RIGHT, "curl_multi_poll with a timeout of 1 s returned %d times in 1 s without data",
        rounds);
}

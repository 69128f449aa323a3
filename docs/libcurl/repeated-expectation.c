// After a 417 the request is sent again with the same Expect, if the application has set it
//
// What happens: the application adds "Expect: 100-continue" with CURLOPT_HTTPHEADER. The server rejects it with 417. libcurl
// sends the request again, without the Expect that it would add itself. But the one of the application stays, and the server
// rejects it again.
//
// Expected: the request is repeated without the expectation (RFC 9110 §10.1.1), or not at all, so that the application gets the
// 417.
//
// Tried: 7.88.1 (Debian 12) sends the expectation twice. 8.14.1 (Debian 13) sends it 31 times, and ends with code 47, "Maximum
// (30) redirects followed".
//
// To run it, with reproduce.h beside it: cc repeated-expectation.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static atomic_int rejections;

static void serve(struct connection *c) {
    char request[4096];
    while (read_head(c, request, sizeof request)) {
        if (!strstr(request, "Expect:")) {
            say(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return;
        }
        rejections++;
        say(c, "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
    }
}

static size_t give_zeros(char *bytes, size_t one, size_t count, void *value) {
    (void)value;
    memset(bytes, 0, one * count);
    return one * count;
}

int main(void) {
    struct transfer t;
    start();
    prepare(&t, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(t.easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(t.easy, CURLOPT_INFILESIZE, 100000L);
    curl_easy_setopt(t.easy, CURLOPT_READFUNCTION, give_zeros);
    curl_easy_setopt(t.easy, CURLOPT_EXPECT_100_TIMEOUT_MS, 5000L);
    curl_easy_setopt(t.easy, CURLOPT_HTTPHEADER, curl_slist_append(NULL, "Expect: 100-continue"));
    perform(&t);
    NEED(rejections > 0);
    verdict(rejections > 1 ? SHOWS : RIGHT, "the server rejected the expectation %d times (code %d)", rejections, t.code);
}

// The read callback of an upload of size 0 is never called, so its bytes are lost without an error
//
// What happens: CURLOPT_INFILESIZE is 0, but the read callback would return 5 bytes. libcurl never calls it. An empty request is
// sent, and the transfer succeeds.
//
// Expected: libcurl asks the callback for the end and fails if it gets bytes, as it does for other sizes: with a size of 3,
// 8.14.1 ends with code 26. Or the documentation of CURLOPT_INFILESIZE_LARGE says it; it says that the callback alone controls
// how much is sent.
//
// Tried: 7.88.1 (Debian 12) and 8.14.1 (Debian 13) end with code 0 without a call.
//
// To run it, with reproduce.h beside it: cc unread-empty-body.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    char request[4096];
    while (read_head(c, request, sizeof request)) say(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

static size_t give_once(char *bytes, size_t one, size_t count, void *value) {
    int *calls = value;
    (void)one, (void)count;
    if ((*calls)++ > 0) return 0;
    memcpy(bytes, "bytes", 5);
    return 5;
}

int main(void) {
    struct transfer t;
    int calls = 0;
    start();
    prepare(&t, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(t.easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(t.easy, CURLOPT_INFILESIZE, 0L);
    curl_easy_setopt(t.easy, CURLOPT_READFUNCTION, give_once);
    curl_easy_setopt(t.easy, CURLOPT_READDATA, &calls);
    perform(&t);
    verdict(t.code == CURLE_OK && calls == 0 ? SHOWS : RIGHT, "code %d after %d calls of the read callback", t.code, calls);
}

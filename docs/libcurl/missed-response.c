// A response is not noticed while the upload is paused
//
// What happens: the read callback returns CURL_READFUNC_PAUSE. The server answers with 413, and ends its side of the connection.
// libcurl reads the head, but not the end. The transfer waits for its timeout.
//
// Expected: the pause stops the sending only (CURLPAUSE_SEND in the documentation of curl_easy_pause). The transfer ends with the
// response.
//
// Tried: 7.88.1 (Debian 12) ends with code 28. 8.14.1 (Debian 13) ends with code 0, at once.
//
// To run it, with reproduce.h beside it: cc missed-response.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    char request[4096], part[8];
    if (!read_head(c, request, sizeof request) || !take(c, part, sizeof part)) return;
    say(c, "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n\r\ntoo large");
    shutdown(c->descriptor, SHUT_WR);
    read_on(c);
}

static size_t give_part(char *bytes, size_t one, size_t count, void *value) {
    int *calls = value;
    (void)one, (void)count;
    if ((*calls)++ > 0) return CURL_READFUNC_PAUSE;
    memcpy(bytes, "the part", 8);
    return 8;
}

int main(void) {
    struct transfer t;
    int calls = 0;
    start();
    prepare(&t, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(t.easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(t.easy, CURLOPT_INFILESIZE, 1000L);
    curl_easy_setopt(t.easy, CURLOPT_READFUNCTION, give_part);
    curl_easy_setopt(t.easy, CURLOPT_READDATA, &calls);
    curl_easy_setopt(t.easy, CURLOPT_HTTPHEADER, curl_slist_append(NULL, "Expect:"));
    perform(&t);
    NEED(t.code == CURLE_OK || t.code == CURLE_OPERATION_TIMEDOUT);
    verdict(t.code ? SHOWS : RIGHT, "code %d and the body \"%s\", which was sent at once", t.code, t.body);
}

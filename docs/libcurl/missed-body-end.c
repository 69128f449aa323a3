// Responses with an invalid Content-Length are accepted
//
// What happens: libcurl takes a part of the value, or ignores it and waits for the connection's end.
//
// 1. "Content-Length: 3" and "Content-Length: 5": code 0 after 5 bytes, and the connection is used again.
// 2. "Content-Length: 3, 5": code 0 after 3 bytes.
// 3. "Content-Length: 5 x": code 0 after 5 bytes.
// 4. "Content-Length: 99999999999999999999": it waits, although 5 bytes are all.
// 5. For comparison, a valid length of 5 beside "Transfer-Encoding: identity", which codes nothing.
//
// Expected: 1 to 4 fail. "If it is in a response message received by a user agent, the user agent MUST close the connection to
// the server and discard the received response" (RFC 9112 §6.3). Two readers that find different ends allow response splitting.
// 5 ends at the length (RFC 2616 §4.4; RFC 9112 no longer knows this coding).
//
// Tried: 8.14.1 (Debian 13) ends with the codes 0, 0, 0, 28 and 0. 7.88.1 (Debian 12) ends with 0, 0, 0, 28 and 28.
//
// To run it, with reproduce.h beside it: cc missed-body-end.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static const char *cases[] = {
    "Content-Length: 3\r\nContent-Length: 5",
    "Content-Length: 3, 5",
    "Content-Length: 5 x",
    "Content-Length: 99999999999999999999",
    "Transfer-Encoding: identity\r\nContent-Length: 5",
};
static atomic_int current;

static void serve(struct connection *c) {
    char request[4096];
    if (!read_head(c, request, sizeof request)) return;
    say(c, "HTTP/1.1 200 OK\r\n");
    say(c, cases[current]);
    say(c, "\r\n\r\nhello");
    read_on(c);
}

int main(void) {
    struct transfer t[5];
    int wrong = 0;
    start();
    for (; current < 5; current++) {
        struct transfer *one = &t[current];
        prepare(one, CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(one->easy, CURLOPT_TIMEOUT_MS, 1000L);
        perform(one);
        wrong += (one->code == CURLE_OK) != (current == 4) || one->code == CURLE_OPERATION_TIMEDOUT;
        curl_easy_cleanup(one->easy);
    }
    verdict(wrong ? SHOWS : RIGHT, "%d of 5 ends are missed: codes and bodies %d %s, %d %s, %d %s, %d %s, %d %s", wrong,
        t[0].code, t[0].body, t[1].code, t[1].body, t[2].code, t[2].body, t[3].code, t[3].body, t[4].code, t[4].body);
}

// A header of 300 KiB or more is left out of the request without an error
//
// What happens: CURLOPT_HTTPHEADER has a line whose value has 400,000 bytes. The request is sent without this line, and the
// transfer succeeds.
//
// Expected: the line is sent, as before. Or the transfer fails, for example with CURLE_TOO_LARGE.
//
// Tried: 8.14.1 (Debian 13) leaves it out. 7.88.1 (Debian 12) sends it.
//
// To run it, with reproduce.h beside it: cc lost-field.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static atomic_int lines;

static void serve(struct connection *c) {
    static char request[1 << 20];
    while (read_head(c, request, sizeof request)) {
        lines += strstr(request, "X-Large:") != NULL;
        say(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
}

int main(void) {
    static char line[400010] = "X-Large: ";
    struct transfer t;
    start();
    memset(line + strlen(line), 'a', 400000);
    prepare(&t, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(t.easy, CURLOPT_HTTPHEADER, curl_slist_append(NULL, line));
    perform(&t);
    verdict(t.code == CURLE_OK && lines == 0 ? SHOWS : RIGHT, "code %d, and the server got the line %d times", t.code, lines);
}

// A transfer with a complete response fails or hangs, because its request is not sent yet
//
// What happens: a server answers a POST of 16 MB after its first bytes. The application has the whole response. Then libcurl goes
// on with the request:
//
// 1. HTTP/1.1, the server reads no more: the transfer hangs until its timeout.
// 2. HTTP/1.1, the server closes: code 55.
// 3. HTTP/2, the server sends RST_STREAM(NO_ERROR) after END_STREAM: code 92, and the response is lost.
// 4. HTTP/2, the server has granted enough window, and sends no RST_STREAM: code 28 or 55.
//
// Expected: code 0, because the response is complete. For 3, RFC 9113 §8.1 says: "Clients MUST NOT discard responses as a result
// of receiving such a RST_STREAM".
//
// Tried: 7.88.1 (Debian 12) gives the codes 28, 55, 92 and 28. 8.14.1 (Debian 13) gives 28, 55, 0 and 28; with a body of 3 MB the
// last one is 55.
//
// To run it, with reproduce.h beside it: cc endless-upload.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static atomic_int kind;

static void serve(struct connection *c) {
    static char bytes[1 << 16];
    if (kind <= 2) {
        if (!read_head(c, bytes, sizeof bytes) || !take(c, bytes, sizeof bytes)) return;
        say(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nenough");
        // The client has the response before the connection's reset.
        wait_for(&received_bytes, 6);
        if (kind == 1) pause_for(10000);
        return;
    }
    unsigned stream = read_request(c, 0);
    for (int i = 0; i < 1000 && kind == 4; i++) {
        frame(c, WINDOW_UPDATE, 0, stream, "\0\1\0\0", 4);
        frame(c, WINDOW_UPDATE, 0, 0, "\0\1\0\0", 4);
    }
    head(c, stream, 0);
    frame(c, DATA, END_STREAM, stream, "enough", 6);
    if (kind == 3) frame(c, RESET, 0, stream, "\0\0\0\0", 4);
    flush(c);
    read_on(c);
}

int main(void) {
    static char body[1 << 24];
    struct transfer t[5];
    int failures = 0;
    start();
    for (kind = 1; kind <= 4; kind++) {
        received_bytes = 0;
        prepare(&t[kind], kind <= 2 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
        curl_easy_setopt(t[kind].easy, CURLOPT_POSTFIELDSIZE, (long)sizeof body);
        curl_easy_setopt(t[kind].easy, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(t[kind].easy, CURLOPT_HTTPHEADER, curl_slist_append(NULL, "Expect:"));
        failures += perform(&t[kind]) != CURLE_OK;
        curl_easy_cleanup(t[kind].easy);
    }
    verdict(failures ? SHOWS : RIGHT, "%d of 4 transfers with a complete response failed (codes %d, %d, %d, %d)", failures,
        t[1].code, t[2].code, t[3].code, t[4].code);
}

// HTTP/2 streams are not told that TLS has ended, and wait for their timeouts
//
// What happens: three streams are open on an HTTP/2 connection. The server ends one of them, then sends TLS's close_notify and
// leaves TCP open until the client closes, as Python's asyncio does. libcurl tells one transfer. The others wait for bytes that
// cannot arrive, until CURLOPT_TIMEOUT_MS.
//
// Expected: after close_notify no more data arrives (RFC 8446 §6.1), so all transfers of the connection end at once.
//
// Tried: with 7.88.1 (Debian 12) one or both of them wait. 8.14.1 (Debian 13) ends both at once, with the codes 16 and 18.
//
// To run it, with reproduce.h beside it: cc end-told-once.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    for (unsigned stream; (stream = read_request(c, 1)) != 0;) {
        // The stream 3 gets no response, and the stream 5 a half one.
        if (stream == 3) continue;
        head(c, stream, stream == 5 ? 0 : END_STREAM);
        if (stream == 5) frame(c, DATA, 0, stream, "half", 4);
        flush(c);
        if (stream < 7) continue;
        SSL_shutdown(c->tls);
        pause_for(10000);
    }
}

int main(void) {
    struct transfer first, held[2], last;
    is_secure = 1;
    start();
    CURLM *multi = curl_multi_init();
    prepare(&first, CURL_HTTP_VERSION_2_0);
    curl_multi_add_handle(multi, first.easy);
    drive(multi, 3000);
    NEED(first.is_done && first.code == CURLE_OK);
    for (int i = 0; i < 2; i++) {
        prepare(&held[i], CURL_HTTP_VERSION_2_0);
        curl_multi_add_handle(multi, held[i].easy);
    }
    while (received_bytes < 4) drive(multi, 10);
    prepare(&last, CURL_HTTP_VERSION_2_0);
    curl_multi_add_handle(multi, last.easy);
    drive(multi, 5000);
    NEED(last.is_done && last.code == CURLE_OK && held[0].is_done && held[1].is_done);
    int waited = (held[0].code == CURLE_OPERATION_TIMEDOUT) + (held[1].code == CURLE_OPERATION_TIMEDOUT);
    verdict(waited ? SHOWS : RIGHT, "after close_notify %d of 2 transfers waited for their timeouts (codes %d and %d)", waited,
        held[0].code, held[1].code);
}

// A rejected HTTP/2 stream looks like a lost connection, and a connection error leaves transfers waiting
//
// What happens: 1. A server rejects each stream with RST_STREAM(REFUSED_STREAM). The transfer ends with code 56, "Connection
// died, tried 5 times before giving up", which is a code and a text of lost connections. 2. On a connection with two streams the
// server sends a PING of 3 bytes. nghttp2 gives up the connection, but both transfers wait for their timeouts.
//
// Expected: 1. The code or the text says that the server rejected the stream, because then it has processed nothing, and the
// application may send an order again (RFC 9113 §8.7). 2. The transfers end at once, because a connection error ends all streams
// (RFC 9113 §5.4.1).
//
// Tried: 7.88.1 (Debian 12) shows both. 8.14.1 (Debian 13) shows the first; for the second its transfers end at once with code
// 16.
//
// To run it, with reproduce.h beside it: cc hidden-failure.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static atomic_int refuses = 1, requests;

static void serve(struct connection *c) {
    for (unsigned stream; (stream = read_request(c, 1)) != 0;) {
        if (refuses) {
            frame(c, RESET, 0, stream, "\0\0\0\7", 4);
        } else if (++requests == 1) {
            head(c, stream, END_STREAM);
        } else if (requests == 3) {
            frame(c, PING, 0, 0, "123", 3);
        }
        flush(c);
    }
}

int main(void) {
    struct transfer refused, first, held[2];
    is_secure = 1;
    start();
    prepare(&refused, CURL_HTTP_VERSION_2_0);
    curl_easy_setopt(refused.easy, CURLOPT_POSTFIELDS, "order");
    perform(&refused);
    NEED(refused.code != CURLE_OK);
    int is_hidden = refused.code == CURLE_RECV_ERROR && !strstr(refused.error, "REFUSED");
    refuses = 0;
    CURLM *multi = curl_multi_init();
    prepare(&first, CURL_HTTP_VERSION_2_0);
    curl_multi_add_handle(multi, first.easy);
    drive(multi, 3000);
    NEED(first.is_done && first.code == CURLE_OK);
    for (int i = 0; i < 2; i++) {
        prepare(&held[i], CURL_HTTP_VERSION_2_0);
        curl_multi_add_handle(multi, held[i].easy);
    }
    drive(multi, 5000);
    NEED(requests >= 3 && held[0].is_done && held[1].is_done);
    int waits = held[0].code == CURLE_OPERATION_TIMEDOUT || held[1].code == CURLE_OPERATION_TIMEDOUT;
    verdict(is_hidden || waits ? SHOWS : RIGHT,
        "a stream that the server refused ends with code %d (%s), and the streams of a failed connection with %d and %d",
        refused.code, refused.error, held[0].code, held[1].code);
}

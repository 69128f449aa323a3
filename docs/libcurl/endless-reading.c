// curl_multi_perform reads an HTTP/2 connection until it is empty, whatever the timeouts say
//
// What happens: a server sends frames for no stream faster than libcurl reads them. A single call of curl_multi_perform reads on
// for seconds. Meanwhile CURLOPT_TIMEOUT_MS does not count, and the other transfers of the multi handle get no turn.
//
// Expected: a call reads a bounded amount, and returns. The rest is read in the next call, after the timeouts were looked at.
//
// Tried: 7.88.1 (Debian 12) used 0.5 to 3 seconds of processor time in a call. 8.14.1 (Debian 13) used a millisecond at most.
//
// To run it, with reproduce.h beside it: cc endless-reading.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    read_request(c, 1);
    // Empty frames of an unknown type, which a client must ignore (RFC 9113 §4.1).
    while (c->count + 9 <= sizeof c->frames) frame(c, 0xEE, 0, 0, NULL, 0);
    while (put(c, c->frames, c->count)) {}
}

static void still_inside(int number) {
    (void)number;
    verdict(SHOWS, "a call of curl_multi_perform has not returned after 6 s, and CURLOPT_TIMEOUT_MS is 3000");
}

// The processor time of this thread. The clock's time would also count other processes.
static long used(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int main(void) {
    struct transfer t;
    int running = 1;
    long longest = 0;
    start();
    signal(SIGALRM, still_inside);
    prepare(&t, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
    CURLM *multi = curl_multi_init();
    curl_multi_add_handle(multi, t.easy);
    while (running) {
        long began = used();
        alarm(6);
        curl_multi_perform(multi, &running);
        if (used() - began > longest) longest = used() - began;
        curl_multi_poll(multi, NULL, 0, 10, NULL);
    }
    verdict(longest > 100 ? SHOWS : RIGHT, "a call of curl_multi_perform used up to %ld ms of processor time", longest);
}

// A response that was read together with other data waits for a timer that is not set
//
// What happens: two transfers share an HTTP/2 connection. libcurl reads, in one piece, the data of one stream and then the
// response of the other. The first has more data than its buffer has room for (CURLOPT_BUFFERSIZE). libcurl holds the rest and
// the other response, but sets no timer for them, and the socket has nothing to read. An application with
// curl_multi_socket_action gets both only when any other timer ends, such as that of CURLOPT_TIMEOUT_MS.
//
// Expected: libcurl calls CURLMOPT_TIMERFUNCTION with 0 as long as it holds data that it can deliver.
//
// Tried: with 7.88.1 (Debian 12) both transfers still wait 3 s later. 8.14.1 (Debian 13) delivers both.
//
// To run it, with reproduce.h beside it: cc lost-timer.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

enum { ROOM = 4096 };
static atomic_int requests, gate;
static struct pollfd entry;
static long due = -1;

static void serve(struct connection *c) {
    static char body[ROOM];
    for (unsigned stream; (stream = read_request(c, 1)) != 0; flush(c)) {
        requests++;
        if (stream == 1) head(c, stream, END_STREAM);
        if (stream != 5) continue;
        wait_for(&gate, 1);
        // A little more than the transfer has room for, and after it the response of the other stream.
        head(c, 5, 0);
        frame(c, DATA, 0, 5, body, sizeof body);
        frame(c, DATA, END_STREAM, 5, body, 100);
        head(c, 3, 0);
        frame(c, DATA, END_STREAM, 3, "ok", 2);
        flush(c);
        gate = 2;
    }
}

static int note_socket(CURL *easy, curl_socket_t socket, int what, void *a, void *b) {
    (void)easy, (void)a, (void)b;
    entry.fd = what == CURL_POLL_REMOVE ? -1 : socket;
    entry.events = (what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0);
    return 0;
}

static int note_timer(CURLM *multi, long timeout, void *value) {
    (void)multi, (void)value;
    due = timeout < 0 ? -1 : milliseconds() + timeout;
    return 0;
}

// Calls libcurl when the socket is ready, and when the timer ends.
static void run(CURLM *multi, long duration) {
    int running;
    for (long now, end = milliseconds() + duration; (now = milliseconds()) < end; note_ended(multi)) {
        long next = due < 0 || due > end ? end : due;
        if (poll(&entry, 1, next > now ? (int)(next - now) : 0) > 0) {
            int events = (entry.revents & POLLIN ? CURL_CSELECT_IN : 0) | (entry.revents & POLLOUT ? CURL_CSELECT_OUT : 0);
            curl_multi_socket_action(multi, entry.fd, events, &running);
        } else if (due >= 0 && due <= milliseconds()) {
            due = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
    }
}

int main(void) {
    struct transfer t[3];
    is_secure = 1;
    start();
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, note_socket);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, note_timer);
    for (int i = 0; i < 3; i++) {
        prepare(&t[i], CURL_HTTP_VERSION_2_0);
        curl_easy_setopt(t[i].easy, CURLOPT_BUFFERSIZE, (long)ROOM);
        curl_easy_setopt(t[i].easy, CURLOPT_TIMEOUT_MS, 6000L);
        curl_multi_add_handle(multi, t[i].easy);
        // So long that the timers of connecting end, too.
        run(multi, 500);
    }
    NEED(t[0].is_done && t[0].code == CURLE_OK && requests == 3);
    gate = 1;
    wait_for(&gate, 2);
    // By now all of it is there, so libcurl reads it in one piece.
    pause_for(100);
    run(multi, 3000);
    int waiting = !t[1].is_done + !t[2].is_done;
    verdict(waiting ? SHOWS : RIGHT, "%d of 2 transfers wait, 3 s after their data has arrived", waiting);
}

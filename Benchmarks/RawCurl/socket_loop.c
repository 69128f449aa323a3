#include "client.h"

#include <sys/epoll.h>

/* libcurl reports its sockets and its next timer. epoll keeps the sockets, so that idle ones cost no time. */

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    raw_client *client = context;
    struct epoll_event event = {.data.fd = socket};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(client->epoll, EPOLL_CTL_DEL, socket, NULL);
        curl_multi_assign(client->multi, socket, NULL);
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    epoll_ctl(client->epoll, known == NULL ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    if (known == NULL) curl_multi_assign(client->multi, socket, client);
    (void)easy;
    return 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *context) {
    raw_client *client = context;
    client->timer_due = milliseconds < 0 ? 0 : raw_now() + (uint64_t)milliseconds * 1000000u;
    (void)multi;
    return 0;
}

int raw_prepare_socket_loop(raw_client *client) {
    client->epoll = epoll_create1(EPOLL_CLOEXEC);
    curl_multi_setopt(client->multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(client->multi, CURLMOPT_SOCKETDATA, client);
    curl_multi_setopt(client->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(client->multi, CURLMOPT_TIMERDATA, client);
    return client->epoll >= 0;
}

static int milliseconds_to_wait(const raw_client *client, uint64_t now) {
    if (client->timer_due == 0) return 1000;
    if (client->timer_due <= now) return 0;
    uint64_t wait = (client->timer_due - now + 999999u) / 1000000u;
    return wait > 1000 ? 1000 : (int)wait;
}

void raw_run_socket_loop(raw_client *client) {
    struct epoll_event events[256];
    int running;
    while (client->to_end > 0) {
        uint64_t now = client->timer_due == 0 ? 0 : raw_now();
        if (client->timer_due != 0 && client->timer_due <= now) {
            client->timer_due = 0;
            curl_multi_socket_action(client->multi, CURL_SOCKET_TIMEOUT, 0, &running);
            if (raw_exchange(client) > 0) continue;
            if (client->to_end == 0) break;
        }
        int count = epoll_wait(client->epoll, events, 256, milliseconds_to_wait(client, now));
        for (int index = 0; index < count; index++) {
            unsigned happened = events[index].events;
            int mask = (happened & EPOLLIN ? CURL_CSELECT_IN : 0) | (happened & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                | (happened & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(client->multi, events[index].data.fd, mask, &running);
        }
        raw_exchange(client);
    }
}

#include "client.h"

void raw_run_poll_loop(raw_client *client) {
    int running;
    while (client->to_end > 0) {
        curl_multi_perform(client->multi, &running);
        /* New transfers have bytes to send; sleep only without new ones. */
        if (raw_exchange(client) > 0 || client->to_end == 0) continue;
        curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
    }
}

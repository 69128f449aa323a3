#include "client.h"

/* The callers on one thread and libcurl on another, as in every client whose callers do not wait inside it. Two lists behind one lock;
   who sleeps is woken, who does not is not. */

static void wait_for_calls(raw_client *client) {
    pthread_mutex_lock(&client->lock);
    client->is_loop_asleep = client->to_begin_count == 0 && !client->is_over;
    int sleeps = client->is_loop_asleep;
    pthread_mutex_unlock(&client->lock);
    if (!sleeps) return;
    curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
}

static void *loop(void *context) {
    raw_client *client = context;
    int running, left;
    CURLMsg *message;
    for (;;) {
        pthread_mutex_lock(&client->lock);
        client->is_loop_asleep = 0;
        long count = client->to_begin_count;
        client->to_begin_count = 0;
        for (long index = 0; index < count; index++) client->begun[index] = client->to_begin[index];
        int is_over = client->is_over;
        pthread_mutex_unlock(&client->lock);
        if (is_over) return NULL;
        for (long index = 0; index < count; index++) raw_add(client, client->begun[index]);
        curl_multi_perform(client->multi, &running);
        while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
            if (message->msg != CURLMSG_DONE) continue;
            raw_transfer *transfer = NULL;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
            transfer->code = message->data.result;
            raw_take(client, transfer);
            pthread_mutex_lock(&client->lock);
            client->ended[client->ended_count++] = transfer;
            if (client->are_callers_asleep) pthread_cond_signal(&client->has_ended);
            client->are_callers_asleep = 0;
            pthread_mutex_unlock(&client->lock);
            raw_drop(client, transfer);
        }
        wait_for_calls(client);
    }
}

static void call(raw_client *client, raw_transfer *transfer) {
    client->to_start--;
    transfer->started = raw_now();
    pthread_mutex_lock(&client->lock);
    client->to_begin[client->to_begin_count++] = transfer;
    int wakes = client->is_loop_asleep;
    client->is_loop_asleep = 0;
    pthread_mutex_unlock(&client->lock);
    if (wakes) curl_multi_wakeup(client->multi);
}

void raw_run_apart(raw_client *client) {
    pthread_t thread;
    client->is_over = 0;
    if (pthread_create(&thread, NULL, loop, client) != 0) return;
    for (long index = 0; index < client->settings.at_once && client->to_start > 0; index++)
        call(client, &client->transfers[index]);
    while (client->to_end > 0) {
        pthread_mutex_lock(&client->lock);
        while (client->ended_count == 0) {
            client->are_callers_asleep = 1;
            pthread_cond_wait(&client->has_ended, &client->lock);
        }
        raw_transfer *transfer = client->ended[--client->ended_count];
        pthread_mutex_unlock(&client->lock);
        raw_end(client, transfer);
        if (client->to_start > 0) call(client, transfer);
    }
    pthread_mutex_lock(&client->lock);
    client->is_over = 1;
    pthread_mutex_unlock(&client->lock);
    curl_multi_wakeup(client->multi);
    pthread_join(thread, NULL);
}

#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t raw_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

size_t raw_collect(char *bytes, size_t size, size_t count, void *context) {
    raw_transfer *transfer = context;
    size_t length = size * count;
    if (transfer->length + length > transfer->capacity) {
        size_t capacity = (transfer->length + length) * 2;
        char *body = realloc(transfer->body, capacity);
        if (body == NULL) return 0;
        transfer->body = body;
        transfer->capacity = capacity;
    }
    memcpy(transfer->body + transfer->length, bytes, length);
    transfer->length += length;
    return length;
}

static int prepare(raw_client *client, raw_transfer *transfer) {
    transfer->easy = curl_easy_init();
    if (transfer->easy == NULL) return 0;
    curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, raw_collect);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(transfer->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    /* Waits for a connection that is being made, instead of making another one. */
    curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L);
    if (client->settings.ca != NULL) curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, client->settings.ca);
    return client->settings.stream == NULL || raw_prepare_stream(client, transfer);
}

raw_client *raw_make(raw_settings settings) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    raw_client *client = calloc(1, sizeof *client);
    if (client == NULL) return NULL;
    client->settings = settings;
    client->epoll = -1;
    client->multi = curl_multi_init();
    client->transfers = calloc((size_t)settings.at_once, sizeof *client->transfers);
    client->spare = malloc((size_t)settings.at_once * sizeof *client->spare);
    if (client->multi == NULL || client->transfers == NULL || client->spare == NULL) return NULL;
    curl_multi_setopt(client->multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.host_limit);
    curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, settings.at_once);
    if (settings.streams > 0) curl_multi_setopt(client->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, settings.streams);
    for (long index = 0; index < settings.at_once; index++)
        if (!(settings.as_kit ? raw_prepare_as_kit : prepare)(client, &client->transfers[index])) return NULL;
    for (long index = 0; index < settings.at_once; index++) client->spare[client->spare_count++] = &client->transfers[index];
    if (settings.socket_action && !raw_prepare_socket_loop(client)) return NULL;
    return client;
}

void raw_add(raw_client *client, raw_transfer *transfer) {
    transfer->length = 0;
    if (client->settings.as_kit) raw_tell_as_kit(client, transfer);
    if (client->settings.stream != NULL) raw_begin_stream(client, transfer);
    CURLMcode code = curl_multi_add_handle(client->multi, transfer->easy);
    if (code == CURLM_OK) return;
    fprintf(stderr, "bench: %s\n", curl_multi_strerror(code));
    exit(1);
}

void raw_take(raw_client *client, raw_transfer *transfer) {
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &transfer->status);
    curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &transfer->connections);
    if (client->settings.as_kit) raw_ask_as_kit(transfer);
}

void raw_drop(raw_client *client, raw_transfer *transfer) { curl_multi_remove_handle(client->multi, transfer->easy); }

void raw_end(raw_client *client, raw_transfer *transfer) {
    uint64_t now = raw_now();
    client->tally.connections += transfer->connections;
    client->to_end--;
    int is_whole = client->settings.stream == NULL ? transfer->length > 0 : raw_end_stream(client, transfer);
    if (transfer->code == CURLE_OK && transfer->status == 200 && is_whole) {
        client->latencies[client->tally.completed++] = now - transfer->started;
    } else {
        snprintf(client->tally.failure, sizeof client->tally.failure, "status %ld, %s", transfer->status,
                 curl_easy_strerror(transfer->code));
    }
}

static void start(raw_client *client, raw_transfer *transfer) {
    client->to_start--;
    transfer->started = raw_now();
    raw_add(client, transfer);
}

long raw_exchange(raw_client *client) {
    CURLMsg *message;
    int left;
    long begun = 0;
    while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        raw_transfer *transfer = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        transfer->code = message->data.result;
        raw_take(client, transfer);
        raw_end(client, transfer);
        raw_drop(client, transfer);
        if (client->to_start > 0) {
            start(client, transfer);
            begun++;
        }
    }
    return begun;
}

void raw_set_url(raw_client *client, const char *url) {
    client->url = url;
    for (long index = 0; index < client->settings.at_once && !client->settings.as_kit; index++)
        curl_easy_setopt(client->transfers[index].easy, CURLOPT_URL, url);
}

raw_tally raw_send(raw_client *client, const char *url, long count, uint64_t *latencies) {
    memset(&client->tally, 0, sizeof client->tally);
    client->latencies = latencies;
    client->to_start = client->to_end = count;
    raw_set_url(client, url);
    for (long index = 0; index < client->settings.at_once && client->to_start > 0; index++)
        start(client, &client->transfers[index]);
    if (client->settings.socket_action) raw_run_socket_loop(client);
    else raw_run_poll_loop(client);
    return client->tally;
}

void raw_free(raw_client *client) {
    for (long index = 0; index < client->settings.at_once; index++) {
        curl_easy_cleanup(client->transfers[index].easy);
        curl_url_cleanup(client->transfers[index].address);
        free(client->transfers[index].body);
        free(client->transfers[index].head);
        free(client->transfers[index].error);
    }
    curl_multi_cleanup(client->multi);
    curl_slist_free_all(client->headers);
    free(client->spare);
    if (client->epoll >= 0) close(client->epoll);
    free(client->transfers);
    free(client);
}

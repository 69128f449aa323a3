#pragma once

#include "rawcurl.h"

#include <curl/curl.h>

#define RAW_SOCKETS 256
#define RAW_HEAD 1024 /* as the kit's HeadCollector; 4096 added 3.1 KB to the peak of a request */

typedef struct {
    CURL *easy;
    char *body;
    size_t length, capacity;
    uint64_t started;
    CURLcode code; /* the transfer's result */
    long status, connections;
    raw_client *client; /* from here on only with as_kit */
    size_t head_length;
    char *head, *error;
    CURLU *address;
    int has_address;
    int has_served, checks_field, is_field;
    int file; /* from here on only for streams */
    long sent, events;
    char newest;
} raw_transfer;

struct raw_client {
    CURLM *multi;
    raw_settings settings;
    raw_transfer *transfers; /* `at_once` of them */
    long to_start, to_end;
    uint64_t *latencies;
    raw_tally tally;
    int epoll;          /* both only with socket_action */
    uint64_t timer_due; /* ns; 0 without a timer */
    const char *url;    /* from here on only with as_kit */
    struct curl_slist *headers;
    int sockets, socket[RAW_SOCKETS], port[RAW_SOCKETS];
    raw_transfer **spare; /* both for raw_begin: its free transfers */
    long spare_count;
};

uint64_t raw_now(void);
size_t raw_collect(char *bytes, size_t size, size_t count, void *context);

/* The steps of one transfer: start it, take its result, take its handle back, count it. */
void raw_add(raw_client *client, raw_transfer *transfer);
void raw_take(raw_client *client, raw_transfer *transfer);
void raw_drop(raw_client *client, raw_transfer *transfer);
void raw_end(raw_client *client, raw_transfer *transfer);

int raw_prepare_stream(raw_client *client, raw_transfer *transfer);
void raw_begin_stream(raw_client *client, raw_transfer *transfer);
/* Ends the use of the file; returns whether all bytes arrived, or were sent. */
int raw_end_stream(raw_client *client, raw_transfer *transfer);

int raw_prepare_as_kit(raw_client *client, raw_transfer *transfer);
void raw_tell_as_kit(raw_client *client, raw_transfer *transfer);
void raw_ask_as_kit(raw_transfer *transfer);
struct curl_slist *raw_kit_headers(const char *url);

/* Takes the finished transfers and starts others; returns how many it started. */
long raw_exchange(raw_client *client);

int raw_prepare_socket_loop(raw_client *client);
void raw_run_poll_loop(raw_client *client);
void raw_run_socket_loop(raw_client *client);

#pragma once

#include "rawcurl.h"

#include <curl/curl.h>

typedef struct {
    CURL *easy;
    char *body;
    size_t length, capacity;
    uint64_t started;
} raw_transfer;

struct raw_client {
    CURLM *multi;
    raw_settings settings;
    raw_transfer *transfers; /* `at_once` of them */
    long to_start, to_end;
    uint64_t *latencies;
    raw_tally tally;
    int epoll;          /* these two only with socket_action */
    uint64_t timer_due; /* ns; 0 for none */
};

uint64_t raw_now(void);

/* Takes the transfers that have ended and starts others in their place; returns how many it started. */
long raw_exchange(raw_client *client);

int raw_prepare_socket_loop(raw_client *client);
void raw_run_poll_loop(raw_client *client);
void raw_run_socket_loop(raw_client *client);

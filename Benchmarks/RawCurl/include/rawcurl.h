#pragma once

#include <stddef.h>
#include <stdint.h>

/* libcurl as a careful C programmer would use it: one thread, one multi handle, easy handles that are used again, bodies collected in
   memory that is used again. Everything else is measured against it. */

typedef struct raw_client raw_client;

typedef struct {
    const char *ca;     /* PEM file; NULL for the system's authorities */
    long at_once;       /* requests under way at the same time */
    long host_limit;    /* connections to a host; 0 for any number */
    long streams;       /* on one HTTP/2 connection; 0 for libcurl's default */
    int socket_action;  /* multi_socket and epoll instead of curl_multi_poll */
    int as_kit;         /* what the kit asks of libcurl: its options, lines and callbacks */
} raw_settings;

typedef struct {
    long completed;
    long connections;   /* opened */
    char failure[256];  /* of the last request that failed; empty without */
} raw_tally;

/* NULL when libcurl or the system refuses. */
raw_client *raw_make(raw_settings settings);

/* Sends so many requests and returns when the last has ended. Latencies of those that completed, in ns, go to the array, which holds
   at least `count`. */
raw_tally raw_send(raw_client *client, const char *url, long count, uint64_t *latencies);

void raw_free(raw_client *client);

/* For callers that wait elsewhere, as tasks do: one thread begins calls, performs and takes what has ended; no more than `at_once` at a time. */

typedef struct {
    long place;       /* what raw_begin returned */
    long status;      /* 0 when it failed */
    const char *body; /* valid until the next call is begun */
    size_t length;
} raw_call;

/* The address that calls ask for; it has to last. */
void raw_set_url(raw_client *client, const char *url);
/* Begins a call and returns its place, less than `at_once`. Nobody checks that fewer than `at_once` are under way. */
long raw_begin(raw_client *client);
void raw_perform(raw_client *client);
/* 0 when no further call has ended. */
int raw_next(raw_client *client, raw_call *call);
/* Until there is something to perform; any thread may end it. */
void raw_sleep(raw_client *client);
void raw_wake(raw_client *client);

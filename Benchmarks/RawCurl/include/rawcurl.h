#pragma once

#include <stddef.h>
#include <stdint.h>

/* libcurl as a careful C programmer would use it: one thread, one multi handle, reused easy handles, bodies collected in reused
   memory. All other clients are compared with it. */

typedef struct raw_client raw_client;

typedef struct {
    const char *ca;     /* PEM file; NULL for the system's authorities */
    long at_once;       /* requests at the same time */
    long host_limit;    /* connections to a host; 0 for any number */
    long streams;       /* on one HTTP/2 connection; 0 for libcurl's default */
    int socket_action;  /* multi_socket and epoll instead of curl_multi_poll */
    int as_kit;         /* uses the kit's options, header lines and callbacks */
    const char *stream; /* what is streamed (stream.c); NULL for collected bodies */
    long bytes;         /* of one streamed body */
    const char *file;   /* that is written or sent */
} raw_settings;

typedef struct {
    long completed;
    long connections;   /* opened */
    char failure[256];  /* of the last request that failed; empty without */
} raw_tally;

/* NULL if libcurl or the system fails. */
raw_client *raw_make(raw_settings settings);

/* Sends `count` requests and returns when the last one has ended. Writes the latencies of the completed ones, in ns, to the array
   of at least `count` elements. */
raw_tally raw_send(raw_client *client, const char *url, long count, uint64_t *latencies);

void raw_free(raw_client *client);

/* For callers that wait on other threads, such as tasks. One thread begins calls, performs and takes finished ones; at most
   `at_once` at a time. */

typedef struct {
    long place;       /* the value of raw_begin */
    long status;      /* 0 after a failure */
    const char *body; /* valid until the next call begins */
    size_t length;
} raw_call;

/* The URL of all calls; not copied. */
void raw_set_url(raw_client *client, const char *url);
/* Begins a call and returns its index, less than `at_once`. The caller must keep fewer than `at_once` calls running. */
long raw_begin(raw_client *client);
void raw_perform(raw_client *client);
/* 0 if no further call has ended. */
int raw_next(raw_client *client, raw_call *call);
/* Blocks until there is work for libcurl; any thread may end the wait with raw_wake. */
void raw_sleep(raw_client *client);
void raw_wake(raw_client *client);

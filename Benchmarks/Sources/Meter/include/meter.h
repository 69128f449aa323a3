#pragma once

#include <stdint.h>

/* The options and the measurement of every client, in any language: one clock, one count of processor time and memory, one form
   of output. */

typedef struct {
    const char *_Nonnull client;
    const char *_Nonnull scenario;
    const char *_Nonnull base;      /* scheme, host and port */
    const char *_Nonnull path;      /* of the measured requests */
    const char *_Nonnull warm_path; /* of the requests before them */
    const char *_Nullable ca;       /* PEM file of the server's authority */
    const char *_Nonnull decode;    /* "body", "array" or "object" */
    long count;                     /* measured requests */
    long warm;                      /* requests before them */
    long at_once;
    long host_limit;                /* connections to the host; 0 leaves the client's default */
    long streams;                   /* on an HTTP/2 connection; 0 leaves the client's default */
    int socket_action;              /* raw C only: multi_socket and epoll instead of curl_multi_poll */
    int executor;                   /* the kit and bare tasks only: tasks run on the I/O thread */
    long channels;                  /* used in turn; the kit and async-http-client only, as the next three */
    long loops;                     /* I/O threads; 0 leaves the client's default */
    const char *_Nullable neighbour; /* a URL that another channel requests all the time */
    int apart;                      /* the other channel has separate threads */
    int as_kit;                     /* raw C only: the kit's use of libcurl */
    const char *_Nonnull stream;    /* what is streamed instead of collected: "" or a kind of Job.Stream */
    long bytes;                     /* of one streamed body */
    const char *_Nonnull file;      /* that is written or sent */
} meter_options;

/* Ends the process with a message if an argument is invalid. Also raises the limit of descriptors, and lets the process end
   with its parent. */
meter_options meter_parse(int argc, char *_Nullable *_Nonnull argv);

/* The last two effects, for a program that parses its own arguments. */
void meter_prepare_process(void);

uint64_t meter_now(void); /* ns, monotonic */

/* Ends the process. For a client without a successful request before the measurement, which would measure only failures. */
_Noreturn void meter_give_up(const char *_Nonnull failure);

/* Begin and end the measurement. */
void meter_start(void);
void meter_stop(void);

/* Prints the one line of JSON. Latencies, in ns, are those of the completed requests and are sorted in place.
   - connections: -1 when not known. */
void meter_print(const meter_options *_Nonnull options, uint64_t *_Nonnull latencies, long completed, long connections,
                 const char *_Nullable failure);

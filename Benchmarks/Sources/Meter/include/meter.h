#pragma once

#include <stdint.h>

/* What every client is told and how every client is measured: one clock, one way to count processor time and memory, and one form of
   answer, whatever language the client is written in. */

typedef struct {
    const char *_Nonnull client;
    const char *_Nonnull scenario;
    const char *_Nonnull base;      /* scheme, host and port */
    const char *_Nonnull path;      /* of the measured requests */
    const char *_Nonnull warm_path; /* of those before */
    const char *_Nullable ca;       /* PEM file of the server's authority */
    const char *_Nonnull decode;    /* "body", "array" or "object" */
    long count;                     /* measured requests */
    long warm;                      /* requests before them */
    long at_once;
    long host_limit;                /* connections to the host; 0 leaves the client's default */
    long streams;                   /* on an HTTP/2 connection; 0 leaves the client's default */
    int socket_action;              /* raw C only: multi_socket and epoll instead of curl_multi_poll */
    int executor;                   /* the kit and bare tasks only: tasks run on the thread of the connections */
    long channels;                  /* used in turn; the kit and async-http-client only, as the next three */
    long loops;                     /* threads for the connections; 0 leaves the client's default */
    const char *_Nullable neighbour; /* an address that another channel asks for all the while */
    int apart;                      /* the other channel has threads of its own */
    int as_kit;                     /* raw C only: what the kit asks of libcurl */
} meter_options;

/* Ends the process with a message when an argument makes no sense. Also lets the process have all the descriptors that it may, and
   end with its parent. */
meter_options meter_parse(int argc, char *_Nullable *_Nonnull argv);

/* What both of these do, for a program that parses its own arguments. */
void meter_prepare_process(void);

uint64_t meter_now(void); /* ns, monotonic */

/* Ends the process, because no request before the measurement was answered: what would be measured are failures. */
_Noreturn void meter_give_up(const char *_Nonnull failure);

/* Between these two lies the measurement. */
void meter_start(void);
void meter_stop(void);

/* Prints the one line of JSON. Latencies, in ns, are those of the completed requests and are sorted in place.
   - connections: -1 when not known. */
void meter_print(const meter_options *_Nonnull options, uint64_t *_Nonnull latencies, long completed, long connections,
                 const char *_Nullable failure);

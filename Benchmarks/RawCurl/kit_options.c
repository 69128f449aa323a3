#define _GNU_SOURCE
#include "client.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kit's use of libcurl for each request, without the kit's other work: the lower bound in C. */

static size_t collect_head(char *bytes, size_t size, size_t count, void *context) {
    raw_transfer *transfer = context;
    size_t length = size * count;
    if (length >= 5 && memcmp(bytes, "HTTP/", 5) == 0) transfer->head_length = 0;
    /* Allocated when a head arrives, because thousands of transfers may wait for one. */
    if (transfer->head == NULL && (transfer->head = malloc(RAW_HEAD)) == NULL) return 0;
    if (transfer->head_length + length > RAW_HEAD) return 0;
    memcpy(transfer->head + transfer->head_length, bytes, length);
    transfer->head_length += length;
    if (transfer->checks_field && (transfer->is_field || length <= 2)) {
        transfer->checks_field = 0;
        curl_easy_setopt(transfer->easy, CURLOPT_HEADER, 0L);
    }
    return length;
}

/* Checks each line before the first field, because libcurl 7.88.1 must not get a continuation line there. */
static size_t collect_body(char *bytes, size_t size, size_t count, void *context) {
    raw_transfer *transfer = context;
    size_t length = size * count;
    if (!transfer->checks_field) return raw_collect(bytes, size, count, context);
    if (length > 0 && (bytes[0] == ' ' || bytes[0] == '\t')) return 0;
    transfer->is_field = length > 0 && bytes[0] != 'H' && bytes[0] != 'h' && bytes[0] != '\r';
    return length;
}

static size_t read_nothing(char *buffer, size_t size, size_t count, void *context) {
    (void)buffer, (void)size, (void)count, (void)context;
    return 0;
}

static int seek_nowhere(void *context, curl_off_t offset, int origin) {
    (void)context, (void)offset, (void)origin;
    return CURL_SEEKFUNC_FAIL;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    raw_client *client = context;
    int opened = socket(address->family, address->socktype, address->protocol);
    if (opened >= 0 && client->sockets < RAW_SOCKETS) {
        client->port[client->sockets] = 0;
        client->socket[client->sockets++] = opened;
    }
    (void)purpose;
    return opened;
}

static int close_socket(void *context, curl_socket_t closed) {
    raw_client *client = context;
    for (int index = 0; index < client->sockets; index++) {
        if (client->socket[index] != closed) continue;
        client->socket[index] = client->socket[--client->sockets];
        client->port[index] = client->port[client->sockets];
        break;
    }
    return close(closed);
}

/* A reused connection with unread bytes, or closed by its peer, is not used. */
static int check_connection(void *context, char *remote, char *local, int remote_port, int local_port) {
    raw_transfer *transfer = context;
    raw_client *client = transfer->client;
    long opened = 1;
    curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &opened);
    (void)remote, (void)local, (void)remote_port;
    if (opened > 0) return CURL_PREREQFUNC_OK;
    for (int index = 0; index < client->sockets; index++) {
        /* On an HTTP/2 connection bytes may arrive at any time, but not its end. */
        struct pollfd entry = {client->socket[index], client->settings.ca == NULL ? POLLIN : POLLRDHUP, 0};
        if (client->port[index] == 0) {
            struct sockaddr_in address;
            socklen_t length = sizeof address;
            if (getsockname(client->socket[index], (struct sockaddr *)&address, &length) == 0)
                client->port[index] = ntohs(address.sin_port);
        }
        if (client->port[index] != local_port) continue;
        return poll(&entry, 1, 0) > 0 ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
    }
    return CURL_PREREQFUNC_OK;
}

/* The options of all requests, set once. */
int raw_prepare_as_kit(raw_client *client, raw_transfer *transfer) {
    CURL *easy = transfer->easy = curl_easy_init();
    transfer->error = malloc(CURL_ERROR_SIZE);
    transfer->address = curl_url();
    if (easy == NULL || transfer->error == NULL || transfer->address == NULL) return 0;
    transfer->client = client;
    long buffer = 1024 * 1024 / client->settings.at_once, least = client->settings.ca == NULL ? 1024 : 16384;
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, collect_head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collect_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, read_nothing);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_nowhere);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, check_connection);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, client);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, client);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, client->settings.at_once <= 64 ? 65536L : buffer < least ? least : buffer);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                     client->settings.ca == NULL ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
    if (client->settings.ca != NULL) {
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
        curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
        curl_easy_setopt(easy, CURLOPT_CAINFO, client->settings.ca);
        curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
    }
    return 1;
}

/* The options of this request. */
void raw_tell_as_kit(raw_client *client, raw_transfer *transfer) {
    transfer->error[0] = 0;
    transfer->head_length = 0;
    /* The origin is set once, the target for each request. */
    if (!transfer->has_address) {
        curl_url_set(transfer->address, CURLUPART_URL, client->url, 0);
        curl_url_set(transfer->address, CURLUPART_PATH, "/", 0);
        curl_easy_setopt(transfer->easy, CURLOPT_CURLU, transfer->address);
        transfer->has_address = 1;
    }
    if (client->headers == NULL) client->headers = raw_kit_headers(client->url);
    curl_easy_setopt(transfer->easy, CURLOPT_REQUEST_TARGET, strchr(strstr(client->url, "//") + 2, '/'));
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, client->headers);
    transfer->checks_field = transfer->has_served;
    transfer->is_field = 0;
    if (transfer->checks_field) curl_easy_setopt(transfer->easy, CURLOPT_HEADER, 1L);
    transfer->has_served = 1;
}

/* The metrics of a transfer that ends. */
void raw_ask_as_kit(raw_transfer *transfer) {
    static const CURLINFO numbers[] = {CURLINFO_HTTP_VERSION, CURLINFO_PRIMARY_PORT};
    static const CURLINFO sizes[] = {CURLINFO_SIZE_UPLOAD_T, CURLINFO_SIZE_DOWNLOAD_T};
    long number;
    curl_off_t size;
    char *address;
    for (size_t index = 0; index < 2; index++) curl_easy_getinfo(transfer->easy, numbers[index], &number);
    for (size_t index = 0; index < 2; index++) curl_easy_getinfo(transfer->easy, sizes[index], &size);
    if (curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_IP, &address) == CURLE_OK && address != NULL)
        free(strdup(address));
}

/* The list has a Host line too, because libcurl would format its own for each request. */
struct curl_slist *raw_kit_headers(const char *url) {
    char host[256];
    const char *authority = strstr(url, "//") + 2;
    snprintf(host, sizeof host, "Host: %.*s", (int)strcspn(authority, "/"), authority);
    struct curl_slist *list = curl_slist_append(NULL, "Host:");
    list = curl_slist_append(list, host);
    list = curl_slist_append(list, "Accept-Encoding: gzip, deflate, br");
    list = curl_slist_append(list, "User-Agent: NetworkerKit/0.1.0");
    return curl_slist_append(list, "Accept:");
}

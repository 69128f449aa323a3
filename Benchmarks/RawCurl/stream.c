#include "client.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Large bodies, each piece used as libcurl gives or wants it: counted, written to a file, read from a file or from memory. */

static int is_upload(const raw_client *client) { return strncmp(client->settings.stream, "up", 2) == 0; }
static int uses_file(const raw_client *client) { return client->settings.file[0] != 0; }

static size_t count_bytes(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((raw_transfer *)context)->length += size * count;
    return size * count;
}

/* An event ends with an empty line. */
static size_t count_events(char *bytes, size_t size, size_t count, void *context) {
    raw_transfer *transfer = context;
    const char *end = bytes + size * count;
    for (const char *next = bytes; (next = memchr(next, '\n', (size_t)(end - next))) != NULL; next++)
        transfer->events += (next == bytes ? transfer->newest : next[-1]) == '\n';
    transfer->newest = end[-1];
    transfer->length += size * count;
    return size * count;
}

static size_t write_file(char *bytes, size_t size, size_t count, void *context) {
    raw_transfer *transfer = context;
    for (size_t done = 0; done < size * count;) {
        ssize_t written = write(transfer->file, bytes + done, size * count - done);
        if (written < 0) return 0;
        done += (size_t)written;
    }
    transfer->length += size * count;
    return size * count;
}

static size_t read_file(char *room, size_t size, size_t count, void *context) {
    raw_transfer *transfer = context;
    ssize_t taken = read(transfer->file, room, size * count);
    if (taken < 0) return CURL_READFUNC_ABORT;
    transfer->sent += taken;
    return (size_t)taken;
}

static size_t read_memory(char *room, size_t size, size_t count, void *context) {
    static char piece[1 << 18];
    raw_transfer *transfer = context;
    size_t left = (size_t)(transfer->client->settings.bytes - transfer->sent);
    size_t taken = size * count < left ? size * count : left;
    if (taken > sizeof piece) taken = sizeof piece;
    memcpy(room, piece, taken);
    transfer->sent += (long)taken;
    return taken;
}

int raw_prepare_stream(raw_client *client, raw_transfer *transfer) {
    CURL *easy = transfer->easy;
    transfer->client = client;
    transfer->file = -1;
    /* As large as the kit's, which is faster than libcurl's default of 16 KiB. */
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
    if (is_upload(client)) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)client->settings.bytes);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, uses_file(client) ? read_file : read_memory);
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
        /* Without it libcurl asks first and waits (Expect: 100-continue). */
        client->headers = curl_slist_append(client->headers, "Expect:");
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, client->headers);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
        return client->headers != NULL;
    }
    int is_events = strncmp(client->settings.stream, "events", 6) == 0;
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, is_events ? count_events : uses_file(client) ? write_file : count_bytes);
    return 1;
}

void raw_begin_stream(raw_client *client, raw_transfer *transfer) {
    transfer->sent = transfer->events = 0;
    transfer->newest = 0;
    if (!uses_file(client)) return;
    int flags = is_upload(client) ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    transfer->file = open(client->settings.file, flags | O_CLOEXEC, 0644);
}

int raw_end_stream(raw_client *client, raw_transfer *transfer) {
    if (transfer->file >= 0) close(transfer->file);
    transfer->file = -1;
    if (is_upload(client)) return transfer->sent == client->settings.bytes;
    if (strncmp(client->settings.stream, "events", 6) == 0) return transfer->events == client->settings.bytes;
    return (long)transfer->length == client->settings.bytes;
}

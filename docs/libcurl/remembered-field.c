// A reused handle writes to freed memory if a response begins with a folded line
//
// What happens: the first response on a handle has a header. libcurl frees it before the second transfer, but keeps its address.
// If the first header of the second response begins with a space, libcurl appends it to the freed one: it reads freed memory and
// passes it to realloc.
//
// Expected: the line continues nothing, so libcurl rejects the response or ignores the line (RFC 9112 §2.2).
//
// Tried: 7.88.1 (Debian 12) reallocates freed memory. 8.14.1 (Debian 13) does not. The commit cd1c611b24 of 8.1.1, "headers:
// clear (possibly) lingering pointer in init", is about it.
//
// To run it, with reproduce.h beside it: cc remembered-field.c -lcurl -lssl -lcrypto -lpthread && ./a.out
#include "reproduce.h"

static void serve(struct connection *c) {
    char request[4096];
    if (!read_head(c, request, sizeof request)) return;
    say(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    if (!read_head(c, request, sizeof request)) return;
    say(c, "HTTP/1.1 200 OK\r\n folded: line\r\nContent-Length: 0\r\n\r\n");
}

// An allocator that gives memory out once, and notices when freed memory is freed or reallocated.
struct block {
    size_t size;
    int is_freed;
    max_align_t bytes[];
};
#define BLOCK(pointer) ((struct block *)((char *)(pointer) - offsetof(struct block, bytes)))

static void *allocate(size_t size) {
    struct block *block = calloc(1, sizeof *block + size);
    block->size = size;
    return block->bytes;
}

static void *allocate_zeros(size_t count, size_t size) { return allocate(count * size); }

static void release(void *pointer) {
    if (!pointer) return;
    if (BLOCK(pointer)->is_freed) verdict(SHOWS, "libcurl frees a block of %zu bytes twice", BLOCK(pointer)->size);
    BLOCK(pointer)->is_freed = 1;
}

static void *reallocate(void *pointer, size_t size) {
    void *larger = allocate(size);
    if (!pointer) return larger;
    size_t old = BLOCK(pointer)->size;
    if (BLOCK(pointer)->is_freed) verdict(SHOWS, "libcurl reallocates a block of %zu bytes that it has freed", old);
    memcpy(larger, pointer, size < old ? size : old);
    release(pointer);
    return larger;
}

static char *copy(const char *text) { return strcpy(allocate(strlen(text) + 1), text); }

int main(void) {
    struct transfer t;
    start();
    NEED(curl_global_init_mem(CURL_GLOBAL_ALL, allocate, release, reallocate, copy, allocate_zeros) == CURLE_OK);
    prepare(&t, CURL_HTTP_VERSION_1_1);
    NEED(perform(&t) == CURLE_OK);
    perform(&t);
    verdict(RIGHT, "code %d, and no freed memory is used", t.code);
}

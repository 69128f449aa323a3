#include "allocations.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

/* A program's own symbols come before those of its libraries, so these functions replace glibc's. */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local long count;

long allocations_count(void) { return count; }

long bytes_in_use(void) { return (long)mallinfo2().uordblks; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count++;
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL && size > 0 ? ENOMEM : 0;
}

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr */
#endif

#include "CCurlMemory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#define size_of malloc_size
#else
#include <dlfcn.h>
#include <malloc.h>
#define size_of malloc_usable_size
#endif

/*
 * Sizes are counted in units of 16 bytes beyond the first 8, which is how glibc has them: to 2 KiB a class for each, above that sixteen
 * from one power of two to the next. Four made 2,000 held requests 2 MB larger, 61.7 in place of 59.8. libcurl's 64 KiB and one byte for
 * the end are still of the class of 64 KiB.
 */
enum { UNIT = 16, EXTRA = 8, SMALL = 128, LARGEST = 8192, CLASSES = SMALL + 16 * 6 + 1 };
enum { MOST_KEPT = 1024 * 1024 };

/* What a freed block holds; libcurl gets none that has no room for it. */
typedef struct block {
    /* The next one's address, mixed with this one's, so that who writes past a block's end, without knowing where it lies, cannot
       choose where the next one does. */
    uintptr_t next;
    /* Whose it is: a block that is freed twice would be handed out twice, and one that was written to leads anywhere. */
    void *owner;
} block;

typedef struct {
    size_t kept;
    block *first[CLASSES];
} memory;

static _Thread_local memory *own;

static inline size_t size_of_class(unsigned class) {
    size_t units = class <= SMALL ? class : (size_t)((class - SMALL) % 16 + 16) << ((class - SMALL) / 16 + 3);
    return units * UNIT + EXTRA;
}

/* The largest class of no more units. */
static inline unsigned class_below(size_t units) {
    if (units <= SMALL) return (unsigned)units;
    unsigned top = 63 - (unsigned)__builtin_clzll(units);
    return SMALL + (top - 7) * 16 + (unsigned)(units >> (top - 4) & 15);
}

/* The smallest class that holds so much. */
static inline unsigned class_for(size_t size) {
    size_t units = size <= UNIT + EXTRA ? 1 : (size + UNIT - 1 - EXTRA) / UNIT;
    return units <= SMALL ? (unsigned)units : class_below(units - 1) + 1;
}

static inline bool is_kept(size_t size) { return size <= (size_t)LARGEST * UNIT + EXTRA; }

static void stop(const char *what) {
    fprintf(stderr, "NetworkerKit: libcurl's memory: %s\n", what);
    abort();
}

/* The next of a list; ends the process where a block is not as it was left. */
static inline block *after(const block *freed, const memory *owner) {
    block *next = (block *)((uintptr_t)freed >> 12 ^ freed->next);
    if (freed->owner != owner || (uintptr_t)next % _Alignof(max_align_t) != 0)
        stop("a block was written to after it was freed");
    return next;
}

static void *take(size_t size) {
    if (own == NULL || !is_kept(size)) return malloc(size);
    unsigned class = class_for(size);
    block *found = own->first[class];
    /* As large as its class, so that it serves every size of it once it is freed. */
    if (found == NULL) return malloc(size_of_class(class));
    own->first[class] = after(found, own);
    own->kept -= size_of_class(class);
    found->owner = NULL;
    return found;
}

static void give(void *old) {
    size_t room = size_of(old);
    if (!is_kept(room - UNIT) || room < UNIT + EXTRA) return free(old);
    unsigned class = class_below((room - EXTRA) / UNIT);
    block *freed = old;
    if (freed->owner == own) {
        for (block *each = own->first[class]; each != NULL; each = after(each, own))
            if (each == freed) stop("a block was freed twice");
    }
    if (own->kept + size_of_class(class) > MOST_KEPT) return free(old);
    freed->owner = own;
    freed->next = (uintptr_t)freed >> 12 ^ (uintptr_t)own->first[class];
    own->first[class] = freed;
    own->kept += size_of_class(class);
}

void *ccurlmemory_malloc(size_t size) { return take(size); }

void *ccurlmemory_calloc(size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return NULL;
    if (own == NULL || !is_kept(total)) return calloc(count, size);
    void *new = take(total);
    return new == NULL ? NULL : memset(new, 0, total);
}

void *ccurlmemory_realloc(void *old, size_t size) {
    if (old == NULL) return take(size);
    if (own == NULL || size == 0 || !is_kept(size)) return realloc(old, size);
    size_t room = size_of(old);
    if (size <= room && size >= room / 2) return old;
    void *new = take(size);
    if (new == NULL) return NULL;
    memcpy(new, old, room < size ? room : size);
    give(old);
    return new;
}

char *ccurlmemory_strdup(const char *text) {
    if (text == NULL) return NULL;
    size_t size = strlen(text) + 1;
    void *new = take(size);
    return new == NULL ? NULL : memcpy(new, text, size);
}

void ccurlmemory_free(void *old) {
    if (old == NULL) return;
    if (own == NULL) return free(old);
    give(old);
}

/* Memory that is kept is not freed to who looks for its use after that. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer)
#define KEEPS 0
#endif
#endif
#ifndef KEEPS
#define KEEPS 1
#endif

/* A program may replace malloc and free, and leave out who tells how large their blocks are; what that says of them is anything. */
static bool tells_sizes_of_malloc(void) {
#if defined(__APPLE__)
    return true;
#else
    Dl_info allocates, tells;
    return dladdr((void *)malloc, &allocates) != 0 && dladdr((void *)malloc_usable_size, &tells) != 0
        && allocates.dli_fbase == tells.dli_fbase;
#endif
}

/* Where malloc rounds up to classes of its own, blocks come back as members of a class that nobody asks for. */
static bool is_as_fine_as_malloc(void) {
    static const size_t sizes[] = {8 * UNIT + EXTRA, 64 * UNIT + EXTRA, 256 * UNIT + EXTRA};
    bool is_fine = true;
    for (unsigned index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        void *block = malloc(sizes[index]);
        is_fine = is_fine && block != NULL && size_of(block) < sizes[index] + 2 * UNIT;
        free(block);
    }
    return is_fine;
}

void ccurlmemory_begin(void) {
    if (KEEPS && own == NULL && tells_sizes_of_malloc() && is_as_fine_as_malloc()) own = calloc(1, sizeof(memory));
}

void ccurlmemory_end(void) {
    memory *ended = own;
    own = NULL;
    if (ended == NULL) return;
    for (unsigned class = 0; class < CLASSES; class++) {
        for (block *each = ended->first[class]; each != NULL;) {
            block *next = after(each, ended);
            free(each);
            each = next;
        }
    }
    free(ended);
}

size_t ccurlmemory_kept(void) { return own == NULL ? 0 : own->kept; }

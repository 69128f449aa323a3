#include "CCurlMemory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#define size_of malloc_size
#else
#include <malloc.h>
#define size_of malloc_usable_size
#endif

/* One class for every 16 bytes, as malloc has them, and above 2 KiB four from one power of two to the next. */
enum { SMALL = 2048, SMALL_CLASSES = SMALL / 16 + 1, LARGEST = 128 * 1024, CLASSES = SMALL_CLASSES + 4 * 6 + 1 };
enum { MOST_KEPT = 1024 * 1024 };

/* What a freed block holds; libcurl gets none that has no room for it. */
typedef struct block {
    /* The next one's address, mixed with this one's, so that who writes past a block's end cannot choose where the next one lies. */
    uintptr_t next;
    /* Whose it is: a block that is freed twice would be handed out twice. */
    void *owner;
    /* How much it holds. */
    size_t room;
} block;

typedef struct {
    size_t kept;
    block *first[CLASSES];
} memory;

static _Thread_local memory *own;

static inline uintptr_t mixed(const block *place, uintptr_t next) { return ((uintptr_t)place >> 12) ^ next; }

static inline unsigned class_of(size_t size) {
    if (size <= SMALL) return (unsigned)((size + 7) / 16);
    unsigned top = 63 - (unsigned)__builtin_clzll(size);
    return SMALL_CLASSES + (top - 11) * 4 + (unsigned)(size >> (top - 2) & 3);
}

static void *take(size_t size) {
    if (own == NULL || size > LARGEST) return malloc(size);
    if (size < sizeof(block)) size = sizeof(block);
    block **first = &own->first[class_of(size)];
    block *found = *first;
    /* Those of a class are not all of one size. */
    if (found == NULL || found->room < size) return malloc(size);
    block *next = (block *)mixed(found, found->next);
    if (found->owner != own || (uintptr_t)next % _Alignof(max_align_t) != 0) abort();
    found->owner = NULL;
    *first = next;
    own->kept -= found->room;
    return found;
}

static void give(void *old) {
    size_t room = size_of(old);
    if (own->kept + room > MOST_KEPT || room > LARGEST || room < sizeof(block)) return free(old);
    block *freed = old;
    block **first = &own->first[class_of(room)];
    if (freed->owner == own) {
        for (block *each = *first; each != NULL; each = (block *)mixed(each, each->next))
            if (each == freed) abort();
    }
    freed->owner = own;
    freed->room = room;
    freed->next = mixed(freed, (uintptr_t)*first);
    *first = freed;
    own->kept += room;
}

void *ccurlmemory_malloc(size_t size) { return take(size); }

void *ccurlmemory_calloc(size_t count, size_t size) {
    size_t total;
    if (own == NULL || __builtin_mul_overflow(count, size, &total) || total > LARGEST) return calloc(count, size);
    void *new = take(total);
    return new == NULL ? NULL : memset(new, 0, total);
}

void *ccurlmemory_realloc(void *old, size_t size) {
    if (old == NULL) return take(size);
    if (own == NULL || size == 0 || size > LARGEST) return realloc(old, size);
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
#if __has_feature(address_sanitizer)
#define KEEPS 0
#endif
#endif
#ifndef KEEPS
#define KEEPS 1
#endif

void ccurlmemory_begin(void) {
    if (KEEPS && own == NULL) own = calloc(1, sizeof(memory));
}

void ccurlmemory_end(void) {
    memory *ended = own;
    own = NULL;
    if (ended == NULL) return;
    for (unsigned class = 0; class < CLASSES; class++) {
        for (block *each = ended->first[class]; each != NULL;) {
            block *next = (block *)mixed(each, each->next);
            free(each);
            each = next;
        }
    }
    free(ended);
}

size_t ccurlmemory_kept(void) { return own == NULL ? 0 : own->kept; }

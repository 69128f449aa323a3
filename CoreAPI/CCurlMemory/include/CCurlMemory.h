#pragma once

#include <stddef.h>

/*
 * libcurl's memory: an exchange allocates and frees forty-five blocks, nearly always of the same sizes, and 64 KiB for what comes.
 * malloc keeps seven of a size for a thread and takes a lock for all others; together that was a tenth of what a request cost, and
 * more where other threads free what was allocated on the loop's.
 *
 * A thread that says so keeps what libcurl frees on it, and hands it out again. Everything comes from malloc and may go to free,
 * whoever frees it on whatever thread; on other threads these functions are malloc's. A block that is freed twice on the thread that
 * keeps it, or whose first 16 bytes are written to once it was, ends the process; other misuse is not seen.
 *
 * libcurl takes these functions from the first who initialises it in a process, and keeps them: a program that wants others, or none, calls
 * `curl_global_init_mem` or `curl_global_init` before its first request.
 */

/* The functions that `curl_global_init_mem` asks for. */
void *_Nullable ccurlmemory_malloc(size_t size);
void *_Nullable ccurlmemory_calloc(size_t count, size_t size);
void *_Nullable ccurlmemory_realloc(void *_Nullable block, size_t size);
char *_Nullable ccurlmemory_strdup(const char *_Nullable text);
void ccurlmemory_free(void *_Nullable block);

/*
 * From now on the calling thread keeps what is freed on it, up to 1 MiB. It does not under the address sanitizer, without memory for that,
 * where malloc is not of the same library as who tells how large its blocks are, and where it rounds sizes up by more than 16 bytes.
 */
void ccurlmemory_begin(void);

/* Frees what the calling thread keeps; it keeps nothing any more. */
void ccurlmemory_end(void);

/* What the calling thread keeps, in bytes. */
size_t ccurlmemory_kept(void);

/* arena.h - many small immutable objects with one lifetime. The caller owns the arena and frees everything at
 * once; what an arena hands out is never freed singly. Allocation failure ends the process (arena_alloc calls
 * abort) only when malloc itself fails for a request bounded by the input's size: nothing useful can be said
 * without memory. An arena is used by one thread at a time. */
#ifndef HANSEI_BASE_ARENA_H
#define HANSEI_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
	unsigned char *at, *end;    /* free part of the newest chunk */
	size_t total;               /* bytes asked of malloc */
};

#define ARENA_INIT { NULL, NULL, NULL, 0 }

void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned to 16; size 0 gives a unique pointer */
void *arena_array(struct arena *arena, size_t count, size_t size); /* overflow-checked */
void *arena_copy(struct arena *arena, const void *bytes, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_release(struct arena *arena); /* the arena may be used again */

#endif

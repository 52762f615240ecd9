#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024, ALIGNMENT = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
};

static void chunk_add(struct arena *arena, size_t need)
{
	size_t size = need > CHUNK - ALIGNMENT ? need + ALIGNMENT : CHUNK;
	struct arena_chunk *chunk = size > need ? malloc(size) : NULL;
	if (chunk == NULL)
		abort();
	chunk->next = arena->chunks;
	chunk->size = size;
	arena->chunks = chunk;
	arena->at = (unsigned char *)chunk + ALIGNMENT;
	arena->end = (unsigned char *)chunk + size;
	arena->total += size;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	if (size > SIZE_MAX - 2 * ALIGNMENT)
		abort();
	size_t rounded = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if ((size_t)(arena->end - arena->at) < rounded)
		chunk_add(arena, rounded);
	void *result = arena->at;
	arena->at += rounded;
	memset(result, 0, rounded);
	return result;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		abort();
	return arena_alloc(arena, count * size);
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	void *result = arena_alloc(arena, size);
	if (size != 0)
		memcpy(result, bytes, size);
	return result;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);
	if (length != 0)
		memcpy(copy, text, length);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args, copy;
	va_start(args, format);
	va_copy(copy, args);
	int length = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	char *text = arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
	if (length >= 0)
		vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

void arena_release(struct arena *arena)
{
	while (arena->chunks != NULL) {
		struct arena_chunk *next = arena->chunks->next;
		free(arena->chunks);
		arena->chunks = next;
	}
	*arena = (struct arena)ARENA_INIT;
}

/* cursor.h - a checked little-endian reader over borrowed bytes. The error is sticky: once a read passes the
 * end, `bad` is set, nothing is left and every read gives 0; a record is read straight through and `bad` is
 * tested once. */
#ifndef HANSEI_BASE_CURSOR_H
#define HANSEI_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const unsigned char *at, *end;
	bool bad;
};

static inline struct cursor cursor_over(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	return (struct cursor){ at, at == NULL ? at : at + length, false };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline void cursor_fail(struct cursor *c)
{
	c->bad = true;
	c->at = c->end;
}

static inline uint64_t cursor_uint(struct cursor *c, size_t width) /* width at most 8 */
{
	uint64_t v = 0;
	if (cursor_left(c) < width) {
		cursor_fail(c);
		return 0;
	}
	for (size_t i = 0; i < width; i++)
		v |= (uint64_t)c->at[i] << (8 * i);
	c->at += width;
	return v;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)cursor_uint(c, 1);
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	return (uint16_t)cursor_uint(c, 2);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	return (uint32_t)cursor_uint(c, 4);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	return cursor_uint(c, 8);
}

/* Skips length bytes and returns where they were, or NULL past the end. */
const void *cursor_bytes(struct cursor *c, size_t length);
/* A NUL-terminated text inside the bytes, or NULL. */
const char *cursor_string(struct cursor *c);
uint64_t cursor_uleb(struct cursor *c); /* fails when it does not fit 64 bits or runs past the end */
int64_t cursor_sleb(struct cursor *c);

/* Plain loads from bytes the caller has checked. */
static inline uint64_t load_uint(const unsigned char *at, size_t width)
{
	uint64_t v = 0;
	for (size_t i = 0; i < width; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

#endif

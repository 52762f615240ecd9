#include "base/cursor.h"

#include <string.h>

const void *cursor_bytes(struct cursor *c, size_t length)
{
	if (cursor_left(c) < length) {
		cursor_fail(c);
		return NULL;
	}
	const void *here = c->at;
	c->at += length;
	return here;
}

const char *cursor_string(struct cursor *c)
{
	const void *nul = c->at == c->end ? NULL : memchr(c->at, 0, cursor_left(c));
	if (nul == NULL) {
		cursor_fail(c);
		return NULL;
	}
	const char *text = (const char *)c->at;
	c->at = (const unsigned char *)nul + 1;
	return text;
}

uint64_t cursor_uleb(struct cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;
		uint64_t bits = byte & 0x7fu;
		if (shift > 63 ? bits != 0 : (shift == 63 && bits > 1))
			break; /* does not fit; over-long zero padding is fine */
		if (shift <= 63)
			value |= bits << shift;
		if ((byte & 0x80) == 0)
			return value;
	}
	cursor_fail(c);
	return 0;
}

int64_t cursor_sleb(struct cursor *c)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;
		if (shift <= 63)
			value |= (uint64_t)(byte & 0x7fu) << shift;
		if ((byte & 0x80) == 0) {
			if (shift + 7 < 64 && (byte & 0x40) != 0)
				value |= ~(uint64_t)0 << (shift + 7);
			return (int64_t)value;
		}
	}
	cursor_fail(c);
	return 0;
}

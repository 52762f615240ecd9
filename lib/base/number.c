#include "base/number.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"

/* Writes the digits so that they end at `end`; returns their start. */
static char *digits(char *end, uint64_t value)
{
	do
		*--end = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	return end;
}

static char *hex_digits(char *end, uint64_t value)
{
	do
		*--end = "0123456789abcdef"[value & 15];
	while ((value >>= 4) != 0);
	*--end = 'x';
	*--end = '0';
	return end;
}

void strbuf_add_number(struct strbuf *sb, uint64_t value)
{
	char buffer[NUMBER_LENGTH], *at = digits(buffer + sizeof buffer, value);
	strbuf_add(sb, at, (size_t)(buffer + sizeof buffer - at));
}

void strbuf_add_address(struct strbuf *sb, uint64_t value)
{
	char buffer[NUMBER_LENGTH], *at = hex_digits(buffer + sizeof buffer, value);
	strbuf_add(sb, at, (size_t)(buffer + sizeof buffer - at));
}

static char *joined(struct arena *arena, const char *prefix, const char *number, size_t length)
{
	size_t before = strlen(prefix);
	char *text = arena_alloc(arena, before + length + 1);
	memcpy(text, prefix, before);
	memcpy(text + before, number, length);
	return text;
}

char *arena_number(struct arena *arena, const char *prefix, uint64_t value)
{
	char buffer[NUMBER_LENGTH], *at = digits(buffer + sizeof buffer, value);
	return joined(arena, prefix, at, (size_t)(buffer + sizeof buffer - at));
}

char *arena_address(struct arena *arena, const char *prefix, uint64_t value)
{
	char buffer[NUMBER_LENGTH], *at = hex_digits(buffer + sizeof buffer, value);
	return joined(arena, prefix, at, (size_t)(buffer + sizeof buffer - at));
}

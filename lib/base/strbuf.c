#include "base/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char strbuf_empty[1] = "";

static void reserve(struct strbuf *sb, size_t more)
{
	if (more > SIZE_MAX / 2 - sb->length)
		abort();
	size_t need = sb->length + more + 1;
	if (need <= sb->capacity)
		return;
	size_t capacity = sb->capacity < 32 ? 32 : sb->capacity;
	while (capacity < need)
		capacity *= 2;
	char *text = realloc(sb->capacity == 0 ? NULL : sb->text, capacity);
	if (text == NULL)
		abort();
	sb->text = text;
	sb->capacity = capacity;
	sb->text[sb->length] = '\0';
}

void strbuf_add(struct strbuf *sb, const void *bytes, size_t length)
{
	if (length == 0)
		return;
	reserve(sb, length);
	memcpy(sb->text + sb->length, bytes, length);
	sb->length += length;
	sb->text[sb->length] = '\0';
}

void strbuf_adds(struct strbuf *sb, const char *text)
{
	strbuf_add(sb, text, strlen(text));
}

void strbuf_addc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addf(struct strbuf *sb, const char *format, ...)
{
	va_list args, copy;
	va_start(args, format);
	va_copy(copy, args);
	int length = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	if (length > 0) {
		reserve(sb, (size_t)length);
		vsnprintf(sb->text + sb->length, (size_t)length + 1, format, args);
		sb->length += (size_t)length;
	}
	va_end(args);
}

void strbuf_cut(struct strbuf *sb, size_t length)
{
	if (length < sb->length) {
		sb->length = length;
		sb->text[length] = '\0';
	}
}

void strbuf_reset(struct strbuf *sb)
{
	strbuf_cut(sb, 0);
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->capacity != 0)
		free(sb->text);
	*sb = (struct strbuf)STRBUF_INIT;
}

#include "out/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "out/text.h"

/* vsnprintf into memory of its own; the caller frees. */
static char *format_text(const char *format, va_list args)
{
	va_list copy;
	va_copy(copy, args);
	int length = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
	if (text == NULL)
		abort();
	vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

static void indent(struct block *block, unsigned level)
{
	for (unsigned i = 0; i < level; i++)
		out_text(block->out, "    ");
}

void block_heading(struct block *block, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = format_text(format, args);
	va_end(args);
	if (block->count++ != 0)
		out_text(block->out, "\n");
	block_line(block, 0, text);
	free(text);
}

void block_styled(struct block *block, unsigned level, const char *key, enum style style, const char *value)
{
	if (value == NULL)
		return;
	indent(block, level);
	out_printf(block->out, value[0] == '\0' ? "%s:" : "%s: ", key);
	out_styled(block->out, style, value);
	out_text(block->out, "\n");
}

void block_field(struct block *block, unsigned level, const char *key, const char *value)
{
	block_styled(block, level, key, STYLE_PLAIN, value);
}

void block_fieldf(struct block *block, unsigned level, const char *key, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = format_text(format, args);
	va_end(args);
	block_field(block, level, key, text);
	free(text);
}

void block_line(struct block *block, unsigned level, const char *text)
{
	if (text == NULL)
		return;
	indent(block, level);
	out_styled(block->out, STYLE_PLAIN, text);
	out_text(block->out, "\n");
}

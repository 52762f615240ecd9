#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"

size_t utf8_decode(const unsigned char *at, size_t left, uint32_t *scalar)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = at[0];
	if (lead < 0x80) {
		*scalar = lead;
		return 1;
	}
	size_t length = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
	if (lead >= 0xf8 || length == 0 || left < length)
		return 0;
	uint32_t value = lead & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (at[i] & 0x3fu);
	}
	if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 0;
	*scalar = value;
	return length;
}

size_t utf8_encode(uint32_t scalar, char out[4])
{
	if (scalar < 0x80) {
		out[0] = (char)scalar;
		return 1;
	}
	if (scalar < 0x800) {
		out[0] = (char)(0xc0 | scalar >> 6);
		out[1] = (char)(0x80 | (scalar & 0x3f));
		return 2;
	}
	if (scalar < 0x10000) {
		out[0] = (char)(0xe0 | scalar >> 12);
		out[1] = (char)(0x80 | (scalar >> 6 & 0x3f));
		out[2] = (char)(0x80 | (scalar & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | scalar >> 18);
	out[1] = (char)(0x80 | (scalar >> 12 & 0x3f));
	out[2] = (char)(0x80 | (scalar >> 6 & 0x3f));
	out[3] = (char)(0x80 | (scalar & 0x3f));
	return 4;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* Coarse on purpose: names in Rust programs are nearly all ASCII; a wrong width only shifts a column. */
static const struct range ZERO_WIDTH[] = {
	{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x610, 0x61a }, { 0x64b, 0x65f },
	{ 0x200b, 0x200f }, { 0x202a, 0x202e }, { 0x2060, 0x2064 }, { 0x20d0, 0x20f0 }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
};
static const struct range DOUBLE_WIDTH[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0x33ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },
	{ 0xa000, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};
/* Characters that would change how the rest of a line is shown. */
static const struct range UNPRINTABLE[] = {
	{ 0, 0x1f }, { 0x7f, 0x9f }, { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
	{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

#define IN(c, table) in_ranges(c, table, sizeof table / sizeof table[0])

static size_t scalar_width(uint32_t c)
{
	if (c < 0x300)
		return c >= 0x20 && (c < 0x7f || c >= 0xa0);
	return IN(c, ZERO_WIDTH) ? 0 : IN(c, DOUBLE_WIDTH) ? 2 : 1;
}

size_t utf8_prefix(const char *text, size_t columns)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t left = strlen(text), width = 0;
	while (left != 0) {
		uint32_t c = 0;
		size_t length = utf8_decode(at, left, &c);
		width += length == 0 ? 1 : scalar_width(c);
		if (width > columns)
			break;
		at += length == 0 ? 1 : length;
		left -= length == 0 ? 1 : length;
	}
	return (size_t)(at - (const unsigned char *)text);
}

size_t utf8_width(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t left = strlen(text), width = 0;
	while (left != 0) {
		uint32_t c = 0;
		size_t length = utf8_decode(at, left, &c);
		width += length == 0 ? 1 : scalar_width(c);
		at += length == 0 ? 1 : length;
		left -= length == 0 ? 1 : length;
	}
	return width;
}

static char short_escape(uint32_t c)
{
	switch (c) {
	case '\n': return 'n';
	case '\t': return 't';
	case '\r': return 'r';
	case '\\': return '\\';
	case '"': return '"';
	default: return 0;
	}
}

void utf8_escape(struct strbuf *out, const void *bytes, size_t length)
{
	const unsigned char *at = bytes, *end = at + length;
	while (at < end) {
		uint32_t c = 0;
		size_t n = utf8_decode(at, (size_t)(end - at), &c);
		if (n == 0) {
			strbuf_addf(out, "\\x%02x", *at++);
			continue;
		}
		char letter = short_escape(c);
		if (letter != 0)
			strbuf_addf(out, "\\%c", letter);
		else if (IN(c, UNPRINTABLE))
			strbuf_addf(out, "\\u{%x}", (unsigned)c);
		else
			strbuf_add(out, at, n);
		at += n;
	}
}

void utf8_escape_json(struct strbuf *out, const void *bytes, size_t length)
{
	const unsigned char *at = bytes, *end = at + length;
	while (at < end) {
		uint32_t c = 0;
		size_t n = utf8_decode(at, (size_t)(end - at), &c);
		if (n == 0) {
			strbuf_adds(out, "\xef\xbf\xbd");
			at++;
			continue;
		}
		char letter = short_escape(c);
		if (letter != 0)
			strbuf_addf(out, "\\%c", letter);
		else if (IN(c, UNPRINTABLE) && c > 0xffff) /* as a surrogate pair */
			strbuf_addf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
			            (unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
		else if (IN(c, UNPRINTABLE))
			strbuf_addf(out, "\\u%04x", (unsigned)c);
		else
			strbuf_add(out, at, n);
		at += n;
	}
}

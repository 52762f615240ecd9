/* Nearly all text is printable ASCII: it is copied in runs, and only the stretches between the runs go through
 * the escaping of base/utf8.h. A multi-byte sequence has no ASCII byte, so no stretch cuts one in two. */
#include "out/text.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"

typedef void escape_function(struct strbuf *to, const void *bytes, size_t length);

static inline bool is_safe(unsigned char c, char unsafe1, char unsafe2)
{
	return c >= 0x20 && c < 0x7f && c != (unsigned char)unsafe1 && c != (unsigned char)unsafe2;
}

static inline void add_runs(struct strbuf *to, const unsigned char *at, size_t length, char unsafe1, char unsafe2,
                            escape_function *escape)
{
	const unsigned char *end = at + length;
	while (at < end) {
		const unsigned char *from = at;
		while (at < end && is_safe(*at, unsafe1, unsafe2))
			at++;
		strbuf_add(to, from, (size_t)(at - from));
		from = at;
		while (at < end && !is_safe(*at, unsafe1, unsafe2))
			at++;
		if (at > from)
			escape(to, from, (size_t)(at - from));
	}
}

/* utf8_escape_json leaves U+0080 to U+009F alone, as JSON allows; but U+009B starts a terminal escape. They are
 * C2 80 to C2 9F, and C2 is never the middle of another sequence. */
static void escape_json(struct strbuf *to, const void *bytes, size_t length)
{
	const unsigned char *from = bytes, *end = from + length;
	for (const unsigned char *at = from; at + 1 < end; at++) {
		if (at[0] != 0xc2 || at[1] < 0x80 || at[1] > 0x9f)
			continue;
		utf8_escape_json(to, from, (size_t)(at - from));
		strbuf_addf(to, "\\u%04x", (unsigned)at[1]);
		from = at + 2;
		at++;
	}
	utf8_escape_json(to, from, (size_t)(end - from));
}

void text_add_plain(struct strbuf *to, const char *text)
{
	add_runs(to, (const unsigned char *)text, strlen(text), '\0', '\0', utf8_escape);
}

void text_add_tsv(struct strbuf *to, const char *text)
{
	add_runs(to, (const unsigned char *)text, strlen(text), '\\', '\0', utf8_escape);
}

void text_add_json(struct strbuf *to, const void *bytes, size_t length)
{
	add_runs(to, bytes, length, '\\', '"', escape_json);
}

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
	add_runs(to, bytes, length, '\\', '"', utf8_escape_json);
}

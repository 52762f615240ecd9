/* utf8.h - text from a target, made safe to print. */
#ifndef HANSEI_BASE_UTF8_H
#define HANSEI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* Decodes one scalar value from at most `left` bytes (left >= 1). Returns its length in bytes, or 0 when the
 * bytes are no valid UTF-8 (over-long forms and surrogates included); then one byte should be skipped. */
size_t utf8_decode(const unsigned char *at, size_t left, uint32_t *scalar);
size_t utf8_encode(uint32_t scalar, char out[4]); /* length in bytes */

/* Columns that a terminal uses for a NUL-terminated valid text: combining marks 0, wide East Asian 2. */
size_t utf8_width(const char *text);
/* Length in bytes of the longest prefix that fits `columns`. */
size_t utf8_prefix(const char *text, size_t columns);

/* Appends bytes so that the result is valid UTF-8 without control characters: \n \t \r \\ \" as in Rust's Debug,
 * other controls and line or direction separators as \u{..}, invalid bytes as \x... */
void utf8_escape(struct strbuf *out, const void *bytes, size_t length);
/* The same for a JSON string body (RFC 8259): invalid bytes become U+FFFD. What a terminal would act upon is escaped
 * though JSON allows it. */
void utf8_escape_json(struct strbuf *out, const void *bytes, size_t length);

#endif

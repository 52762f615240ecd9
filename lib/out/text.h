/* text.h - text from a target on its way out. A program may hold anything in a name: terminal escapes, newlines,
 * halves of UTF-8 sequences. What leaves us is always valid UTF-8 without control characters (C0, C1, line and
 * direction separators); the functions differ in which printable characters they escape besides.
 *
 *	text_add_plain   tables, blocks, messages   quotes and backslashes stay: made for reading, not for parsing
 *	text_add_tsv     TSV fields                 also \ as \\, so that it can be undone; quotes stay
 *	text_add_json    JSON string bodies         RFC 8259; invalid bytes become U+FFFD
 *
 * The escapes of the first two are \n \t \r, \u{1b} for other controls, and \xff for a byte that is no UTF-8. */
#ifndef HANSEI_OUT_TEXT_H
#define HANSEI_OUT_TEXT_H

#include <stddef.h>

struct strbuf;

void text_add_plain(struct strbuf *to, const char *text);
void text_add_tsv(struct strbuf *to, const char *text);
void text_add_json(struct strbuf *to, const void *bytes, size_t length);

#endif

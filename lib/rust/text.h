/* text.h - private to lib/rust: demangled names and DWARF type names as tokens. Every reader of such a text needs
 * to know which angle brackets are brackets: not the one of "->", and none in string or character constants. */
#ifndef HANSEI_RUST_TEXT_H
#define HANSEI_RUST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
	TOKEN_BAD,       /* a string or brace that does not end, or a closing brace alone */
	TOKEN_WORD,      /* identifier, keyword or number; bytes from 0x80 on count as letters */
	TOKEN_BRACES,    /* {closure_env#0} as a whole, with what is nested in it */
	TOKEN_COLONS,    /* :: */
	TOKEN_OPEN,      /* one of < ( [ */
	TOKEN_CLOSE,     /* one of > ) ] */
	TOKEN_OTHER,     /* "->", a constant in quotes, or any other single byte */
};

struct token {
	enum token_kind kind;
	size_t length; /* at least 1, except for TOKEN_BAD */
};

/* The token at text[at], at < length. A whole text takes linear time. */
struct token token_at(const char *text, size_t length, size_t at);

bool brackets_match(char open, char close);

#endif

#include "rust/text.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$'
	       || (unsigned char)c >= 0x80;
}

bool brackets_match(char open, char close)
{
	return (open == '<' && close == '>') || (open == '(' && close == ')') || (open == '[' && close == ']');
}

/* Length of a string constant, 0 when it does not end. */
static size_t string_length(const char *text, size_t left)
{
	for (size_t i = 1; i < left; i++) {
		if (text[i] == '\\')
			i++;
		else if (text[i] == '"')
			return i + 1;
	}
	return 0;
}

/* Length of 'x', '\n' or '\u{1f600}'; 1 for the quote of a lifetime, which nothing ends. */
static size_t quote_length(const char *text, size_t left)
{
	static const size_t LONGEST = sizeof "'\\u{10ffff}'" - 1;
	size_t i = 1;
	if (left < 3)
		return 1;
	if (text[1] == '\\') {
		for (i = 3; i < left && i < LONGEST; i++)
			if (text[i] == '\'')
				return i + 1;
		return 1;
	}
	if ((unsigned char)text[i++] >= 0x80)
		while (i < left && i < 5 && ((unsigned char)text[i] & 0xc0) == 0x80)
			i++;
	return i < left && text[i] == '\'' ? i + 1 : 1;
}

/* Length of the group in braces, 0 when it does not end. */
static size_t braces_length(const char *text, size_t left)
{
	size_t depth = 0, i = 0;
	while (i < left) {
		size_t step = 1;
		if (text[i] == '{')
			depth++;
		else if (text[i] == '}' && --depth == 0)
			return i + 1;
		else if (text[i] == '\'')
			step = quote_length(text + i, left - i);
		else if (text[i] == '"' && (step = string_length(text + i, left - i)) == 0)
			return 0;
		i += step;
	}
	return 0;
}

struct token token_at(const char *text, size_t length, size_t at)
{
	size_t left = length - at, n = 1;
	text += at;
	switch (text[0]) {
	case '{':
		n = braces_length(text, left);
		return (struct token){ n == 0 ? TOKEN_BAD : TOKEN_BRACES, n };
	case '}':
		return (struct token){ TOKEN_BAD, 0 };
	case '"':
		n = string_length(text, left);
		return (struct token){ n == 0 ? TOKEN_BAD : TOKEN_OTHER, n };
	case '\'':
		return (struct token){ TOKEN_OTHER, quote_length(text, left) };
	case '-':
		return (struct token){ TOKEN_OTHER, left > 1 && text[1] == '>' ? 2 : 1 };
	case ':':
		if (left > 1 && text[1] == ':')
			return (struct token){ TOKEN_COLONS, 2 };
		return (struct token){ TOKEN_OTHER, 1 };
	case '<': case '(': case '[':
		return (struct token){ TOKEN_OPEN, 1 };
	case '>': case ')': case ']':
		return (struct token){ TOKEN_CLOSE, 1 };
	default:
		break;
	}
	if (!is_word(text[0]))
		return (struct token){ TOKEN_OTHER, 1 };
	while (n < left && is_word(text[n]))
		n++;
	return (struct token){ TOKEN_WORD, n };
}

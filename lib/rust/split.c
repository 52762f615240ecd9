/* split.c - the parts of `<Self as Trait>::method` in demangled text. */
#include "rust/names.h"
#include "rust/text.h"

#include <string.h>

/* Nothing demangled is deeper: libiberty gives up at 1024 (RUST_MAX_RECURSION_COUNT). */
enum { MAX_DEPTH = 2048 };

static struct text_span span_of(const char *text, size_t from, size_t to)
{
	return (struct text_span){ text + from, to - from };
}

static bool is_as(const char *text, size_t length, size_t at)
{
	return length - at >= 4 && memcmp(text + at, " as ", 4) == 0;
}

/* The position of the bracket that closes text[0], and of " as " directly inside; 0 where there is none. */
static size_t self_end(const char *text, size_t length, size_t *as)
{
	char open[MAX_DEPTH];
	size_t depth = 0;
	struct token token;
	*as = 0;
	for (size_t at = 0; at < length; at += token.length) {
		token = token_at(text, length, at);
		if (token.kind == TOKEN_BAD)
			return 0;
		if (token.kind == TOKEN_OPEN) {
			if (depth == MAX_DEPTH)
				return 0;
			open[depth++] = text[at];
		} else if (token.kind == TOKEN_CLOSE) {
			if (!brackets_match(open[--depth], text[at])) /* depth is at least 1 up to the end */
				return 0;
			if (depth == 0)
				return at;
		} else if (depth == 1 && *as == 0 && is_as(text, length, at)) {
			*as = at;
		}
	}
	return 0;
}

bool impl_split(const char *demangled, struct impl_parts *out)
{
	size_t length = strlen(demangled), as;
	if (demangled[0] != '<')
		return false;
	size_t end = self_end(demangled, length, &as);
	size_t method = end + 3; /* behind >:: */
	if (end == 0 || method >= length || memcmp(demangled + end, ">::", 3) != 0)
		return false;
	struct token token = token_at(demangled, length, method);
	if (token.kind != TOKEN_WORD && token.kind != TOKEN_BRACES)
		return false;
	out->self = span_of(demangled, 1, as != 0 ? as : end);
	out->trait = as != 0 ? span_of(demangled, as + 4, end) : span_of(demangled, end, end);
	out->method = span_of(demangled, method, method + token.length);
	return out->self.length != 0 && (as == 0 || out->trait.length != 0);
}

/* fold.c - DWARF type names as listings show them.
 *
 * Two passes without recursion. The first finds which bracket closes which; a text whose brackets do not pair is
 * copied as it is. The second copies token by token, and at each component of a path may take back what it wrote
 * of that path: drop the component, or put a resolved name in place of everything so far. What is known of a path
 * (where it began in the text and in the output) is kept in the record of the bracket that interrupts it, since
 * the path may go on behind the bracket: `Option<u8>::Some`. */
#include "rust/names.h"
#include "rust/text.h"

#include "base/array.h"
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

static const size_t NONE = SIZE_MAX;

struct bracket {
	size_t at, close;
	size_t outer;             /* enclosing bracket, or NONE */
	size_t path_in, path_out; /* the path it interrupts, or NONE */
};

/* Enough for almost every name; more live on the heap. */
enum { INLINE_BRACKETS = 64 };

struct brackets {
	struct bracket inline_items[INLINE_BRACKETS];
	struct bracket *heap;
	size_t capacity; /* of the heap */
	size_t count;
};

struct fold {
	struct strbuf *out;
	const char *text;
	size_t at, length;
	struct brackets brackets;
	size_t next_bracket; /* the first one at or behind `at` */
	size_t inside;       /* innermost open bracket, or NONE */
	size_t path_in;      /* where the present path began in text; NONE between paths */
	size_t path_out;     /* the same in out */
	impl_resolver resolver;
	void *context;
};

/* Types so common that their crate path only takes room. */
static const struct {
	const char *path, *name;
} SHORT[] = {
	{ "alloc::boxed::Box", "Box" },
	{ "alloc::rc::Rc", "Rc" },
	{ "alloc::sync::Arc", "Arc" },
	{ "core::option::Option", "Option" },
	{ "core::pin::Pin", "Pin" },
	{ "core::result::Result", "Result" },
};

/* The only one of its kind, hence not worth a component: the function names it. */
static const char *const DROPPED[] = { "{async_fn_env#0}", "{async_block_env#0}" };

static const struct {
	const char *component; /* up to the number */
	enum future_kind kind;
} KINDS[] = {
	{ "{async_fn_env#", KIND_ASYNC_FN },
	{ "{async_block_env#", KIND_ASYNC_BLOCK },
	{ "{async_closure_env#", KIND_ASYNC_CLOSURE },
};

static const char ALLOCATOR[] = "alloc::alloc::Global";

const char *future_kind_text(enum future_kind kind)
{
	switch (kind) {
	case KIND_ASYNC_FN:
		return "async fn";
	case KIND_ASYNC_BLOCK:
		return "async block";
	case KIND_ASYNC_CLOSURE:
		return "async closure";
	case KIND_FUTURE:
		break;
	}
	return "future";
}

static bool starts_with(const char *text, size_t length, const char *prefix)
{
	size_t n = strlen(prefix);
	return length >= n && memcmp(text, prefix, n) == 0;
}

enum future_kind future_kind_of(const char *type_name)
{
	size_t length = strlen(type_name), depth = 0, last = NONE;
	struct token token;
	for (size_t at = 0; at < length; at += token.length) {
		token = token_at(type_name, length, at);
		if (token.kind == TOKEN_BAD)
			return KIND_FUTURE;
		if (token.kind == TOKEN_OPEN)
			depth++;
		else if (token.kind == TOKEN_CLOSE && depth-- == 0)
			return KIND_FUTURE;
		else if (depth == 0 && token.kind == TOKEN_OTHER)
			return KIND_FUTURE; /* a reference, pointer, function: no path */
		else if (depth == 0 && (token.kind == TOKEN_WORD || token.kind == TOKEN_BRACES))
			last = at;
	}
	if (last == NONE || depth != 0)
		return KIND_FUTURE;
	for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
		if (starts_with(type_name + last, length - last, KINDS[i].component))
			return KINDS[i].kind;
	return KIND_FUTURE;
}

static struct bracket *bracket_at(struct brackets *b, size_t index)
{
	return index < INLINE_BRACKETS ? &b->inline_items[index] : &b->heap[index - INLINE_BRACKETS];
}

static struct bracket *bracket_add(struct brackets *b)
{
	if (b->count >= INLINE_BRACKETS)
		b->heap = array_reserve(b->heap, &b->capacity, b->count - INLINE_BRACKETS, 1, sizeof *b->heap);
	return bracket_at(b, b->count++);
}

/* The first pass: false when the brackets do not pair. */
static bool brackets_find(struct brackets *b, const char *text, size_t length)
{
	size_t inside = NONE;
	struct token token;
	for (size_t at = 0; at < length; at += token.length) {
		token = token_at(text, length, at);
		if (token.kind == TOKEN_BAD)
			return false;
		if (token.kind == TOKEN_OPEN) {
			*bracket_add(b) = (struct bracket){ at, NONE, inside, NONE, NONE };
			inside = b->count - 1;
		} else if (token.kind == TOKEN_CLOSE) {
			if (inside == NONE)
				return false;
			struct bracket *open = bracket_at(b, inside);
			if (!brackets_match(text[open->at], text[at]))
				return false;
			open->close = at;
			inside = open->outer;
		}
	}
	return inside == NONE;
}

static bool continues(const struct fold *f, size_t at)
{
	return at < f->length && token_at(f->text, f->length, at).kind == TOKEN_COLONS;
}

/* Does the path end with the component whose end this is, save for its generic arguments? */
static bool is_last_component(struct fold *f, size_t end)
{
	if (end < f->length && f->text[end] == '<')
		end = bracket_at(&f->brackets, f->next_bracket)->close + 1;
	return !continues(f, end);
}

static bool is_dropped(const char *component, size_t length)
{
	for (size_t i = 0; i < sizeof DROPPED / sizeof DROPPED[0]; i++)
		if (length == strlen(DROPPED[i]) && memcmp(component, DROPPED[i], length) == 0)
			return true;
	return false;
}

static void path_begin(struct fold *f)
{
	if (f->path_in != NONE)
		return;
	f->path_in = f->at;
	f->path_out = f->out->length;
}

/* At the start of a path: writes the short name and steps over the long one. */
static bool short_name_write(struct fold *f)
{
	const char *text = f->text + f->at;
	size_t left = f->length - f->at;
	if (left < 2 || (text[0] != 'a' && text[0] != 'c'))
		return false;
	for (size_t i = 0; i < sizeof SHORT / sizeof SHORT[0]; i++) {
		if (!starts_with(text, left, SHORT[i].path))
			continue;
		size_t n = strlen(SHORT[i].path), end = f->at + n;
		if (end < f->length) {
			enum token_kind next = token_at(f->text, f->length, end).kind;
			if (next == TOKEN_WORD || next == TOKEN_COLONS)
				continue;
		}
		path_begin(f);
		strbuf_adds(f->out, SHORT[i].name);
		f->at = end;
		return true;
	}
	return false;
}

static void component_write(struct fold *f, size_t length)
{
	const char *component = f->text + f->at;
	struct strbuf *out = f->out;
	bool first = f->path_in == NONE;
	size_t end = f->at + length;

	path_begin(f);
	f->at = end;
	if (component[0] == '{' && !first) {
		bool prefixed = out->length >= f->path_out + 2 && memcmp(out->text + out->length - 2, "::", 2) == 0;
		if (prefixed && is_dropped(component, length) && is_last_component(f, end)) {
			strbuf_cut(out, out->length - 2);
			return;
		}
	}
	if (f->resolver != NULL && starts_with(component, length, "{impl#")) {
		const char *name = f->resolver(f->context, f->text + f->path_in, end - f->path_in);
		if (name != NULL) {
			strbuf_cut(out, f->path_out);
			strbuf_adds(out, name);
			return;
		}
	}
	strbuf_add(out, component, length);
}

static void bracket_open(struct fold *f)
{
	struct bracket *b = bracket_at(&f->brackets, f->next_bracket);
	if (f->text[f->at] == '<') {
		path_begin(f); /* <T as Trait>::… is a path from its bracket on */
		b->path_in = f->path_in;
		b->path_out = f->path_out;
	}
	f->inside = f->next_bracket++;
	f->path_in = NONE;
	strbuf_addc(f->out, f->text[f->at++]);
}

static void bracket_close(struct fold *f)
{
	struct bracket *b = bracket_at(&f->brackets, f->inside);
	f->path_in = b->path_in;
	f->path_out = b->path_out;
	f->inside = b->outer;
	strbuf_addc(f->out, f->text[f->at++]);
}

/* Length of ", alloc::alloc::Global" at `at` when it is the last generic argument, else 0. */
static size_t allocator_length(const char *text, size_t length, size_t at)
{
	static const size_t ALLOCATOR_LENGTH = sizeof ALLOCATOR - 1;
	size_t i = at + 1;
	if (text[at] != ',')
		return 0;
	while (i < length && text[i] == ' ')
		i++;
	if (!starts_with(text + i, length - i, ALLOCATOR))
		return 0;
	i += ALLOCATOR_LENGTH;
	return i < length && text[i] == '>' ? i - at : 0;
}

static void other_write(struct fold *f, size_t length)
{
	size_t skip = allocator_length(f->text, f->length, f->at);
	f->path_in = NONE;
	if (skip == 0)
		strbuf_add(f->out, f->text + f->at, length);
	f->at += skip != 0 ? skip : length;
}

static void fold_run(struct fold *f)
{
	while (f->at < f->length) {
		struct token token = token_at(f->text, f->length, f->at);
		switch (token.kind) {
		case TOKEN_WORD:
			if (f->path_in == NONE && short_name_write(f))
				break;
			component_write(f, token.length);
			break;
		case TOKEN_BRACES:
			component_write(f, token.length);
			break;
		case TOKEN_COLONS:
			path_begin(f);
			strbuf_add(f->out, "::", 2);
			f->at += 2;
			break;
		case TOKEN_OPEN:
			bracket_open(f);
			break;
		case TOKEN_CLOSE:
			bracket_close(f);
			break;
		case TOKEN_OTHER:
			other_write(f, token.length);
			break;
		case TOKEN_BAD: /* the first pass has refused it */
			return;
		}
	}
}

void name_fold_plain(struct strbuf *out, const char *type_name, impl_resolver resolver, void *context)
{
	struct fold f;
	f.out = out;
	f.text = type_name;
	f.at = 0;
	f.length = strlen(type_name);
	f.brackets.heap = NULL;
	f.brackets.capacity = f.brackets.count = 0;
	f.next_bracket = 0;
	f.inside = f.path_in = f.path_out = NONE;
	f.resolver = resolver;
	f.context = context;
	if (brackets_find(&f.brackets, type_name, f.length))
		fold_run(&f);
	else
		strbuf_add(out, type_name, f.length);
	free(f.brackets.heap);
}

void name_fold(struct strbuf *out, const char *type_name, impl_resolver resolver, void *context)
{
	strbuf_adds(out, future_kind_text(future_kind_of(type_name)));
	strbuf_addc(out, ' ');
	name_fold_plain(out, type_name, resolver, context);
}

void name_normalize(struct strbuf *out, const char *name, size_t length)
{
	static const char TAIL[] = ",alloc::alloc::Global";
	static const size_t TAIL_LENGTH = sizeof TAIL - 1;
	size_t start = out->length;
	for (size_t i = 0; i < length; i++) {
		char c = name[i];
		if (c == ' ' || (c >= '\t' && c <= '\r'))
			continue;
		if (c == '>' && out->length - start >= TAIL_LENGTH
		    && memcmp(out->text + out->length - TAIL_LENGTH, TAIL, TAIL_LENGTH) == 0)
			strbuf_cut(out, out->length - TAIL_LENGTH);
		strbuf_addc(out, c);
	}
}

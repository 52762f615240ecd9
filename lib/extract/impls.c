/* Which type an impl block belongs to. DWARF names the block `{impl#N}` and says no more; the symbols of the
 * functions in it do: `<Type<…>>::method`, `<Type as Trait>::method`. Only blocks that occur in emitted type names
 * are looked up. */
#include <string.h>

#include "base/array.h"
#include "extract/extract_internal.h"
#include "rust/names.h"

static void note_path(struct extractor *x, const char *path, size_t length)
{
	char *copy = arena_strndup(&x->arena, path, length);
	uint64_t hash = sweep_path_hash(copy), index;
	if (map_get(&x->impl_index, hash, &index))
		return;
	x->impls = array_reserve(x->impls, &x->impl_capacity, x->impl_count, 1, sizeof *x->impls);
	map_set(&x->impl_index, hash, x->impl_count);
	x->impls[x->impl_count++] = (struct impl_request){ copy, hash, NULL };
}

void impls_note(struct extractor *x, const char *type_name)
{
	for (const char *at = strstr(type_name, "{impl#"); at != NULL; at = strstr(at + 1, "{impl#")) {
		const char *end = strchr(at, '}'), *start = at;
		if (end == NULL)
			return;
		/* A path begins behind whatever can stand before one inside a type name. */
		while (start > type_name && strchr("<( ,&*[=", start[-1]) == NULL)
			start--;
		note_path(x, start, (size_t)(end + 1 - start));
	}
}

/* Legacy symbols of inherent methods spell the type's path in line: a::b::Type<T>::method::{{closure}}. The component
 * before the method is the type, since DWARF says that the method stands in an impl block. A module may have the
 * method's name, too: the last place counts. */
static bool split_inline(const char *demangled, const char *method, size_t length, struct text_span *self)
{
	unsigned depth = 0;
	bool found = false;
	for (const char *at = demangled; *at != '\0'; at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && depth > 0 && at[-1] != '-')
			depth--;
		if (depth != 0 || at == demangled || strncmp(at, "::", 2) != 0 || strncmp(at + 2, method, length) != 0 ||
		    strchr(":<", at[2 + length]) == NULL)
			continue;
		*self = (struct text_span){ demangled, (size_t)(at - demangled) };
		found = true;
	}
	return found;
}

/* "a::b::<impl Trait for X>" and "a::b::<impl X>": impls in another module than the type's. */
static void unwrap_impl(struct text_span *self)
{
	static const char opening[] = "<impl ", middle[] = " for ";
	const char *end = self->at + self->length;
	for (const char *at = self->at; at + sizeof opening - 1 < end; at++) {
		if (memcmp(at, opening, sizeof opening - 1) != 0)
			continue;
		const char *from = at + sizeof opening - 1;
		for (const char *m = from; m + sizeof middle - 1 < end; m++)
			if (memcmp(m, middle, sizeof middle - 1) == 0)
				from = m + sizeof middle - 1;
		*self = (struct text_span){ from, (size_t)(end - from) - (end[-1] == '>') };
		return;
	}
}

static bool self_of(const char *demangled, const char *method, size_t length, struct text_span *self)
{
	struct impl_parts parts;
	if (!impl_split(demangled, &parts)) {
		if (demangled[0] == '<' || !split_inline(demangled, method, length, self))
			return false;
		unwrap_impl(self);
		return true;
	}
	*self = parts.self;
	return parts.method.length == length && memcmp(parts.method.at, method, length) == 0;
}

/* `&T`, `[T]`, `dyn Trait` and a bare type parameter (legacy names have `T` there) are no paths of a type: such a
 * block keeps its number. */
static bool is_type_path(const char *text, size_t length)
{
	if (length < 4 || memchr(text, ' ', length) != NULL || strchr("&*[(<", text[0]) != NULL || text[length - 1] == ':')
		return false;
	for (size_t i = 0; i + 1 < length; i++)
		if (text[i] == ':' && text[i + 1] == ':')
			return true;
	return false;
}

/* Takes the self type from a symbol, if the method it names is the one of `method` (a DIE's name, or a component of
 * its path): else this is a function inside the method, with brackets of its own. */
static void take_self(struct extractor *x, struct impl_request *impl, const char *linkage, const char *method)
{
	struct strbuf demangled = STRBUF_INIT;
	struct text_span self;
	if (rust_demangle_to(&demangled, linkage) && self_of(demangled.text, method, strcspn(method, "<:"), &self)) {
		size_t length = 0;
		while (length < self.length && self.at[length] != '<')
			length++;
		if (is_type_path(self.at, length))
			impl->self = arena_strndup(&x->arena, self.at, length);
	}
	strbuf_release(&demangled);
}

void impls_found(struct extractor *x, uint64_t path_hash, const struct die *function)
{
	uint64_t index;
	struct die_values v;
	if (map_get(&x->impl_index, path_hash, &index) && x->impls[index].self == NULL &&
	    die_read(x->dw, function, &v) && v.linkage_name != NULL && v.name != NULL)
		take_self(x, &x->impls[index], v.linkage_name, v.name);
}

void impls_found_around(struct extractor *x, const struct die *body)
{
	struct strbuf path = STRBUF_INIT;
	struct die_values v;
	uint64_t index;
	sweep_scope_path(x->sweep, body->offset, &path);
	char *impl = strstr(path.text, "{impl#"), *end = impl != NULL ? strstr(impl, "}::") : NULL;
	if (end != NULL && die_read(x->dw, body, &v) && v.linkage_name != NULL) {
		end[1] = '\0';
		if (map_get(&x->impl_index, sweep_path_hash(path.text), &index) && x->impls[index].self == NULL)
			take_self(x, &x->impls[index], v.linkage_name, end + 3);
	}
	strbuf_release(&path);
}

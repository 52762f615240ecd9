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

/* Takes the self type from a symbol, if the method it names is the one of `method` (a DIE's name, or a component of
 * its path): else this is a function inside the method, with brackets of its own. */
static void take_self(struct extractor *x, struct impl_request *impl, const char *linkage, const char *method)
{
	struct strbuf demangled = STRBUF_INIT;
	struct impl_parts parts;
	size_t name_length = strcspn(method, "<:");
	if (rust_demangle_to(&demangled, linkage) && impl_split(demangled.text, &parts) &&
	    parts.method.length == name_length && memcmp(parts.method.at, method, name_length) == 0) {
		size_t length = 0;
		while (length < parts.self.length && parts.self.at[length] != '<')
			length++;
		/* `&T`, `[T]`, `dyn Trait` and the like are no paths: such a block keeps its number. */
		if (length != 0 && strchr("&*[(", parts.self.at[0]) == NULL && memchr(parts.self.at, ' ', length) == NULL)
			impl->self = arena_strndup(&x->arena, parts.self.at, length);
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

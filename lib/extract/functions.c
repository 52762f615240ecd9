/* Functions: those the roots ask for, the polls of futures and streams, the bodies of coroutines; where they and
 * the coroutine types are declared. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "extract/extract_internal.h"
#include "rust/names.h"

/* "{async_fn#0}<T>" is the body of "{async_fn_env#0}<T>". */
static bool env_name(const char *body, struct strbuf *out)
{
	const char *hash = strchr(body, '#');
	if (hash == NULL)
		return false;
	strbuf_reset(out);
	strbuf_add(out, body, (size_t)(hash - body));
	strbuf_adds(out, "_env");
	strbuf_adds(out, hash);
	return true;
}

void resumes_index(struct extractor *x)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	struct strbuf env = STRBUF_INIT;
	for (size_t i = 0; i < count; i++) {
		struct die die;
		const char *name;
		if (finds[i].kind == FIND_RESUME && die_at(x->dw, finds[i].die, &die) &&
		    (name = die_name(x->dw, &die)) != NULL && env_name(name, &env))
			map_add(&x->resumes, die_path_hash(x, &die, env.text), i);
	}
	strbuf_release(&env);
}

/* Follows a nameless function to the DIE that has its names: concrete -> abstract instance -> declaration. */
static uint64_t named_origin(struct extractor *x, const struct die_values *concrete)
{
	struct die_values v = *concrete;
	uint64_t origin = DWARF_NO_OFFSET;
	for (int hops = 0; hops < 4 && v.name == NULL; hops++) {
		struct die die;
		origin = (v.has & DIE_ORIGIN) != 0 ? v.origin : v.specification;
		if (!die_at(x->dw, origin, &die) || !die_read(x->dw, &die, &v))
			break;
	}
	return origin;
}

/* Out-of-line code of functions that exist as abstract or declared DIEs carries no name of its own. */
void concretes_index(struct extractor *x)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	for (size_t i = 0; i < count; i++) {
		struct die die;
		struct die_values v;
		if (finds[i].kind != FIND_CONCRETE || !die_at(x->dw, finds[i].die, &die) || !die_read(x->dw, &die, &v) ||
		    v.low_pc == 0)
			continue; /* low_pc 0: removed by the linker */
		uint64_t origin = named_origin(x, &v);
		x->ranges = array_reserve(x->ranges, &x->range_capacity, x->range_count, 1, sizeof *x->ranges);
		x->ranges[x->range_count] = (struct code_range){ v.low_pc, (v.has & DIE_HIGH_PC) != 0 ? v.high_pc : 0 };
		map_add(&x->concretes, origin, x->range_count++);
	}
}

uint64_t self_type(struct extractor *x, const struct die *function)
{
	struct die at, pin, pointer;
	struct die_values v;
	for (bool more = die_child(x->dw, function, &at); more; more = die_next(x->dw, &at, &at)) {
		if (at.abbrev->tag != DW_TAG_formal_parameter)
			continue;
		if (!die_read(x->dw, &at, &v) || !die_at(x->dw, v.type, &pin) || !die_read(x->dw, &pin, &v))
			return DWARF_NO_OFFSET;
		uint64_t definition;
		if (map_get(&x->definitions, pin.offset, &definition) &&
		    (!die_at(x->dw, definition, &pin) || !die_read(x->dw, &pin, &v)))
			return DWARF_NO_OFFSET;
		if (v.name == NULL || strncmp(v.name, "Pin<&mut ", 9) != 0)
			return DWARF_NO_OFFSET;
		for (more = die_child(x->dw, &pin, &at); more; more = die_next(x->dw, &at, &at))
			if (at.abbrev->tag == DW_TAG_member && die_read(x->dw, &at, &v) && die_at(x->dw, v.type, &pointer) &&
			    pointer.abbrev->tag == DW_TAG_pointer_type && die_read(x->dw, &pointer, &v))
				return v.type;
		return DWARF_NO_OFFSET; /* the first parameter decides */
	}
	return DWARF_NO_OFFSET;
}

static size_t template_types(struct extractor *x, const struct die *function, uint64_t types[2])
{
	struct die at;
	struct die_values v;
	size_t count = 0;
	/* Template parameters come after variables and blocks: all children must be looked at. */
	for (bool more = die_child(x->dw, function, &at); more && count < 2; more = die_next(x->dw, &at, &at))
		if (at.abbrev->tag == DW_TAG_template_type_parameter && die_read(x->dw, &at, &v) && v.type != DWARF_NO_OFFSET)
			types[count++] = v.type;
	return count;
}

/* Emits one record per piece of code, or one without an address when there is none. Returns the last record's
 * provisional id. */
static uint32_t emit(struct extractor *x, const struct die *die, const struct die_values *v, struct function *f)
{
	uint64_t key = 0, index;
	size_t cursor = 0;
	uint32_t id = TINFO_NONE;
	if (v->linkage_name != NULL && v0_key(v->linkage_name, &key))
		f->key = key;
	f->file = site_file(x, die, v);
	f->line = (uint32_t)v->line;
	if (v->low_pc != 0 && (v->has & DIE_INLINE) == 0) {
		f->address = v->low_pc;
		f->size = (v->has & DIE_HIGH_PC) != 0 && v->high_pc > v->low_pc ? v->high_pc - v->low_pc : 0;
		id = build_function(x->build, f);
	}
	while (map_next(&x->concretes, die->offset, &cursor, &index)) {
		const struct code_range *r = &x->ranges[index];
		f->address = r->low;
		f->size = r->high > r->low ? r->high - r->low : 0;
		id = build_function(x->build, f);
	}
	if (id == TINFO_NONE)
		id = build_function(x->build, f);
	return id;
}

static bool root_matches(const struct root *root, const char *name)
{
	size_t length = strlen(root->name);
	if (strncmp(name, root->name, length) != 0)
		return false;
	return (root->flags & ROOT_GENERIC) != 0 ? name[length] == '<' : name[length] == '\0';
}

static void emit_role(struct extractor *x, const struct die *die, const struct die_values *v, const struct root *root)
{
	uint64_t types[2] = { DWARF_NO_OFFSET, DWARF_NO_OFFSET };
	size_t count = template_types(x, die, types);
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s::%s", root->scope, root->name);
	struct function f = { .kind = FUNCTION_ROLE, .role = root->role, .name = path.text,
		              .type = count > 0 ? type_intern(x, types[0]) : TINFO_NONE,
		              .type2 = count > 1 ? type_intern(x, types[1]) : TINFO_NONE };
	uint32_t id = emit(x, die, v, &f);
	x->roles = array_reserve(x->roles, &x->role_capacity, x->role_count, 1, sizeof *x->roles);
	x->roles[x->role_count++] = (struct role_function){ root, f.address, id, f.type, f.type2 };
	if ((root->flags & ROOT_REQUIRED) != 0 && f.key != 0 && f.address != 0) {
		/* Part of the fingerprint: code that a build of the same source has too, whatever its crate hashes. */
		strbuf_addf(&path, "%s", v->name + strlen(root->name));
		struct symbol_key symbol = { f.key, path.text };
		build_symbol(x->build, &symbol);
	}
	strbuf_release(&path);
}

static void emit_poll(struct extractor *x, const struct die *die, const struct die_values *v)
{
	struct strbuf demangled = STRBUF_INIT;
	struct impl_parts parts;
	enum function_kind kind = FUNCTION_POLL;
	bool is_future = false;
	if (v->linkage_name != NULL && rust_demangle_to(&demangled, v->linkage_name) &&
	    impl_split(demangled.text, &parts)) {
		static const char future[] = "core::future::future::Future", stream[] = "::Stream";
		size_t n = parts.trait.length;
		is_future = n == sizeof future - 1 && memcmp(parts.trait.at, future, n) == 0 && parts.method.length == 4;
		if (!is_future && n >= sizeof stream - 1 &&
		    memcmp(parts.trait.at + n - (sizeof stream - 1), stream, sizeof stream - 1) == 0 &&
		    parts.method.length == 9) {
			is_future = true;
			kind = FUNCTION_STREAM;
		}
	}
	strbuf_release(&demangled);
	uint64_t self = is_future ? self_type(x, die) : DWARF_NO_OFFSET;
	if (self == DWARF_NO_OFFSET)
		return;
	map_set(&x->dropped, type_reference_hash(x, self), 1);
	struct function f = { .kind = kind, .role = "", .name = v->name, .type = type_intern(x, self), .type2 = TINFO_NONE };
	emit(x, die, v, &f);
}

static void emit_resume(struct extractor *x, const struct die *die, const struct die_values *v)
{
	uint64_t self = self_type(x, die);
	if (self == DWARF_NO_OFFSET)
		return;
	map_set(&x->dropped, type_reference_hash(x, self), 1);
	struct strbuf path = STRBUF_INIT;
	die_path(x, die, v->name, &path);
	struct function f = { .kind = FUNCTION_RESUME, .role = "", .name = path.text, .type = type_intern(x, self),
		              .type2 = TINFO_NONE };
	emit(x, die, v, &f);
	strbuf_release(&path);
}

void functions_extract(struct extractor *x)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	for (size_t i = 0; i < count; i++) {
		struct die die;
		struct die_values v;
		enum find_kind kind = finds[i].kind;
		if ((kind != FIND_WANTED && kind != FIND_RESUME && kind != FIND_POLL) ||
		    !die_at(x->dw, finds[i].die, &die) || die.abbrev->tag != DW_TAG_subprogram ||
		    !die_read(x->dw, &die, &v) || v.name == NULL)
			continue;
		if (kind == FIND_RESUME) {
			emit_resume(x, &die, &v);
		} else if (kind == FIND_POLL) {
			emit_poll(x, &die, &v);
		} else {
			for (size_t r = 0; r < x->roots->count; r++) {
				const struct root *root = &x->roots->items[r];
				if (root->kind == ROOT_FUNCTION && x->root_scopes[r] == finds[i].wanted &&
				    root_matches(root, v.name))
					emit_role(x, &die, &v, root);
			}
		}
	}
}

/* Drop glue exists for every type that can be dropped; recorded is that of types which may stand behind a trait object:
 * in layouts of another build, where addresses say nothing, it tells the type of an object whose trait has no poll. */
void drops_extract(struct extractor *x)
{
	static const char *const NAMES[] = { "drop_in_place<", "drop_glue<" }; /* the latter since rustc 1.97 */
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	for (size_t i = 0; i < count; i++) {
		struct die die;
		struct die_values v;
		uint64_t types[2], seen;
		if (finds[i].kind != FIND_WANTED || finds[i].wanted != x->drop_scope || !die_at(x->dw, finds[i].die, &die) ||
		    die.abbrev->tag != DW_TAG_subprogram || !die_read(x->dw, &die, &v) || v.name == NULL ||
		    (strncmp(v.name, NAMES[0], strlen(NAMES[0])) != 0 && strncmp(v.name, NAMES[1], strlen(NAMES[1])) != 0) ||
		    template_types(x, &die, types) == 0 || !map_get(&x->dropped, type_reference_hash(x, types[0]), &seen))
			continue;
		struct function f = { .kind = FUNCTION_DROP, .role = "", .name = v.name, .type = type_intern(x, types[0]),
			              .type2 = TINFO_NONE };
		emit(x, &die, &v, &f);
	}
}

/* Where an async fn is declared (its plain function's `fn` line) is in a function DIE found by path. */
struct site_search {
	struct extractor *x;
	struct map functions; /* path hash -> DIE */
};

static void site_found(void *context, uint64_t scope_hash, const struct die *die)
{
	struct site_search *search = context;
	const char *name = die->abbrev->kind == SWEEP_FUNCTION ? die_name(search->x->dw, die) : NULL;
	uint64_t found;
	if (name == NULL)
		return;
	uint64_t key = sweep_path_extend(scope_hash, name, strlen(name));
	if (map_get(&search->functions, key, &found) && found == DWARF_NO_OFFSET)
		map_set(&search->functions, key, die->offset);
	impls_found(search->x, scope_hash, die);
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

static void set_site(struct extractor *x, struct pending_coroutine *c, uint64_t function)
{
	struct die die;
	struct die_values v;
	if (function == DWARF_NO_OFFSET || !die_at(x->dw, function, &die) || !die_read(x->dw, &die, &v) || v.line == 0)
		return;
	c->type.file = site_file(x, &die, &v);
	c->type.line = (uint32_t)v.line;
}

void definition_sites(struct extractor *x)
{
	struct site_search search = { x, MAP_INIT };
	size_t scope_count = 0;
	uint64_t *scopes = malloc((x->coroutine_count + x->impl_count) * sizeof *scopes + 1);
	if (scopes == NULL)
		abort();
	for (size_t i = 0; i < x->coroutine_count; i++) {
		uint64_t parent;
		const char *name;
		if (x->coroutines[i].function_key == 0 ||
		    !sweep_scope_split(x->sweep, x->coroutines[i].die, &parent, &name))
			continue;
		map_set(&search.functions, x->coroutines[i].function_key, DWARF_NO_OFFSET);
		scopes[scope_count++] = parent;
	}
	for (size_t i = 0; i < x->impl_count; i++)
		scopes[scope_count++] = x->impls[i].hash;
	qsort(scopes, scope_count, sizeof *scopes, compare_u64);
	size_t unique = 0;
	for (size_t i = 0; i < scope_count; i++)
		if (unique == 0 || scopes[unique - 1] != scopes[i])
			scopes[unique++] = scopes[i];
	sweep_lookup(x->sweep, scopes, unique, site_found, &search);
	for (size_t i = 0; i < x->coroutine_count; i++) {
		struct pending_coroutine *c = &x->coroutines[i];
		uint64_t function = DWARF_NO_OFFSET;
		if (c->function_key != 0)
			map_get(&search.functions, c->function_key, &function);
		set_site(x, c, function != DWARF_NO_OFFSET ? function : c->resume);
		build_type_define(x->build, c->id, &c->type, NULL, 0, c->variants, c->variant_count);
	}
	size_t find_count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &find_count);
	for (size_t i = 0; i < find_count; i++) {
		struct die die;
		if (finds[i].kind == FIND_RESUME && die_at(x->dw, finds[i].die, &die))
			impls_found_around(x, &die);
	}
	for (size_t i = 0; i < x->impl_count; i++) {
		struct impl record = { x->impls[i].path, x->impls[i].self };
		if (record.self != NULL)
			build_impl(x->build, &record);
	}
	free(scopes);
	map_release(&search.functions);
}

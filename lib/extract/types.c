/* Types: from DIEs to records. A work list, no recursion: interning a DIE gives it an id at once and queues its
 * definition, so cycles are no matter.
 *
 * One type has a copy in every codegen unit. Copies are merged when they are of one identity: tag, full path and a
 * shallow signature (size, member names, offsets, names and sizes of member types, discriminant values). What a
 * member's type looks like inside does not count, which keeps it cheap and makes it end; two releases of one
 * crate stay apart as soon as anything visible differs. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "extract/extract_internal.h"
#include "rust/names.h"

enum { FORWARD_MAX = 16, MEMBERS_MAX = 1 << 20 };

void die_path(struct extractor *x, const struct die *die, const char *name, struct strbuf *out)
{
	size_t before = out->length;
	sweep_scope_path(x->sweep, die->offset, out);
	if (out->length != before)
		strbuf_adds(out, "::");
	strbuf_adds(out, name);
}

uint64_t die_path_hash(struct extractor *x, const struct die *die, const char *name)
{
	return sweep_path_extend(sweep_scope_hash(x->sweep, die->offset), name, strlen(name));
}

/* Registry, git and std paths fold by their own form; what is left below the compiler's working directory (cargo's
 * workspace root) is told relative to it. */
static const char *fold_site(struct extractor *x, const char *path, const char *comp_dir)
{
	uint64_t known;
	if (map_get(&x->site_texts, (uint64_t)(uintptr_t)path, &known))
		return (const char *)(uintptr_t)known;
	struct strbuf folded = STRBUF_INIT;
	path_fold(&folded, path);
	size_t length = comp_dir != NULL ? strlen(comp_dir) : 0;
	const char *text = folded.text;
	if (length != 0 && strcmp(folded.text, path) == 0 && strncmp(path, comp_dir, length) == 0 && path[length] == '/')
		text += length + 1;
	text = arena_strdup(&x->arena, text);
	strbuf_release(&folded);
	map_set(&x->site_texts, (uint64_t)(uintptr_t)path, (uint64_t)(uintptr_t)text);
	return text;
}

const char *site_file(struct extractor *x, const struct die *die, const struct die_values *values)
{
	if ((values->has & DIE_FILE) == 0)
		return "";
	const char *path = line_files_path(x->lines, die->unit, values->file);
	if (path == NULL)
		return "";
	const char *text = fold_site(x, path, die->unit->comp_dir);
	struct text_span crate, version;
	if (path_crate(path, &crate, &version)) {
		uint64_t key = hash_bytes(crate.at, crate.length + 1 + version.length, 7);
		uint64_t seen;
		if (!map_get(&x->crates, key, &seen)) {
			map_set(&x->crates, key, 1);
			struct crate record = { arena_strndup(&x->arena, crate.at, crate.length),
				                arena_strndup(&x->arena, version.at, version.length) };
			build_crate(x->build, &record);
			if (x->roots->crate != NULL && strcmp(record.name, x->roots->crate) == 0 &&
			    x->subject_version == NULL)
				x->subject_version = record.version;
		}
	}
	return text;
}

/* Follows declarations to definitions and C's typedefs and qualifiers to what they stand for. */
static bool type_resolve(struct extractor *x, uint64_t offset, struct die *die, struct die_values *values)
{
	for (int hops = 0; hops < FORWARD_MAX; hops++) {
		uint64_t definition;
		if (map_get(&x->definitions, offset, &definition))
			offset = definition;
		if (!die_at(x->dw, offset, die) || !die_read(x->dw, die, values))
			return false;
		switch (die->abbrev->tag) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if ((values->has & DIE_TYPE) == 0)
				return true;
			offset = values->type;
			break;
		default:
			return true;
		}
	}
	return false;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return hash_u64(hash ^ (value + 0x9e3779b97f4a7c15u));
}

static uint64_t reference_hash_to(struct extractor *x, uint64_t offset, int depth)
{
	uint64_t known;
	if (map_get(&x->references, offset, &known))
		return known;
	struct die die;
	struct die_values v;
	if (offset == DWARF_NO_OFFSET || depth > FORWARD_MAX || !type_resolve(x, offset, &die, &v))
		return 0;
	uint64_t hash;
	if (v.name != NULL)
		hash = die_path_hash(x, &die, v.name);
	else /* anonymous pointers and arrays are told by what they lead to */
		hash = mix(die.abbrev->tag, reference_hash_to(x, v.type, depth + 1));
	if (die.abbrev->tag == DW_TAG_array_type) {
		struct die range;
		struct die_values r;
		if (die_child(x->dw, &die, &range) && die_read(x->dw, &range, &r))
			hash = mix(hash, (r.has & DIE_COUNT) != 0 ? r.count : r.upper + 1);
	}
	hash = mix(hash, v.size);
	map_set(&x->references, offset, hash);
	return hash;
}

uint64_t type_reference_hash(struct extractor *x, uint64_t die)
{
	return reference_hash_to(x, die, 0);
}

/* Mixes in what the children of a struct, union, enum or variant say; payload structs of variants in full, since
 * they are the enum's own. */
static uint64_t children_signature(struct extractor *x, const struct die *die, uint64_t hash, int depth)
{
	struct die child;
	struct die_values v;
	for (bool more = die_child(x->dw, die, &child); more; more = die_next(x->dw, &child, &child)) {
		uint16_t tag = child.abbrev->tag;
		bool nested = depth > 0 && tag == DW_TAG_structure_type;
		if (tag != DW_TAG_member && tag != DW_TAG_enumerator && tag != DW_TAG_variant_part &&
		    tag != DW_TAG_variant && tag != DW_TAG_subrange_type && !nested)
			continue;
		if (!die_read(x->dw, &child, &v))
			break;
		hash = mix(hash, tag);
		if (v.name != NULL)
			hash = hash_bytes(v.name, strlen(v.name), hash);
		hash = mix(hash, v.member_offset);
		hash = mix(hash, v.discr_value.low ^ v.const_value.low);
		hash = mix(hash, v.count);
		/* A variant's member leads to a payload struct inside: its contents are mixed in below. */
		if ((v.has & DIE_TYPE) != 0 && !(depth > 0 && tag == DW_TAG_member))
			hash = mix(hash, type_reference_hash(x, v.type));
		if (child.abbrev->has_children && depth < 4 &&
		    (tag == DW_TAG_variant_part || tag == DW_TAG_variant || nested))
			hash = children_signature(x, &child, hash, nested ? 0 : depth + 1);
	}
	return hash;
}

static uint64_t type_identity(struct extractor *x, const struct die *die, const struct die_values *v)
{
	uint64_t hash = mix(die->abbrev->tag, type_reference_hash(x, die->offset));
	hash = mix(hash, v->encoding);
	switch (die->abbrev->tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return children_signature(x, die, hash, 0);
	default:
		return hash;
	}
}

uint32_t type_intern(struct extractor *x, uint64_t offset)
{
	uint64_t id;
	if (offset == DWARF_NO_OFFSET)
		return TINFO_NONE;
	if (map_get(&x->type_ids, offset, &id))
		return (uint32_t)id;
	struct die die;
	struct die_values v;
	if (!type_resolve(x, offset, &die, &v))
		return TINFO_NONE;
	uint64_t identity = type_identity(x, &die, &v);
	if (!map_get(&x->canonical, identity, &id)) {
		id = build_type_reserve(x->build);
		map_set(&x->canonical, identity, id);
		x->queue = array_reserve(x->queue, &x->queue_capacity, x->queue_count, 1, sizeof *x->queue);
		x->queue[x->queue_count++] = (struct queued_type){ die.offset, (uint32_t)id };
	}
	map_set(&x->type_ids, offset, id);
	if (die.offset != offset)
		map_set(&x->type_ids, die.offset, id);
	return (uint32_t)id;
}

static enum base_encoding base_encoding(uint64_t encoding)
{
	switch (encoding) {
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
		return BASE_UNSIGNED;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return BASE_SIGNED;
	case DW_ATE_boolean:
		return BASE_BOOL;
	case DW_ATE_UTF:
		return BASE_CHAR;
	case DW_ATE_float:
		return BASE_FLOAT;
	default:
		return BASE_OTHER;
	}
}

/* The members of a struct or union. *past is set when one reaches past the end of its owner. */
static struct member *read_members(struct extractor *x, const struct die *die, uint64_t owner_size, size_t *count,
                                   bool *past)
{
	struct member *members = NULL;
	size_t capacity = 0;
	struct die child;
	struct die_values v;
	*count = 0;
	for (bool more = die_child(x->dw, die, &child); more; more = die_next(x->dw, &child, &child)) {
		if (child.abbrev->tag != DW_TAG_member || !die_read(x->dw, &child, &v) || *count >= MEMBERS_MAX)
			continue;
		struct die target;
		struct die_values t;
		uint32_t type = type_intern(x, v.type);
		if (owner_size != 0 && type_resolve(x, v.type, &target, &t) &&
		    (v.member_offset > owner_size ||
		     (v.member_offset < owner_size && t.size > owner_size - v.member_offset)))
			*past = true; /* what begins at the very end is an unsized tail: `ArcInner<[u8]>` */
		members = array_reserve(members, &capacity, *count, 1, sizeof *members);
		members[(*count)++] = (struct member){ v.name != NULL ? v.name : "", type, v.member_offset,
			                               (v.has & DIE_ARTIFICIAL) != 0 ? MEMBER_ARTIFICIAL : 0 };
	}
	return members;
}

/* Sign-extends from the width the form has when the discriminant's type is signed, then cuts to its size: the
 * form is the smallest that holds the value and does not show the sign. */
static void discriminant(const struct die_number *n, bool is_signed, uint64_t size, uint64_t value[2])
{
	uint64_t low = n->low, high = n->high;
	if (is_signed && !n->is_signed && n->width != 0 && n->width <= 8) {
		unsigned bits = n->width * 8u;
		if (bits < 64 && (low >> (bits - 1) & 1) != 0)
			low |= ~(uint64_t)0 << bits;
		high = (low >> 63) != 0 ? UINT64_MAX : 0;
	}
	if (size < 8)
		low &= size == 0 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * size)) - 1;
	if (size <= 8)
		high = 0;
	value[0] = low;
	value[1] = high;
}

struct enum_reading {
	struct type *type;
	struct variant *variants;
	struct die *payloads;       /* beside variants: the payload struct's DIE, abbrev NULL when there is none */
	uint64_t *awaitees;         /* beside variants: reference hash of the awaited type, 0 none */
	size_t count, capacity, payload_capacity, awaitee_capacity;
	bool is_signed;
	uint64_t discr_size;
};

static void read_discr(struct extractor *x, const struct die_values *part, struct enum_reading *e)
{
	struct die member, base;
	struct die_values m, b;
	if ((part->has & DIE_DISCR) == 0 || !die_at(x->dw, part->discr, &member) || !die_read(x->dw, &member, &m))
		return;
	e->type->extra = m.member_offset;
	e->type->target = type_intern(x, m.type);
	if (type_resolve(x, m.type, &base, &b)) {
		e->discr_size = b.size;
		e->is_signed = base_encoding(b.encoding) == BASE_SIGNED;
	}
}

static void read_variant(struct extractor *x, const struct die *die, struct enum_reading *e)
{
	struct die member;
	struct die_values v, m;
	if (!die_read(x->dw, die, &v) || e->count >= MEMBERS_MAX)
		return;
	bool found = false;
	for (bool more = die_child(x->dw, die, &member); more && !found; more = die_next(x->dw, &member, &member)) {
		found = member.abbrev->tag == DW_TAG_member && die_read(x->dw, &member, &m);
		if (found)
			break;
	}
	if (!found)
		return;
	struct variant variant = { .name = m.name != NULL ? m.name : "", .payload = TINFO_NONE, .offset = m.member_offset };
	variant.file = site_file(x, &member, &m);
	variant.line = (uint32_t)m.line;
	if ((v.has & DIE_DISCR_VALUE) != 0) {
		variant.flags |= VARIANT_VALUE;
		discriminant(&v.discr_value, e->is_signed, e->discr_size, variant.value);
	}
	struct die payload = { 0 };
	struct die_values p;
	if (!type_resolve(x, m.type, &payload, &p))
		payload.abbrev = NULL;
	e->variants = array_reserve(e->variants, &e->capacity, e->count, 1, sizeof *e->variants);
	e->payloads = array_reserve(e->payloads, &e->payload_capacity, e->count, 1, sizeof *e->payloads);
	e->awaitees = array_reserve(e->awaitees, &e->awaitee_capacity, e->count, 1, sizeof *e->awaitees);
	e->variants[e->count] = variant;
	e->payloads[e->count] = payload;
	e->awaitees[e->count] = 0;
	e->count++;
}

static void read_variant_part(struct extractor *x, const struct die *part, struct enum_reading *e)
{
	struct die child;
	struct die_values v;
	if (die_read(x->dw, part, &v))
		read_discr(x, &v, e);
	for (bool more = die_child(x->dw, part, &child); more; more = die_next(x->dw, &child, &child))
		if (child.abbrev->tag == DW_TAG_variant)
			read_variant(x, &child, e);
}

/* Payload structs belong to their enum: they get ids of their own, without a search for copies. */
static uint32_t payload_define(struct extractor *x, const struct die *die, const struct die_values *v,
                               const char *owner, struct member *members, size_t count)
{
	uint32_t id = build_type_reserve(x->build);
	struct strbuf name = STRBUF_INIT;
	strbuf_addf(&name, "%s::%s", owner, v->name != NULL ? v->name : "");
	struct type type = { .kind = TYPE_STRUCT, .name = name.text, .size = v->size, .flags = TYPE_SIZED,
		             .target = TINFO_NONE, .file = "" };
	build_type_define(x->build, id, &type, members, count, NULL, 0);
	strbuf_release(&name);
	map_set(&x->type_ids, die->offset, id);
	return id;
}

static bool digits_only(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static bool is_coroutine(const char *name, const struct enum_reading *e)
{
	bool numbered = e->count >= 3;
	for (size_t i = 0; i < e->count; i++)
		numbered &= digits_only(e->variants[i].name);
	return numbered && coroutine_name(name);
}

static void payloads_define(struct extractor *x, const char *owner, struct enum_reading *e, bool coroutine)
{
	struct member **members = calloc(e->count + 1, sizeof *members);
	size_t *counts = calloc(e->count + 1, sizeof *counts);
	struct die_values *values = calloc(e->count + 1, sizeof *values);
	if (members == NULL || counts == NULL || values == NULL)
		abort();
	for (size_t i = 0; i < e->count; i++) {
		bool past = false;
		if (e->payloads[i].abbrev == NULL || !die_read(x->dw, &e->payloads[i], &values[i]))
			continue;
		members[i] = read_members(x, &e->payloads[i], values[i].size, &counts[i], &past);
		if (past)
			counts[i] = 0;
		if (coroutine && values[i].name != NULL)
			e->variants[i].name = values[i].name;
		struct die child;
		struct die_values m;
		for (bool more = coroutine && die_child(x->dw, &e->payloads[i], &child); more;
		     more = die_next(x->dw, &child, &child))
			if (child.abbrev->tag == DW_TAG_member && die_read(x->dw, &child, &m) && m.name != NULL &&
			    strcmp(m.name, "__awaitee") == 0)
				e->awaitees[i] = type_reference_hash(x, m.type);
	}
	if (coroutine)
		coroutine_prune(members, counts, e->variants, e->count,
		                future_kind_of(owner) != KIND_ASYNC_FN);
	for (size_t i = 0; i < e->count; i++) {
		if (e->payloads[i].abbrev != NULL)
			e->variants[i].payload = payload_define(x, &e->payloads[i], &values[i], owner, members[i], counts[i]);
		free(members[i]);
	}
	free(members);
	free(counts);
	free(values);
}

static void coroutine_hold(struct extractor *x, uint32_t id, const struct die *die, const char *own_name,
                           struct enum_reading *e)
{
	struct pending_coroutine pending = { .id = id, .die = die->offset, .type = *e->type, .variant_count = e->count };
	pending.type.name = arena_strdup(&x->arena, e->type->name);
	pending.type.flags |= TYPE_COROUTINE;
	pending.variants = arena_copy(&x->arena, e->variants, e->count * sizeof *e->variants);
	uint64_t parent = 0;
	const char *function = NULL;
	if (future_kind_of(e->type->name) == KIND_ASYNC_FN &&
	    sweep_scope_split(x->sweep, die->offset, &parent, &function))
		pending.function_key = sweep_path_extend(parent, function, strlen(function));
	coroutine_sites(x, die->offset, die_path_hash(x, die, own_name), pending.variants, e->awaitees, e->count,
	                &pending.resume, id);
	x->coroutines = array_reserve(x->coroutines, &x->coroutine_capacity, x->coroutine_count, 1, sizeof pending);
	x->coroutines[x->coroutine_count++] = pending;
}

static bool find_variant_part(struct extractor *x, const struct die *die, struct die *part)
{
	for (bool more = die_child(x->dw, die, part); more; more = die_next(x->dw, part, part))
		if (part->abbrev->tag == DW_TAG_variant_part)
			return true;
	return false;
}

static void define_enum(struct extractor *x, uint32_t id, const struct die *die, const char *own_name,
                        const struct die *part, struct type *type)
{
	struct enum_reading e = { .type = type };
	type->kind = TYPE_ENUM;
	read_variant_part(x, part, &e);
	bool coroutine = is_coroutine(own_name, &e);
	payloads_define(x, type->name, &e, coroutine);
	if (coroutine)
		coroutine_hold(x, id, die, own_name, &e);
	else
		build_type_define(x->build, id, type, NULL, 0, e.variants, e.count);
	free(e.variants);
	free(e.payloads);
	free(e.awaitees);
}

static void define_c_enum(struct extractor *x, uint32_t id, const struct die *die, const struct die_values *v,
                          struct type *type)
{
	struct variant *variants = NULL;
	size_t count = 0, capacity = 0;
	struct die child, base;
	struct die_values e, b;
	bool is_signed = false;
	type->kind = TYPE_CENUM;
	if ((v->has & DIE_TYPE) != 0) {
		type->target = type_intern(x, v->type);
		is_signed = type_resolve(x, v->type, &base, &b) && base_encoding(b.encoding) == BASE_SIGNED;
	}
	for (bool more = die_child(x->dw, die, &child); more; more = die_next(x->dw, &child, &child)) {
		if (child.abbrev->tag != DW_TAG_enumerator || !die_read(x->dw, &child, &e) || count >= MEMBERS_MAX)
			continue;
		struct variant variant = { .name = e.name != NULL ? e.name : "", .payload = TINFO_NONE, .file = "",
			                   .flags = VARIANT_VALUE };
		discriminant(&e.const_value, is_signed, v->size, variant.value);
		variants = array_reserve(variants, &capacity, count, 1, sizeof *variants);
		variants[count++] = variant;
	}
	build_type_define(x->build, id, type, NULL, 0, variants, count);
	free(variants);
}

/* What a PhantomData<T> stands for. A Vec or a hash table keeps bytes behind untyped pointers; the type of its
 * elements is said by its marker only. */
static uint32_t phantom_argument(struct extractor *x, const struct die *die)
{
	struct die child;
	struct die_values v;
	for (bool more = die_child(x->dw, die, &child); more; more = die_next(x->dw, &child, &child))
		if (child.abbrev->tag == DW_TAG_template_type_parameter && die_read(x->dw, &child, &v))
			return type_intern(x, v.type);
	return TINFO_NONE;
}

static void define_struct(struct extractor *x, uint32_t id, const struct die *die, const struct die_values *v,
                          struct type *type)
{
	size_t count = 0;
	bool past = false;
	struct member *members = read_members(x, die, v->size, &count, &past);
	type->kind = die->abbrev->tag == DW_TAG_union_type ? TYPE_UNION : TYPE_STRUCT;
	if (v->name != NULL && strncmp(v->name, "PhantomData<", 12) == 0)
		type->target = phantom_argument(x, die);
	if (past) { /* contradicts itself: better opaque than misread */
		type->kind = TYPE_OPAQUE;
		count = 0;
	}
	build_type_define(x->build, id, type, members, count, NULL, 0);
	free(members);
}

static void define_pointer(struct extractor *x, uint32_t id, const struct die_values *v, struct type *type)
{
	type->kind = TYPE_POINTER;
	type->size = 8;
	type->flags |= TYPE_SIZED;
	type->target = type_intern(x, v->type);
	build_type_define(x->build, id, type, NULL, 0, NULL, 0);
}

static void define_array(struct extractor *x, uint32_t id, const struct die *die, const struct die_values *v,
                         struct type *type)
{
	struct die range, element;
	struct die_values r, e;
	type->kind = TYPE_ARRAY;
	type->target = type_intern(x, v->type);
	for (bool more = die_child(x->dw, die, &range); more; more = die_next(x->dw, &range, &range)) {
		if (range.abbrev->tag != DW_TAG_subrange_type || !die_read(x->dw, &range, &r))
			continue;
		type->extra = (r.has & DIE_COUNT) != 0 ? r.count : (r.has & DIE_UPPER) != 0 ? r.upper + 1 : 0;
		break;
	}
	if (type_resolve(x, v->type, &element, &e) && (e.has & DIE_SIZE) != 0 &&
	    (e.size == 0 || type->extra <= UINT64_MAX / e.size)) {
		type->size = type->extra * e.size;
		type->flags |= TYPE_SIZED;
	}
	build_type_define(x->build, id, type, NULL, 0, NULL, 0);
}

static void type_define(struct extractor *x, const struct queued_type *queued)
{
	struct die die, part;
	struct die_values v;
	if (!type_resolve(x, queued->die, &die, &v))
		return;
	struct strbuf name = STRBUF_INIT;
	if (v.name != NULL)
		die_path(x, &die, v.name, &name);
	struct type type = { .name = name.text, .size = v.size, .target = TINFO_NONE, .file = "",
		             .flags = (v.has & DIE_SIZE) != 0 ? TYPE_SIZED : 0 };
	impls_note(x, name.text);
	bool declared = (v.has & DIE_DECLARATION) != 0;
	switch (die.abbrev->tag) {
	case DW_TAG_base_type:
		type.kind = TYPE_BASE;
		type.encoding = base_encoding(v.encoding);
		build_type_define(x->build, queued->id, &type, NULL, 0, NULL, 0);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		define_pointer(x, queued->id, &v, &type);
		break;
	case DW_TAG_subroutine_type:
		type.kind = TYPE_FUNCTION;
		build_type_define(x->build, queued->id, &type, NULL, 0, NULL, 0);
		break;
	case DW_TAG_array_type:
		define_array(x, queued->id, &die, &v, &type);
		break;
	case DW_TAG_enumeration_type:
		define_c_enum(x, queued->id, &die, &v, &type);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (!declared && find_variant_part(x, &die, &part))
			define_enum(x, queued->id, &die, v.name != NULL ? v.name : "", &part, &type);
		else if (!declared)
			define_struct(x, queued->id, &die, &v, &type);
		else
			build_type_define(x->build, queued->id, &type, NULL, 0, NULL, 0);
		break;
	default: /* opaque: named, not understood */
		build_type_define(x->build, queued->id, &type, NULL, 0, NULL, 0);
		break;
	}
	strbuf_release(&name);
}

void types_drain(struct extractor *x)
{
	while (x->queue_next < x->queue_count) {
		struct queued_type queued = x->queue[x->queue_next++]; /* the queue may move */
		type_define(x, &queued);
	}
}

/* A declaration stands for the one definition of its path; where definitions differ it stays a declaration. */
struct declaration_search {
	struct extractor *x;
	struct map definitions; /* path hash -> DIE of the first definition, 0 when they differ */
};

static void definition_found(void *context, uint64_t scope_hash, const struct die *die)
{
	struct declaration_search *search = context;
	if (die->abbrev->kind != SWEEP_TYPE)
		return;
	const char *name = die_name(search->x->dw, die);
	uint64_t first, key = name != NULL ? sweep_path_extend(scope_hash, name, strlen(name)) : 0;
	if (name == NULL || !map_get(&search->definitions, key, &first))
		return;
	if (first == DWARF_NO_OFFSET)
		map_set(&search->definitions, key, die->offset);
	else if (first != UINT64_MAX && type_reference_hash(search->x, first) != type_reference_hash(search->x, die->offset))
		map_set(&search->definitions, key, UINT64_MAX);
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

void declarations_resolve(struct extractor *x)
{
	size_t count, declared = 0;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	struct declaration_search search = { x, MAP_INIT };
	uint64_t *scopes = malloc(count * sizeof *scopes + 1);
	if (scopes == NULL)
		abort();
	for (size_t i = 0; i < count; i++) {
		struct die die;
		const char *name;
		if (finds[i].kind != FIND_DECLARATION || !die_at(x->dw, finds[i].die, &die) ||
		    (name = die_name(x->dw, &die)) == NULL)
			continue;
		scopes[declared] = sweep_scope_hash(x->sweep, die.offset);
		map_set(&search.definitions, sweep_path_extend(scopes[declared], name, strlen(name)), DWARF_NO_OFFSET);
		declared++;
	}
	qsort(scopes, declared, sizeof *scopes, compare_u64);
	size_t unique = 0;
	for (size_t i = 0; i < declared; i++)
		if (unique == 0 || scopes[unique - 1] != scopes[i])
			scopes[unique++] = scopes[i];
	sweep_lookup(x->sweep, scopes, unique, definition_found, &search);
	for (size_t i = 0; i < count; i++) {
		struct die die;
		const char *name;
		uint64_t definition;
		if (finds[i].kind != FIND_DECLARATION || !die_at(x->dw, finds[i].die, &die) ||
		    (name = die_name(x->dw, &die)) == NULL)
			continue;
		if (map_get(&search.definitions, die_path_hash(x, &die, name), &definition) &&
		    definition != DWARF_NO_OFFSET && definition != UINT64_MAX)
			map_set(&x->definitions, finds[i].die, definition);
	}
	free(scopes);
	map_release(&search.definitions);
	map_release(&x->references); /* hashes of declarations computed on the way are those of nothing */
}

void types_release(struct extractor *x)
{
	map_release(&x->type_ids);
	map_release(&x->canonical);
	map_release(&x->references);
	map_release(&x->definitions);
	free(x->queue);
	free(x->coroutines);
}

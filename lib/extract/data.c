/* What is not code: root types, vtables of trait objects, statics, and constant tables of role functions. */
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "extract/extract_internal.h"
#include "rust/names.h"

void roots_extract(struct extractor *x)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	x->table_type = TINFO_NONE;
	for (size_t i = 0; i < count; i++) {
		struct die die;
		const char *name;
		if (finds[i].kind != FIND_WANTED || !die_at(x->dw, finds[i].die, &die) ||
		    die.abbrev->kind != SWEEP_TYPE || (name = die_name(x->dw, &die)) == NULL)
			continue;
		for (size_t r = 0; r < x->roots->count; r++) {
			const struct root *root = &x->roots->items[r];
			size_t length = strlen(root->name);
			bool generic = (root->flags & ROOT_GENERIC) != 0;
			if ((root->kind != ROOT_TYPE && root->kind != ROOT_TABLE) || strncmp(name, root->name, length) != 0 ||
			    name[length] != (generic ? '<' : '\0') || x->root_scopes[r] != finds[i].wanted)
				continue;
			uint32_t id = type_intern(x, die.offset);
			if (root->kind == ROOT_TABLE)
				x->table_type = id;
		}
	}
}

/* The operand of a location that is one address: DW_OP_addr, DW_OP_addrx. */
static bool address_location(struct extractor *x, const struct die *die, const struct die_values *v, uint64_t *address)
{
	struct cursor c = cursor_over(v->location, (size_t)v->location_length);
	if (v->location == NULL)
		return false;
	uint8_t op = cursor_u8(&c);
	if (op == DW_OP_addr)
		*address = cursor_uint(&c, die->unit->address_size);
	else if (op != DW_OP_addrx && op != DW_OP_GNU_addr_index)
		return false;
	else if (!dwarf_address(x->dw, die->unit, cursor_uleb(&c), address))
		return false;
	return !c.bad && cursor_left(&c) == 0;
}

/* The operand of DW_OP_const8u off; DW_OP_GNU_push_tls_address (or form_tls_address). */
static bool tls_location(const struct die_values *v, uint64_t *offset)
{
	struct cursor c = cursor_over(v->location, (size_t)v->location_length);
	if (v->location == NULL)
		return false;
	uint8_t op = cursor_u8(&c);
	*offset = op == DW_OP_const8u ? cursor_u64(&c) : op == DW_OP_const4u ? cursor_u32(&c) : 0;
	uint8_t then = cursor_u8(&c);
	return !c.bad && (op == DW_OP_const8u || op == DW_OP_const4u) &&
	       (then == DW_OP_GNU_push_tls_address || then == DW_OP_form_tls_address);
}

static void vtable_extract(struct extractor *x, const struct die *die)
{
	static const char suffix[] = ">::{vtable}", as[] = " as ";
	struct die table, concrete;
	struct die_values v, t, c;
	uint64_t address = 0;
	if (!die_read(x->dw, die, &v) || v.name == NULL || !address_location(x, die, &v, &address) || address == 0 ||
	    !die_at(x->dw, v.type, &table) || !die_read(x->dw, &table, &t) || (t.has & DIE_CONTAINING) == 0 ||
	    !die_at(x->dw, t.containing, &concrete) || !die_read(x->dw, &concrete, &c))
		return;
	/* "<C as Trait>::{vtable}" with C spelled as the type's own path: what is left is the trait. */
	struct strbuf self = STRBUF_INIT;
	if (c.name != NULL)
		die_path(x, &concrete, c.name, &self);
	size_t length = strlen(v.name), skip = 1 + self.length + (sizeof as - 1);
	const char *trait = "";
	if (v.name[0] == '<' && length > skip + sizeof suffix - 1 &&
	    strcmp(v.name + length - (sizeof suffix - 1), suffix) == 0 &&
	    memcmp(v.name + 1, self.text, self.length) == 0 && memcmp(v.name + 1 + self.length, as, sizeof as - 1) == 0)
		trait = arena_strndup(&x->arena, v.name + skip, length - skip - (sizeof suffix - 1));
	strbuf_release(&self);
	map_set(&x->dropped, type_reference_hash(x, t.containing), 1);
	struct vtable record = { address, type_intern(x, t.containing), trait, (uint32_t)(t.size / 8) };
	build_vtable(x->build, &record);
}

void vtables_extract(struct extractor *x)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	for (size_t i = 0; i < count; i++) {
		struct die die;
		if (finds[i].kind == FIND_VTABLE && die_at(x->dw, finds[i].die, &die))
			vtable_extract(x, &die);
	}
}

static bool same_symbol(const char *a, const char *b)
{
	size_t length = symbol_base_length(a);
	return length == symbol_base_length(b) && memcmp(a, b, length) == 0;
}

/* A TLS variable counts only when the symbol table has it: of two DIEs for one thread_local the linker kept one,
 * and the dead one's operand looks like a valid offset. */
static bool tls_symbol(struct extractor *x, const char *linkage, uint64_t *offset)
{
	size_t count;
	const struct elf_symbol *symbols = elf_tls_symbols(x->image != NULL ? x->image : x->debug, &count);
	for (size_t i = 0; i < count; i++)
		if (same_symbol(symbols[i].name, linkage)) {
			*offset = symbols[i].value;
			return true;
		}
	return false;
}

static void static_extract(struct extractor *x, const struct die *die, const struct root *root)
{
	struct die_values v;
	uint64_t address = 0;
	struct static_variable record = { .role = root->role };
	if (!die_read(x->dw, die, &v) || v.name == NULL || v.type == DWARF_NO_OFFSET)
		return;
	if (tls_location(&v, &address) || !address_location(x, die, &v, &address)) {
		/* A release build may drop the location of the copy that lives: the symbol tells all the same. */
		if (v.linkage_name == NULL || !tls_symbol(x, v.linkage_name, &address))
			return;
		record.flags = STATIC_TLS;
	} else if (address == 0) {
		return;
	}
	struct strbuf path = STRBUF_INIT;
	die_path(x, die, v.name, &path);
	record.name = path.text;
	record.symbol = v.linkage_name != NULL
	                        ? arena_strndup(&x->arena, v.linkage_name, symbol_base_length(v.linkage_name))
	                        : "";
	record.address = address;
	record.type = type_intern(x, v.type);
	build_static(x->build, &record);
	strbuf_release(&path);
}

void statics_extract(struct extractor *x)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	for (size_t i = 0; i < count; i++) {
		struct die die;
		const char *name;
		if (finds[i].kind != FIND_WANTED || !die_at(x->dw, finds[i].die, &die) ||
		    die.abbrev->kind != SWEEP_VARIABLE || (name = die_name(x->dw, &die)) == NULL)
			continue;
		struct strbuf scope = STRBUF_INIT;
		sweep_scope_path(x->sweep, die.offset, &scope);
		for (size_t r = 0; r < x->roots->count; r++) {
			const struct root *root = &x->roots->items[r];
			size_t length = strlen(root->scope);
			bool below = (root->flags & ROOT_BELOW) != 0 && strncmp(scope.text, root->scope, length) == 0 &&
			             strncmp(scope.text + length, "::", 2) == 0;
			if (root->kind == ROOT_STATIC && strcmp(name, root->name) == 0 &&
			    (below || strcmp(scope.text, root->scope) == 0))
				static_extract(x, &die, root);
		}
		strbuf_release(&scope);
	}
}

/* Instances of the table type: constants without a name, found by the role functions they point at. */
struct table_member {
	const char *name;
	uint64_t offset;
	bool is_function;
};

struct table_shape {
	struct table_member *members;
	size_t count;
	uint64_t size;
};

static struct table_shape table_shape(struct extractor *x, uint64_t die_offset)
{
	struct table_shape shape = { NULL, 0, 0 };
	struct die die, child, type;
	struct die_values v, m, t;
	if (!die_at(x->dw, die_offset, &die) || !die_read(x->dw, &die, &v))
		return shape;
	shape.size = v.size;
	for (bool more = die_child(x->dw, &die, &child); more; more = die_next(x->dw, &child, &child))
		shape.count += child.abbrev->tag == DW_TAG_member;
	shape.members = arena_array(&x->arena, shape.count + 1, sizeof *shape.members);
	shape.count = 0;
	for (bool more = die_child(x->dw, &die, &child); more; more = die_next(x->dw, &child, &child)) {
		if (child.abbrev->tag != DW_TAG_member || !die_read(x->dw, &child, &m) || m.name == NULL ||
		    !die_at(x->dw, m.type, &type) || !die_read(x->dw, &type, &t) || m.member_offset > shape.size ||
		    shape.size - m.member_offset < 8)
			continue;
		shape.members[shape.count++] = (struct table_member){ m.name, m.member_offset,
			                                              type.abbrev->tag == DW_TAG_pointer_type };
	}
	return shape;
}

static uint64_t table_die(struct extractor *x)
{
	size_t count;
	const struct sweep_find *finds = sweep_finds(x->sweep, &count);
	uint64_t id;
	for (size_t i = 0; i < count; i++)
		if (finds[i].kind == FIND_WANTED && map_get(&x->type_ids, finds[i].die, &id) && id == x->table_type)
			return finds[i].die;
	return DWARF_NO_OFFSET;
}

struct instance_search {
	struct extractor *x;
	struct table_shape shape;
	struct map roles;      /* address -> index of a role function (several: folded code) */
	struct map words;      /* address of a relocated word -> its addend */
	struct map done;       /* instance addresses */
	bool relocated;        /* words come from relocations; else from the image */
};

static bool word_at(const struct instance_search *s, uint64_t address, uint64_t *value)
{
	if (map_get(&s->words, address, value))
		return true;
	uint64_t available = 0;
	const unsigned char *at = elf_image(s->x->image, address, &available);
	if (at == NULL || available < 8)
		return false;
	*value = load_uint(at, 8);
	return true;
}

static bool is_code(struct extractor *x, uint64_t address)
{
	size_t count;
	const struct elf_segment *segments = elf_segments(x->image, &count);
	for (size_t i = 0; i < count; i++)
		if (segments[i].type == PT_LOAD && (segments[i].flags & PF_X) != 0 && address >= segments[i].vaddr &&
		    address - segments[i].vaddr < segments[i].memory_size)
			return true;
	return false;
}

/* The role function that the word of this member is, agreeing in both template parameters with `like` (or any, for
 * NULL). One that has a single parameter says nothing about which instance it serves. */
static const struct role_function *role_of(const struct instance_search *s, uint64_t value, const char *member,
                                           const struct role_function *like)
{
	size_t cursor = 0;
	uint64_t index;
	while (map_next(&s->roles, value, &cursor, &index)) {
		const struct role_function *r = &s->x->roles[index];
		if (strcmp(r->root->name, member) == 0 &&
		    (like == NULL || r->type2 == TINFO_NONE || (r->type == like->type && r->type2 == like->type2)))
			return r;
	}
	return NULL;
}

/* Is the table at `base` a constant whose first member naming is `first`? Where code was folded several T fit one
 * function: then the members together decide, and only if exactly one T and S satisfies all of them. */
static const struct role_function *instance_of(const struct instance_search *s, uint64_t base, const char *member,
                                               uint64_t value)
{
	const struct role_function *only = NULL;
	size_t cursor = 0;
	uint64_t index;
	while (map_next(&s->roles, value, &cursor, &index)) {
		const struct role_function *candidate = &s->x->roles[index];
		if (strcmp(candidate->root->name, member) != 0 || candidate->type2 == TINFO_NONE)
			continue;
		bool fits = true;
		for (size_t m = 0; m < s->shape.count && fits; m++) {
			uint64_t word = 0;
			const struct table_member *tm = &s->shape.members[m];
			if (!tm->is_function)
				continue;
			fits = word_at(s, base + tm->offset, &word) && is_code(s->x, word);
			/* A member some role function of this word is known for must know this T and S, too. */
			if (fits && role_of(s, word, tm->name, NULL) != NULL)
				fits = role_of(s, word, tm->name, candidate) != NULL;
		}
		if (!fits || (only != NULL && only->type == candidate->type && only->type2 == candidate->type2))
			continue;
		if (only != NULL)
			return NULL;
		only = candidate;
	}
	return only;
}

static void consider_word(struct instance_search *s, uint64_t address, uint64_t value)
{
	uint64_t seen;
	if (!map_get(&s->roles, value, &seen))
		return;
	for (size_t m = 0; m < s->shape.count; m++) {
		const struct table_member *tm = &s->shape.members[m];
		if (!tm->is_function || address < tm->offset || role_of(s, value, tm->name, NULL) == NULL)
			continue;
		uint64_t base = address - tm->offset;
		if (map_get(&s->done, base, &seen))
			continue;
		const struct role_function *role = instance_of(s, base, tm->name, value);
		if (role == NULL)
			continue;
		map_set(&s->done, base, 1);
		struct constant constants[32];
		size_t count = 0;
		for (size_t i = 0; i < s->shape.count && count < 32; i++) {
			uint64_t word;
			if (!s->shape.members[i].is_function && word_at(s, base + s->shape.members[i].offset, &word))
				constants[count++] = (struct constant){ s->shape.members[i].name, word };
		}
		struct instance record = { base, role->function, 0, 0 };
		build_instance(s->x->build, &record, constants, count);
	}
}

/* Words of read-only and relocated data as they stand in the file: for non-PIE executables. */
static void consider_image(struct instance_search *s)
{
	size_t count;
	const struct elf_segment *segments = elf_segments(s->x->image, &count);
	for (size_t i = 0; i < count; i++) {
		if (segments[i].type != PT_LOAD || (segments[i].flags & PF_X) != 0)
			continue;
		uint64_t available = 0;
		const unsigned char *bytes = elf_image(s->x->image, segments[i].vaddr, &available);
		if (available > segments[i].file_size)
			available = segments[i].file_size;
		for (uint64_t at = (8 - segments[i].vaddr % 8) % 8; bytes != NULL && at + 8 <= available; at += 8) {
			uint64_t word = load_uint(bytes + at, 8);
			if (word != 0)
				consider_word(s, segments[i].vaddr + at, word);
		}
	}
}

struct error *instances_extract(struct extractor *x)
{
	struct instance_search s = { .x = x, .shape = table_shape(x, table_die(x)) };
	const struct elf_relative *relatives = NULL;
	size_t count = 0;
	if (x->image == NULL || s.shape.count == 0)
		return NULL;
	struct error *err = elf_relatives(x->image, &relatives, &count);
	if (err != NULL)
		return err;
	for (size_t i = 0; i < x->role_count; i++)
		if (x->roles[i].address != 0)
			map_add(&s.roles, x->roles[i].address, i);
	for (size_t i = 0; i < count; i++)
		map_set(&s.words, relatives[i].address, relatives[i].addend);
	for (size_t i = 0; i < count; i++)
		consider_word(&s, relatives[i].address, relatives[i].addend);
	if (elf_type(x->image) == ET_EXEC)
		consider_image(&s);
	map_release(&s.roles);
	map_release(&s.words);
	map_release(&s.done);
	return NULL;
}

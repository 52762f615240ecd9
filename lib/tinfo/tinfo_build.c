#include "tinfo/tinfo_build_internal.h"

#include <stdlib.h>

#include "base/array.h"

struct tinfo_build *tinfo_build_new(void)
{
	struct tinfo_build *b = calloc(1, sizeof *b);
	if (b == NULL)
		abort();
	texts_init(&b->texts);
	return b;
}

void tinfo_build_free(struct tinfo_build *b)
{
	if (b == NULL)
		return;
	texts_release(&b->texts);
	for (size_t i = 0; i < TABLE_COUNT; i++)
		free(b->rows[i].bytes);
	free(b);
}

/* Writes one record, field by field. */
struct writer {
	struct tinfo_build *b;
	unsigned char *at;
};

static struct writer row_add(struct tinfo_build *b, enum tinfo_table table)
{
	struct rows *rows = &b->rows[table];
	size_t size = TABLE_SHAPES[table].size;
	rows->bytes = array_reserve(rows->bytes, &rows->capacity, rows->count, 1, size);
	return (struct writer){ b, rows->bytes + rows->count++ * size };
}

static void write_u32(struct writer *w, uint32_t value)
{
	put_u32(w->at, value);
	w->at += 4;
}

static void write_u64(struct writer *w, uint64_t value)
{
	store_uint(w->at, value, 8);
	w->at += 8;
}

static void write_text(struct writer *w, const char *text)
{
	write_u32(w, texts_add(&w->b->texts, text));
}

static void write_type(struct writer *w, const struct type *type, uint32_t first, uint32_t count)
{
	write_text(w, type->name);
	write_u32(w, (uint32_t)type->kind | (uint32_t)type->encoding << 8 | type->flags << 16);
	write_u64(w, type->size);
	write_u32(w, first);
	write_u32(w, count);
	write_u32(w, type->target);
	write_u64(w, type->extra);
	write_text(w, type->file);
	write_u32(w, type->line);
}

uint32_t build_type_reserve(struct tinfo_build *b)
{
	uint32_t id = (uint32_t)b->rows[TABLE_TYPES].count;
	struct writer w = row_add(b, TABLE_TYPES);
	const struct type unknown = { .kind = TYPE_OPAQUE, .name = "", .target = TINFO_NONE, .file = "" };
	write_type(&w, &unknown, 0, 0);
	return id;
}

void build_type_define(struct tinfo_build *b, uint32_t id, const struct type *type, const struct member *members,
		       size_t member_count, const struct variant *variants, size_t variant_count)
{
	if (id >= b->rows[TABLE_TYPES].count)
		return;
	bool of_variants = type->kind == TYPE_ENUM || type->kind == TYPE_CENUM;
	size_t count = of_variants ? variant_count : member_count;
	size_t first = count == 0 ? 0 : b->rows[of_variants ? TABLE_VARIANTS : TABLE_MEMBERS].count;
	for (size_t i = 0; i < count && !of_variants; i++) {
		struct writer w = row_add(b, TABLE_MEMBERS);
		write_text(&w, members[i].name);
		write_u32(&w, members[i].type);
		write_u64(&w, members[i].offset);
		write_u32(&w, members[i].flags);
	}
	for (size_t i = 0; i < count && of_variants; i++) {
		struct writer w = row_add(b, TABLE_VARIANTS);
		write_text(&w, variants[i].name);
		write_u32(&w, variants[i].payload);
		write_u64(&w, variants[i].offset);
		write_u64(&w, variants[i].value[0]);
		write_u64(&w, variants[i].value[1]);
		write_u32(&w, variants[i].flags);
		write_text(&w, variants[i].file);
		write_u32(&w, variants[i].line);
	}
	struct writer w = { b, b->rows[TABLE_TYPES].bytes + (size_t)id * TABLE_SHAPES[TABLE_TYPES].size };
	write_type(&w, type, (uint32_t)first, (uint32_t)count);
}

uint32_t build_function(struct tinfo_build *b, const struct function *function)
{
	uint32_t id = (uint32_t)b->rows[TABLE_FUNCTIONS].count;
	struct writer w = row_add(b, TABLE_FUNCTIONS);
	write_text(&w, function->role);
	write_text(&w, function->name);
	write_u32(&w, function->kind);
	write_u64(&w, function->key);
	write_u64(&w, function->address);
	write_u64(&w, function->size);
	write_u32(&w, function->type);
	write_u32(&w, function->type2);
	write_text(&w, function->file);
	write_u32(&w, function->line);
	return id;
}

void build_vtable(struct tinfo_build *b, const struct vtable *vtable)
{
	struct writer w = row_add(b, TABLE_VTABLES);
	write_u64(&w, vtable->address);
	write_u32(&w, vtable->type);
	write_text(&w, vtable->trait);
	write_u32(&w, vtable->slots);
}

void build_instance(struct tinfo_build *b, const struct instance *instance, const struct constant *constants,
		    size_t count)
{
	struct writer w = row_add(b, TABLE_INSTANCES);
	write_u64(&w, instance->address);
	write_u32(&w, instance->function);
	write_u32(&w, (uint32_t)b->rows[TABLE_CONSTANTS].count);
	write_u32(&w, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		w = row_add(b, TABLE_CONSTANTS);
		write_text(&w, constants[i].member);
		write_u64(&w, constants[i].value);
	}
}

void build_static(struct tinfo_build *b, const struct static_variable *variable)
{
	struct writer w = row_add(b, TABLE_STATICS);
	write_text(&w, variable->role);
	write_text(&w, variable->name);
	write_text(&w, variable->symbol);
	write_u64(&w, variable->address);
	write_u32(&w, variable->type);
	write_u32(&w, variable->flags);
}

void build_impl(struct tinfo_build *b, const struct impl *impl)
{
	struct writer w = row_add(b, TABLE_IMPLS);
	write_text(&w, impl->path);
	write_text(&w, impl->self);
}

void build_local(struct tinfo_build *b, const struct local *local)
{
	struct writer w = row_add(b, TABLE_LOCALS);
	write_u32(&w, local->coroutine);
	write_text(&w, local->name);
	write_u32(&w, local->type);
	write_u64(&w, local->offset);
	write_text(&w, local->file);
	write_u32(&w, local->line);
}

void build_crate(struct tinfo_build *b, const struct crate *crate)
{
	struct writer w = row_add(b, TABLE_CRATES);
	write_text(&w, crate->name);
	write_text(&w, crate->version);
}

void build_symbol(struct tinfo_build *b, const struct symbol_key *symbol)
{
	struct writer w = row_add(b, TABLE_SYMBOLS);
	write_u64(&w, symbol->key);
	write_text(&w, symbol->name);
}

void build_meta(struct tinfo_build *b, const char *key, const char *value)
{
	struct writer w = row_add(b, TABLE_META);
	write_text(&w, key);
	write_text(&w, value);
}

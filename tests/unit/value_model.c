#include "value_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "tinfo/tinfo_build.h"
#include "value/render.h"

static const unsigned char *memory_peek(const void *context, uint64_t address, size_t length)
{
	const struct value_model *m = context;
	if (address < BASE || address - BASE > MODEL_SIZE || length > MODEL_SIZE - (address - BASE))
		return NULL;
	return m->memory + (address - BASE);
}

static bool memory_read(const void *context, uint64_t address, void *buffer, size_t length)
{
	const unsigned char *at = memory_peek(context, address, length);
	if (at != NULL)
		memcpy(buffer, at, length);
	return at != NULL;
}

void value_model_put(struct value_model *m, uint64_t address, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		m->memory[address - BASE + i] = (unsigned char)(value >> (8 * i));
}

static void define(struct tinfo_build *b, uint32_t id, enum type_kind kind, const char *name, uint64_t size,
                   uint32_t target, const struct member *members, size_t member_count, const struct variant *variants,
                   size_t variant_count)
{
	struct type type = { .kind = kind, .name = name, .size = size, .flags = TYPE_SIZED, .target = target, .file = "" };
	build_type_define(b, id, &type, members, member_count, variants, variant_count);
}

static uint32_t base(struct tinfo_build *b, const char *name, uint64_t size)
{
	uint32_t id = build_type_reserve(b);
	define(b, id, TYPE_BASE, name, size, TINFO_NONE, NULL, 0, NULL, 0);
	return id;
}

static uint32_t structure(struct tinfo_build *b, const char *name, uint64_t size, const struct member *members, size_t count)
{
	uint32_t id = build_type_reserve(b);
	define(b, id, TYPE_STRUCT, name, size, TINFO_NONE, members, count, NULL, 0);
	return id;
}

static uint32_t pointer(struct tinfo_build *b, const char *name, uint32_t to)
{
	uint32_t id = build_type_reserve(b);
	define(b, id, TYPE_POINTER, name, 8, to, NULL, 0, NULL, 0);
	return id;
}

static uint32_t enumeration(struct tinfo_build *b, const char *name, uint32_t tag, const char *first, const char *second,
                            uint32_t empty, uint32_t payload)
{
	uint32_t id = build_type_reserve(b);
	struct variant variants[] = {
		{ .name = first, .payload = empty, .value = { 0, 0 }, .flags = VARIANT_VALUE, .file = "" },
		{ .name = second, .payload = payload, .value = { 1, 0 }, .flags = VARIANT_VALUE, .file = "" },
	};
	define(b, id, TYPE_ENUM, name, 8, tag, NULL, 0, variants, 2);
	return id;
}

static uint32_t wide(struct tinfo_build *b, const char *name, uint32_t element, uint32_t length)
{
	struct member members[] = { { "data_ptr", pointer(b, "", element), 0, 0 }, { "length", length, 8, 0 } };
	return structure(b, name, 16, members, 2);
}

/* Ids change when a model is sealed: types are found again by their names. */
static uint32_t named(struct value_model *m, const char *name)
{
	uint32_t first;
	assert_int_equal(tinfo_types_named(m->ti, name, &first), 1);
	return tinfo_nth_named(m->ti, first);
}

static void find_types(struct value_model *m)
{
	m->u32 = named(m, "u32");
	m->point = named(m, "shop::Point");
	m->outer = named(m, "shop::Outer");
	m->newtype = named(m, "shop::Id");
	m->unit = named(m, "shop::Unit");
	m->link = named(m, "shop::Link");
	m->option = named(m, "core::option::Option<u32>");
	m->shape = named(m, "shop::Shape");
	m->reference = named(m, "&shop::Point");
	m->raw = named(m, "*const shop::Point");
	m->str = named(m, "&str");
	m->slice = named(m, "&[u32]");
}

struct value_model *value_model_new(void)
{
	struct value_model *m = calloc(1, sizeof *m);
	assert_non_null(m);
	struct tinfo_build *b = tinfo_build_new();
	uint32_t u8 = base(b, "u8", 1), u32 = base(b, "u32", 4), u64 = base(b, "u64", 8);
	struct member point_members[] = { { "x", u32, 0, 0 }, { "y", u32, 4, 0 } };
	uint32_t point = structure(b, "shop::Point", 8, point_members, 2);
	struct member outer_members[] = { { "id", u64, 0, 0 }, { "point", point, 8, 0 } };
	structure(b, "shop::Outer", 16, outer_members, 2);
	struct member id_members[] = { { "__0", u32, 0, 0 } };
	structure(b, "shop::Id", 4, id_members, 1);
	structure(b, "shop::Unit", 0, NULL, 0);
	uint32_t link = build_type_reserve(b);
	struct member link_members[] = { { "next", pointer(b, "&shop::Link", link), 0, 0 } };
	define(b, link, TYPE_STRUCT, "shop::Link", 8, TINFO_NONE, link_members, 1, NULL, 0);
	uint32_t none = structure(b, "core::option::Option<u32>::None", 8, NULL, 0);
	struct member some_members[] = { { "__0", u32, 4, 0 } };
	uint32_t some = structure(b, "core::option::Option<u32>::Some", 8, some_members, 1);
	enumeration(b, "core::option::Option<u32>", u32, "None", "Some", none, some);
	uint32_t dot = structure(b, "shop::Shape::Dot", 8, NULL, 0);
	struct member square_members[] = { { "side", u32, 4, 0 } };
	uint32_t square = structure(b, "shop::Shape::Square", 8, square_members, 1);
	enumeration(b, "shop::Shape", u32, "Dot", "Square", dot, square);
	pointer(b, "&shop::Point", point);
	pointer(b, "*const shop::Point", point);
	wide(b, "&str", u8, u64);
	wide(b, "&[u32]", u32, u64);
	assert_null(tinfo_build_finish(b, &m->ti));
	struct target_memory memory = { memory_peek, memory_read, m };
	target_init(&m->target, memory, m->ti);
	viewer_init(&m->viewer, &m->target, NULL);
	m->max_array = UINT64_MAX;
	find_types(m);
	return m;
}

void value_model_free(struct value_model *m)
{
	viewer_release(&m->viewer);
	tinfo_free(m->ti);
	free(m);
}

static void write_text(void *context, const char *bytes, size_t length)
{
	strbuf_add(context, bytes, length);
}

static void check(struct value_model *m, uint32_t type, uint64_t address, uint64_t depth, bool json, const char *text,
                  const char *file, int line)
{
	struct strbuf out = STRBUF_INIT;
	struct render r;
	struct render_options options = { .depth = depth, .max_array = m->max_array, .max_string = UINT64_MAX,
		                          .ugly = m->ugly, .write = write_text, .context = &out };
	struct value value = { type, address };
	render_init(&r, &m->viewer, &options);
	if (json)
		render_json(&r, value, depth);
	else
		render_text(&r, value, depth);
	render_release(&r);
	m->incomplete = r.incomplete;
	if (strcmp(out.text, text) != 0)
		print_error("got:  %s\nwant: %s\n", out.text, text);
	_assert_string_equal(out.text, text, file, line);
	strbuf_release(&out);
}

void value_model_text(struct value_model *m, uint32_t type, uint64_t address, uint64_t depth, const char *text,
                      const char *file, int line)
{
	check(m, type, address, depth, false, text, file, line);
}

void value_model_json(struct value_model *m, uint32_t type, uint64_t address, const char *text, const char *file,
                      int line)
{
	check(m, type, address, UINT64_MAX, true, text, file, line);
}

/* The JSON of a type: members nest as objects, so this is a walk of its own. */
#include <inttypes.h>

#include "base/strbuf.h"
#include "out/json.h"
#include "records/layout.h"
#include "records/layout_internal.h"
#include "tinfo/tinfo_describe.h"

struct writer {
	struct json json;
	struct tinfo *ti;
	size_t objects;
};

static void write_text(struct writer *w, const char *key, const char *text)
{
	json_key(&w->json, key);
	json_string(&w->json, text);
}

static void write_number(struct writer *w, const char *key, uint64_t number)
{
	json_key(&w->json, key);
	json_u64(&w->json, number);
}

static void write_type(struct writer *w, const char *key, uint32_t id)
{
	struct strbuf label = STRBUF_INIT;
	type_label(&label, w->ti, id);
	write_text(w, key, label.text);
	strbuf_release(&label);
	if (id != TINFO_NONE)
		write_number(w, "type_id", id);
}

static void write_site(struct writer *w, const char *key, const char *file, uint32_t line)
{
	struct strbuf site = STRBUF_INIT;
	layout_site(&site, file, line);
	json_key(&w->json, key);
	json_string(&w->json, file[0] == 0 ? NULL : site.text);
	strbuf_release(&site);
}

static void write_content(struct writer *w, const struct type *type, uint64_t base, unsigned depth);

static void write_members(struct writer *w, const struct type *type, uint64_t base, unsigned depth)
{
	struct arena arena = ARENA_INIT;
	uint32_t count;
	const uint32_t *order = layout_members(&arena, w->ti, type, &count);
	json_key(&w->json, "members");
	json_array(&w->json);
	for (uint32_t i = 0; i < count && w->objects++ < LAYOUT_LINES_MAX; i++) {
		struct member member = tinfo_member(w->ti, order[i]);
		struct type of = tinfo_type(w->ti, member.type);
		json_object(&w->json);
		write_number(w, "offset", base + member.offset);
		write_text(w, "name", member.name);
		write_type(w, "type", member.type);
		if (layout_note(&member) != NULL)
			write_text(w, "note", layout_note(&member));
		if (depth != 0 && layout_nests(&of))
			write_content(w, &of, base + member.offset, depth - 1);
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
	arena_release(&arena);
}

static void write_variants(struct writer *w, const struct type *type, uint64_t base, unsigned depth)
{
	struct type payload, number = tinfo_type(w->ti, type->target);
	if (type->target != TINFO_NONE) {
		json_key(&w->json, "discriminant");
		json_object(&w->json);
		write_number(w, "offset", base + (type->kind == TYPE_ENUM ? type->extra : 0));
		write_type(w, "type", type->target);
		json_object_end(&w->json);
	}
	json_key(&w->json, "variants");
	json_array(&w->json);
	for (uint32_t i = 0; i < type->count && w->objects++ < LAYOUT_LINES_MAX; i++) {
		struct variant variant = tinfo_variant(w->ti, type->first + i);
		struct strbuf value = STRBUF_INIT;
		json_object(&w->json);
		write_text(w, "name", variant.name);
		variant_value_text(&value, &variant, &number);
		/* as a string: 64 and 128 bits are more than many readers of JSON keep */
		write_text(w, "value", (variant.flags & VARIANT_VALUE) != 0 ? value.text : NULL);
		strbuf_release(&value);
		if ((type->flags & TYPE_COROUTINE) != 0)
			write_site(w, layout_awaits(&variant) ? "awaiting" : "at", variant.file, variant.line);
		if (layout_payload(w->ti, &variant, &payload)) {
			write_number(w, "offset", base + variant.offset);
			write_members(w, &payload, base + variant.offset, depth);
		}
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
}

static void write_variables(struct writer *w, uint32_t id, uint64_t base)
{
	uint32_t first, count = tinfo_locals_of(w->ti, id, &first);
	json_key(&w->json, "variables");
	json_array(&w->json);
	for (uint32_t i = 0; i < count && w->objects++ < LAYOUT_LINES_MAX; i++) {
		struct local local = tinfo_local(w->ti, first + i);
		json_object(&w->json);
		if (local.offset != UINT64_MAX)
			write_number(w, "offset", base + local.offset);
		write_text(w, "name", local.name);
		write_type(w, "type", local.type);
		write_site(w, "at", local.file, local.line);
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
}

static void write_content(struct writer *w, const struct type *type, uint64_t base, unsigned depth)
{
	if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION)
		write_members(w, type, base, depth);
	if (type->kind == TYPE_ENUM || type->kind == TYPE_CENUM)
		write_variants(w, type, base, depth);
	if ((type->flags & TYPE_COROUTINE) != 0)
		write_variables(w, type->id, base);
}

bool layout_json(struct strbuf *to, struct tinfo *ti, uint32_t id, unsigned depth)
{
	struct writer w = { json_into(to), ti, 0 };
	struct type type = tinfo_type(ti, id);
	struct strbuf label = STRBUF_INIT;
	type_label(&label, ti, id);
	json_object(&w.json);
	write_number(&w, "id", id);
	write_text(&w, "kind", type_kind_text(&type));
	write_text(&w, "name", label.text);
	json_key(&w.json, "size");
	if ((type.flags & TYPE_SIZED) != 0)
		json_u64(&w.json, type.size);
	else
		json_null(&w.json);
	write_site(&w, "defined", type.file, type.line);
	if (type.kind == TYPE_POINTER || type.kind == TYPE_ARRAY)
		write_type(&w, "type", type.target);
	if (type.kind == TYPE_ARRAY)
		write_number(&w, "elements", type.extra);
	write_content(&w, &type, 0, depth < LAYOUT_DEPTH_MAX ? depth : LAYOUT_DEPTH_MAX);
	json_object_end(&w.json);
	strbuf_addc(to, '\n');
	strbuf_release(&label);
	return w.objects < LAYOUT_LINES_MAX;
}

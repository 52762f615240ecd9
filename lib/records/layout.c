#include "records/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "out/lines.h"
#include "out/out.h"
#include "out/text.h"
#include "records/layout_internal.h"
#include "tinfo/tinfo_describe.h"

struct place {
	uint64_t offset;
	uint32_t index;
};

static int place_compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

const uint32_t *layout_members(struct arena *arena, struct tinfo *ti, const struct type *type, uint32_t *count)
{
	*count = type->count < LAYOUT_LINES_MAX ? type->count : LAYOUT_LINES_MAX;
	struct place *places = arena_array(arena, *count, sizeof *places);
	uint32_t *indices = arena_array(arena, *count, sizeof *indices);
	for (uint32_t i = 0; i < *count; i++)
		places[i] = (struct place){ tinfo_member(ti, type->first + i).offset, type->first + i };
	if (*count > 1)
		qsort(places, *count, sizeof *places, place_compare);
	for (uint32_t i = 0; i < *count; i++)
		indices[i] = places[i].index;
	return indices;
}

bool layout_payload(struct tinfo *ti, const struct variant *variant, struct type *payload)
{
	*payload = tinfo_type(ti, variant->payload);
	return (payload->kind == TYPE_STRUCT || payload->kind == TYPE_UNION) && payload->count != 0;
}

const char *layout_note(const struct member *member)
{
	if ((member->flags & MEMBER_UNCERTAIN) != 0)
		return "maybe moved out";
	return (member->flags & MEMBER_SHADOWED) != 0 ? "one of several of this name" : NULL;
}

bool layout_awaits(const struct variant *variant)
{
	return strncmp(variant->name, "Suspend", 7) == 0;
}

bool layout_nests(const struct type *type)
{
	return (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION || type->kind == TYPE_ENUM) && type->count != 0;
}

void layout_site(struct strbuf *to, const char *file, uint32_t line)
{
	strbuf_adds(to, file);
	if (line != 0)
		strbuf_addf(to, ":%" PRIu32, line);
}

/* --- text --- */

struct printer {
	struct out *out;
	struct tinfo *ti;
	struct strbuf line, label;
	size_t lines;
};

static void line_end(struct printer *p)
{
	strbuf_addc(&p->line, '\n');
	out_write(p->out, p->line.text, p->line.length);
	strbuf_reset(&p->line);
	p->lines++;
}

static bool printer_full(const struct printer *p)
{
	return p->lines >= LAYOUT_LINES_MAX || out_failed(p->out);
}

/* Appends a text of the file's, made safe, in a style. */
static void add_styled(struct printer *p, enum style style, const char *text)
{
	struct strbuf safe = STRBUF_INIT;
	text_add_plain(&safe, text);
	style_add(&p->line, p->out, style, safe.text);
	strbuf_release(&safe);
}

static void add_label(struct printer *p, uint32_t id)
{
	strbuf_reset(&p->label);
	type_label(&p->label, p->ti, id);
	add_styled(p, STYLE_NAME, p->label.text);
}

static void add_site(struct printer *p, const char *file, uint32_t line)
{
	strbuf_reset(&p->label);
	layout_site(&p->label, file, line);
	add_styled(p, STYLE_SITE, p->label.text);
}

static void print_content(struct printer *p, const struct type *type, uint64_t base, unsigned level, unsigned depth);

static int number_width(uint64_t number)
{
	int width = 1;
	while (number >= 10) {
		number /= 10;
		width++;
	}
	return width;
}

static void add_padded(struct printer *p, const char *text, size_t width)
{
	size_t before = p->line.length;
	text_add_plain(&p->line, text);
	size_t have = utf8_width(p->line.text + before);
	strbuf_addf(&p->line, "%*s", have < width ? (int)(width - have) : 0, "");
}

/* "+8  name  type", and below it what is in the type. */
static void print_members(struct printer *p, const struct type *type, uint64_t base, unsigned level, unsigned depth)
{
	struct arena arena = ARENA_INIT;
	uint32_t count;
	const uint32_t *order = layout_members(&arena, p->ti, type, &count);
	size_t name_width = 0;
	int offset_width = 1;
	for (uint32_t i = 0; i < count; i++) {
		struct member member = tinfo_member(p->ti, order[i]);
		size_t width = utf8_width(member.name);
		name_width = width > name_width && width <= 32 ? width : name_width;
		int digits = number_width(base + member.offset);
		offset_width = digits > offset_width ? digits : offset_width;
	}
	for (uint32_t i = 0; i < count && !printer_full(p); i++) {
		struct member member = tinfo_member(p->ti, order[i]);
		struct type of = tinfo_type(p->ti, member.type);
		const char *note = layout_note(&member);
		strbuf_addf(&p->line, "%*s+%-*" PRIu64 "  ", (int)(4 * level), "", offset_width, base + member.offset);
		add_padded(p, member.name, name_width);
		strbuf_adds(&p->line, "  ");
		add_label(p, member.type);
		if (note != NULL)
			strbuf_addf(&p->line, " (%s)", note);
		line_end(p);
		if (depth != 0 && layout_nests(&of))
			print_content(p, &of, base + member.offset, level + 1, depth - 1);
	}
	arena_release(&arena);
}

static void print_variant(struct printer *p, const struct type *type, const struct variant *variant, uint64_t base,
			  unsigned level, unsigned depth)
{
	struct type payload, number = tinfo_type(p->ti, type->target);
	bool has_members = layout_payload(p->ti, variant, &payload);
	strbuf_addf(&p->line, "%*s", (int)(4 * level), "");
	text_add_plain(&p->line, variant->name);
	if ((variant->flags & VARIANT_VALUE) != 0) {
		strbuf_adds(&p->line, " = ");
		variant_value_text(&p->line, variant, &number);
	} else if (type->count > 1) {
		strbuf_adds(&p->line, " = any other");
	}
	if (variant->file[0] != 0) {
		strbuf_adds(&p->line, layout_awaits(variant) ? ", awaits at " : ", at ");
		add_site(p, variant->file, variant->line);
	}
	if (has_members && (type->flags & TYPE_COROUTINE) == 0)
		strbuf_addf(&p->line, ", payload at +%" PRIu64, base + variant->offset);
	line_end(p);
	if (has_members)
		print_members(p, &payload, base + variant->offset, level + 1, depth);
}

/* The variables of a coroutine's body, with their lines. */
static void print_variables(struct printer *p, uint32_t id, uint64_t base, unsigned level)
{
	uint32_t first, count = tinfo_locals_of(p->ti, id, &first);
	if (count != 0) {
		strbuf_addf(&p->line, "%*svariables", (int)(4 * level), "");
		line_end(p);
	}
	for (uint32_t i = 0; i < count && !printer_full(p); i++) {
		struct local local = tinfo_local(p->ti, first + i);
		strbuf_addf(&p->line, "%*s", (int)(4 * level + 4), "");
		if (local.offset != UINT64_MAX)
			strbuf_addf(&p->line, "+%" PRIu64 "  ", base + local.offset);
		text_add_plain(&p->line, local.name);
		strbuf_adds(&p->line, "  ");
		add_label(p, local.type);
		if (local.file[0] != 0) {
			strbuf_adds(&p->line, "  ");
			add_site(p, local.file, local.line);
		}
		line_end(p);
	}
}

static void print_content(struct printer *p, const struct type *type, uint64_t base, unsigned level, unsigned depth)
{
	if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION) {
		print_members(p, type, base, level, depth);
		return;
	}
	if (type->kind != TYPE_ENUM && type->kind != TYPE_CENUM)
		return;
	if (type->target != TINFO_NONE) {
		strbuf_addf(&p->line, "%*s", (int)(4 * level), "");
		if (type->kind == TYPE_ENUM)
			strbuf_addf(&p->line, "+%" PRIu64 "  discriminant  ", base + type->extra);
		else
			strbuf_adds(&p->line, "values of ");
		add_label(p, type->target);
		line_end(p);
	}
	for (uint32_t i = 0; i < type->count && !printer_full(p); i++) {
		struct variant variant = tinfo_variant(p->ti, type->first + i);
		print_variant(p, type, &variant, base, level, depth);
	}
	if ((type->flags & TYPE_COROUTINE) != 0)
		print_variables(p, type->id, base, level);
}

bool layout_text(struct out *out, struct tinfo *ti, uint32_t id, unsigned depth)
{
	struct printer p = { out, ti, STRBUF_INIT, STRBUF_INIT, 0 };
	struct type type = tinfo_type(ti, id);
	strbuf_addf(&p.line, "%s ", type_kind_text(&type));
	add_label(&p, id);
	if ((type.flags & TYPE_SIZED) != 0)
		strbuf_addf(&p.line, " — %" PRIu64 " byte%s", type.size, type.size == 1 ? "" : "s");
	else
		strbuf_adds(&p.line, " — size unknown");
	line_end(&p);
	if (type.file[0] != 0) {
		strbuf_adds(&p.line, "    defined at ");
		add_site(&p, type.file, type.line);
		line_end(&p);
	}
	if ((type.flags & TYPE_RAW_ARGS) != 0) {
		strbuf_adds(&p.line, "    what is alive in which state is as the compiler gave it");
		line_end(&p);
	}
	if (type.kind == TYPE_POINTER && type.target != TINFO_NONE) {
		strbuf_adds(&p.line, "    to ");
		add_label(&p, type.target);
		line_end(&p);
	} else if (type.kind == TYPE_ARRAY) {
		strbuf_addf(&p.line, "    %" PRIu64 " of ", type.extra);
		add_label(&p, type.target);
		line_end(&p);
	}
	print_content(&p, &type, 0, 1, depth < LAYOUT_DEPTH_MAX ? depth : LAYOUT_DEPTH_MAX);
	bool whole = p.lines < LAYOUT_LINES_MAX;
	if (!whole)
		out_text(out, "    …\n");
	strbuf_release(&p.line);
	strbuf_release(&p.label);
	return whole;
}

/* --- TSV --- */

enum { TSV_KIND, TSV_VARIANT, TSV_VALUE, TSV_OFFSET, TSV_NAME, TSV_TYPE, TSV_AT, TSV_NOTE, TSV_COUNT };

void layout_tsv_header(struct strbuf *to)
{
	static const char *const names[TSV_COUNT] = { "kind", "variant", "value", "offset", "name", "type", "at", "note" };
	tsv_texts(to, names, TSV_COUNT);
}

static void tsv_members(struct strbuf *to, struct tinfo *ti, const struct type *type, const char *variant, uint64_t base)
{
	struct arena arena = ARENA_INIT;
	uint32_t count;
	const uint32_t *order = layout_members(&arena, ti, type, &count);
	struct strbuf label = STRBUF_INIT, offset = STRBUF_INIT;
	for (uint32_t i = 0; i < count; i++) {
		struct member member = tinfo_member(ti, order[i]);
		strbuf_reset(&label);
		strbuf_reset(&offset);
		type_label(&label, ti, member.type);
		strbuf_addf(&offset, "%" PRIu64, base + member.offset);
		tsv_texts(to, (const char *const[TSV_COUNT]){ [TSV_KIND] = "member", [TSV_VARIANT] = variant,
			  [TSV_OFFSET] = offset.text, [TSV_NAME] = member.name, [TSV_TYPE] = label.text,
			  [TSV_NOTE] = layout_note(&member) }, TSV_COUNT);
	}
	strbuf_release(&label);
	strbuf_release(&offset);
	arena_release(&arena);
}

static void tsv_variants(struct strbuf *to, struct tinfo *ti, const struct type *type)
{
	struct strbuf value = STRBUF_INIT, at = STRBUF_INIT;
	struct type number = tinfo_type(ti, type->target), payload;
	for (uint32_t i = 0; i < type->count; i++) {
		struct variant variant = tinfo_variant(ti, type->first + i);
		strbuf_reset(&value);
		strbuf_reset(&at);
		if ((variant.flags & VARIANT_VALUE) != 0)
			variant_value_text(&value, &variant, &number);
		layout_site(&at, variant.file, variant.line);
		tsv_texts(to, (const char *const[TSV_COUNT]){ [TSV_KIND] = "variant", [TSV_VARIANT] = variant.name,
			  [TSV_VALUE] = value.text, [TSV_AT] = at.text }, TSV_COUNT);
		if (layout_payload(ti, &variant, &payload))
			tsv_members(to, ti, &payload, variant.name, variant.offset);
	}
	strbuf_release(&value);
	strbuf_release(&at);
}

static void tsv_variables(struct strbuf *to, struct tinfo *ti, uint32_t id)
{
	struct strbuf label = STRBUF_INIT, offset = STRBUF_INIT, at = STRBUF_INIT;
	uint32_t first, count = tinfo_locals_of(ti, id, &first);
	for (uint32_t i = 0; i < count; i++) {
		struct local local = tinfo_local(ti, first + i);
		strbuf_reset(&label);
		strbuf_reset(&offset);
		strbuf_reset(&at);
		type_label(&label, ti, local.type);
		if (local.offset != UINT64_MAX)
			strbuf_addf(&offset, "%" PRIu64, local.offset);
		layout_site(&at, local.file, local.line);
		tsv_texts(to, (const char *const[TSV_COUNT]){ [TSV_KIND] = "variable", [TSV_OFFSET] = offset.text,
			  [TSV_NAME] = local.name, [TSV_TYPE] = label.text, [TSV_AT] = at.text }, TSV_COUNT);
	}
	strbuf_release(&label);
	strbuf_release(&offset);
	strbuf_release(&at);
}

void layout_tsv(struct strbuf *to, struct tinfo *ti, uint32_t id)
{
	struct type type = tinfo_type(ti, id);
	if (type.kind == TYPE_STRUCT || type.kind == TYPE_UNION)
		tsv_members(to, ti, &type, NULL, 0);
	else if (type.kind == TYPE_ENUM || type.kind == TYPE_CENUM)
		tsv_variants(to, ti, &type);
	if ((type.flags & TYPE_COROUTINE) != 0)
		tsv_variables(to, ti, id);
}

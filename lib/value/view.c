/* Views: finding the row for a type, and what every kind of value has in common. A plan is made once per type; after
 * that seeing a value neither allocates nor looks up names. */
#include "value/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/target.h"
#include "value/variant.h"

enum { STRING_DEPTH = 8 };

static const struct formatter_table *const STD_TABLES[] = { &STD_TEXT, &STD_LIST, &STD_MAP, &STD_WRAP, &STD_TIME, NULL };

/* "1.95.0 (hash date)" or "… rustc version 1.95.0 …" -> 95. */
static uint32_t compiler_release(struct tinfo *ti)
{
	const char *text = tinfo_meta(ti, "rustc");
	unsigned minor = 0;
	if (text == NULL)
		return 0;
	const char *at = strstr(text, "1.");
	return at != NULL && sscanf(at + 2, "%u", &minor) == 1 ? minor : 0;
}

void viewer_init(struct viewer *viewer, struct target *target, const struct formatter_table *const *tables)
{
	*viewer = (struct viewer){ .target = target, .tables = tables, .arena = ARENA_INIT, .plans = MAP_INIT };
	viewer->rustc = compiler_release(target->tinfo);
}

void viewer_release(struct viewer *viewer)
{
	map_release(&viewer->plans);
	arena_release(&viewer->arena);
}

void view_error(struct view *out, const char *format, ...)
{
	va_list args;
	out->kind = VIEW_ERROR;
	va_start(args, format);
	vsnprintf(out->word, sizeof out->word, format, args);
	va_end(args);
}

void view_unreadable(struct view *out, uint64_t address)
{
	view_error(out, "unreadable at 0x%llx", (unsigned long long)address);
}

void view_word(struct view *out, const char *format, ...)
{
	va_list args;
	out->kind = VIEW_WORD;
	va_start(args, format);
	vsnprintf(out->word, sizeof out->word, format, args);
	va_end(args);
}

bool type_is_raw_pointer(const struct type *type)
{
	return strncmp(type->name, "*const ", 7) == 0 || strncmp(type->name, "*mut ", 5) == 0;
}

/* A type name up to its generic arguments. The bracket of `<T as Trait>::X` and the arrow of `fn() -> T` open none. */
static size_t base_length(const char *name)
{
	const char *open = strchr(name, '<');
	return open == NULL || open == name ? strlen(name) : (size_t)(open - name);
}

static bool row_names(const struct formatter *row, const char *name, size_t base)
{
	size_t length = strlen(row->type);
	if ((row->flags & FORMAT_PREFIX) != 0)
		return strncmp(name, row->type, length) == 0;
	return length == base && memcmp(name, row->type, base) == 0;
}

static bool row_binds(struct viewer *viewer, const struct formatter *row, uint32_t type, struct path *paths)
{
	for (unsigned i = 0; i < FORMATTER_PATHS; i++) {
		paths[i] = (struct path){ .state = PATH_ABSENT, .type = TINFO_NONE };
		if (row->paths[i] == NULL)
			continue;
		path_bind(&paths[i], viewer->target, &viewer->arena, type, row->paths[i]);
		if (paths[i].state != PATH_BOUND && i < row->required)
			return false;
	}
	return true;
}

static void find_row(struct viewer *viewer, const struct formatter_table *table, struct plan *plan, size_t base)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct formatter *row = &table->rows[i];
		struct path paths[FORMATTER_PATHS];
		bool text = plan->formatter == NULL && (row->flags & FORMAT_JSON_ONLY) == 0;
		bool json = plan->json == NULL && (row->flags & FORMAT_TEXT_ONLY) == 0;
		if ((!text && !json) || !row_names(row, plan->type.name, base) ||
		    !row_binds(viewer, row, plan->type.id, paths))
			continue;
		if (text) {
			plan->formatter = row;
			memcpy(plan->paths[0], paths, sizeof paths);
		}
		if (json) {
			plan->json = row;
			memcpy(plan->paths[1], paths, sizeof paths);
		}
	}
}

/* Rows by shape, after those by name: what a wide pointer is called varies without end. */
static const struct formatter WIDE_SLICE = { "", 0, view_pair, 2, { ".data_ptr", ".length" }, NULL };
static const struct formatter WIDE_OBJECT = { "", 0, view_pair, 2, { ".pointer", ".vtable" }, NULL };

static void find_shape(struct viewer *viewer, struct plan *plan)
{
	static const struct formatter *const SHAPES[] = { &WIDE_SLICE, &WIDE_OBJECT };
	struct path paths[FORMATTER_PATHS];
	if (plan->type.kind != TYPE_STRUCT || plan->type.count != 2 || plan->type.size != 16)
		return;
	for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
		if (!row_binds(viewer, SHAPES[i], plan->type.id, paths) || paths[0].width != 8 || paths[1].width != 8)
			continue;
		if (plan->formatter == NULL) {
			plan->formatter = SHAPES[i];
			memcpy(plan->paths[0], paths, sizeof paths);
		}
		if (plan->json == NULL) {
			plan->json = SHAPES[i];
			memcpy(plan->paths[1], paths, sizeof paths);
		}
		return;
	}
}

static void plan_members(struct viewer *viewer, struct plan *plan)
{
	struct member *members = arena_array(&viewer->arena, plan->type.count, sizeof *members);
	struct member *all = arena_array(&viewer->arena, plan->type.count, sizeof *all);
	bool tuple = plan->type.count != 0;
	for (uint32_t i = 0; i < plan->type.count; i++) {
		struct member m = tinfo_member(viewer->target->tinfo, plan->type.first + i);
		tuple &= strncmp(m.name, "__", 2) == 0 && strspn(m.name + 2, "0123456789") == strlen(m.name + 2);
		struct type type = tinfo_type(viewer->target->tinfo, m.type);
		if ((m.flags & MEMBER_ARTIFICIAL) != 0)
			continue;
		all[plan->all_count++] = m;
		if ((type.flags & TYPE_SIZED) == 0 || type.size != 0)
			members[plan->member_count++] = m;
	}
	plan->tuple = tuple || plan->type.name[0] == '(';
	plan->members = members;
	plan->all = all;
}

const struct plan *plan_of(struct viewer *viewer, uint32_t type)
{
	uint64_t known;
	if (map_get(&viewer->plans, type, &known))
		return (const struct plan *)(uintptr_t)known;
	struct plan *plan = arena_alloc(&viewer->arena, sizeof *plan);
	map_set(&viewer->plans, type, (uint64_t)(uintptr_t)plan);
	plan->type = tinfo_type(viewer->target->tinfo, type);
	size_t base = base_length(plan->type.name);
	for (size_t i = 0; viewer->tables != NULL && viewer->tables[i] != NULL; i++)
		find_row(viewer, viewer->tables[i], plan, base);
	for (size_t i = 0; STD_TABLES[i] != NULL; i++)
		find_row(viewer, STD_TABLES[i], plan, base);
	find_shape(viewer, plan);
	if (plan->type.kind == TYPE_STRUCT || plan->type.kind == TYPE_UNION)
		plan_members(viewer, plan);
	plan->has_live = enum_plan_make(&plan->live, viewer->target, &viewer->arena, type);
	return plan;
}

enum outcome subject_load(struct viewer *viewer, const struct subject *subject, unsigned index, uint64_t *value)
{
	*value = 0;
	if (subject->paths[index].state != PATH_BOUND)
		return OUTCOME_ABSENT;
	return path_load(&subject->paths[index], viewer->target, subject->address, value);
}

bool subject_numbers(struct viewer *viewer, const struct subject *subject, unsigned count, uint64_t *values,
                     struct view *out)
{
	for (unsigned i = 0; i < count; i++) {
		switch (subject_load(viewer, subject, i, &values[i])) {
		case OUTCOME_VALUE:
			break;
		case OUTCOME_NULL:
			view_error(out, "a null pointer at `%s`", subject->row->paths[i]);
			return false;
		default:
			view_unreadable(out, values[i]);
			return false;
		}
	}
	return true;
}

bool memory_there(struct viewer *viewer, uint64_t address, uint64_t length)
{
	unsigned char byte;
	if (length == 0)
		return true;
	if (length > UINT64_MAX - address)
		return false;
	return target_read(viewer->target, address, &byte, 1) && target_read(viewer->target, address + length - 1, &byte, 1);
}

/* A plain pointer, by its type's own name. */
static void view_plain_pointer(struct viewer *viewer, const struct plan *plan, uint64_t address, struct view *out)
{
	if (!target_word(viewer->target, address, &out->pointer)) {
		view_unreadable(out, address);
		return;
	}
	out->kind = VIEW_POINTER;
	out->value = (struct value){ plan->type.target, out->pointer };
	out->raw = type_is_raw_pointer(&plan->type);
	out->owned = !out->raw && plan->type.name[0] != '\0';
}

static void view_apply(struct viewer *viewer, const struct plan *plan, bool json, uint64_t address, struct view *out)
{
	struct subject subject = { plan, json ? plan->json : plan->formatter, plan->paths[json], address };
	memset(out, 0, offsetof(struct view, word));
	out->word[0] = out->json[0] = '\0';
	out->concrete = TINFO_NONE;
	out->value.type = TINFO_NONE;
	if (subject.row != NULL && subject.row->view(viewer, &subject, out))
		return;
	out->kind = VIEW_STRUCTURE;
	if (plan->type.kind == TYPE_POINTER)
		view_plain_pointer(viewer, plan, address, out);
	else if (plan->type.kind == TYPE_ARRAY)
		view_array(viewer, out, address, plan->type.target, plan->type.extra, UINT64_MAX);
}

void view_of(struct viewer *viewer, struct value value, enum view_mode mode, struct view *out)
{
	const struct plan *plan = plan_of(viewer, value.type);
	view_apply(viewer, plan, mode != VIEW_FOR_TEXT, value.address, out);
}

void view_as(struct viewer *viewer, const struct formatter *row, struct value value, struct view *out)
{
	/* A plan of its own under a key no type has: the row's. */
	uint64_t key = hash_u64((uint64_t)(uintptr_t)row ^ value.type) | UINT64_C(1) << 63, known;
	struct plan *plan;
	if (map_get(&viewer->plans, key, &known)) {
		plan = (struct plan *)(uintptr_t)known;
	} else {
		plan = arena_alloc(&viewer->arena, sizeof *plan);
		*plan = *plan_of(viewer, value.type);
		bool binds = row_binds(viewer, row, value.type, plan->paths[0]);
		plan->formatter = plan->json = binds ? row : NULL;
		map_set(&viewer->plans, key, (uint64_t)(uintptr_t)plan);
	}
	view_apply(viewer, plan, false, value.address, out);
}

bool live_variant(struct viewer *viewer, struct value value, struct variant *variant, uint32_t *position,
                  const char **why)
{
	const struct plan *plan = plan_of(viewer, value.type);
	uint64_t probe;
	*why = NULL;
	if (!plan->has_live)
		*why = "discriminant of no readable size";
	else if (plan->live.count == 0)
		*why = "a value of a type that has none";
	else if (enum_plan_live(&plan->live, viewer->target, value.address, position) != OUTCOME_VALUE)
		*why = target_uint(viewer->target, value.address + plan->live.offset, 1, &probe) ? "no variant has this discriminant"
		                                                                             : "unreadable";
	if (*why != NULL)
		return false;
	*variant = tinfo_variant(viewer->target->tinfo, plan->live.first + *position);
	return true;
}

static bool string_type(struct viewer *viewer, uint32_t id, int depth)
{
	if (id == TINFO_NONE || depth == STRING_DEPTH)
		return false;
	const struct plan *plan = plan_of(viewer, id);
	const struct type *type = &plan->type;
	if (plan->json != NULL && (plan->json->flags & FORMAT_STRING) != 0)
		return true;
	if (type->kind == TYPE_CENUM || (type->kind == TYPE_BASE && type->encoding == BASE_CHAR))
		return true;
	if (plan->json != NULL && plan->json->view == view_same)
		return string_type(viewer, plan->paths[1][0].type, depth + 1);
	if (type->kind == TYPE_POINTER && !type_is_raw_pointer(type))
		return string_type(viewer, type->target, depth + 1);
	if (plan->json == NULL && type->kind == TYPE_STRUCT && plan->tuple && plan->member_count == 1)
		return string_type(viewer, plan->members[0].type, depth + 1);
	return false;
}

bool type_is_string(struct viewer *viewer, uint32_t type)
{
	return string_type(viewer, type, 0);
}

uint32_t phantom_type(struct viewer *viewer, uint32_t phantom)
{
	struct tinfo *ti = viewer->target->tinfo;
	uint32_t first, length;
	if (phantom == TINFO_NONE)
		return TINFO_NONE;
	struct type type = tinfo_type(ti, phantom);
	if (type.target != TINFO_NONE)
		return type.target;
	const char *argument = type_sole_argument(type.name, &length);
	if (length == 0)
		return TINFO_NONE;
	char *name = arena_strndup(&viewer->arena, argument, length);
	uint32_t count = tinfo_types_named(ti, name, &first);
	return count == 1 ? tinfo_nth_named(ti, first) : TINFO_NONE; /* two of one name: do not guess */
}

bool view_same(struct viewer *viewer, const struct subject *subject, struct view *out)
{
	const struct path *path = &subject->paths[0];
	uint64_t inner = 0;
	switch (path_locate(path, viewer->target, subject->address, &inner)) {
	case OUTCOME_VALUE:
		out->kind = VIEW_SAME;
		out->value = (struct value){ path->type, inner };
		return true;
	case OUTCOME_VARIANT:
	case OUTCOME_NULL:
		out->kind = VIEW_NOTHING;
		snprintf(out->word, sizeof out->word, "<empty>");
		return true;
	case OUTCOME_FAILURE:
		view_unreadable(out, inner);
		return true;
	default:
		return false;
	}
}

bool view_payload(struct viewer *viewer, const struct subject *subject, struct view *out)
{
	struct variant variant;
	uint32_t position;
	const char *why;
	struct member member;
	if (!live_variant(viewer, (struct value){ subject->plan->type.id, subject->address }, &variant, &position, &why)) {
		view_error(out, "%s", why);
		return true;
	}
	if (variant.payload == TINFO_NONE || !type_sole_member(viewer->target, variant.payload, &member))
		return false;
	out->kind = VIEW_SAME;
	out->value = (struct value){ member.type, subject->address + variant.offset + member.offset };
	return true;
}

bool view_opaque(struct viewer *viewer, const struct subject *subject, struct view *out)
{
	(void)viewer;
	(void)subject;
	out->kind = VIEW_OPAQUE;
	return true;
}

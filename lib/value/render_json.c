/* Values as serde_json writes them, with $-members for what serde cannot say (hansei-records(5), "value"). */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "value/number.h"
#include "value/render.h"
#include "value/target.h"

enum { SAME_HOPS = 32 };

static void json_value(struct render *r, struct value value, uint64_t depth);

static void add(struct render *r, const char *text)
{
	strbuf_adds(&r->out, text);
}

static void add_key(struct render *r, const char *key)
{
	render_string_json(r, key);
	strbuf_addc(&r->out, ':');
}

static void add_error(struct render *r, const char *text, uint64_t fault)
{
	r->incomplete = true;
	struct strbuf message = STRBUF_INIT;
	strbuf_adds(&message, text);
	if (fault != 0)
		strbuf_addf(&message, " at 0x%" PRIx64, fault);
	add(r, "{\"$error\":");
	render_string_json(r, message.text);
	strbuf_addc(&r->out, '}');
	strbuf_release(&message);
}

/* What is named but not opened. */
static void add_opaque(struct render *r, const char *type, uint64_t address, bool function)
{
	const char *ref = NULL;
	add(r, "{\"$type\":");
	render_string_json(r, type);
	strbuf_addf(&r->out, ",\"$address\":\"0x%" PRIx64 "\"", address);
	if (function) {
		struct strbuf symbol = STRBUF_INIT;
		if (render_symbol(r, &symbol, address)) {
			add(r, ",\"$symbol\":");
			render_string_json(r, symbol.text);
		}
		strbuf_release(&symbol);
	} else if (r->viewer->label != NULL && r->viewer->label(r->viewer->context, address, &ref) != NULL && ref != NULL) {
		add(r, ",\"$ref\":");
		render_string_json(r, ref);
	}
	strbuf_addc(&r->out, '}');
}

static const struct type *type_at(struct render *r, uint32_t type)
{
	return &plan_of(r->viewer, type)->type;
}

static void json_scalar(struct render *r, struct value value)
{
	const struct type *type = type_at(r, value.type);
	unsigned char bytes[SCALAR_MAX];
	if (!target_read(r->viewer->target, value.address, bytes, (size_t)type->size))
		add_error(r, "unreadable", value.address);
	else if (!scalar_add_json(&r->out, type, bytes))
		r->incomplete = true;
}

static bool is_future(struct render *r, const struct type *type)
{
	if (r->options.ugly)
		return (type->flags & TYPE_COROUTINE) != 0;
	return (type->flags & TYPE_COROUTINE) != 0 || strstr(type->name, "{closure_env#") != NULL ||
	       (r->viewer->is_future != NULL && r->viewer->is_future(r->viewer->context, type->id));
}

static void json_pointee(struct render *r, const struct view *view, uint64_t depth)
{
	struct value to = view->value;
	const struct type *type = type_at(r, to.type);
	if ((type->flags & TYPE_SIZED) != 0 && !memory_there(r->viewer, to.address, type->size)) {
		add_error(r, "unreadable", to.address);
		return;
	}
	for (unsigned i = 0; i < r->followed_count; i++) {
		if (r->followed[i].address == to.address && r->followed[i].type == to.type) {
			strbuf_addf(&r->out, "{\"$cycle\":\"0x%" PRIx64 "\"}", to.address);
			return;
		}
	}
	if (!render_enter(r, to)) {
		add_opaque(r, type->name, to.address, false);
		return;
	}
	json_value(r, to, depth);
	render_leave(r);
}

static void json_pointer(struct render *r, struct value value, const struct view *view, uint64_t depth)
{
	const struct type *to = view->value.type != TINFO_NONE ? type_at(r, view->value.type) : NULL;
	if (view->pointer == 0) {
		add(r, "null");
		return;
	}
	bool function = to != NULL && to->kind == TYPE_FUNCTION;
	if (function || view->raw || to == NULL || (to->kind == TYPE_OPAQUE && to->size == 0)) {
		add_opaque(r, type_at(r, value.type)->name, view->pointer, function);
		return;
	}
	if (view->concrete == TINFO_NONE) {
		json_pointee(r, view, depth);
		return;
	}
	const struct type *concrete = type_at(r, view->concrete);
	if (is_future(r, concrete)) {
		add_opaque(r, concrete->name, view->value.address, false);
		return;
	}
	add(r, "{\"$type\":");
	render_string_json(r, concrete->name);
	add(r, ",\"value\":");
	json_pointee(r, view, depth);
	strbuf_addc(&r->out, '}');
}

static void json_key(struct render *r, struct value key)
{
	size_t before = r->out.length;
	bool outer = r->held;
	r->held = true;
	json_value(r, key, UINT64_MAX);
	r->held = outer;
	if (r->out.text[before] == '"') {
		strbuf_addc(&r->out, ':');
		return;
	}
	strbuf_cut(&r->out, before); /* no string after all: it could not be read */
	add_key(r, "<unreadable>");
}

static uint64_t json_numbers(struct render *r, struct walk *walk, const struct type *type, uint64_t limit)
{
	while (walk->done < limit) {
		const unsigned char *bytes = target_peek(r->viewer->target, walk->base + walk->done * walk->stride,
		                                         (size_t)type->size);
		if (bytes == NULL)
			break;
		if (walk->done != 0)
			strbuf_addc(&r->out, ',');
		if (!scalar_add_json(&r->out, type, bytes))
			r->incomplete = true;
		walk->done++;
		render_check(r);
	}
	return walk->done;
}

static void json_end(struct render *r, struct walk *walk, uint64_t shown, bool object)
{
	if (walk->error == NULL && shown == walk->count)
		return;
	add(r, shown != 0 ? "," : "");
	if (walk->error != NULL) {
		r->incomplete = true;
		struct strbuf message = STRBUF_INIT;
		strbuf_addf(&message, "%s: %" PRIu64 " of %" PRIu64 " shown", walk->error, shown, walk->count);
		if (object) {
			add_key(r, "$error");
			render_string_json(r, message.text);
		} else {
			add_error(r, message.text, 0);
		}
		strbuf_release(&message);
		return;
	}
	strbuf_addf(&r->out, object ? "\"$more\":%" PRIu64 : "{\"$more\":%" PRIu64 "}", walk->count - shown);
}

static void json_list(struct render *r, struct view *view, uint64_t depth)
{
	struct walk *walk = &view->walk;
	uint64_t limit = walk->count < r->options.max_array ? walk->count : r->options.max_array, shown = 0;
	bool map = view->kind == VIEW_MAP, object = map && type_is_string(r->viewer, walk->key_type);
	struct value key, value;
	strbuf_addc(&r->out, object ? '{' : '[');
	const struct plan *plan = walk->value_type != TINFO_NONE ? plan_of(r->viewer, walk->value_type) : NULL;
	if (walk->next == walk_array && plan != NULL && plan->json == NULL && type_is_scalar(&plan->type))
		shown = json_numbers(r, walk, &plan->type, limit);
	while (shown < limit && render_spend(r) && walk->next(r->viewer, walk, &key, &value)) {
		add(r, shown != 0 ? "," : "");
		if (object) {
			json_key(r, key);
			json_value(r, value, depth);
		} else if (map) {
			render_pair_json(r, key, value, depth);
		} else {
			json_value(r, value, depth);
		}
		render_check(r);
		shown++;
	}
	if (walk->error == NULL && shown == limit && limit == walk->count)
		walk->next(r->viewer, walk, &key, &value);
	json_end(r, walk, shown, object);
	strbuf_addc(&r->out, object ? '}' : ']');
}

static void json_view(struct render *r, struct value value, struct view *view, uint64_t depth);

static void json_field(struct render *r, const struct view_field *field, uint64_t depth)
{
	struct view view;
	view_as(r->viewer, field->as, field->value, &view);
	json_view(r, field->value, &view, depth);
}

static void json_record(struct render *r, const struct view *view, uint64_t depth)
{
	strbuf_addc(&r->out, '{');
	for (uint32_t i = 0; i < view->field_count; i++) {
		const struct view_field *field = &view->fields[i];
		add(r, i != 0 ? "," : "");
		add_key(r, field->name);
		if (field->as != NULL)
			json_field(r, field, depth);
		else if (field->value.type != TINFO_NONE)
			json_value(r, field->value, depth);
		else if (field->word[0] != '\0' && strspn(field->word, "-0123456789") == strlen(field->word))
			add(r, field->word);
		else if (strcmp(field->word, "true") == 0 || strcmp(field->word, "false") == 0)
			add(r, field->word);
		else
			render_string_json(r, field->word);
	}
	strbuf_addc(&r->out, '}');
}

/* The members of a struct or payload: a value alone (newtype), an array (tuple), an object. */
static void json_members(struct render *r, const struct plan *plan, uint64_t address, uint64_t depth)
{
	bool array = plan->tuple;
	if (array && plan->all_count == 1 && plan->type.name[0] != '(') {
		json_value(r, (struct value){ plan->all[0].type, address + plan->all[0].offset }, depth);
		return;
	}
	strbuf_addc(&r->out, array ? '[' : '{');
	for (uint32_t i = 0; i < plan->all_count; i++) {
		add(r, i != 0 ? "," : "");
		if (!array)
			add_key(r, plan->all[i].name);
		json_value(r, (struct value){ plan->all[i].type, address + plan->all[i].offset }, depth);
	}
	strbuf_addc(&r->out, array ? ']' : '}');
}

static void json_enum(struct render *r, const struct plan *plan, struct value value, uint64_t depth)
{
	struct variant variant;
	uint32_t position;
	const char *why;
	if (!live_variant(r->viewer, value, &variant, &position, &why)) {
		add_error(r, why, value.address);
		return;
	}
	const struct plan *payload = variant.payload != TINFO_NONE ? plan_of(r->viewer, variant.payload) : NULL;
	uint64_t address = value.address + variant.offset;
	bool option = strncmp(plan->type.name, "core::option::Option<", 21) == 0;
	if (option && (payload == NULL || payload->all_count == 0)) {
		add(r, "null");
	} else if (option) {
		json_members(r, payload, address, depth);
	} else if (payload == NULL || payload->all_count == 0) {
		render_string_json(r, variant.name);
	} else if (depth == 0) {
		add_opaque(r, plan->type.name, value.address, false);
	} else {
		strbuf_addc(&r->out, '{');
		add_key(r, variant.name);
		json_members(r, payload, address, depth - (depth != UINT64_MAX));
		strbuf_addc(&r->out, '}');
	}
}

static void json_structure(struct render *r, struct value value, uint64_t depth)
{
	const struct plan *plan = plan_of(r->viewer, value.type);
	const struct type *type = &plan->type;
	if (is_future(r, type)) {
		add_opaque(r, type->name, value.address, false);
		return;
	}
	switch (type->kind) {
	case TYPE_BASE:
		if (type_is_scalar(type))
			json_scalar(r, value);
		else
			add(r, "null"); /* () */
		break;
	case TYPE_ENUM:
	case TYPE_CENUM:
		json_enum(r, plan, value, depth);
		break;
	case TYPE_STRUCT:
		if (plan->all_count == 0)
			add(r, "null");
		else if (depth == 0 && !(plan->tuple && plan->all_count == 1))
			add_opaque(r, type->name, value.address, false);
		else
			json_members(r, plan, value.address, depth - (depth != UINT64_MAX && depth != 0));
		break;
	default:
		add_opaque(r, type->name, value.address, false);
		break;
	}
}

static void json_view(struct render *r, struct value value, struct view *view, uint64_t depth)
{
	switch (view->kind) {
	case VIEW_ERROR:
		add_error(r, view->word, 0);
		break;
	case VIEW_WORD:
		if (view->json[0] != '\0')
			add(r, view->json);
		else
			render_string_json(r, view->text != NULL ? view->text : view->word);
		break;
	case VIEW_TEXT:
		render_bytes(r, view->address, view->length, true);
		break;
	case VIEW_POINTER:
		json_pointer(r, value, view, depth);
		break;
	case VIEW_LIST:
	case VIEW_MAP:
		if (depth == 0 && view->walk.count != 0)
			add_opaque(r, type_at(r, value.type)->name, value.address, false);
		else
			json_list(r, view, depth - (depth != UINT64_MAX && depth != 0));
		break;
	case VIEW_RECORD:
		if (depth == 0)
			add_opaque(r, type_at(r, value.type)->name, value.address, false);
		else
			json_record(r, view, depth - (depth != UINT64_MAX));
		break;
	case VIEW_OPAQUE:
		add_opaque(r, type_at(r, value.type)->name, value.address, false);
		break;
	case VIEW_NOTHING:
		add(r, "null");
		break;
	case VIEW_SAME:
	case VIEW_STRUCTURE:
		json_structure(r, value, depth);
		break;
	}
}

static void json_value(struct render *r, struct value value, uint64_t depth)
{
	struct view view;
	if (value.type == TINFO_NONE) {
		add_error(r, "unknown type", value.address);
		return;
	}
	if (r->nesting == RENDER_NESTING || !render_spend(r)) {
		add_opaque(r, type_at(r, value.type)->name, value.address, false);
		return;
	}
	for (int hop = 0; hop < SAME_HOPS; hop++) {
		render_view(r, value, VIEW_FOR_JSON, &view);
		if (view.kind != VIEW_SAME)
			break;
		value = view.value;
	}
	r->nesting++;
	json_view(r, value, &view, depth);
	r->nesting--;
	render_check(r);
}

void render_json(struct render *r, struct value value, uint64_t depth)
{
	bool entered = value.type != TINFO_NONE && render_enter(r, value); /* what leads back to it is a cycle */
	json_value(r, value, depth);
	if (entered)
		render_leave(r);
}

void render_pair_json(struct render *r, struct value key, struct value value, uint64_t depth)
{
	strbuf_addc(&r->out, '[');
	json_value(r, key, depth);
	strbuf_addc(&r->out, ',');
	json_value(r, value, depth);
	strbuf_addc(&r->out, ']');
}

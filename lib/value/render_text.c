/* Values as text, in the form of the description's samples. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "value/number.h"
#include "value/render.h"
#include "value/render_leaf.h"
#include "value/target.h"

enum { INDENT = 4 };

static void text_value(struct render *r, struct value value, uint64_t depth, bool behind_arrow);

static void add(struct render *r, const char *text)
{
	strbuf_adds(&r->out, text);
}

static void newline(struct render *r, unsigned columns)
{
	strbuf_addf(&r->out, "\n%*s", (int)columns, "");
	render_check(r);
}

static void add_error(struct render *r, const char *text)
{
	r->incomplete = true;
	strbuf_addf(&r->out, "<%s>", text);
}

/* A name out of the layouts may hold anything too. */
static void add_name(struct render *r, const char *name)
{
	utf8_escape(&r->out, name, strlen(name));
}

static const struct type *type_at(struct render *r, uint32_t type)
{
	return &plan_of(r->viewer, type)->type;
}

static void add_type(struct render *r, uint32_t type)
{
	const struct type *t = type_at(r, type);
	if (t->name[0] != '\0') {
		add_name(r, t->name);
	} else if (t->kind == TYPE_ARRAY && t->target != TINFO_NONE) {
		strbuf_addc(&r->out, '[');
		add_type(r, t->target);
		strbuf_addf(&r->out, "; %" PRIu64 "]", t->extra);
	} else if (t->kind == TYPE_POINTER && t->target != TINFO_NONE) {
		strbuf_addc(&r->out, '*');
		add_type(r, t->target);
	} else {
		add(r, "<unnamed>");
	}
}

/* `T { .. } @ 0x…`: what depth does not open, still to be found by its address. */
static void add_cut(struct render *r, struct value value, const char *brackets, bool behind_arrow)
{
	if (brackets[0] != '[') {
		add_type(r, value.type);
		strbuf_addc(&r->out, ' ');
	}
	add(r, brackets);
	if (behind_arrow)
		return;
	strbuf_addf(&r->out, " @ 0x%" PRIx64, value.address);
	if (r->label != NULL)
		strbuf_addf(&r->out, " (%s)", r->label);
}

static void text_scalar(struct render *r, struct value value)
{
	const struct type *type = type_at(r, value.type);
	unsigned char bytes[SCALAR_MAX];
	if (!target_read(r->viewer->target, value.address, bytes, (size_t)type->size))
		add_error(r, "unreadable");
	else if (!scalar_add_text(&r->out, type, bytes))
		r->incomplete = true;
}

static void text_function(struct render *r, uint64_t address)
{
	strbuf_addf(&r->out, "0x%" PRIx64, address);
	struct strbuf symbol = STRBUF_INIT;
	if (render_symbol(r, &symbol, address)) {
		add(r, " -> ");
		add_name(r, symbol.text);
	}
	strbuf_release(&symbol);
}

static void text_pointee(struct render *r, const struct view *view, uint64_t depth, const char *label)
{
	struct value to = view->value;
	const struct type *type = type_at(r, to.type);
	const char *outer = r->label;
	add(r, " -> ");
	if ((type->flags & TYPE_SIZED) != 0 && !memory_there(r->viewer, to.address, type->size)) {
		r->incomplete |= view->owned;
		add(r, "<unreadable>");
		return;
	}
	if (!render_enter(r, to)) {
		add(r, "<cycle>");
		return;
	}
	r->label = label != NULL ? label : outer;
	text_value(r, to, depth, true);
	r->label = outer;
	render_leave(r);
}

static void text_pointer(struct render *r, const struct view *view, uint64_t depth)
{
	const char *ref = NULL;
	const char *label = NULL;
	const struct type *to = view->value.type != TINFO_NONE ? type_at(r, view->value.type) : NULL;
	if (view->pointer == 0) {
		add(r, "null");
		return;
	}
	if (to != NULL && to->kind == TYPE_FUNCTION) {
		text_function(r, view->pointer);
		return;
	}
	if (r->viewer->label != NULL)
		label = r->viewer->label(r->viewer->context, view->pointer, &ref);
	bool known = to != NULL && (to->kind != TYPE_OPAQUE || to->size != 0) && to->name[0] != '\0';
	bool nothing = to != NULL && (to->flags & TYPE_SIZED) != 0 && to->size == 0 && !view->owned;
	if (label != NULL && (depth == 0 || !known)) {
		add(r, label);
		return;
	}
	strbuf_addf(&r->out, "0x%" PRIx64, view->pointer);
	if (label != NULL)
		strbuf_addf(&r->out, " (%s)", label);
	if (view->word[0] != '\0')
		strbuf_addf(&r->out, " -> %s", view->word);
	else if (to != NULL && !nothing && (known || to->kind == TYPE_ARRAY || to->kind == TYPE_POINTER))
		text_pointee(r, view, depth, label);
}

static void add_limit(struct render *r, uint64_t left, unsigned columns)
{
	newline(r, columns);
	strbuf_addf(&r->out, "… %" PRIu64 " more", left);
}

/* One piece of an array of numbers, without the detour through a view for each. */
static uint64_t text_numbers(struct render *r, struct walk *walk, const struct type *type, uint64_t limit, unsigned columns)
{
	uint64_t shown = 0;
	while (walk->done < limit) {
		const unsigned char *bytes = target_peek(r->viewer->target, walk->base + walk->done * walk->stride,
		                                         (size_t)type->size);
		if (bytes == NULL)
			break;
		newline(r, columns);
		if (!scalar_add_text(&r->out, type, bytes))
			r->incomplete = true;
		strbuf_addc(&r->out, ',');
		walk->done++;
		shown++;
	}
	return shown;
}

static void text_elements(struct render *r, struct view *view, uint64_t depth)
{
	struct walk *walk = &view->walk;
	unsigned outer = r->indent;
	uint64_t limit = walk->count < r->options.max_array ? walk->count : r->options.max_array, shown = 0;
	struct value key, value;
	r->indent += INDENT;
	const struct plan *plan = walk->value_type != TINFO_NONE ? plan_of(r->viewer, walk->value_type) : NULL;
	if (walk->next == walk_array && plan != NULL && plan->formatter == NULL && type_is_scalar(&plan->type))
		shown = text_numbers(r, walk, &plan->type, limit, r->indent);
	while (shown < limit && render_spend(r) && walk->next(r->viewer, walk, &key, &value)) {
		newline(r, r->indent);
		if (view->kind == VIEW_MAP) {
			text_value(r, key, depth, false);
			add(r, ": ");
		}
		text_value(r, value, depth, false);
		strbuf_addc(&r->out, ',');
		shown++;
	}
	if (walk->error == NULL && shown == limit && limit == walk->count) /* is that all there is? */
		walk->next(r->viewer, walk, &key, &value);
	if (walk->error != NULL) {
		newline(r, r->indent);
		r->incomplete = true;
		strbuf_addf(&r->out, "<%s", walk->error);
		if (walk->fault != 0)
			strbuf_addf(&r->out, " at 0x%" PRIx64, walk->fault);
		strbuf_addf(&r->out, ": %" PRIu64 " of %" PRIu64 " shown>", shown, walk->count);
	} else if (shown < walk->count) {
		add_limit(r, walk->count - shown, r->indent);
	}
	r->indent = outer;
	newline(r, r->indent);
}

static void text_list(struct render *r, struct value value, struct view *view, uint64_t depth, bool behind_arrow)
{
	bool braces = view->kind == VIEW_MAP || view->braces;
	if (depth == 0 && view->walk.count != 0) {
		add_cut(r, value, braces ? "{ .. }" : "[..]", behind_arrow);
		return;
	}
	if (braces) {
		add_type(r, value.type);
		strbuf_addc(&r->out, ' ');
	}
	strbuf_addc(&r->out, braces ? '{' : '[');
	if (view->walk.count != 0)
		text_elements(r, view, depth - 1);
	strbuf_addc(&r->out, braces ? '}' : ']');
}

static void text_view(struct render *r, struct value value, struct view *view, uint64_t depth, bool behind_arrow);

static void text_field(struct render *r, const struct view_field *field, uint64_t depth)
{
	struct view view;
	view_as(r->viewer, field->as, field->value, &view);
	text_view(r, field->value, &view, depth, false);
}

static void text_record(struct render *r, struct value value, const struct view *view, uint64_t depth, bool behind_arrow)
{
	if (depth == 0) {
		add_cut(r, value, "{ .. }", behind_arrow);
		return;
	}
	if (view->head != NULL)
		add(r, view->head);
	else
		add_type(r, value.type);
	add(r, " {");
	r->indent += INDENT;
	for (uint32_t i = 0; i < view->field_count; i++) {
		const struct view_field *field = &view->fields[i];
		newline(r, r->indent);
		strbuf_addf(&r->out, "%s: ", field->name);
		if (field->value.type == TINFO_NONE)
			add_name(r, field->word);
		else if (field->as != NULL)
			text_field(r, field, depth - 1);
		else
			text_value(r, field->value, depth - 1, false);
		strbuf_addc(&r->out, ',');
	}
	r->indent -= INDENT;
	newline(r, r->indent);
	strbuf_addc(&r->out, '}');
}

/* Coroutines list compiler's own slots (drop flags); what is awaited is worth seeing. */
static bool is_hidden(const struct member *m)
{
	return strncmp(m->name, "__", 2) == 0 && strcmp(m->name, "__awaitee") != 0;
}

/* `{ a: 1, … }` or `(1, …)`, the members of a struct or of a variant's payload at address. */
static void text_members(struct render *r, const struct plan *plan, uint64_t address, uint64_t depth, bool coroutine)
{
	if (plan->tuple && !coroutine) {
		strbuf_addc(&r->out, '(');
		for (uint32_t i = 0; i < plan->member_count; i++) {
			add(r, i != 0 ? ", " : "");
			text_value(r, (struct value){ plan->members[i].type, address + plan->members[i].offset }, depth, false);
		}
		strbuf_addc(&r->out, ')');
		return;
	}
	uint32_t shown = 0;
	strbuf_addc(&r->out, '{');
	r->indent += INDENT;
	for (uint32_t i = 0; i < plan->member_count; i++) {
		const struct member *m = &plan->members[i];
		if (coroutine && is_hidden(m))
			continue;
		newline(r, r->indent);
		add_name(r, m->name);
		if ((m->flags & MEMBER_UNCERTAIN) != 0)
			add(r, " (maybe moved)");
		add(r, ": ");
		text_value(r, (struct value){ m->type, address + m->offset }, depth, false);
		strbuf_addc(&r->out, ',');
		shown++;
	}
	r->indent -= INDENT;
	if (shown != 0)
		newline(r, r->indent);
	strbuf_addc(&r->out, '}');
}

static void text_enum(struct render *r, const struct plan *plan, struct value value, uint64_t depth, bool behind_arrow)
{
	struct variant variant;
	uint32_t position;
	const char *why;
	bool coroutine = (plan->type.flags & TYPE_COROUTINE) != 0, bare = text_is_bare_enum(&plan->type);
	if (!live_variant(r->viewer, value, &variant, &position, &why)) {
		add_error(r, why);
		return;
	}
	const struct plan *payload = variant.payload != TINFO_NONE ? plan_of(r->viewer, variant.payload) : NULL;
	uint64_t address = value.address + variant.offset;
	bool parts = payload != NULL && payload->member_count != 0;
	if (parts && depth == 0) {
		const struct member *m = &payload->members[0];
		bool leaf = payload->tuple && payload->member_count == 1 && !coroutine &&
		            text_is_leaf(r, (struct value){ m->type, address + m->offset });
		if (!leaf) {
			add_cut(r, value, "{ .. }", behind_arrow);
			return;
		}
	}
	if (coroutine) {
		strbuf_addf(&r->out, "%" PRIu32 " ", position);
	} else {
		if (!bare) {
			add_type(r, value.type);
			add(r, "::");
		}
		add_name(r, variant.name);
	}
	if (!parts && !coroutine)
		return;
	if (!coroutine && !payload->tuple)
		strbuf_addc(&r->out, ' ');
	if (payload != NULL)
		text_members(r, payload, address, depth != 0 ? depth - 1 : 0, coroutine);
}

static void text_c_enum(struct render *r, const struct plan *plan, struct value value)
{
	struct variant variant;
	uint32_t position;
	const char *why;
	unsigned char bytes[SCALAR_MAX];
	if (live_variant(r->viewer, value, &variant, &position, &why)) {
		add_type(r, value.type);
		add(r, "::");
		add_name(r, variant.name);
		return;
	}
	r->incomplete = true;
	if (plan->type.size > sizeof bytes || plan->type.size == 0 ||
	    !target_read(r->viewer->target, value.address, bytes, (size_t)plan->type.size)) {
		strbuf_addf(&r->out, "<%s>", why);
		return;
	}
	struct type base = plan->type.target != TINFO_NONE ? *type_at(r, plan->type.target) : plan->type;
	base.size = plan->type.size;
	add(r, "<unknown: ");
	scalar_add_text(&r->out, &base, bytes);
	strbuf_addc(&r->out, '>');
}

static void text_struct(struct render *r, const struct plan *plan, struct value value, uint64_t depth, bool behind_arrow)
{
	struct value inner;
	if (!r->options.ugly && text_scalar_inside(r, value, &inner)) {
		text_scalar(r, inner);
		return;
	}
	bool opens = plan->type.kind == TYPE_STRUCT || r->options.ugly;
	if (plan->all_count == 0 || (plan->member_count == 0 && opens)) {
		add_type(r, value.type);
		return;
	}
	if (depth == 0 || !opens) {
		add_cut(r, value, text_is_tuple(plan) ? "(..)" : "{ .. }", behind_arrow);
		return;
	}
	if (!text_is_tuple(plan)) {
		add_type(r, value.type);
		add(r, plan->tuple ? "" : " ");
	}
	text_members(r, plan, value.address, depth - 1, false);
}

static void text_structure(struct render *r, struct value value, uint64_t depth, bool behind_arrow)
{
	const struct plan *plan = plan_of(r->viewer, value.type);
	switch (plan->type.kind) {
	case TYPE_BASE:
		if (type_is_scalar(&plan->type))
			text_scalar(r, value);
		else
			add_type(r, value.type);
		break;
	case TYPE_ENUM:
		text_enum(r, plan, value, depth, behind_arrow);
		break;
	case TYPE_CENUM:
		text_c_enum(r, plan, value);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		text_struct(r, plan, value, depth, behind_arrow);
		break;
	default:
		add_cut(r, value, "{ .. }", behind_arrow);
		break;
	}
}

static void text_view(struct render *r, struct value value, struct view *view, uint64_t depth, bool behind_arrow)
{
	switch (view->kind) {
	case VIEW_ERROR:
		add_error(r, view->word);
		break;
	case VIEW_WORD:
		add_name(r, view->text != NULL ? view->text : view->word);
		break;
	case VIEW_TEXT:
		render_bytes(r, view->address, view->length, false);
		break;
	case VIEW_POINTER:
		text_pointer(r, view, depth);
		break;
	case VIEW_LIST:
	case VIEW_MAP:
		text_list(r, value, view, depth, behind_arrow);
		break;
	case VIEW_RECORD:
		text_record(r, value, view, depth, behind_arrow);
		break;
	case VIEW_OPAQUE:
		add_cut(r, value, "{ .. }", behind_arrow);
		break;
	case VIEW_NOTHING:
		add(r, view->word[0] != '\0' ? view->word : "<none>");
		break;
	case VIEW_SAME:
	case VIEW_STRUCTURE:
		text_structure(r, value, depth, behind_arrow);
		break;
	}
}

static void text_value(struct render *r, struct value value, uint64_t depth, bool behind_arrow)
{
	struct view view;
	if (value.type == TINFO_NONE) {
		add(r, "<unknown type>");
		return;
	}
	if (r->nesting == RENDER_NESTING || !render_spend(r)) {
		add_cut(r, value, "{ .. }", behind_arrow);
		return;
	}
	for (int hop = 0; hop < LEAF_HOPS; hop++) {
		const struct plan *plan = plan_of(r->viewer, value.type);
		if (depth == 0 && plan->formatter != NULL && (plan->formatter->flags & FORMAT_CLOSED) != 0 &&
		    !r->options.ugly) {
			add_cut(r, value, "{ .. }", behind_arrow);
			return;
		}
		render_view(r, value, VIEW_FOR_TEXT, &view);
		if (view.kind != VIEW_SAME)
			break;
		/* At the limit a wrapper is cut as itself when what it holds is cut. */
		if (depth == 0 && !text_is_leaf(r, view.value))
			break;
		value = view.value;
	}
	r->nesting++;
	if (view.kind == VIEW_SAME)
		add_cut(r, value, "{ .. }", behind_arrow);
	else
		text_view(r, value, &view, depth, behind_arrow);
	r->nesting--;
}

void render_text(struct render *r, struct value value, uint64_t depth)
{
	bool entered = value.type != TINFO_NONE && render_enter(r, value); /* what leads back to it is a cycle */
	text_value(r, value, depth, false);
	if (entered)
		render_leave(r);
}

void render_pair_text(struct render *r, struct value key, struct value value, uint64_t depth)
{
	strbuf_addc(&r->out, '(');
	text_value(r, key, depth, false);
	add(r, ", ");
	text_value(r, value, depth, false);
	strbuf_addc(&r->out, ')');
}

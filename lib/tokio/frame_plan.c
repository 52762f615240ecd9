/* Plans of types. Coroutines: notes on rustc's DWARF, sections 6 and 7 (variants Unresumed, Returned, Panicked,
 * SuspendN; the awaited future is the member __awaitee). Everything else: the table of adapters, then the shape. */
#include "tokio/frame_plan.h"

#include <string.h>

enum { FUTURE_DEPTH = 6, VARIANTS_MAX = 32 };

/* Captures that may have been moved out are not counted: the description's traces do not count them. */
static bool member_is_local(const struct member *m)
{
	if ((m->flags & (MEMBER_ARTIFICIAL | MEMBER_UNCERTAIN)) != 0 || strcmp(m->name, "__awaitee") == 0)
		return false;
	return !(m->name[0] == '_' && m->name[1] == '_' && m->name[2] >= '0' && m->name[2] <= '9'); /* drop flags */
}

static enum chain_end state_end(const char *name)
{
	if (strcmp(name, "Unresumed") == 0)
		return CHAIN_UNRESUMED;
	if (strcmp(name, "Returned") == 0)
		return CHAIN_RETURNED;
	return strcmp(name, "Panicked") == 0 ? CHAIN_PANICKED : CHAIN_UNKNOWN;
}

static void coroutine_state(struct tokio *tk, struct frame_state *s, uint32_t index)
{
	struct tinfo *ti = tk->target->tinfo;
	struct variant v = tinfo_variant(ti, index);
	*s = (struct frame_state){ .name = v.name, .variant = index, .next_type = TINFO_NONE, .end = state_end(v.name) };
	if (s->end == CHAIN_UNKNOWN && v.file != NULL && v.file[0] != '\0') {
		s->file = v.file;
		s->line = v.line;
		s->foreign = path_is_foreign(v.file);
	}
	if (v.payload == TINFO_NONE)
		return;
	struct type payload = tinfo_type(ti, v.payload);
	for (uint32_t i = 0; i < payload.count; i++) {
		struct member m = tinfo_member(ti, payload.first + i);
		if (strcmp(m.name, "__awaitee") == 0) {
			s->next_type = m.type;
			s->next_offset = v.offset + m.offset;
		} else if (member_is_local(&m) && (s->end == CHAIN_UNKNOWN || s->end == CHAIN_UNRESUMED)) {
			s->locals++;
		}
	}
	if (s->end != CHAIN_UNKNOWN)
		s->next_type = TINFO_NONE;
}

static bool plan_coroutine(struct tokio *tk, struct frame_plan *p, const struct type *type)
{
	if (!enum_plan_make(&p->live, tk->target, &tk->arena, type->id))
		return false;
	struct frame_state *states = arena_array(&tk->arena, type->count, sizeof *states);
	for (uint32_t i = 0; i < type->count; i++)
		coroutine_state(tk, &states[i], type->first + i);
	p->states = states;
	p->step = STEP_COROUTINE;
	return true;
}

/* A wide pointer to a trait object: {pointer -> dyn Trait, vtable}. */
static bool wide_pointer(struct tokio *tk, const struct type *type, struct frame_plan *p)
{
	struct tinfo *ti = tk->target->tinfo;
	struct member data, vtable;
	if (type->kind != TYPE_STRUCT || tinfo_find_member(ti, type, "pointer", &data) == TINFO_NONE ||
	    tinfo_find_member(ti, type, "vtable", &vtable) == TINFO_NONE)
		return false;
	uint32_t to = tinfo_type(ti, data.type).target;
	const char *object = to == TINFO_NONE ? "" : tinfo_type(ti, to).name;
	object += *object == '(';
	if (strncmp(object, "dyn ", 4) != 0)
		return false;
	p->step = STEP_DYN;
	p->silent = true;
	p->data_offset = data.offset;
	p->vtable_offset = vtable.offset;
	p->dyn_future = strncmp(object + 4, "core::future::future::Future", 28) == 0;
	return true;
}

static bool polled_itself(struct tokio *tk, uint32_t type)
{
	uint64_t unused;
	if (!tk->polled_read) {
		uint32_t count = tinfo_count(tk->target->tinfo, TABLE_FUNCTIONS);
		tk->polled_read = true;
		for (uint32_t i = 0; i < count; i++) {
			struct function f = tinfo_function(tk->target->tinfo, i);
			if ((f.kind == FUNCTION_POLL || f.kind == FUNCTION_STREAM) && f.type != TINFO_NONE)
				map_set(&tk->polled, f.type, i);
		}
	}
	return map_get(&tk->polled, type, &unused);
}

static bool future_at_depth(struct tokio *tk, uint32_t id, int depth);

/* The states of a future written by hand, one of which holds what it polls. */
static bool projects_future(struct tokio *tk, const struct type *type, int depth)
{
	struct member m;
	if (type->kind != TYPE_ENUM || type->count > VARIANTS_MAX || depth > 1 ||
	    name_is(type->name, "core::result::Result") || name_is(type->name, "core::task::poll::Poll"))
		return false;
	for (uint32_t i = 0; i < type->count; i++) {
		struct variant v = tinfo_variant(tk->target->tinfo, type->first + i);
		struct type payload = v.payload == TINFO_NONE ? (struct type){ .count = 0 }
		                                              : tinfo_type(tk->target->tinfo, v.payload);
		for (uint32_t k = 0; k < payload.count; k++) {
			m = tinfo_member(tk->target->tinfo, payload.first + k);
			if (future_at_depth(tk, m.type, depth + 2))
				return true;
		}
	}
	return false;
}

static bool future_at_depth(struct tokio *tk, uint32_t id, int depth)
{
	struct tinfo *ti = tk->target->tinfo;
	struct frame_plan wide;
	struct member m;
	size_t rows;
	if (id == TINFO_NONE || depth == FUTURE_DEPTH)
		return false;
	struct type type = tinfo_type(ti, id);
	if ((type.flags & TYPE_COROUTINE) != 0 || adapter_find(type.name, &rows) != NULL)
		return true;
	if (type.kind == TYPE_POINTER) /* &mut F, Box<F>; a shared or raw pointer polls nothing */
		return (strncmp(type.name, "&mut ", 5) == 0 || name_is(type.name, "alloc::boxed::Box")) &&
		       future_at_depth(tk, type.target, depth + 1);
	if (wide_pointer(tk, &type, &wide))
		return wide.dyn_future;
	if (name_is(type.name, "core::pin::Pin"))
		return type_sole_member(tk->target, id, &m) && future_at_depth(tk, m.type, depth + 1);
	if (name_is(type.name, "core::option::Option")) {
		struct variant some;
		return tinfo_find_variant(ti, &type, "Some", &some) != TINFO_NONE &&
		       type_sole_member(tk->target, some.payload, &m) && future_at_depth(tk, m.type, depth + 1);
	}
	return polled_itself(tk, id) || projects_future(tk, &type, depth);
}

bool type_is_future(struct tokio *tk, uint32_t type)
{
	return future_at_depth(tk, type, 0);
}

/* The only member that is a future. */
static bool sole_future(struct tokio *tk, uint32_t id, struct member *out)
{
	bool found = false;
	if (id == TINFO_NONE)
		return false;
	struct type type = tinfo_type(tk->target->tinfo, id);
	for (uint32_t i = 0; i < type.count; i++) {
		struct member m = tinfo_member(tk->target->tinfo, type.first + i);
		if (!type_is_future(tk, m.type))
			continue;
		if (found)
			return false;
		*out = m;
		found = true;
	}
	return found;
}

/* Members that hold something. */
static uint32_t member_count(struct tokio *tk, uint32_t id)
{
	uint32_t count = 0;
	if (id == TINFO_NONE)
		return 0;
	struct type type = tinfo_type(tk->target->tinfo, id);
	for (uint32_t i = 0; (type.kind == TYPE_STRUCT || type.kind == TYPE_UNION) && i < type.count; i++) {
		struct type inner = tinfo_type(tk->target->tinfo, tinfo_member(tk->target->tinfo, type.first + i).type);
		count += (inner.flags & TYPE_SIZED) == 0 || inner.size != 0;
	}
	return count;
}

static void plan_variants(struct tokio *tk, struct frame_plan *p, const struct type *type)
{
	if (!enum_plan_make(&p->live, tk->target, &tk->arena, type->id))
		return;
	struct frame_state *states = arena_array(&tk->arena, type->count, sizeof *states);
	p->silent = name_is(type->name, "core::option::Option");
	for (uint32_t i = 0; i < type->count; i++) {
		struct variant v = tinfo_variant(tk->target->tinfo, type->first + i);
		struct member m;
		states[i] = (struct frame_state){ .name = v.name, .variant = type->first + i, .next_type = TINFO_NONE,
			                          .locals = member_count(tk, v.payload),
			                          .end = p->silent ? CHAIN_RETURNED : CHAIN_UNKNOWN };
		if (!sole_future(tk, v.payload, &m))
			continue;
		states[i].next_type = m.type;
		states[i].next_offset = v.offset + m.offset;
		states[i].inferred = !p->silent;
	}
	p->states = states;
	p->step = STEP_VARIANTS;
	p->projection = !p->silent && !polled_itself(tk, type->id);
}

static bool plan_adapter(struct tokio *tk, struct frame_plan *p, const struct type *type)
{
	size_t count;
	const struct adapter *rows = adapter_find(type->name, &count);
	if (rows == NULL)
		return false;
	if (type->kind == TYPE_ENUM) /* for the name of the live variant */
		plan_variants(tk, p, type);
	p->projection = false;
	p->step = rows->kind == ADAPTER_LEAF ? STEP_LEAF : rows->kind == ADAPTER_NEVER ? STEP_NEVER : STEP_PATHS;
	p->silent = rows->kind == ADAPTER_SILENT;
	for (size_t i = 0; i < count && rows[i].next != NULL && p->path_count < PLAN_PATHS; i++) {
		struct path *path = &p->paths[p->path_count];
		path_bind(path, tk->target, &tk->arena, type->id, rows[i].next);
		if (path->state == PATH_BOUND)
			p->path_count++;
	}
	if (p->step == STEP_PATHS && p->path_count == 0) { /* another release of its crate: by shape then */
		p->silent = false;
		p->step = STEP_UNKNOWN;
		return false;
	}
	return true;
}

static void plan_shape(struct tokio *tk, struct frame_plan *p, const struct type *type)
{
	struct member m;
	if (type->kind == TYPE_POINTER && type->target != TINFO_NONE && type->name[0] != '*') {
		p->step = STEP_POINTER;
		p->silent = true;
		p->next_type = type->target;
	} else if (wide_pointer(tk, type, p)) {
		return;
	} else if (name_is(type->name, "core::pin::Pin") && type_sole_member(tk->target, type->id, &m)) {
		p->step = STEP_MEMBER;
		p->silent = true;
		p->next_type = m.type;
		p->next_offset = m.offset;
	} else if (type->kind == TYPE_ENUM) {
		plan_variants(tk, p, type);
	} else if (type->kind == TYPE_STRUCT && sole_future(tk, type->id, &m)) {
		p->step = STEP_MEMBER;
		p->inferred = true;
		p->next_type = m.type;
		p->next_offset = m.offset;
	}
}

const struct frame_plan *frame_plan_of(struct tokio *tk, uint32_t id)
{
	uint64_t known;
	if (map_get(&tk->plans, id, &known))
		return (const struct frame_plan *)(uintptr_t)known;
	struct type type = tinfo_type(tk->target->tinfo, id);
	struct frame_plan *p = arena_alloc(&tk->arena, sizeof *p);
	p->type = id;
	p->next_type = TINFO_NONE;
	p->size = type.size;
	p->sized = (type.flags & TYPE_SIZED) != 0;
	p->kind = future_kind_of(type.name);
	p->coroutine = (type.flags & TYPE_COROUTINE) != 0;
	p->locals = member_count(tk, id);
	map_set(&tk->plans, id, (uintptr_t)p);
	if (!(p->coroutine && plan_coroutine(tk, p, &type)) && !plan_adapter(tk, p, &type))
		plan_shape(tk, p, &type);
	if (!p->coroutine)
		frame_plan_branch(tk, p, &type);
	p->name = p->silent ? "" : tokio_type_name(tk, id, false);
	return p;
}

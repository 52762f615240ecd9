/* From a task's vtable to its future type. The table is an unnamed constant (src/runtime/task/raw.rs, `vtable`):
 * it is found by its address among the constants of the layouts, or through its functions, tried in the order
 * poll, dealloc, try_read_output, drop_join_handle_slow, drop_abort_handle, shutdown until one names a single
 * (T, S): LLVM folds equal functions, seldom poll. What the layouts say about the Cell<T, S> is then checked
 * against the offsets the program itself carries in the table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "tokio/tokio_internal.h"

enum { OFFSET_MAX = 1 << 30, UNBOX_DEPTH = 4, PAIRS_MAX = 16 };

struct pair {
	uint32_t type, type2;
};

struct pairs { /* distinct (T, S) met */
	struct pair items[PAIRS_MAX];
	uint32_t count;
	bool more;
};

static bool pair_collect(void *context, const struct function *f)
{
	struct pairs *pairs = context;
	if (f->kind != FUNCTION_ROLE || f->type == TINFO_NONE)
		return true;
	for (uint32_t i = 0; i < pairs->count; i++)
		if (pairs->items[i].type == f->type && pairs->items[i].type2 == f->type2)
			return true;
	if (pairs->count == PAIRS_MAX)
		pairs->more = true;
	else
		pairs->items[pairs->count++] = (struct pair){ f->type, f->type2 };
	return true;
}

/* Keeps in a what is also in b (b empty: nothing was learnt). */
static void pairs_narrow(struct pairs *a, const struct pairs *b)
{
	struct pairs both = { .count = 0 };
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < b->count; k++)
			if (a->items[i].type == b->items[k].type && a->items[i].type2 == b->items[k].type2)
				both.items[both.count++] = a->items[i];
	if (both.count > 0 && !b->more)
		*a = both;
}

static const enum path_role FUNCTION_SLOTS[] = { VTABLE_POLL, VTABLE_DEALLOC, VTABLE_TRY_READ_OUTPUT,
	                                         VTABLE_DROP_JOIN_HANDLE, VTABLE_DROP_ABORT_HANDLE, VTABLE_SHUTDOWN };

static struct pairs pairs_from_slots(struct tokio *tk, uint64_t vtable)
{
	struct pairs found = { .count = 0 };
	for (size_t i = 0; i < sizeof FUNCTION_SLOTS / sizeof FUNCTION_SLOTS[0]; i++) {
		struct pairs here = { .count = 0 };
		uint64_t code;
		if (path_load(&tk->paths[FUNCTION_SLOTS[i]], tk->target, vtable, &code) != OUTCOME_VALUE)
			continue;
		tokio_functions_at(tk, code, pair_collect, &here);
		if (here.count == 0)
			continue;
		if (found.count == 0)
			found = here;
		else
			pairs_narrow(&found, &here);
		if (found.count == 1 && !found.more)
			break;
	}
	return found;
}

static void offset_set(struct task_class *c, bool *has, uint64_t *slot, uint64_t value, const char *what,
                       struct tokio *tk)
{
	if (value == 0 || value % 8 != 0 || value > OFFSET_MAX)
		return;
	if (*has && *slot != value) {
		c->state = CLASS_MISMATCH;
		c->problem = arena_printf(&tk->arena, "%s is %" PRIu64 " in one place and %" PRIu64 " in another", what,
		                          *slot, value);
		return;
	}
	*has = true;
	*slot = value;
}

static void offsets_from_memory(struct tokio *tk, struct task_class *c)
{
	uint64_t value;
	if (path_load(&tk->paths[VTABLE_TRAILER_OFFSET], tk->target, c->vtable, &value) == OUTCOME_VALUE)
		offset_set(c, &c->has_trailer, &c->trailer_offset, value, "the trailer's offset", tk);
	if (path_load(&tk->paths[VTABLE_ID_OFFSET], tk->target, c->vtable, &value) == OUTCOME_VALUE)
		offset_set(c, &c->has_id, &c->id_offset, value, "the id's offset", tk);
	if (path_load(&tk->paths[VTABLE_SPAWN_OFFSET], tk->target, c->vtable, &value) == OUTCOME_VALUE)
		offset_set(c, &c->has_spawn, &c->spawn_offset, value, "the spawn location's offset", tk);
}

static void offsets_from_instance(struct tokio *tk, struct task_class *c, const struct instance *instance)
{
	for (uint32_t i = 0; i < instance->count; i++) {
		struct constant k = tinfo_constant(tk->target->tinfo, instance->first + i);
		if (strcmp(k.member, "trailer_offset") == 0)
			offset_set(c, &c->has_trailer, &c->trailer_offset, k.value, "the trailer's offset", tk);
		else if (strcmp(k.member, "id_offset") == 0)
			offset_set(c, &c->has_id, &c->id_offset, k.value, "the id's offset", tk);
		else if (strcmp(k.member, "spawn_location_offset") == 0)
			offset_set(c, &c->has_spawn, &c->spawn_offset, k.value, "the spawn location's offset", tk);
	}
}

static bool cell_fits(struct tokio *tk, uint32_t cell, uint32_t type, uint32_t type2)
{
	const struct path *future = tokio_generic_path(tk, CELL_FUTURE, cell);
	const struct path *scheduler = tokio_generic_path(tk, CELL_SCHEDULER, cell);
	return future->state == PATH_BOUND && future->type == type &&
	       (scheduler->state != PATH_BOUND || type2 == TINFO_NONE || scheduler->type == type2);
}

static uint32_t cell_among(struct tokio *tk, uint32_t first, uint32_t count, uint32_t type, uint32_t type2)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = tinfo_nth_named(tk->target->tinfo, first + i);
		if (cell_fits(tk, id, type, type2))
			return id;
	}
	return TINFO_NONE;
}

/* Cell<T, S> by the name it should have, then by looking at all Cells: names may be spelled otherwise. */
static uint32_t cell_find(struct tokio *tk, uint32_t type, uint32_t type2)
{
	struct tinfo *ti = tk->target->tinfo;
	struct strbuf sb = STRBUF_INIT;
	uint32_t first, count, cell = TINFO_NONE;
	strbuf_addf(&sb, "%s<", path_root_name(ROOT_CELL));
	size_t prefix = sb.length;
	if (type2 != TINFO_NONE) {
		strbuf_addf(&sb, "%s, %s>", tinfo_type(ti, type).name, tinfo_type(ti, type2).name);
		count = tinfo_types_named(ti, sb.text, &first);
		cell = cell_among(tk, first, count, type, type2);
	}
	strbuf_cut(&sb, prefix);
	if (cell == TINFO_NONE) {
		count = tinfo_types_prefixed(ti, sb.text, &first);
		cell = cell_among(tk, first, count, type, type2);
	}
	strbuf_release(&sb);
	return cell;
}

/* Pin<Box<F>>, Box<F>: spawn boxes futures beyond 2 KiB (debug) or 16 KiB (src/task/spawn.rs). Behind dyn the
 * type is the object's and not the class's. */
static uint32_t future_unbox(struct tokio *tk, uint32_t id, bool *boxed)
{
	struct tinfo *ti = tk->target->tinfo;
	*boxed = false;
	for (int depth = 0; depth < UNBOX_DEPTH; depth++) {
		struct type type = tinfo_type(ti, id);
		struct member m;
		if (name_is(type.name, "core::pin::Pin") && type_sole_member(tk->target, id, &m)) {
			struct type inner = tinfo_type(ti, m.type);
			bool box = name_is(inner.name, "alloc::boxed::Box");
			if (!box && inner.kind != TYPE_POINTER)
				return id;
			*boxed |= box;
			if (inner.kind != TYPE_POINTER)
				return id; /* a wide pointer: dyn */
			id = m.type;
		} else if (type.kind == TYPE_POINTER && name_is(type.name, "alloc::boxed::Box") &&
		           type.target != TINFO_NONE) {
			*boxed = true;
			id = type.target;
		} else {
			*boxed |= name_is(type.name, "alloc::boxed::Box");
			return id;
		}
	}
	return id;
}

static void class_know(struct tokio *tk, struct task_class *c, struct pair pair)
{
	uint64_t offset;
	c->future = pair.type;
	c->scheduler = pair.type2;
	c->root = future_unbox(tk, pair.type, &c->boxed);
	c->blocking = pair.type2 != TINFO_NONE &&
	              name_is(tinfo_type(tk->target->tinfo, pair.type2).name,
	                      "tokio::runtime::blocking::schedule::BlockingSchedule");
	c->name = tokio_type_name(tk, c->root, true);
	struct type root = tinfo_type(tk->target->tinfo, c->root);
	c->type = root.name;
	c->size = root.size; /* a boxed trait object: two words */
	c->has_size = (root.flags & TYPE_SIZED) != 0;
	c->defined = tokio_site_text(tk, root.file, root.line);
	c->cell = cell_find(tk, pair.type, pair.type2);
	if (c->cell == TINFO_NONE) {
		c->problem = "no layout of its Cell";
		return;
	}
	if (path_is_offset(tokio_generic_path(tk, CELL_TRAILER, c->cell), &offset))
		offset_set(c, &c->has_trailer, &c->trailer_offset, offset, "the trailer's offset", tk);
	if (path_is_offset(tokio_generic_path(tk, CELL_ID, c->cell), &offset))
		offset_set(c, &c->has_id, &c->id_offset, offset, "the id's offset", tk);
	c->stage = *tokio_generic_path(tk, CELL_STAGE, c->cell);
	c->running = *tokio_generic_path(tk, CELL_FUTURE, c->cell);
	c->scheduler_path = *tokio_generic_path(tk, CELL_SCHEDULER, c->cell);
	if (c->stage.state != PATH_BOUND || !enum_plan_make(&c->stages, tk->target, &tk->arena, c->stage.type))
		c->running.state = PATH_BROKEN;
}

static void class_doubt(struct tokio *tk, struct task_class *c, const struct pairs *pairs)
{
	struct strbuf sb = STRBUF_INIT;
	uint64_t code;
	if (pairs->count == 0) {
		bool readable = path_load(&tk->paths[VTABLE_POLL], tk->target, c->vtable, &code) == OUTCOME_VALUE;
		c->state = CLASS_UNKNOWN;
		c->name = readable ? arena_printf(&tk->arena, "<unknown: %s>", tokio_symbol_text(tk, code)) : "<unknown>";
		if (!readable)
			c->problem = "its vtable is not readable";
		else if (tk->target->join == JOIN_KEY && tk->target->executable == NULL)
			c->problem = "the executable, which would name its functions, was not found";
		else
			c->problem = "its functions are not in the debug information";
		return;
	}
	c->state = CLASS_AMBIGUOUS;
	c->problem = "several types share its functions";
	strbuf_adds(&sb, "<ambiguous: ");
	for (uint32_t i = 0; i < pairs->count && i < CLASS_CANDIDATES; i++) {
		c->candidates[c->candidate_count++] = pairs->items[i].type;
		strbuf_addf(&sb, "%s%s (type %" PRIu32 ")", i > 0 ? " | " : "",
		            tokio_type_name(tk, pairs->items[i].type, true), pairs->items[i].type);
	}
	strbuf_adds(&sb, pairs->count > CLASS_CANDIDATES || pairs->more ? " | …>" : ">");
	c->name = arena_strdup(&tk->arena, sb.text);
	strbuf_release(&sb);
}

/* One candidate's Cell against the offsets the table carries. */
static bool pair_agrees(struct tokio *tk, const struct task_class *c, struct pair pair)
{
	uint64_t offset;
	uint32_t cell = cell_find(tk, pair.type, pair.type2);
	if (cell == TINFO_NONE)
		return true;
	if (c->has_trailer && path_is_offset(tokio_generic_path(tk, CELL_TRAILER, cell), &offset) &&
	    offset != c->trailer_offset)
		return false;
	return !c->has_id || !path_is_offset(tokio_generic_path(tk, CELL_ID, cell), &offset) || offset == c->id_offset;
}

static void pairs_check(struct tokio *tk, const struct task_class *c, struct pairs *pairs)
{
	struct pairs left = { .count = 0, .more = pairs->more };
	if (pairs->count < 2)
		return;
	for (uint32_t i = 0; i < pairs->count; i++)
		if (pair_agrees(tk, c, pairs->items[i]))
			left.items[left.count++] = pairs->items[i];
	if (left.count > 0)
		*pairs = left;
}

static void class_resolve(struct tokio *tk, struct task_class *c)
{
	struct tinfo *ti = tk->target->tinfo;
	struct pairs pairs = { .count = 0 };
	if (tk->target->join == JOIN_ADDRESS) {
		uint32_t index = tinfo_instance_at(ti, c->vtable - tk->target->bias);
		if (index != TINFO_NONE) {
			struct instance instance = tinfo_instance(ti, index);
			struct function f = tinfo_function(ti, instance.function);
			pair_collect(&pairs, &f);
			if (f.address != 0) /* folded code belongs to several types */
				tokio_functions_at(tk, f.address + tk->target->bias, pair_collect, &pairs);
			offsets_from_instance(tk, c, &instance);
		}
	}
	offsets_from_memory(tk, c);
	if (pairs.count != 1 || pairs.more) {
		struct pairs slots = pairs_from_slots(tk, c->vtable);
		if (slots.count > 0)
			pairs = slots;
		pairs_check(tk, c, &pairs);
	}
	if (pairs.count == 1 && !pairs.more)
		class_know(tk, c, pairs.items[0]);
	else
		class_doubt(tk, c, &pairs);
}

const struct task_class *task_class_of(struct tokio *tk, uint64_t vtable)
{
	uint64_t known;
	if (map_get(&tk->classes, vtable, &known))
		return (const struct task_class *)(uintptr_t)known;
	struct task_class *c = arena_alloc(&tk->arena, sizeof *c);
	*c = (struct task_class){ .vtable = vtable, .state = CLASS_KNOWN, .future = TINFO_NONE,
		                  .scheduler = TINFO_NONE, .root = TINFO_NONE, .cell = TINFO_NONE };
	map_set(&tk->classes, vtable, (uintptr_t)c);
	class_resolve(tk, c);
	if (c->state == CLASS_MISMATCH)
		tokio_lack(tk, "the layouts do not fit the tasks with vtable 0x%" PRIx64 " (%s): %s; wrong debug "
		               "information?", vtable, c->name, c->problem);
	else if (c->problem != NULL && (c->has_trailer || c->state != CLASS_UNKNOWN))
		tokio_warn(tk, "tasks with vtable 0x%" PRIx64 " (%s): %s", vtable, c->name, c->problem);
	return c;
}

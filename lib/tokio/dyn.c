/* Trait objects: vtable words are drop glue (may be null), size, align, then the methods; for `dyn Future` word 3
 * is poll. Evidence in this order: the vtable's own record in the layouts, poll (a state machine's poll is never
 * shared), drop glue (depends on the drop layout only, so different futures may share one). The size word must be
 * that of the type. */
#include <inttypes.h>

#include "tokio/frame_plan.h"

enum { SLOT_DROP = 0, SLOT_SIZE = 1, SLOT_POLL = 3, TYPES_MAX = 8, WORD = 8 };

struct type_set {
	uint32_t ids[TYPES_MAX];
	uint32_t count;
	bool more;
	enum function_kind kind; /* FUNCTION_DROP: drop glue, else poll and resume */
	struct tokio *tk;
	uint64_t size;
	bool has_size;
};

static void set_add(struct type_set *set, uint32_t type)
{
	if (type == TINFO_NONE)
		return;
	struct type layout = tinfo_type(set->tk->target->tinfo, type);
	if (set->has_size && (layout.flags & TYPE_SIZED) != 0 && layout.size != set->size)
		return;
	for (uint32_t i = 0; i < set->count; i++)
		if (set->ids[i] == type)
			return;
	if (set->count == TYPES_MAX)
		set->more = true;
	else
		set->ids[set->count++] = type;
}

static bool set_visit(void *context, const struct function *f)
{
	struct type_set *set = context;
	bool drop = f->kind == FUNCTION_DROP, poll = f->kind == FUNCTION_POLL || f->kind == FUNCTION_RESUME;
	if (set->kind == FUNCTION_DROP ? drop : poll)
		set_add(set, f->type);
	return true;
}

static void set_narrow(struct type_set *a, const struct type_set *b)
{
	struct type_set both = *a;
	both.count = 0;
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < b->count; k++)
			if (a->ids[i] == b->ids[k])
				both.ids[both.count++] = a->ids[i];
	if (a->count == 0)
		*a = *b;
	else if (both.count > 0 && !b->more)
		*a = both;
}

static struct type_set set_from_code(struct tokio *tk, const struct type_set *like, uint64_t vtable, int slot,
                                     enum function_kind kind)
{
	struct type_set set = { .kind = kind, .tk = tk, .size = like->size, .has_size = like->has_size };
	uint64_t code;
	if (target_word(tk->target, vtable + (uint64_t)slot * WORD, &code) && code != 0)
		tokio_functions_at(tk, code, set_visit, &set);
	return set;
}

static struct type_set set_from_layouts(struct tokio *tk, const struct type_set *like, uint64_t vtable)
{
	struct type_set set = { .tk = tk, .size = like->size, .has_size = like->has_size };
	uint32_t first;
	if (tk->target->join != JOIN_ADDRESS)
		return set;
	uint32_t count = tinfo_vtable_at(tk->target->tinfo, vtable - tk->target->bias, &first);
	for (uint32_t i = 0; i < count; i++)
		set_add(&set, tinfo_vtable(tk->target->tinfo, first + i).type);
	return set;
}

static void dyn_resolve(struct tokio *tk, uint64_t vtable, bool trait_is_future, struct dyn_type *out)
{
	struct type_set empty = { .tk = tk };
	uint64_t poll;
	empty.has_size = target_word(tk->target, vtable + SLOT_SIZE * WORD, &empty.size);
	struct type_set set = set_from_layouts(tk, &empty, vtable);
	if (set.count != 1 && trait_is_future) {
		struct type_set more = set_from_code(tk, &empty, vtable, SLOT_POLL, FUNCTION_POLL);
		set_narrow(&set, &more);
	}
	if (set.count != 1) {
		struct type_set more = set_from_code(tk, &empty, vtable, SLOT_DROP, FUNCTION_DROP);
		set_narrow(&set, &more);
	}
	if (set.count == 1 && !set.more) {
		out->type = set.ids[0];
		return;
	}
	out->ambiguous = set.count > 0;
	if (set.count > 0)
		out->note = arena_printf(&tk->arena, "the trait object with vtable 0x%" PRIx64 " fits several types: %s, "
		                                     "%s%s", vtable, tokio_type_name(tk, set.ids[0], false),
		                         tokio_type_name(tk, set.ids[set.count > 1], false),
		                         set.count > 2 || set.more ? ", …" : "");
	else if (target_word(tk->target, vtable + SLOT_POLL * WORD, &poll))
		out->note = arena_printf(&tk->arena, "the vtable 0x%" PRIx64 " of a trait object is not in the debug "
		                                     "information; its function: %s", vtable, tokio_symbol_text(tk, poll));
	else
		out->note = arena_printf(&tk->arena, "the vtable 0x%" PRIx64 " of a trait object cannot be read", vtable);
}

const struct dyn_type *dyn_type_of(struct tokio *tk, uint64_t vtable, bool trait_is_future)
{
	uint64_t known;
	if (map_get(&tk->dyns, vtable, &known))
		return (const struct dyn_type *)(uintptr_t)known;
	struct dyn_type *d = arena_alloc(&tk->arena, sizeof *d);
	d->type = TINFO_NONE;
	if (vtable == 0 || vtable % WORD != 0)
		d->note = arena_printf(&tk->arena, "0x%" PRIx64 " is no vtable", vtable);
	else
		dyn_resolve(tk, vtable, trait_is_future, d);
	map_set(&tk->dyns, vtable, (uintptr_t)d);
	return d;
}

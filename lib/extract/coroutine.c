/* Coroutines: which listed members of a state are real, and where its awaits are written. The facts are those of
 * the notes on rustc's DWARF, sections 6 to 9; the compiler lists arguments in every state, live or not. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "extract/extract_internal.h"

enum { AWAITS_MAX = 4096, BLOCK_DEPTH_MAX = 128 };

bool coroutine_name(const char *name)
{
	static const char *const MARKERS[] = { "{async_fn_env#", "{async_block_env#", "{async_closure_env#",
		                               "{coroutine_env#", "{gen_block_env#", "{async_gen_block_env#" };
	for (size_t i = 0; i < sizeof MARKERS / sizeof *MARKERS; i++)
		if (strncmp(name, MARKERS[i], strlen(MARKERS[i])) == 0)
			return true;
	return false;
}

static bool same_member(const struct member *a, const struct member *b)
{
	return a->offset == b->offset && a->type == b->type && strcmp(a->name, b->name) == 0;
}

static bool listed(const struct member *members, size_t count, const struct member *wanted)
{
	for (size_t i = 0; i < count; i++)
		if (same_member(&members[i], wanted))
			return true;
	return false;
}

static size_t count_named(const struct member *members, size_t count, const char *name)
{
	size_t named = 0;
	for (size_t i = 0; i < count; i++)
		named += strcmp(members[i].name, name) == 0;
	return named;
}

/* Several variables of one name come out as identical entries with the first one's type and place: more entries
 * than one, after taking off the argument's repetition at the end, mean shadowing. */
static void mark_shadowed(struct member *members, size_t count, const struct member *arguments, size_t argument_count)
{
	for (size_t i = 0; i < count; i++) {
		size_t named = count_named(members, count, members[i].name);
		if (count_named(arguments, argument_count, members[i].name) != 0)
			named--;
		if (named > 1)
			members[i].flags |= MEMBER_SHADOWED;
	}
}

static size_t prune_state(struct member *members, size_t count, const struct member *arguments, size_t argument_count,
                          bool keeps_captures)
{
	size_t kept = 0;
	mark_shadowed(members, count, arguments, argument_count);
	for (size_t i = 0; i < count; i++) {
		if (listed(arguments, argument_count, &members[i])) {
			if (!keeps_captures)
				continue; /* stale: a live argument of an async fn was moved to a slot of its own */
			members[i].flags |= MEMBER_UNCERTAIN;
		}
		if (listed(members, kept, &members[i]))
			continue;
		members[kept++] = members[i];
	}
	return kept;
}

void coroutine_prune(struct member *members[], size_t counts[], const struct variant *variants, size_t variant_count,
                     bool is_block)
{
	size_t unresumed = variant_count;
	for (size_t i = 0; i < variant_count; i++)
		if (strcmp(variants[i].name, "Unresumed") == 0)
			unresumed = i;
	if (unresumed == variant_count)
		return; /* states of an unknown shape: leave them as the compiler gave them */
	for (size_t i = 0; i < variant_count; i++) {
		if (i == unresumed)
			continue;
		if (strncmp(variants[i].name, "Suspend", 7) == 0)
			counts[i] = prune_state(members[i], counts[i], members[unresumed], counts[unresumed], is_block);
		else
			counts[i] = 0; /* Returned, Panicked: nothing is live */
	}
}

/* One variable of a body. */
struct body_local {
	const char *name;
	uint64_t type; /* DIE */
	struct die die;
	struct die_values values;
};

struct body {
	struct body_local *locals;
	size_t count, capacity;
};

/* The variables of a body, wherever its lexical blocks put them. Iterative over one list at a time: blocks nest,
 * so a small stack of the lists still to be finished. */
static void read_body(struct extractor *x, const struct die *function, struct body *body)
{
	struct die stack[BLOCK_DEPTH_MAX];
	size_t depth = 0;
	struct die at;
	bool more = die_child(x->dw, function, &at);
	while (more || depth != 0) {
		if (!more) {
			more = die_next(x->dw, &stack[--depth], &at);
			continue;
		}
		if (at.abbrev->tag == DW_TAG_lexical_block && at.abbrev->has_children && depth < BLOCK_DEPTH_MAX) {
			stack[depth++] = at;
			struct die child;
			more = die_child(x->dw, &at, &child);
			at = child;
			continue;
		}
		struct die_values v;
		if (at.abbrev->tag == DW_TAG_variable && body->count < AWAITS_MAX && die_read(x->dw, &at, &v) &&
		    v.name != NULL && v.type != DWARF_NO_OFFSET) {
			body->locals = array_reserve(body->locals, &body->capacity, body->count, 1, sizeof *body->locals);
			body->locals[body->count++] = (struct body_local){ v.name, v.type, at, v };
		}
		struct die next;
		more = die_next(x->dw, &at, &next);
		at = next;
	}
}

static bool has_awaits(const struct body *body)
{
	for (size_t i = 0; i < body->count; i++)
		if (strcmp(body->locals[i].name, "__awaitee") == 0)
			return true;
	return false;
}

/* A local's place in the coroutine at opt-level 0: fbreg k; deref; plus_uconst N. */
static uint64_t offset_in_coroutine(const struct die_values *v)
{
	struct cursor c = cursor_over(v->location, (size_t)v->location_length);
	if (v->location == NULL || cursor_u8(&c) != DW_OP_fbreg)
		return UINT64_MAX;
	cursor_sleb(&c);
	if (cursor_u8(&c) != DW_OP_deref)
		return UINT64_MAX;
	if (cursor_left(&c) == 0)
		return c.bad ? UINT64_MAX : 0;
	uint64_t offset = cursor_u8(&c) == DW_OP_plus_uconst ? cursor_uleb(&c) : UINT64_MAX;
	return c.bad || cursor_left(&c) != 0 ? UINT64_MAX : offset;
}

static void keep_locals(struct extractor *x, uint32_t coroutine, const struct body *body)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct body_local *l = &body->locals[i];
		if (strncmp(l->name, "__", 2) == 0)
			continue;
		struct local local = { coroutine, l->name, type_intern(x, l->type), offset_in_coroutine(&l->values),
			               site_file(x, &l->die, &l->values), (uint32_t)l->values.line };
		build_local(x->build, &local);
	}
}

/* An await's variant has the line of the `.await` keyword after macro expansion; the body's variable `__awaitee`
 * has the place of expansion when the macro is another crate's. The two are paired by the awaited type: first
 * those that agree in file and line too, then those whose type is unique on both sides. Only a pair whose files
 * differ tells a macro; else the variant's line is the better one (the variable has the expression's start). */
static void pair_awaits(struct extractor *x, const struct body *body, struct variant *variants,
                        const uint64_t *awaitees, size_t count)
{
	bool *used = calloc(body->count + 1, sizeof *used), *done = calloc(count + 1, sizeof *done);
	if (used == NULL || done == NULL)
		abort();
	for (size_t v = 0; v < count; v++) {
		for (size_t i = 0; i < body->count && awaitees[v] != 0 && !done[v]; i++) {
			const struct body_local *l = &body->locals[i];
			if (used[i] || strcmp(l->name, "__awaitee") != 0 || l->values.line != variants[v].line ||
			    type_reference_hash(x, l->type) != awaitees[v] ||
			    strcmp(site_file(x, &l->die, &l->values), variants[v].file) != 0)
				continue;
			used[i] = done[v] = true;
		}
	}
	for (size_t v = 0; v < count; v++) {
		size_t variants_of_type = 0, locals_of_type = 0, which = 0;
		if (awaitees[v] == 0 || done[v])
			continue;
		for (size_t o = 0; o < count; o++)
			variants_of_type += !done[o] && awaitees[o] == awaitees[v];
		for (size_t i = 0; i < body->count; i++) {
			if (used[i] || strcmp(body->locals[i].name, "__awaitee") != 0 ||
			    type_reference_hash(x, body->locals[i].type) != awaitees[v])
				continue;
			locals_of_type++;
			which = i;
		}
		if (variants_of_type != 1 || locals_of_type != 1)
			continue;
		const struct body_local *l = &body->locals[which];
		const char *file = site_file(x, &l->die, &l->values);
		if (file[0] != '\0' && strcmp(file, variants[v].file) != 0) {
			variants[v].file = file;
			variants[v].line = (uint32_t)l->values.line;
		}
	}
	free(used);
	free(done);
}

void coroutine_sites(struct extractor *x, uint64_t die, uint64_t path_hash, struct variant *variants,
                     const uint64_t *awaitees, size_t variant_count, uint64_t *resume, uint32_t type_id)
{
	size_t cursor = 0, find_count;
	uint64_t index, best = UINT64_MAX;
	const struct sweep_find *finds = sweep_finds(x->sweep, &find_count);
	struct body body = { NULL, 0, 0 };
	(void)die;
	*resume = DWARF_NO_OFFSET;
	/* The first copy that still has its awaits wins; copies stand in DIE order only by their index. */
	while (map_next(&x->resumes, path_hash, &cursor, &index)) {
		if (index >= best && body.count != 0)
			continue;
		struct die function;
		struct body copy = { NULL, 0, 0 };
		if (!die_at(x->dw, finds[index].die, &function))
			continue;
		read_body(x, &function, &copy);
		bool better = best == UINT64_MAX || (has_awaits(&copy) && (!has_awaits(&body) || index < best)) ||
		              (!has_awaits(&body) && index < best);
		if (!better) {
			free(copy.locals);
			continue;
		}
		free(body.locals);
		body = copy;
		best = index;
	}
	if (best == UINT64_MAX)
		return;
	*resume = finds[best].die;
	pair_awaits(x, &body, variants, awaitees, variant_count);
	keep_locals(x, type_id, &body);
	free(body.locals);
}

/* The scan: tasks one by one, each find's own frames as soon as it is found. Recursion is bounded by HELD_HOPS and
 * HELD_LEVELS, containers by SET_CHILDREN_MAX, and every (address, type) is taken once. */
#include "tokio/held_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tokio/discover.h"
#include "tokio/frame_plan.h"

static void scan_chain(struct held_state *s, const struct chain *chain, uint64_t task, uint32_t via);
static void scan_value(struct held_state *s, const struct held_place *place, uint32_t type, uint64_t address, int level);

struct held_state *held_new(struct tokio *tk)
{
	struct held_state *s = calloc(1, sizeof *s);
	if (s == NULL || (s->chains = calloc(HELD_HOPS + 1, sizeof *s->chains)) == NULL)
		abort();
	s->tk = tk;
	hold_types_init(&s->types, tk);
	return s;
}

void held_free(struct held_state *s)
{
	if (s == NULL)
		return;
	hold_types_release(&s->types);
	map_release(&s->futures);
	map_release(&s->sets_seen);
	map_release(&s->semaphores);
	map_release(&s->handles);
	map_release(&s->set_plans);
	map_release(&s->block_of);
	map_release(&s->find_at);
	free(s->chains);
	free(s->items);
	free(s->sets);
	free(s->members);
	free(s->blocks);
	free(s->pending);
	free(s->spans);
	free(s);
}

static uint64_t place_key(uint64_t address, uint32_t type)
{
	return hash_u64(address ^ hash_u64(type));
}

static bool seen_before(struct map *map, uint64_t key)
{
	uint64_t known;
	if (map_get(map, key, &known))
		return true;
	map_set(map, key, 1);
	return false;
}

static bool on_chain(const struct chain *chain, uint64_t address, uint32_t type)
{
	for (uint32_t i = 0; i < chain->count; i++)
		if (chain->frames[i].address == address && chain->frames[i].type == type)
			return true;
	return false;
}

static void pend(struct held_state *s, const struct held_place *place, uint32_t type, uint64_t address, enum hold kind)
{
	for (size_t i = s->pending_count; i > 0; i--) {
		struct held_pending *known = &s->pending[i - 1];
		if (known->address != address || known->type != type)
			continue;
		known->place = *place; /* a frame, or part of one, that a frame further out has as a local */
		return;
	}
	s->pending = array_reserve(s->pending, &s->pending_capacity, s->pending_count, 1, sizeof *s->pending);
	s->pending[s->pending_count++] = (struct held_pending){ *place, address, type, kind };
}

/* The first frame that means something to people. */
static uint32_t first_frame(const struct held_state *s, const struct chain *chain)
{
	const char *name = chain->count > 1 ? tinfo_type(s->tk->target->tinfo, chain->frames[0].type).name : "";
	return name_is(name, "futures_util::stream::futures_ordered::OrderWrapper") ? 1 : 0;
}

static void count_in_holder(struct held_state *s, const struct held_place *place)
{
	if (place->via != HELD_NONE && place->set == HELD_NONE)
		s->items[place->via].holds++;
}

static uint32_t add_find(struct held_state *s, const struct held_place *place, struct held found)
{
	found.task = place->task;
	found.via = place->via;
	found.frame = place->frame;
	found.local = place->local;
	found.set = place->set;
	s->items = array_reserve(s->items, &s->capacity, s->count, 1, sizeof *s->items);
	s->items[s->count] = found;
	count_in_holder(s, place);
	s->census.frames += found.frames;
	if (found.frames > s->census.deepest)
		s->census.deepest = found.frames;
	return (uint32_t)s->count++;
}

/* Does it end in a JoinHandle that was met before? A task has one, so this is what a move left behind. */
static bool handle_known(struct held_state *s, const struct chain *chain)
{
	uint64_t header;
	const struct frame *leaf = &chain->frames[chain->count - 1];
	if (tokio_root_of(s->tk, leaf->type) != ROOT_JOIN_HANDLE ||
	    path_load(tokio_generic_path(s->tk, JOIN_HANDLE_HEADER, leaf->type), s->tk->target, leaf->address, &header) !=
	            OUTCOME_VALUE)
		return false;
	tokio_candidate(s->tk, header, FOUND_JOIN_HANDLE);
	return seen_before(&s->handles, header);
}

uint32_t held_hit(struct held_state *s, const struct held_place *place, uint32_t type, uint64_t address, bool borrowed,
                  bool *over)
{
	*over = false;
	if (s->hop == HELD_HOPS) {
		tokio_warn(s->tk, "futures held %d deep inside the future at 0x%" PRIx64 " are not looked at", HELD_HOPS,
		           address);
		return HELD_NONE;
	}
	struct chain *chain = &s->chains[s->hop + 1];
	chain_follow(s->tk, address, type, chain);
	*over = chain->count <= 1 && (chain->end == CHAIN_RETURNED || chain->end == CHAIN_PANICKED);
	if (*over)
		return HELD_NONE;
	uint32_t first = first_frame(s, chain);
	struct held found = { .address = address, .type = type, .frames = chain->count - first, .borrowed = borrowed };
	if (chain->count > 0) {
		const struct frame *f = &chain->frames[first];
		uint64_t known;
		if (on_chain(place->chain, f->address, f->type))
			return HELD_NONE;
		if (borrowed && map_get(&s->futures, place_key(f->address, f->type), &known))
			return HELD_NONE; /* a find already */
		if (!borrowed && (handle_known(s, chain) || held_moved(s, place->chain, chain, first)))
			return HELD_NONE;
		found.dyn = f->dyn;
		if (!borrowed) {
			found.address = f->address;
			found.type = f->type;
		}
	}
	if (seen_before(&s->futures, place_key(found.address, found.type)))
		return HELD_NONE;
	uint32_t index = add_find(s, place, found);
	s->hop++;
	scan_chain(s, chain, place->task, index);
	s->hop--;
	return index;
}

static void scan_parts(struct held_state *s, const struct held_place *place, uint32_t type, uint64_t address, int level)
{
	if (type == TINFO_NONE)
		return;
	const struct hold_parts *parts = hold_parts_of(&s->types, type);
	for (uint32_t i = 0; i < parts->count; i++)
		scan_value(s, place, parts->items[i].type, address + parts->items[i].offset, level + 1);
}

static void scan_variant(struct held_state *s, const struct held_place *place, const struct hold_plan *plan,
                         uint64_t address, int level)
{
	uint32_t live;
	if (enum_plan_live(&plan->live, s->tk->target, address, &live) != OUTCOME_VALUE) {
		if (!s->quiet)
			tokio_warn(s->tk, "the value at 0x%" PRIx64 " is no variant of its type", address);
		return;
	}
	struct variant v = tinfo_variant(s->tk->target->tinfo, plan->live.first + live);
	scan_parts(s, place, v.payload, address + v.offset, level);
}

static void scan_elements(struct held_state *s, const struct held_place *place, uint32_t type, uint64_t address,
                          int level)
{
	struct view view;
	struct value key, value;
	uint32_t count = 0;
	view_of(&s->types.viewer, (struct value){ type, address }, VIEW_FOR_PATH, &view);
	if (view.kind == VIEW_ERROR && !s->quiet)
		tokio_warn(s->tk, "the container at 0x%" PRIx64 ": %s", address, view.word);
	if (view.kind != VIEW_LIST && view.kind != VIEW_MAP)
		return;
	if (view.walk.next == walk_array && view.walk.count > 0 && !hold_plan_of(&s->types, view.walk.value_type)->holds)
		return;
	while (view.walk.next(&s->types.viewer, &view.walk, &key, &value)) {
		if (++count > SET_CHILDREN_MAX) {
			tokio_warn(s->tk, "the container at 0x%" PRIx64 " has more than %d elements; the rest is not looked at",
			           address, SET_CHILDREN_MAX);
			return;
		}
		scan_value(s, place, value.type, value.address, level + 1);
	}
	if (view.walk.error != NULL && !s->quiet)
		tokio_warn(s->tk, "the container at 0x%" PRIx64 ": %s at 0x%" PRIx64, address, view.walk.error,
		           view.walk.fault);
}

/* Box<dyn Stream>: what is inside may hold futures. */
static void scan_object(struct held_state *s, const struct held_place *place, const struct hold_plan *plan,
                        uint64_t address, int level)
{
	uint64_t data, vtable;
	bool over;
	if (plan->dyn_future) {
		held_hit(s, place, plan->type, address, false, &over);
		return;
	}
	if (!target_word(s->tk->target, address + plan->data, &data) ||
	    !target_word(s->tk->target, address + plan->vtable, &vtable) || vtable == 0)
		return;
	const struct dyn_type *d = dyn_type_of(s->tk, vtable, false);
	if (d->type != TINFO_NONE)
		scan_value(s, place, d->type, data, level + 1);
}

static void scan_value(struct held_state *s, const struct held_place *place, uint32_t type, uint64_t address, int level)
{
	const struct hold_plan *plan = hold_plan_of(&s->types, type);
	uint64_t to;
	bool over;
	if (!plan->holds || s->visits > HELD_VISITS)
		return;
	if (++s->visits > HELD_VISITS)
		tokio_lack(s->tk, "more than %d values could hold futures; the rest, from 0x%" PRIx64 " on, is not looked at",
		           HELD_VISITS, address);
	if (level > HELD_LEVELS) {
		tokio_warn(s->tk, "values nested more than %d deep at 0x%" PRIx64 " are not looked at", HELD_LEVELS, address);
		return;
	}
	switch (plan->kind) {
	case HOLD_NOTHING:
		return;
	case HOLD_FUTURE:
		held_hit(s, place, type, address, false, &over);
		return;
	case HOLD_MEMBERS:
		scan_parts(s, place, type, address, level);
		return;
	case HOLD_VARIANTS:
		scan_variant(s, place, plan, address, level);
		return;
	case HOLD_POINTER:
		if (target_word(s->tk->target, address, &to) && to != 0)
			scan_value(s, place, plan->target, to, level + 1);
		return;
	case HOLD_DYN:
		scan_object(s, place, plan, address, level);
		return;
	case HOLD_ELEMENTS:
		scan_elements(s, place, type, address, level);
		return;
	case HOLD_HANDLE:
		if (path_load(&plan->handle, s->tk->target, address, &to) == OUTCOME_VALUE)
			tokio_candidate(s->tk, to, FOUND_ABORT_HANDLE);
		return;
	case HOLD_LOCAL_SET:
		if (path_locate(&plan->handle, s->tk->target, address, &to) == OUTCOME_VALUE)
			tokio_candidate_local_set(s->tk, to);
		return;
	case HOLD_REFERENCE:
	case HOLD_UNORDERED:
	case HOLD_JOIN_SET:
	case HOLD_STREAMS:
		pend(s, place, type, address, plan->kind);
		return;
	}
}

/* Other tasks that wait for the same semaphore. */
static void scan_waiters(struct held_state *s, const struct frame *f)
{
	uint64_t semaphore, node, header;
	struct tokio *tk = s->tk;
	if (path_load(&tk->paths[ACQUIRE_SEMAPHORE], tk->target, f->address, &semaphore) != OUTCOME_VALUE ||
	    seen_before(&s->semaphores, semaphore))
		return;
	enum outcome outcome = path_load(&tk->paths[SEMAPHORE_QUEUE], tk->target, semaphore, &node);
	for (uint32_t i = 0; outcome == OUTCOME_VALUE && node != 0 && i < SET_CHILDREN_MAX; i++) {
		if (path_load(&tk->paths[WAITER_WAKER_DATA], tk->target, node, &header) == OUTCOME_VALUE)
			tokio_candidate(tk, header, FOUND_SEMAPHORE);
		outcome = path_load(&tk->paths[WAITER_NEXT], tk->target, node, &node);
	}
}

static void scan_frame(struct held_state *s, const struct frame *f, struct held_place *place)
{
	struct tinfo *ti = s->tk->target->tinfo;
	enum path_root root = tokio_root_of(s->tk, f->type);
	if (root == ROOT_ACQUIRE)
		scan_waiters(s, f);
	if (f->variant != TINFO_NONE) {
		struct variant v = tinfo_variant(ti, f->variant);
		if (v.payload == TINFO_NONE)
			return;
		const struct hold_parts *parts = hold_parts_of(&s->types, v.payload);
		for (uint32_t i = 0; i < parts->count; i++) {
			place->local = parts->items[i].name;
			scan_value(s, place, parts->items[i].type, f->address + v.offset + parts->items[i].offset, 0);
		}
		return;
	}
	const struct hold_plan *plan = hold_plan_of(&s->types, f->type);
	place->local = NULL;
	if (plan->kind == HOLD_UNORDERED || plan->kind == HOLD_STREAMS) {
		pend(s, place, f->type, f->address, plan->kind);
		return;
	}
	if (plan->dead_end)
		return;
	const struct hold_parts *parts = hold_parts_of(&s->types, f->type);
	for (uint32_t i = 0; i < parts->count; i++) {
		place->local = parts->items[i].name;
		scan_value(s, place, parts->items[i].type, f->address + parts->items[i].offset, 0);
	}
}

/* First what is a value, then references, then the children of sets. */
static void scan_chain(struct held_state *s, const struct chain *chain, uint64_t task, uint32_t via)
{
	size_t mark = s->pending_count;
	for (uint32_t i = chain->count; i > 0; i--) {
		struct held_place place = { .task = task, .via = via, .frame = chain->count - i, .set = HELD_NONE,
			                    .chain = chain };
		scan_frame(s, &chain->frames[i - 1], &place);
	}
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = mark; i < s->pending_count; i++) {
			struct held_pending p = s->pending[i];
			bool over;
			if (p.kind == HOLD_REFERENCE && pass == 0)
				held_hit(s, &p.place, p.type, p.address, true, &over);
			else if (p.kind != HOLD_REFERENCE && pass == 1 &&
			         !seen_before(&s->sets_seen, place_key(p.address, p.type)))
				held_scan_set(s, &p);
		}
	}
	s->pending_count = mark;
}

void held_scan(struct held_state *s, const struct task *task)
{
	uint64_t future;
	struct chain *chain = &s->chains[0];
	if (task->class->state != CLASS_KNOWN || task->class->blocking ||
	    task_stage(s->tk, task, &future) != STAGE_RUNNING)
		return;
	chain_follow(s->tk, future, task->class->future, chain);
	s->census.chains++;
	s->census.frames += chain->count;
	if (chain->count > s->census.deepest)
		s->census.deepest = chain->count;
	struct held_block block = { task->address, s->count, 0, s->set_count, 0 };
	s->quiet = task->state == TASK_RUNNING;
	s->hop = 0;
	if (chain->count > 0)
		handle_known(s, chain);
	scan_chain(s, chain, task->address, HELD_NONE);
	block.items = s->count - block.item;
	block.sets = s->set_count - block.set;
	if (block.items == 0 && block.sets == 0)
		return;
	s->blocks = array_reserve(s->blocks, &s->block_capacity, s->block_count, 1, sizeof *s->blocks);
	s->blocks[s->block_count++] = block;
}

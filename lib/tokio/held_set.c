/* Sets of futures. FuturesUnordered: a list of nodes through next_all, from head_all; the stub of its ready queue stands
 * there while a node is being linked (futures-util src/stream/futures_unordered/mod.rs, 0.3.28 to 0.3.34). JoinSet: two
 * lists of entries with a JoinHandle each (tokio src/task/join_set.rs, src/util/idle_notified_set.rs, 1.38 to 1.54). */
#include <inttypes.h>

#include "base/array.h"
#include "tokio/discover.h"
#include "tokio/held_internal.h"

struct set_plan {
	bool good;
	struct path head[2], next; /* of an UNORDERED one only the first head */
	struct path stub, length;
	struct path item;          /* in a node: Option<Fut>; JoinHandle */
	struct path header;        /* in a JoinHandle */
	bool has_stub, has_length, length_in_node;
	uint64_t node_size;
};

static bool bind(struct tokio *tk, struct path *path, uint32_t type, const char *text)
{
	path_bind(path, tk->target, &tk->arena, type, text);
	return path->state == PATH_BOUND;
}

static uint32_t pointee(struct tokio *tk, const struct path *path)
{
	return path->state == PATH_BOUND ? tinfo_type(tk->target->tinfo, path->type).target : TINFO_NONE;
}

static void plan_unordered(struct tokio *tk, struct set_plan *p, uint32_t type)
{
	if (!bind(tk, &p->head[0], type, ".head_all~p"))
		return;
	uint32_t node = pointee(tk, &p->head[0]);
	p->has_stub = bind(tk, &p->stub, type, ".ready_to_run_queue.ptr.pointer->.data.stub.ptr.pointer->.data");
	p->has_length = p->length_in_node = bind(tk, &p->length, node, ".len_all~w");
	p->good = bind(tk, &p->next, node, ".next_all~p") && bind(tk, &p->item, node, ".future.value");
	p->node_size = node != TINFO_NONE ? tinfo_type(tk->target->tinfo, node).size : 0;
}

static void plan_join_set(struct tokio *tk, struct set_plan *p, uint32_t type)
{
	struct path lists;
	p->has_length = bind(tk, &p->length, type, ".inner.length");
	if (!bind(tk, &lists, type, ".inner.lists.ptr.pointer->.data?T") ||
	    !bind(tk, &p->head[0], type, ".inner.lists.ptr.pointer->.data?T.notified.head<Some>.__0.pointer") ||
	    !bind(tk, &p->head[1], type, ".inner.lists.ptr.pointer->.data?T.idle.head<Some>.__0.pointer"))
		return;
	uint32_t node = pointee(tk, &p->head[0]);
	p->good = bind(tk, &p->next, node, ".pointers.inner.value.next<Some>.__0.pointer") &&
	          bind(tk, &p->item, node, ".value.__0.value?T") && bind(tk, &p->header, p->item.type, ".raw.ptr.pointer");
	p->node_size = node != TINFO_NONE ? tinfo_type(tk->target->tinfo, node).size : 0;
}

static const struct set_plan *set_plan_of(struct held_state *s, uint32_t type, bool join)
{
	uint64_t known;
	if (map_get(&s->set_plans, type, &known))
		return (const struct set_plan *)(uintptr_t)known;
	struct set_plan *p = arena_alloc(&s->tk->arena, sizeof *p);
	if (join)
		plan_join_set(s->tk, p, type);
	else
		plan_unordered(s->tk, p, type);
	if (!p->good)
		tokio_warn(s->tk, "the sets of type %s cannot be read: another release of its crate?",
		           tokio_type_name(s->tk, type, false));
	map_set(&s->set_plans, type, (uintptr_t)p);
	return p;
}

/* Nodes of one list, in the order of the walk, appended to members. */
static void walk_nodes(struct held_state *s, const struct set_plan *p, struct held_set *set, int list, struct map *seen)
{
	struct target *t = s->tk->target;
	uint64_t node, stub = 0, known;
	enum outcome outcome = path_load(&p->head[list], t, set->address, &node);
	if (p->has_stub && path_locate(&p->stub, t, set->address, &stub) != OUTCOME_VALUE)
		stub = 0;
	while (outcome == OUTCOME_VALUE && node != 0 && node != stub) {
		if (set->count == SET_CHILDREN_MAX || map_get(seen, node, &known) || !target_is_mapped(t, node, 8)) {
			set->complete = false;
			if (!s->quiet)
				tokio_lack(s->tk, "the set at 0x%" PRIx64 " is not followed beyond its %" PRIu32
				                  " first nodes, to 0x%" PRIx64, set->address, set->count, node);
			return;
		}
		map_set(seen, node, 1);
		s->members = array_reserve(s->members, &s->member_capacity, s->member_count, 1, sizeof *s->members);
		s->members[s->member_count++] = (struct held_member){ node, HELD_NONE };
		set->count++;
		outcome = path_load(&p->next, t, node, &node);
	}
	if (outcome == OUTCOME_FAILURE) {
		set->complete = false;
		if (!s->quiet)
			tokio_lack(s->tk, "the set at 0x%" PRIx64 " cannot be read at 0x%" PRIx64, set->address, node);
	}
}

static void read_length(struct held_state *s, const struct set_plan *p, struct held_set *set)
{
	uint64_t at = p->length_in_node ? (set->count > 0 ? s->members[set->first].node : 0) : set->address;
	set->recorded = UINT64_MAX;
	if (p->length_in_node && set->count == 0)
		set->recorded = 0;
	else if (!p->has_length || path_load(&p->length, s->tk->target, at, &set->recorded) != OUTCOME_VALUE)
		set->recorded = UINT64_MAX;
}

static void tasks_of_set(struct held_state *s, const struct set_plan *p, struct held_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		struct held_member *m = &s->members[set->first + i];
		uint64_t handle, header;
		if (path_locate(&p->item, s->tk->target, m->node, &handle) != OUTCOME_VALUE ||
		    path_load(&p->header, s->tk->target, handle, &header) != OUTCOME_VALUE)
			header = 0;
		else
			tokio_candidate(s->tk, header, FOUND_JOIN_SET);
		m->node = header;
		set->live++;
	}
}

static void futures_of_set(struct held_state *s, const struct set_plan *p, uint32_t index, const struct held_place *place)
{
	for (uint32_t i = 0; i < s->sets[index].count; i++) {
		size_t at = s->sets[index].first + i;
		uint64_t future;
		bool over = true;
		uint32_t find = HELD_NONE;
		if (path_locate(&p->item, s->tk->target, s->members[at].node, &future) == OUTCOME_VALUE)
			find = held_hit(s, place, p->item.type, future, false, &over);
		s->members[at].find = find;
		s->sets[index].live += find != HELD_NONE;
	}
}

/* A vector of (key, stream): plain locals, found with the sets since the map may be a frame itself. */
static void scan_streams(struct held_state *s, const struct held_pending *pending)
{
	const struct hold_plan *plan = hold_plan_of(&s->types, pending->type);
	struct viewer *viewer = &s->types.viewer;
	struct view view;
	struct value key, value;
	struct member stream;
	uint64_t entries;
	uint32_t count = 0;
	bool over;
	if (path_locate(&plan->handle, s->tk->target, pending->address, &entries) != OUTCOME_VALUE)
		return;
	view_of(viewer, (struct value){ plan->handle.type, entries }, VIEW_FOR_PATH, &view);
	while (view.kind == VIEW_LIST && count++ < SET_CHILDREN_MAX && view.walk.next(viewer, &view.walk, &key, &value)) {
		struct type entry = tinfo_type(s->tk->target->tinfo, value.type);
		if (tinfo_find_member(s->tk->target->tinfo, &entry, "__1", &stream) != TINFO_NONE)
			held_hit(s, &pending->place, stream.type, value.address + stream.offset, false, &over);
	}
}

void held_scan_set(struct held_state *s, const struct held_pending *pending)
{
	if (pending->kind == HOLD_STREAMS) {
		scan_streams(s, pending);
		return;
	}
	bool join = pending->kind == HOLD_JOIN_SET;
	const struct set_plan *p = set_plan_of(s, pending->type, join);
	const struct held_place *place = &pending->place;
	struct map seen = MAP_INIT;
	if (!p->good)
		return;
	struct held_set set = { .kind = join ? SET_JOIN : SET_UNORDERED, .address = pending->address, .type = pending->type,
		                .task = place->task, .via = place->via, .frame = place->frame, .local = place->local,
		                .first = (uint32_t)s->member_count, .node_size = p->node_size, .complete = true };
	walk_nodes(s, p, &set, 0, &seen);
	if (join)
		walk_nodes(s, p, &set, 1, &seen);
	map_release(&seen);
	read_length(s, p, &set);
	if (place->via != HELD_NONE)
		s->items[place->via].sets++;
	if (join)
		tasks_of_set(s, p, &set);
	uint32_t index = (uint32_t)s->set_count;
	s->sets = array_reserve(s->sets, &s->set_capacity, s->set_count, 1, sizeof *s->sets);
	s->sets[s->set_count++] = set;
	if (join)
		return;
	struct held_place child = *place;
	child.set = index;
	futures_of_set(s, p, index, &child);
}

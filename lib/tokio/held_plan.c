/* Whether a type can hold something is the least fixed point over the types it is made of by value, by Box and as
 * elements of containers: all of them that are not decided yet are collected first, then what is of interest by itself
 * spreads to what contains it. So a list node that only leads to further nodes holds nothing. */
#include "tokio/held_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tokio/frame_plan.h"

enum { EDGES_MAX = 1 << 20 };

/* Streams among the adapters: polled, but no futures. Their members are looked at. */
static const char *const STREAMS[] = {
	"tokio::time::interval::Interval",
	"tokio_stream::wrappers::",
	"async_stream::",
	"futures_util::stream::stream::map::Map",
	"futures_util::stream::stream::filter::Filter",
	"futures_util::stream::stream::filter_map::FilterMap",
	"futures_util::stream::stream::then::Then",
	"futures_util::stream::stream::fuse::Fuse",
	"futures_util::stream::stream::buffer_unordered::BufferUnordered",
	"futures_util::stream::stream::buffered::Buffered",
	"futures_util::stream::futures_ordered::FuturesOrdered",
	"futures_util::stream::select_all::SelectAll",
	"futures_util::future::future::FlattenStream",
	"futures_util::future::future::IntoStream",
	"futures_util::future::try_future::TryFlattenStream",
	"futures_channel::mpsc::",
	"tokio::runtime::blocking::task::BlockingTask",
	/* no future for people: a wrapper that numbers the children of FuturesOrdered */
	"futures_util::stream::futures_ordered::OrderWrapper",
};

/* Leaves with futures inside; the members of all others are their protocol's. */
static const char *const OPEN_LEAVES[] = {
	"core::future::poll_fn::PollFn", "tokio::future::poll_fn::PollFn", "futures_util::future::poll_fn::PollFn",
	"core::future::ready::Ready",
};

struct special {
	const char *type;
	enum hold kind;
	const char *path; /* HOLD_HANDLE: to the header; HOLD_LOCAL_SET: to its Shared; HOLD_STREAMS: to its vector */
};

static const struct special SPECIALS[] = {
	{ "futures_util::stream::futures_unordered::FuturesUnordered", HOLD_UNORDERED, NULL },
	{ "tokio::task::join_set::JoinSet", HOLD_JOIN_SET, NULL },
	{ "tokio_stream::stream_map::StreamMap", HOLD_STREAMS, ".entries" },
	/* src/runtime/task/abort.rs */
	{ "tokio::runtime::task::abort::AbortHandle", HOLD_HANDLE, ".raw.ptr.pointer" },
	/* src/task/local.rs; Context is in an Rc */
	{ "tokio::task::local::LocalSet", HOLD_LOCAL_SET, ".context.ptr.pointer->.value.shared.ptr.pointer->.data" },
	{ "&tokio::task::local::LocalSet", HOLD_LOCAL_SET, "->.context.ptr.pointer->.value.shared.ptr.pointer->.data" },
};

/* Containers: how the type of the elements is found, since not all of them say it in a member. */
static const struct {
	const char *type, *path;
	enum { BY_MARKER, BY_TYPE, BY_ARRAY } how;
} CONTAINERS[] = {
	{ "alloc::vec::Vec", ".buf._marker | .buf.ptr._marker", BY_MARKER },
	{ "alloc::collections::vec_deque::VecDeque", ".buf._marker | .buf.ptr._marker", BY_MARKER },
	{ "std::collections::hash::map::HashMap", ".base.table.marker", BY_MARKER },
	{ "hashbrown::map::HashMap", ".table.marker", BY_MARKER },
	{ "std::collections::hash::set::HashSet", ".base.map.table.marker", BY_MARKER },
	{ "hashbrown::set::HashSet", ".map.table.marker", BY_MARKER },
	{ "alloc::collections::linked_list::LinkedList", ".head<Some>.__0.pointer->.element", BY_TYPE },
	{ "alloc::collections::btree::map::BTreeMap", ".root<Some>.__0.node.pointer->.vals", BY_ARRAY },
};

void hold_types_init(struct hold_types *types, struct tokio *tk)
{
	*types = (struct hold_types){ .tk = tk };
	viewer_init(&types->viewer, tk->target, NULL);
	uint32_t count = tinfo_count(tk->target->tinfo, TABLE_FUNCTIONS);
	for (uint32_t i = 0; i < count; i++) {
		struct function f = tinfo_function(tk->target->tinfo, i);
		if (f.type == TINFO_NONE)
			continue;
		if (f.kind == FUNCTION_POLL)
			map_set(&types->polled, f.type, i);
		else if (f.kind == FUNCTION_STREAM)
			map_set(&types->streams, f.type, i);
	}
}

void hold_types_release(struct hold_types *types)
{
	viewer_release(&types->viewer);
	map_release(&types->plans);
	map_release(&types->parts);
	map_release(&types->polled);
	map_release(&types->streams);
}

static bool name_among(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(list[i]);
		bool prefix = length > 0 && list[i][length - 1] == ':';
		if (prefix ? strncmp(name, list[i], length) == 0 : name_is(name, list[i]))
			return true;
	}
	return false;
}
#define AMONG(name, list) name_among((name), (list), sizeof(list) / sizeof(list)[0])

/* A future by what is known of the type itself. */
static bool is_future(struct hold_types *types, const struct type *type)
{
	uint64_t unused;
	size_t rows;
	if ((type->flags & TYPE_COROUTINE) != 0)
		return true;
	if (type->kind != TYPE_STRUCT && type->kind != TYPE_ENUM)
		return false;
	if (AMONG(type->name, STREAMS) || name_is(type->name, "core::option::Option"))
		return false;
	if (adapter_find(type->name, &rows) != NULL)
		return !map_get(&types->streams, type->id, &unused) || map_get(&types->polled, type->id, &unused);
	return map_get(&types->polled, type->id, &unused);
}

/* &mut F, or &mut dyn Future. */
static bool borrows_future(struct hold_types *types, uint32_t id)
{
	struct tinfo *ti = types->tk->target->tinfo;
	uint64_t unused;
	struct type type = tinfo_type(ti, id);
	if (strncmp(type.name, "&mut ", 5) != 0)
		return false;
	if (type.kind == TYPE_POINTER && type.target != TINFO_NONE) {
		struct type target = tinfo_type(ti, type.target);
		return is_future(types, &target) || map_get(&types->polled, id, &unused);
	}
	return strncmp(type.name + 5, "dyn core::future::future::Future", 32) == 0 ||
	       strncmp(type.name + 5, "(dyn core::future::future::Future", 33) == 0;
}

static bool pins_reference(struct hold_types *types, const struct type *type)
{
	struct member m;
	return name_is(type->name, "core::pin::Pin") && type_sole_member(types->tk->target, type->id, &m) &&
	       borrows_future(types, m.type);
}

/* Box<dyn Trait>: its data and vtable; whether a future or stream can be behind it. */
static bool boxed_object(struct hold_types *types, const struct type *type, struct hold_plan *p)
{
	struct tinfo *ti = types->tk->target->tinfo;
	struct member data, vtable;
	if (!name_is(type->name, "alloc::boxed::Box") || tinfo_find_member(ti, type, "pointer", &data) == TINFO_NONE ||
	    tinfo_find_member(ti, type, "vtable", &vtable) == TINFO_NONE)
		return false;
	const char *object = strstr(type->name, "dyn ");
	if (object == NULL || (strncmp(object + 4, "core::future::future::Future", 28) != 0 &&
	                       strncmp(object + 4, "futures_core::stream::Stream", 28) != 0 &&
	                       strstr(object, "::Sleep") == NULL))
		return false;
	p->data = data.offset;
	p->vtable = vtable.offset;
	p->dyn_future = strncmp(object + 4, "core::future::future::Future", 28) == 0;
	return true;
}

/* The type that stands for the elements of a container, or TINFO_NONE. */
static uint32_t element_type(struct hold_types *types, const struct type *type)
{
	struct tokio *tk = types->tk;
	struct member data;
	struct path path;
	if (type->kind == TYPE_ARRAY)
		return type->target;
	if (name_is(type->name, "alloc::boxed::Box") &&
	    tinfo_find_member(tk->target->tinfo, type, "data_ptr", &data) != TINFO_NONE)
		return tinfo_type(tk->target->tinfo, data.type).target;
	for (size_t i = 0; i < sizeof CONTAINERS / sizeof CONTAINERS[0]; i++) {
		if (!name_is(type->name, CONTAINERS[i].type))
			continue;
		path_bind(&path, tk->target, &tk->arena, type->id, CONTAINERS[i].path);
		if (path.state != PATH_BOUND)
			return TINFO_NONE;
		if (CONTAINERS[i].how == BY_MARKER)
			return phantom_type(&types->viewer, path.type);
		if (CONTAINERS[i].how == BY_TYPE)
			return path.type;
		struct type array = tinfo_type(tk->target->tinfo, path.type);
		if (array.kind != TYPE_ARRAY || array.target == TINFO_NONE)
			return TINFO_NONE;
		path_bind(&path, tk->target, &tk->arena, array.target, ".value.value.__0 | .value.value");
		return path.state == PATH_BOUND ? path.type : TINFO_NONE;
	}
	return TINFO_NONE;
}

static bool plan_special(struct hold_types *types, struct hold_plan *p, const struct type *type)
{
	struct tokio *tk = types->tk;
	for (size_t i = 0; i < sizeof SPECIALS / sizeof SPECIALS[0]; i++) {
		const struct special *s = &SPECIALS[i];
		if (!name_is(type->name, s->type))
			continue;
		p->kind = s->kind;
		if (s->path != NULL)
			path_bind(&p->handle, tk->target, &tk->arena, type->id, s->path);
		if (s->path != NULL && p->handle.state != PATH_BOUND)
			p->kind = HOLD_NOTHING;
		p->dead_end = true;
		return true;
	}
	return false;
}

static void plan_struct(struct hold_types *types, struct hold_plan *p, const struct type *type)
{
	if (boxed_object(types, type, p))
		p->kind = HOLD_DYN;
	else if (element_type(types, type) != TINFO_NONE)
		p->kind = HOLD_ELEMENTS;
	else
		p->kind = HOLD_MEMBERS;
}

/* The kind of a type, by name and shape alone. */
static struct hold_plan *plan_new(struct hold_types *types, const struct type *type)
{
	struct tokio *tk = types->tk;
	struct hold_plan *p = arena_alloc(&tk->arena, sizeof *p);
	size_t rows;
	p->type = type->id;
	map_set(&types->plans, type->id, (uintptr_t)p);
	if (type->kind == TYPE_OPAQUE || plan_special(types, p, type))
		return p;
	if (pins_reference(types, type)) {
		p->kind = HOLD_REFERENCE;
	} else if (is_future(types, type)) {
		const struct adapter *a = adapter_find(type->name, &rows);
		p->kind = HOLD_FUTURE;
		p->dead_end = a != NULL && (a->kind == ADAPTER_LEAF || a->kind == ADAPTER_NEVER) &&
		              !AMONG(type->name, OPEN_LEAVES);
	} else if (type->kind == TYPE_STRUCT) {
		plan_struct(types, p, type);
	} else if (type->kind == TYPE_ENUM && enum_plan_make(&p->live, tk->target, &tk->arena, type->id)) {
		p->kind = HOLD_VARIANTS;
	} else if (type->kind == TYPE_ARRAY && type->target != TINFO_NONE) {
		p->kind = HOLD_ELEMENTS;
	} else if (type->kind == TYPE_POINTER && type->target != TINFO_NONE) {
		if (name_is(type->name, "alloc::boxed::Box")) {
			p->kind = HOLD_POINTER;
			p->target = type->target;
		} else if (borrows_future(types, type->id)) {
			uint64_t unused; /* seldom more than an argument, unless it is polled as a future */
			p->kind = map_get(&types->polled, type->id, &unused) ? HOLD_REFERENCE : HOLD_NOTHING;
		}
	}
	return p;
}

struct edge {
	uint32_t from, to; /* places in the queue */
};

struct spread { /* the types to decide, and which is part of which */
	struct hold_types *types;
	struct hold_plan **queue;
	size_t count, capacity;
	struct edge *edges;
	size_t edge_count, edge_capacity;
	struct map place; /* type -> place */
};

static void spread_to(struct spread *s, uint32_t from, uint32_t id)
{
	uint64_t known, place;
	struct hold_plan *p;
	if (id == TINFO_NONE)
		return;
	if (map_get(&s->types->plans, id, &known)) {
		p = (struct hold_plan *)(uintptr_t)known;
	} else {
		struct type type = tinfo_type(s->types->tk->target->tinfo, id);
		p = plan_new(s->types, &type);
	}
	if (!map_get(&s->place, id, &place)) {
		place = s->count;
		map_set(&s->place, id, place);
		s->queue = array_reserve(s->queue, &s->capacity, s->count, 1, sizeof *s->queue);
		s->queue[s->count++] = p;
	}
	if (from == TINFO_NONE || s->edge_count == EDGES_MAX)
		return;
	s->edges = array_reserve(s->edges, &s->edge_capacity, s->edge_count, 1, sizeof *s->edges);
	s->edges[s->edge_count++] = (struct edge){ from, (uint32_t)place };
}

static bool member_counts(const struct member *m)
{
	return (m->flags & (MEMBER_UNCERTAIN | MEMBER_ARTIFICIAL)) == 0 && strcmp(m->name, "__awaitee") != 0;
}

static void spread_members(struct spread *s, uint32_t from, uint32_t id)
{
	struct tinfo *ti = s->types->tk->target->tinfo;
	if (id == TINFO_NONE)
		return;
	struct type type = tinfo_type(ti, id);
	for (uint32_t i = 0; i < type.count && type.kind == TYPE_STRUCT; i++) {
		struct member m = tinfo_member(ti, type.first + i);
		if (member_counts(&m))
			spread_to(s, from, m.type);
	}
}

static void spread_from(struct spread *s, uint32_t from)
{
	struct hold_plan *p = s->queue[from];
	struct tinfo *ti = s->types->tk->target->tinfo;
	if (p->decided)
		return;
	struct type type = tinfo_type(ti, p->type);
	switch (p->kind) {
	case HOLD_MEMBERS:
		spread_members(s, from, p->type);
		return;
	case HOLD_VARIANTS:
		for (uint32_t i = 0; i < type.count; i++)
			spread_members(s, from, tinfo_variant(ti, type.first + i).payload);
		return;
	case HOLD_POINTER:
		spread_to(s, from, p->target);
		return;
	case HOLD_ELEMENTS:
		spread_to(s, from, element_type(s->types, &type));
		return;
	case HOLD_NOTHING:
		return;
	default:
		p->holds = true;
	}
}

const struct hold_plan *hold_plan_of(struct hold_types *types, uint32_t id)
{
	uint64_t known;
	if (map_get(&types->plans, id, &known) && ((const struct hold_plan *)(uintptr_t)known)->decided)
		return (const struct hold_plan *)(uintptr_t)known;
	struct spread s = { .types = types };
	spread_to(&s, TINFO_NONE, id);
	for (size_t i = 0; i < s.count; i++)
		spread_from(&s, (uint32_t)i);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = s.edge_count; i > 0; i--) {
			const struct edge *e = &s.edges[i - 1];
			if (!s.queue[e->from]->holds && s.queue[e->to]->holds)
				s.queue[e->from]->holds = more = true;
		}
	}
	for (size_t i = 0; i < s.count; i++) {
		s.queue[i]->decided = true;
		if (!s.queue[i]->holds)
			s.queue[i]->kind = HOLD_NOTHING;
	}
	const struct hold_plan *plan = s.queue[0];
	free(s.queue);
	free(s.edges);
	map_release(&s.place);
	return plan;
}

const struct hold_parts *hold_parts_of(struct hold_types *types, uint32_t id)
{
	uint64_t known;
	struct tokio *tk = types->tk;
	if (map_get(&types->parts, id, &known))
		return (const struct hold_parts *)(uintptr_t)known;
	struct type type = tinfo_type(tk->target->tinfo, id);
	struct hold_parts *parts = arena_alloc(&tk->arena, sizeof *parts);
	struct hold_part *items = arena_array(&tk->arena, type.kind == TYPE_STRUCT ? type.count : 0, sizeof *items);
	for (uint32_t i = 0; i < type.count && type.kind == TYPE_STRUCT; i++) {
		struct member m = tinfo_member(tk->target->tinfo, type.first + i);
		if (member_counts(&m) && hold_plan_of(types, m.type)->holds)
			items[parts->count++] = (struct hold_part){ m.name, m.type, m.offset };
	}
	parts->items = items;
	map_set(&types->parts, id, (uintptr_t)parts);
	return parts;
}

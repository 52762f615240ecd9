/* Branches. Known futures are rows of a table; select!, join! and try_join! are poll_fn closures and known by their
 * captures (src/macros/select.rs, join.rs, try_join.rs, 1.38 to 1.54): the first has a reference to the mask of
 * branches that are switched off and one to the tuple of futures, the others have the tuple of MaybeDone. */
#include "tokio/branch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "tokio/frame_plan.h"

enum { ITEM_TEXT = 512 };

struct branch_item {
	const char *name;
	struct path future; /* OUTCOME_VARIANT: the branch is done */
};

struct branching {
	struct branch_item *items;
	uint32_t count;
	bool has_mask;
	struct path mask;              /* bit i: branch i is switched off */
	bool has_elements;             /* a vector of futures instead of items */
	struct path data, length;
	struct path element;           /* from an element to its future */
	uint64_t element_size;
	bool guessed;                  /* items lead to adapters that may have finished */
};

struct fork_row {
	const char *type; /* without generic arguments */
	enum fork fork;
	const char *name; /* of the branch; NULL: numbered */
	const char *path; /* to its future; "[]" in it: the elements of the vector or boxed slice before it */
};

#define FUTURES "futures_util::future::"
#define JOIN(type, n) { FUTURES type, FORK_JOIN, NULL, ".Fut" #n "<Future>.__0" }

/* Rows of one type stand together, one per branch. Checked in: tokio 1.38 to 1.54, futures-util 0.3.34, tokio-util
 * 0.7.20, tower 0.5.3. */
static const struct fork_row FORKS[] = {
	{ "tokio::time::timeout::Timeout", FORK_SIDE, "delay", ".delay<Some>.__0 | .delay" },
	{ "tokio_util::sync::cancellation_token::RunUntilCancelledFuture", FORK_SIDE, "cancellation", ".cancellation" },
	{ "tokio_util::sync::cancellation_token::RunUntilCancelledFutureOwned", FORK_SIDE, "cancellation",
	  ".cancellation" },
	{ "tower::timeout::future::ResponseFuture", FORK_SIDE, "sleep", ".sleep" },
	{ "tower_http::timeout::service::ResponseFuture", FORK_SIDE, "sleep", ".sleep" },

	JOIN("join::Join", 1), JOIN("join::Join", 2),
	JOIN("join::Join3", 1), JOIN("join::Join3", 2), JOIN("join::Join3", 3),
	JOIN("join::Join4", 1), JOIN("join::Join4", 2), JOIN("join::Join4", 3), JOIN("join::Join4", 4),
	JOIN("join::Join5", 1), JOIN("join::Join5", 2), JOIN("join::Join5", 3), JOIN("join::Join5", 4),
	JOIN("join::Join5", 5),
	JOIN("try_join::TryJoin", 1), JOIN("try_join::TryJoin", 2),
	JOIN("try_join::TryJoin3", 1), JOIN("try_join::TryJoin3", 2), JOIN("try_join::TryJoin3", 3),
	JOIN("try_join::TryJoin4", 1), JOIN("try_join::TryJoin4", 2), JOIN("try_join::TryJoin4", 3),
	JOIN("try_join::TryJoin4", 4),
	JOIN("try_join::TryJoin5", 1), JOIN("try_join::TryJoin5", 2), JOIN("try_join::TryJoin5", 3),
	JOIN("try_join::TryJoin5", 4), JOIN("try_join::TryJoin5", 5),
	{ FUTURES "select::Select", FORK_SELECT, NULL, ".inner<Some>.__0.__0" },
	{ FUTURES "select::Select", FORK_SELECT, NULL, ".inner<Some>.__0.__1" },
	{ FUTURES "try_select::TrySelect", FORK_SELECT, NULL, ".inner<Some>.__0.__0" },
	{ FUTURES "try_select::TrySelect", FORK_SELECT, NULL, ".inner<Some>.__0.__1" },
	{ FUTURES "select_all::SelectAll", FORK_SELECT, NULL, ".inner[]" },
	{ FUTURES "select_ok::SelectOk", FORK_SELECT, NULL, ".inner[]" },
	{ FUTURES "join_all::JoinAll", FORK_JOIN, NULL, ".kind<Small>.elems.__pointer[]<Future>.__0" },
	{ FUTURES "try_join_all::TryJoinAll", FORK_JOIN, NULL, ".kind<Small>.elems.__pointer[]<Future>.__0" },
};

const char *branch_state_text(enum branch_state state)
{
	static const char *const TEXTS[] = { "armed", "done", "unreadable" };
	return TEXTS[state];
}

static struct branching *branching_new(struct tokio *tk, uint32_t count)
{
	struct branching *b = arena_alloc(&tk->arena, sizeof *b);
	b->items = arena_array(&tk->arena, count, sizeof *b->items);
	return b;
}

/* Alternatives are tried in the path's own way; one that does not bind is no branch. */
static void item_add(struct tokio *tk, struct branching *b, uint32_t root, const char *name, const char *text)
{
	struct branch_item *item = &b->items[b->count];
	path_bind(&item->future, tk->target, &tk->arena, root, text);
	if (item->future.state != PATH_BOUND || item->future.type == TINFO_NONE)
		return;
	item->name = name;
	b->count++;
}

/* "alloc::vec::Vec<T, alloc::alloc::Global>" or a wide pointer to T's; the element's type by its name. */
static bool elements_type(struct tokio *tk, uint32_t holder, uint32_t *element)
{
	static const char VEC[] = "alloc::vec::Vec<", GLOBAL[] = ", alloc::alloc::Global>";
	struct type type = tinfo_type(tk->target->tinfo, holder);
	struct member m;
	uint32_t first;
	if (tinfo_find_member(tk->target->tinfo, &type, "data_ptr", &m) != TINFO_NONE) {
		*element = tinfo_type(tk->target->tinfo, m.type).target;
		return *element != TINFO_NONE;
	}
	size_t length = strlen(type.name), head = sizeof VEC - 1, tail = sizeof GLOBAL - 1;
	if (length <= head + tail || strncmp(type.name, VEC, head) != 0 ||
	    strcmp(type.name + length - tail, GLOBAL) != 0)
		return false;
	const char *name = arena_strndup(&tk->arena, type.name + head, length - head - tail);
	if (tinfo_types_named(tk->target->tinfo, name, &first) == 0)
		return false;
	*element = tinfo_nth_named(tk->target->tinfo, first);
	return true;
}

static bool elements_bind(struct tokio *tk, struct branching *b, uint32_t root, const char *path)
{
	static const char *const DATA[] = { ".data_ptr", ".buf.inner.ptr.pointer.pointer", ".buf.ptr.pointer.pointer" };
	static const char *const LENGTH[] = { ".length", ".len", ".len" };
	const char *mark = strstr(path, "[]");
	struct path holder;
	uint32_t element;
	char text[ITEM_TEXT];
	size_t length = (size_t)(mark - path);
	/* Box<[T]> and Pin<Box<[T]>> are wide pointers of one or two structs. */
	bool boxed = length > 10 && strncmp(mark - 10, ".__pointer", 10) == 0;
	char base[ITEM_TEXT];
	snprintf(base, sizeof base, "%.*s", (int)(boxed ? length - 10 : length), path);
	path_bind(&holder, tk->target, &tk->arena, root, base);
	for (struct member m; boxed && holder.state == PATH_BOUND && type_sole_member(tk->target, holder.type, &m);) {
		size_t end = strlen(base);
		snprintf(base + end, sizeof base - end, ".%s", m.name);
		path_bind(&holder, tk->target, &tk->arena, root, base);
	}
	if (holder.state != PATH_BOUND || !elements_type(tk, holder.type, &element))
		return false;
	for (size_t i = 0; i < sizeof DATA / sizeof DATA[0] && !b->has_elements; i++) {
		if (snprintf(text, sizeof text, "%s%s", base, DATA[i]) >= (int)sizeof text)
			return false;
		path_bind(&b->data, tk->target, &tk->arena, root, text);
		if (snprintf(text, sizeof text, "%s%s", base, LENGTH[i]) >= (int)sizeof text)
			return false;
		path_bind(&b->length, tk->target, &tk->arena, root, text);
		b->has_elements = b->data.state == PATH_BOUND && b->length.state == PATH_BOUND;
	}
	path_bind(&b->element, tk->target, &tk->arena, element, mark + 2);
	b->element_size = tinfo_type(tk->target->tinfo, element).size;
	b->has_elements &= b->element.state == PATH_BOUND;
	return b->has_elements;
}

static bool fork_known(struct tokio *tk, struct frame_plan *p, const struct type *type)
{
	const size_t all = sizeof FORKS / sizeof FORKS[0];
	size_t first = 0, count = 0;
	while (first < all && !name_is(type->name, FORKS[first].type))
		first++;
	while (first + count < all && strcmp(FORKS[first + count].type, FORKS[first].type) == 0)
		count++;
	if (count == 0 || type->kind == TYPE_OPAQUE)
		return false;
	struct branching *b = branching_new(tk, (uint32_t)count);
	for (size_t i = first; i < first + count; i++) {
		if (strstr(FORKS[i].path, "[]") != NULL)
			elements_bind(tk, b, type->id, FORKS[i].path);
		else
			item_add(tk, b, type->id, FORKS[i].name, FORKS[i].path);
	}
	if (b->count == 0 && !b->has_elements)
		return false;
	p->branching = b;
	p->fork = FORKS[first].fork;
	return true;
}

/* A pointer (`&mut T` or captured by reference) to a tuple. */
static bool points_to_tuple(struct tokio *tk, uint32_t pointer, struct type *tuple)
{
	struct type type = tinfo_type(tk->target->tinfo, pointer);
	if (type.kind != TYPE_POINTER || type.target == TINFO_NONE)
		return false;
	*tuple = tinfo_type(tk->target->tinfo, type.target);
	return tuple->kind == TYPE_STRUCT && tuple->name[0] == '(';
}

static bool points_to_mask(struct tokio *tk, uint32_t pointer)
{
	struct type type = tinfo_type(tk->target->tinfo, pointer);
	if (type.kind != TYPE_POINTER || type.target == TINFO_NONE)
		return false;
	struct type mask = tinfo_type(tk->target->tinfo, type.target);
	return mask.kind == TYPE_BASE && mask.encoding == BASE_UNSIGNED && mask.size <= 8;
}

static void tuple_items(struct tokio *tk, struct branching *b, uint32_t root, const char *capture,
                        const struct type *tuple)
{
	for (uint32_t i = 0; i < tuple->count && i < BRANCHES_MAX; i++) {
		struct member m = tinfo_member(tk->target->tinfo, tuple->first + i);
		const char *name = tinfo_type(tk->target->tinfo, m.type).name;
		char text[ITEM_TEXT];
		bool done = strstr(name, "::maybe_done::MaybeDone<") != NULL && strchr(name, '<') > strstr(name, "::MaybeDone<");
		int length = done ? snprintf(text, sizeof text, ".f.%s->.%s<Future>.future | .f.%s->.%s<Future>.__0",
		                             capture, m.name, capture, m.name)
		                  : snprintf(text, sizeof text, ".f.%s->.%s", capture, m.name);
		if (length > 0 && (size_t)length < sizeof text)
			item_add(tk, b, root, NULL, text);
	}
}

/* The macros' closures by their captures. */
static bool fork_macro(struct tokio *tk, struct frame_plan *p, const struct type *type, const struct type *closure)
{
	struct member m, tuple_capture = { .name = NULL }, mask_capture = { .name = NULL };
	struct type tuple = { .count = 0 }, found;
	bool rotates = false;
	for (uint32_t i = 0; i < closure->count; i++) {
		m = tinfo_member(tk->target->tinfo, closure->first + i);
		if (points_to_tuple(tk, m.type, &found)) {
			tuple_capture = m;
			tuple = found;
		} else if (points_to_mask(tk, m.type)) {
			mask_capture = m;
		}
		rotates |= strcmp(m.name, "rotator") == 0 || strcmp(m.name, "skip_next_time") == 0;
	}
	if (tuple_capture.name == NULL || tuple.count == 0)
		return false;
	bool select = mask_capture.name != NULL && closure->count == 2;
	bool join = !select && strcmp(tuple_capture.name, "futures") == 0 && (rotates || closure->count == 1);
	if (!select && !join)
		return false;
	struct branching *b = branching_new(tk, tuple.count);
	tuple_items(tk, b, type->id, tuple_capture.name, &tuple);
	if (b->count != tuple.count && b->count != BRANCHES_MAX)
		return false;
	if (select) {
		char text[ITEM_TEXT];
		snprintf(text, sizeof text, ".f.%s->", mask_capture.name);
		path_bind(&b->mask, tk->target, &tk->arena, type->id, text);
		b->has_mask = b->mask.state == PATH_BOUND && b->mask.width != 0;
	}
	p->branching = b;
	p->fork = select ? FORK_SELECT : FORK_JOIN;
	return true;
}

/* The futures among the members of a struct; how many there are. */
static uint32_t futures_among(struct tokio *tk, const struct type *type, struct member *first)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < type->count; i++) {
		struct member m = tinfo_member(tk->target->tinfo, type->first + i);
		if (type_is_future(tk, m.type) && count++ == 0)
			*first = m;
	}
	return count;
}

static void fork_guess(struct tokio *tk, struct frame_plan *p, const struct type *type, const struct type *holder,
                       const char *prefix)
{
	struct member first;
	uint32_t count = futures_among(tk, holder, &first);
	if (count < 2)
		return;
	struct branching *b = branching_new(tk, count);
	for (uint32_t i = 0; i < holder->count && b->count < BRANCHES_MAX; i++) {
		struct member m = tinfo_member(tk->target->tinfo, holder->first + i);
		char text[ITEM_TEXT];
		if (!type_is_future(tk, m.type))
			continue;
		int length = snprintf(text, sizeof text, "%s.%s", prefix, m.name);
		if (length > 0 && (size_t)length < sizeof text)
			item_add(tk, b, type->id, m.name, text);
	}
	/* futures-util's join! captures pinned MaybeDones. */
	bool join = b->count > 0;
	for (uint32_t i = 0; i < b->count; i++)
		join &= strstr(tinfo_type(tk->target->tinfo, b->items[i].future.type).name, "MaybeDone<") != NULL;
	b->guessed = true;
	p->branching = b;
	p->fork = b->count == 0 ? FORK_NONE : join ? FORK_JOIN : FORK_UNKNOWN;
}

static bool type_is_poll_fn(const char *name)
{
	return name_is(name, "core::future::poll_fn::PollFn") || name_is(name, "tokio::future::poll_fn::PollFn") ||
	       name_is(name, "futures_util::future::poll_fn::PollFn");
}

void frame_plan_branch(struct tokio *tk, struct frame_plan *p, const struct type *type)
{
	struct member f, captured;
	if (p->silent || fork_known(tk, p, type) || (p->step != STEP_LEAF && p->step != STEP_UNKNOWN))
		return;
	if (type_is_poll_fn(type->name) && tinfo_find_member(tk->target->tinfo, type, "f", &f) != TINFO_NONE) {
		struct type closure = tinfo_type(tk->target->tinfo, f.type);
		if (closure.kind != TYPE_STRUCT || fork_macro(tk, p, type, &closure))
			return;
		if (futures_among(tk, &closure, &captured) == 1) { /* the closure polls what it captured */
			p->step = STEP_MEMBER;
			p->inferred = true;
			p->next_type = captured.type;
			p->next_offset = f.offset + captured.offset;
			return;
		}
		fork_guess(tk, p, type, &closure, ".f");
	} else if (p->step == STEP_UNKNOWN && type->kind == TYPE_STRUCT && type->name[0] != '&') {
		fork_guess(tk, p, type, type, "");
	}
}

static void branch_locate(struct tokio *tk, const struct path *path, uint64_t root, struct branch *out)
{
	enum outcome outcome = path_locate(path, tk->target, root, &out->address);
	out->type = path->type;
	out->has_future = outcome == OUTCOME_VALUE;
	out->state = outcome == OUTCOME_VALUE ? BRANCH_ARMED
	           : outcome == OUTCOME_FAILURE ? BRANCH_UNREADABLE : BRANCH_DONE;
}

/* Nothing is left inside: the adapter around it has finished. */
static bool branch_is_over(struct tokio *tk, const struct branch *b)
{
	struct chain *chain = malloc(sizeof *chain);
	if (chain == NULL)
		abort();
	chain_follow(tk, b->address, b->type, chain);
	bool over = chain->count == 0 && chain->end == CHAIN_RETURNED;
	free(chain);
	return over;
}

static size_t element_branches(struct tokio *tk, const struct branching *b, uint64_t at, struct branch *out, size_t *all)
{
	uint64_t data, length;
	if (path_load(&b->data, tk->target, at, &data) != OUTCOME_VALUE ||
	    path_load(&b->length, tk->target, at, &length) != OUTCOME_VALUE || length > SIZE_MAX)
		return 0;
	*all = (size_t)length;
	size_t count = length < BRANCHES_MAX ? (size_t)length : BRANCHES_MAX;
	for (size_t i = 0; i < count; i++) {
		out[i].name = NULL;
		branch_locate(tk, &b->element, data + i * b->element_size, &out[i]);
	}
	return count;
}

size_t frame_branches(struct tokio *tk, const struct frame *frame, struct branch out[BRANCHES_MAX], size_t *all)
{
	uint64_t mask = 0;
	const struct branching *b = frame_plan_of(tk, frame->type)->branching;
	*all = 0;
	if (b == NULL)
		return 0;
	if (b->has_elements)
		return element_branches(tk, b, frame->address, out, all);
	bool masked = !b->has_mask || path_load(&b->mask, tk->target, frame->address, &mask) == OUTCOME_VALUE;
	*all = b->count;
	for (uint32_t i = 0; i < b->count; i++) {
		out[i].name = b->items[i].name;
		branch_locate(tk, &b->items[i].future, frame->address, &out[i]);
		if (!masked)
			out[i].state = BRANCH_UNREADABLE;
		else if (out[i].state == BRANCH_ARMED && (mask >> i & 1) != 0)
			out[i].state = BRANCH_DONE;
		if (b->guessed && out[i].state == BRANCH_ARMED && branch_is_over(tk, &out[i])) {
			out[i].state = BRANCH_DONE;
			out[i].has_future = false;
		}
	}
	return b->count;
}

/* Following a chain with the plans of its types: one discriminant or pointer per step. */
#include "tokio/chain.h"

#include <inttypes.h>
#include <string.h>

#include "tokio/frame_plan.h"

enum { STEPS_MAX = 4 * CHAIN_DEPTH, PEEL_MAX = 16 };

const char *chain_end_text(enum chain_end end)
{
	static const char *const TEXTS[] = {
		[CHAIN_LEAF] = "leaf", [CHAIN_NEVER] = "never ready", [CHAIN_UNRESUMED] = "unresumed",
		[CHAIN_RETURNED] = "returned", [CHAIN_PANICKED] = "panicked", [CHAIN_UNKNOWN] = "unknown",
		[CHAIN_DYN_UNKNOWN] = "unknown trait object", [CHAIN_DYN_AMBIGUOUS] = "ambiguous trait object",
		[CHAIN_UNREADABLE] = "unreadable", [CHAIN_CYCLE] = "cycle", [CHAIN_DEEP] = "too deep",
		[CHAIN_EMPTY] = "no future",
	};
	return TEXTS[end];
}

struct walker {
	struct tokio *tk;
	struct chain *chain;
	uint64_t at;
	uint32_t type;
	bool dyn, inferred; /* how the present place was reached, since the last frame */
};

static bool walk_end(struct walker *w, enum chain_end end, uint64_t fault)
{
	w->chain->end = end;
	w->chain->fault = fault;
	if (end == CHAIN_UNREADABLE)
		w->chain->note = arena_printf(&w->tk->arena, "0x%" PRIx64 " cannot be read", fault);
	return false;
}

static bool frame_push(struct walker *w, const struct frame_plan *p)
{
	struct chain *c = w->chain;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->frames[i].address == w->at && c->frames[i].type == w->type)
			return walk_end(w, CHAIN_CYCLE, w->at);
	if (c->count == CHAIN_DEPTH)
		return walk_end(w, CHAIN_DEEP, w->at);
	c->frames[c->count++] = (struct frame){ .address = w->at, .type = w->type, .kind = p->kind, .name = p->name,
		                                .variant = TINFO_NONE, .locals = p->locals, .coroutine = p->coroutine,
		                                .fork = p->fork,
		                                .dyn = w->dyn, .inferred = w->inferred };
	w->dyn = w->inferred = false;
	return true;
}

static void walk_to(struct walker *w, uint64_t at, uint32_t type, bool inferred)
{
	w->at = at;
	w->type = type;
	w->inferred |= inferred;
}

static bool step_states(struct walker *w, const struct frame_plan *p, struct frame *f)
{
	uint32_t live;
	if (enum_plan_live(&p->live, w->tk->target, w->at, &live) != OUTCOME_VALUE) {
		walk_end(w, CHAIN_UNREADABLE, w->at + p->live.offset);
		if (target_is_mapped(w->tk->target, w->chain->fault, p->live.width))
			w->chain->note = arena_printf(&w->tk->arena, "the state at 0x%" PRIx64 " is none that %s has",
			                              w->chain->fault, tokio_type_name(w->tk, p->type, false));
		return false;
	}
	const struct frame_state *s = &p->states[live];
	if (f != NULL) {
		f->state = s->name;
		f->file = s->file;
		f->line = s->line;
		f->variant = s->variant;
		f->locals = s->locals;
		f->foreign = s->foreign;
	}
	if (s->next_type == TINFO_NONE)
		return walk_end(w, s->end, w->at);
	walk_to(w, w->at + s->next_offset, s->next_type, s->inferred);
	return true;
}

static bool step_dyn(struct walker *w, const struct frame_plan *p)
{
	uint64_t data, vtable;
	if (!target_word(w->tk->target, w->at + p->data_offset, &data) ||
	    !target_word(w->tk->target, w->at + p->vtable_offset, &vtable))
		return walk_end(w, CHAIN_UNREADABLE, w->at);
	const struct dyn_type *d = dyn_type_of(w->tk, vtable, p->dyn_future);
	if (d->type == TINFO_NONE) {
		w->chain->note = d->note;
		return walk_end(w, d->ambiguous ? CHAIN_DYN_AMBIGUOUS : CHAIN_DYN_UNKNOWN, vtable);
	}
	w->dyn = true;
	walk_to(w, data, d->type, false);
	return true;
}

static bool step_paths(struct walker *w, const struct frame_plan *p)
{
	uint64_t at = w->at;
	for (uint32_t i = 0; i < p->path_count; i++) {
		enum outcome outcome = path_locate(&p->paths[i], w->tk->target, w->at, &at);
		if (outcome == OUTCOME_FAILURE)
			return walk_end(w, CHAIN_UNREADABLE, at);
		if (outcome == OUTCOME_VALUE) {
			walk_to(w, at, p->paths[i].type, false);
			return true;
		}
	}
	return walk_end(w, p->fork != FORK_NONE ? CHAIN_LEAF : CHAIN_RETURNED, w->at);
}

/* The live variant of an adapter that is an enum. */
static void frame_name_state(struct walker *w, const struct frame_plan *p, struct frame *f)
{
	uint32_t live;
	if (f == NULL || p->states == NULL || enum_plan_live(&p->live, w->tk->target, w->at, &live) != OUTCOME_VALUE)
		return;
	f->state = p->states[live].name;
	f->variant = p->states[live].variant;
	f->locals = p->states[live].locals;
}

static bool walk_step(struct walker *w)
{
	const struct frame_plan *p = frame_plan_of(w->tk, w->type);
	uint64_t to;
	bool silent = p->silent || (p->projection && w->inferred && w->chain->count > 0);
	if (!silent && !frame_push(w, p))
		return false;
	struct frame *frame = silent ? NULL : &w->chain->frames[w->chain->count - 1];
	switch (p->step) {
	case STEP_COROUTINE:
	case STEP_VARIANTS:
		return step_states(w, p, frame);
	case STEP_MEMBER:
		walk_to(w, w->at + p->next_offset, p->next_type, p->inferred);
		return true;
	case STEP_POINTER:
		if (!target_word(w->tk->target, w->at, &to))
			return walk_end(w, CHAIN_UNREADABLE, w->at);
		walk_to(w, to, p->next_type, false);
		return true;
	case STEP_DYN:
		return step_dyn(w, p);
	case STEP_PATHS:
		frame_name_state(w, p, frame);
		return step_paths(w, p);
	case STEP_UNKNOWN:
	case STEP_LEAF:
	case STEP_NEVER:
		break;
	}
	if (p->sized && p->size > 0 && !target_is_mapped(w->tk->target, w->at, 1))
		return walk_end(w, CHAIN_UNREADABLE, w->at);
	return walk_end(w, p->step == STEP_LEAF ? CHAIN_LEAF : p->step == STEP_NEVER ? CHAIN_NEVER : CHAIN_UNKNOWN,
	                w->at);
}

void chain_follow(struct tokio *tk, uint64_t address, uint32_t type, struct chain *out)
{
	struct walker w = { .tk = tk, .chain = out, .at = address, .type = type };
	out->count = 0;
	out->end = CHAIN_EMPTY;
	out->fault = 0;
	out->note = NULL;
	if (type == TINFO_NONE)
		return;
	for (int steps = 0; walk_step(&w); steps++)
		if (steps == STEPS_MAX) { /* pointers in a ring */
			walk_end(&w, CHAIN_CYCLE, w.at);
			break;
		}
	if (out->end == CHAIN_CYCLE)
		out->note = arena_printf(&tk->arena, "the chain comes back to 0x%" PRIx64, out->fault);
	else if (out->end == CHAIN_DEEP)
		out->note = arena_printf(&tk->arena, "the chain is cut after %d frames", CHAIN_DEPTH);
}

const struct frame *chain_site(const struct chain *chain, bool running)
{
	const struct frame *outermost = NULL, *own = NULL;
	for (uint32_t i = 0; i < chain->count; i++) {
		const struct frame *f = &chain->frames[i];
		if (f->file == NULL)
			continue;
		if (outermost == NULL)
			outermost = f;
		if (!f->foreign)
			own = f;
	}
	return running || own == NULL ? outermost : own;
}

static bool type_is_leaf(const char *name)
{
	size_t rows;
	const struct adapter *a = adapter_find(name, &rows);
	return a != NULL && (a->kind == ADAPTER_LEAF || a->kind == ADAPTER_NEVER);
}

uint32_t chain_leaf_type(struct tokio *tk, uint32_t id)
{
	struct tinfo *ti = tk->target->tinfo;
	for (int depth = 0; depth < PEEL_MAX; depth++) {
		struct type type = tinfo_type(ti, id);
		struct member m, capture;
		if (type.kind == TYPE_POINTER) {
			if (type.name[0] == '*' || type.target == TINFO_NONE)
				return id;
			id = type.target;
			continue;
		}
		if (!type_sole_member(tk->target, id, &m))
			return id;
		if (strstr(type.name, "::poll_fn::PollFn<") != NULL) {
			if (!type_sole_member(tk->target, m.type, &capture))
				return id; /* a closure with several captures, or none */
			id = capture.type;
			continue;
		}
		if (type_is_leaf(type.name) && !name_is(type.name, "tokio::runtime::blocking::task::BlockingTask"))
			return id;
		id = m.type;
	}
	return id;
}

/* unwind.c - the walk: from a thread's registers to the bottom of its stack, one frame after the other. */
#include "unwind/unwind.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "core/core.h"
#include "rust/names.h"
#include "unwind/expression.h"
#include "unwind/unwind_internal.h"

/* Where pointer authentication keeps its code when the core does not say: above 48 bits of address, but for bit
 * 55, which chooses between user and kernel (Arm ARM, "Pointer authentication"). */
static const uint64_t CODE_MASK_USUAL = UINT64_C(0xff7f000000000000);

struct unwinder *unwinder_open(const struct core *core, struct objects *objects)
{
	struct unwinder *u = calloc(1, sizeof *u);
	if (u == NULL)
		abort();
	u->core = core;
	u->objects = objects;
	u->machine = unwind_machine(core_machine(core));
	u->code_mask = core_code_mask(core);
	u->symbols = true;
	size_t count;
	const char *const *names = core_register_names(core, &count);
	for (size_t i = 0; i < UNWIND_REGISTERS; i++) {
		u->core_index[i] = SIZE_MAX;
		for (size_t k = 0; u->machine != NULL && u->machine->names[i] != NULL && k < count; k++)
			if (strcmp(names[k], u->machine->names[i]) == 0)
				u->core_index[i] = k;
	}
	return u;
}

void unwinder_close(struct unwinder *u)
{
	if (u == NULL)
		return;
	arena_release(&u->arena);
	free(u);
}

void unwinder_set_symbols(struct unwinder *u, bool wanted)
{
	u->symbols = wanted;
}

void frame_symbolize(struct unwinder *u, struct unwind_frame *f)
{
	uint64_t back = f->exact || f->signal ? 0 : 1;
	f->symbol = f->object != NULL ? object_symbol(u->objects, f->object, f->pc - back, &f->symbol_offset) : NULL;
	f->symbol_offset = f->symbol != NULL ? f->symbol_offset + back : 0;
}

bool frame_register(const struct unwinder *u, const struct unwind_frame *f, const char *name, uint64_t *value)
{
	for (size_t i = 0; u->machine != NULL && i < u->machine->count; i++)
		if (u->machine->names[i] != NULL && strcmp(u->machine->names[i], name) == 0 && (f->known >> i & 1) != 0) {
			*value = f->registers[i];
			return true;
		}
	return false;
}

void frame_name(struct strbuf *out, const struct unwind_frame *f)
{
	if (f->symbol == NULL)
		strbuf_adds(out, "<no symbol>");
	else
		rust_demangle_to(out, f->symbol);
}

static bool read_target(const void *target, uint64_t address, size_t width, uint64_t *value)
{
	const struct unwinder *u = target;
	return objects_read_uint(u->objects, address, width, value);
}

static void state_pc_register(const struct unwinder *u, struct unwind_state *s)
{
	if (u->machine->pc != UNWIND_NO_REGISTER)
		state_set(s, u->machine->pc, s->pc);
}

static struct expression_context context_of(const struct unwinder *u, const struct unwind_state *s, uint64_t bias)
{
	return (struct expression_context){ s->registers, s->known, UNWIND_REGISTERS, bias, read_target, u };
}

static const char *cfa_compute(const struct expression_context *x, const struct cfi_rule *rule, uint64_t *cfa)
{
	if (rule->kind != RULE_REGISTER)
		return expression_evaluate(x, rule->expression, rule->length, NULL, cfa);
	if ((x->known >> rule->number & 1) == 0)
		return "the frame is found by a register that is not known here";
	*cfa = x->registers[rule->number] + (uint64_t)rule->offset;
	return NULL;
}

/* The value that a rule gives a register in the caller. *has false: it has none. NULL or what failed. */
static const char *rule_apply(const struct expression_context *x, const struct cfi_rule *rule, unsigned number,
                              uint64_t cfa, bool preserved, bool *has, uint64_t *value)
{
	const char *problem = NULL;
	uint64_t address = cfa + (uint64_t)rule->number;
	unsigned from = rule->kind == RULE_REGISTER ? (unsigned)rule->number : number;
	*has = true;
	switch (rule->kind) {
	case RULE_UNDEFINED: *has = false; return NULL;
	case RULE_VAL_OFFSET: *value = address; return NULL;
	case RULE_VAL_EXPRESSION: return expression_evaluate(x, rule->expression, rule->length, &cfa, value);
	case RULE_NONE:
	case RULE_SAME:
	case RULE_REGISTER:
		*has = (x->known >> from & 1) != 0 && (rule->kind != RULE_NONE || preserved);
		*value = x->registers[from];
		return NULL;
	case RULE_EXPRESSION:
		problem = expression_evaluate(x, rule->expression, rule->length, &cfa, &address);
		break;
	case RULE_OFFSET: break;
	}
	if (problem == NULL && !x->read(x->target, address, 8, value))
		problem = "the memory of the stack is not in the core";
	*has = problem == NULL;
	return problem;
}

/* All registers of the caller, and its pc from the column of the return address. */
static enum step row_apply(struct unwinder *u, struct unwind_state *s, const struct cfi_fde *fde,
                           const struct cfi_row *row, uint64_t bias, struct unwind_state *caller, const char **problem)
{
	const struct unwind_machine *m = u->machine;
	struct expression_context x = context_of(u, s, bias);
	bool has;
	uint64_t value;
	if (fde->return_register >= UNWIND_REGISTERS) {
		*problem = "the call-frame information has the return address in a register that does not exist";
		return STEP_STUCK;
	}
	unsigned ra = (unsigned)fde->return_register;
	if (row->registers[ra].kind == RULE_UNDEFINED)
		return STEP_BOTTOM;
	if ((*problem = cfa_compute(&x, &row->cfa, &s->cfa)) != NULL)
		return STEP_STUCK;
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
		/* A leaf of aarch64 has said nothing of the link register, which then holds the return address. */
		bool preserved = (m->preserved >> i & 1) != 0 || (i == m->link && s->exact);
		const char *failed = rule_apply(&x, &row->registers[i], i, s->cfa, preserved, &has, &value);
		if (failed != NULL && i == ra) {
			*problem = failed;
			return STEP_STUCK;
		}
		if (has)
			state_set(caller, i, value);
	}
	if (!state_knows(caller, ra)) {
		*problem = "the call-frame information does not say where the return address is";
		return STEP_STUCK;
	}
	caller->pc = caller->registers[ra];
	if (m->machine == EM_AARCH64)
		caller->pc &= ~(u->code_mask != 0 ? u->code_mask : row->return_signed ? CODE_MASK_USUAL : 0);
	if (row->registers[m->sp].kind == RULE_NONE)
		state_set(caller, m->sp, s->cfa);
	return STEP_CALLER;
}

enum step step_by_rules(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller, const char **problem)
{
	struct cfi_fde fde;
	struct cfi_row row;
	uint64_t pc = s->pc - (s->exact ? 0 : 1);
	*problem = NULL;
	*caller = (struct unwind_state){ .pc = 0 };
	state_pc_register(u, s);
	struct object *object = objects_at(u->objects, pc);
	const struct cfi_table *table = object != NULL ? object_cfi(u->objects, object) : NULL;
	if (table == NULL)
		return STEP_STUCK;
	bool found = cfi_find(table, pc, &fde);
	/* A handler returns to the first byte of the trampoline, whose FDE may begin there (and begins one byte
	 * earlier in glibc and the vDSO, for debuggers that look at pc - 1). */
	struct cfi_fde at;
	if (!s->exact && (!found || !fde.signal) && cfi_find(table, s->pc, &at) && at.signal) {
		fde = at;
		found = true;
	}
	if (!found)
		return STEP_STUCK;
	s->signal = fde.signal;
	if ((*problem = cfi_row_at(&fde, u->machine, fde.signal ? s->pc : pc, &row)) != NULL)
		return STEP_STUCK;
	caller->exact = fde.signal;
	return row_apply(u, s, &fde, &row, table->bias, caller, problem);
}

static void state_of_thread(const struct unwinder *u, const struct core_thread *thread, struct unwind_state *s)
{
	*s = (struct unwind_state){ .pc = thread->pc, .exact = true };
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		if (u->core_index[i] < thread->register_count)
			state_set(s, i, thread->registers[u->core_index[i]]);
}

static void frame_store(struct unwinder *u, const struct unwind_state *s, struct unwind_frame *f)
{
	f->pc = s->pc;
	f->sp = state_knows(s, u->machine->sp) ? s->registers[u->machine->sp] : 0;
	f->cfa = 0;
	f->object = objects_at(u->objects, s->pc);
	f->symbol = NULL;
	f->symbol_offset = 0;
	f->heuristic = s->heuristic;
	f->signal = false;
	f->exact = s->exact;
	f->known = s->known;
	memcpy(f->registers, s->registers, sizeof f->registers);
}

/* The text for a stack that ends in frame s without a bottom. */
static const char *why_stuck(struct unwinder *u, const struct unwind_state *s, size_t frame, const char *problem)
{
	const struct object *object = objects_at(u->objects, s->pc);
	const char *path = object != NULL ? object->name : objects_path_at(u->objects, s->pc);
	if (problem != NULL)
		return arena_printf(&u->arena, "frame %zu: %s", frame, problem);
	if (object != NULL && object->cfi.frames.at == NULL)
		return arena_printf(&u->arena, "callers of frame %zu lost: no call-frame information of %s%s", frame,
		                    path[0] != '\0' ? path : "an object without a name",
		                    object->file == NULL ? " (file missing)" : "");
	if (path != NULL)
		return arena_printf(&u->arena, "frame %zu: no call-frame information for 0x%" PRIx64 " in %s", frame, s->pc,
		                    path);
	return arena_printf(&u->arena, "frame %zu: 0x%" PRIx64 " is in no object", frame, s->pc);
}

/* The caller by whatever means, or why there is none: STEP_STUCK with *why. */
static enum step step_caller(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller, size_t frame,
                             const char **why)
{
	const char *problem;
	enum step step = step_by_rules(u, s, caller, &problem);
	if (step != STEP_STUCK)
		return step;
	if (problem == NULL && (step_trampoline(u, s, caller) || (s->exact && step_bad_call(u, s, caller))))
		return STEP_CALLER;
	/* Where code can be read, functions without information are more likely to keep the frame pointer chain
	 * (generated code does) than the stack is to be free of old return addresses. */
	bool has_code = objects_peek(u->objects, s->pc, 1) != NULL;
	if (has_code ? step_leaf(u, s, caller) || step_frame_pointer(u, s, caller) || step_scan(u, s, caller)
	             : step_scan(u, s, caller) || step_frame_pointer(u, s, caller))
		return STEP_CALLER;
	/* The ABI marks the outermost frame by a frame pointer of 0; C libraries do, some without information. */
	unsigned fp = u->machine->fp;
	if (problem == NULL && has_code && frame > 0 && state_knows(s, fp) && s->registers[fp] == 0)
		return STEP_BOTTOM;
	*why = why_stuck(u, s, frame, problem);
	return STEP_STUCK;
}

static bool same_segment(const struct core *core, uint64_t a, uint64_t b)
{
	size_t count;
	const struct core_segment *s = core_segments(core, &count);
	for (size_t i = 0; i < count; i++)
		if (a >= s[i].start && a < s[i].end)
			return b >= s[i].start && b < s[i].end;
	return false;
}

/* Callers lie higher on the same stack; only a signal handler and code that changes stacks (stacker, makecontext)
 * may lead elsewhere. That leaves cycles over several stacks to the cap. */
static const char *why_not_caller(struct unwinder *u, const struct unwind_state *s, const struct unwind_state *caller,
                                  size_t frame)
{
	unsigned sp = u->machine->sp;
	uint64_t below = s->registers[sp], above = caller->registers[sp];
	if (!s->signal && state_knows(s, sp) && state_knows(caller, sp)) {
		if (above == below && caller->pc == s->pc)
			return arena_printf(&u->arena, "frame %zu: its caller would be itself", frame);
		if (above < below && same_segment(u->core, above, below))
			return arena_printf(&u->arena, "frame %zu: the stack turns back, from 0x%" PRIx64 " to 0x%" PRIx64, frame,
			                    below, above);
	}
	/* What a signal interrupted may be a call of a bad pointer. */
	if (!caller->exact && !objects_is_code(u->objects, caller->pc))
		return arena_printf(&u->arena, "frame %zu: the return address 0x%" PRIx64 " is not in code", frame, caller->pc);
	return NULL;
}

void unwind_thread(struct unwinder *u, const struct core_thread *thread, struct unwind_frame *frames, size_t max,
                   size_t *count, const char **why)
{
	struct unwind_state s, caller;
	*count = 0;
	*why = NULL;
	if (u->machine == NULL || max == 0)
		return;
	state_of_thread(u, thread, &s);
	for (;;) {
		struct unwind_frame *f = &frames[(*count)++];
		size_t number = *count - 1;
		state_pc_register(u, &s);
		frame_store(u, &s, f);
		enum step step = step_caller(u, &s, &caller, number, why);
		f->signal = s.signal;
		f->cfa = step == STEP_CALLER ? s.cfa : 0;
		if (u->symbols)
			frame_symbolize(u, f);
		if (step != STEP_CALLER || (caller.pc == 0 && !caller.exact))
			return;
		if ((*why = why_not_caller(u, &s, &caller, number)) != NULL)
			return;
		if (*count == max) {
			*why = arena_printf(&u->arena, "only the first %zu frames", max);
			return;
		}
		s = caller;
	}
}

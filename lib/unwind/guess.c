/* guess.c - steps without call-frame information. What is known for certain (a signal trampoline's code, the word
 * that a call of a bad pointer pushed) comes first; the rest is guessed and marked. */
#include <elf.h>

#include "core/core.h"
#include "unwind/unwind_internal.h"

enum {
	SCAN_WORDS = 512, /* 4 KiB: several frames of a C library */
	SCAN_TRIALS = 32, /* return addresses that are looked into */
};

static bool read_word(struct unwinder *u, uint64_t address, uint64_t *value)
{
	return objects_read_uint(u->objects, address, 8, value);
}

static uint64_t code_address(const struct unwinder *u, uint64_t address)
{
	return u->machine->machine == EM_AARCH64 ? address & ~u->code_mask : address;
}

/* Is there a call in front of this address? *readable false: its code is nowhere to be had. */
static bool follows_call(struct unwinder *u, uint64_t address, bool *readable)
{
	*readable = false;
	for (size_t size = CALL_CODE_MAX; size >= 2; size--) { /* less than all at the start of a mapping */
		const unsigned char *code = objects_peek(u->objects, address - size, size);
		if (code == NULL)
			continue;
		*readable = true;
		return code_ends_in_call(u->machine, code, size);
	}
	return false;
}

static bool is_return_address(struct unwinder *u, uint64_t address)
{
	bool readable;
	return objects_is_code(u->objects, address) && (follows_call(u, address, &readable) || !readable);
}

bool step_trampoline(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller)
{
	const struct unwind_machine *m = u->machine;
	const unsigned char *code = objects_peek(u->objects, s->pc, m->trampoline_size);
	if (code == NULL || !state_knows(s, m->sp))
		return false;
	for (size_t i = 0; i < m->trampoline_size; i++)
		if (code[i] != m->trampoline[i])
			return false;
	uint64_t sp = s->registers[m->sp];
	*caller = (struct unwind_state){ .exact = true };
	if (!read_word(u, sp + m->saved_pc, &caller->pc))
		return false;
	for (unsigned i = 0; i < m->count; i++) {
		uint64_t value;
		if (m->names[i] != NULL && read_word(u, sp + m->saved[i], &value))
			state_set(caller, i, value);
	}
	s->signal = true;
	s->cfa = state_knows(caller, m->sp) ? caller->registers[m->sp] : 0;
	return true;
}

/* The caller of code that has not touched the stack: all registers that calls preserve are its own. */
static void caller_of_leaf(struct unwinder *u, struct unwind_state *s, uint64_t pc, uint64_t sp,
                           struct unwind_state *caller)
{
	*caller = (struct unwind_state){ .pc = pc, .known = s->known & u->machine->preserved };
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		caller->registers[i] = s->registers[i];
	s->cfa = sp;
	state_set(caller, u->machine->sp, sp);
}

bool step_bad_call(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller)
{
	const struct unwind_machine *m = u->machine;
	uint64_t sp = s->registers[m->sp], pc;
	bool linked = m->link != UNWIND_NO_REGISTER;
	if (objects_is_code(u->objects, s->pc) || !state_knows(s, m->sp))
		return false;
	if (linked)
		pc = code_address(u, s->registers[m->link]);
	else if (!read_word(u, sp, &pc))
		return false;
	if (!objects_is_code(u->objects, pc))
		return false;
	caller_of_leaf(u, s, pc, linked ? sp : sp + 8, caller);
	return true;
}

bool step_leaf(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller)
{
	const struct unwind_machine *m = u->machine;
	uint64_t sp = s->registers[m->sp], pc;
	bool readable;
	if (m->link != UNWIND_NO_REGISTER || !s->exact || !state_knows(s, m->sp) || !read_word(u, sp, &pc) ||
	    !objects_is_code(u->objects, pc) || !follows_call(u, pc, &readable))
		return false;
	caller_of_leaf(u, s, pc, sp + 8, caller);
	caller->heuristic = true;
	return true;
}

/* Both ABIs: the frame pointer points to the caller's frame pointer, behind which the return address is. */
bool step_frame_pointer(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller)
{
	const struct unwind_machine *m = u->machine;
	uint64_t fp = s->registers[m->fp], next, pc;
	if (!state_knows(s, m->fp) || fp % 8 != 0 || (state_knows(s, m->sp) && fp < s->registers[m->sp]) ||
	    !read_word(u, fp, &next) || !read_word(u, fp + 8, &pc))
		return false;
	pc = code_address(u, pc);
	if (!is_return_address(u, pc))
		return false;
	*caller = (struct unwind_state){ .pc = pc, .heuristic = true };
	if (next > fp || next == 0) /* 0 ends the chain, what turns back is none */
		state_set(caller, m->fp, next);
	/* x86-64's is at the top of the frame; aarch64's may be anywhere in it. */
	if (m->link == UNWIND_NO_REGISTER) {
		s->cfa = fp + 16;
		state_set(caller, m->sp, s->cfa);
	}
	return true;
}

/* Does a frame at this return address lead on to another one, or to the bottom? */
static bool leads_on(struct unwinder *u, const struct unwind_state *guess)
{
	struct unwind_state here = *guess, next;
	const char *problem;
	bool readable;
	switch (step_by_rules(u, &here, &next, &problem)) {
	case STEP_BOTTOM: return true;
	case STEP_STUCK: return false;
	case STEP_CALLER: break;
	}
	return here.cfa > guess->registers[u->machine->sp] && objects_is_code(u->objects, next.pc) &&
	       (next.exact || follows_call(u, next.pc, &readable));
}

bool step_scan(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller)
{
	const struct unwind_machine *m = u->machine;
	uint64_t sp = s->registers[m->sp], pc;
	bool readable;
	size_t trials = 0;
	if (!state_knows(s, m->sp) || sp % 8 != 0)
		return false;
	for (uint64_t at = sp; at - sp < (uint64_t)SCAN_WORDS * 8 && read_word(u, at, &pc); at += 8) {
		pc = code_address(u, pc);
		if (objects_at(u->objects, pc) == NULL || !objects_is_code(u->objects, pc) || !follows_call(u, pc, &readable))
			continue;
		*caller = (struct unwind_state){ .pc = pc, .heuristic = true };
		state_set(caller, m->sp, at + 8);
		/* The frame pointer may still be the one of the frame we look for; leads_on tells. */
		if (state_knows(s, m->fp) && s->registers[m->fp] > at)
			state_set(caller, m->fp, s->registers[m->fp]);
		if (!leads_on(u, caller)) {
			if (++trials == SCAN_TRIALS)
				return false;
			continue;
		}
		s->cfa = at + 8;
		return true;
	}
	return false;
}

/* unwind_internal.h - one step of a walk, shared by unwind.c (rules) and guess.c (what is done without). */
#ifndef HANSEI_UNWIND_UNWIND_INTERNAL_H
#define HANSEI_UNWIND_UNWIND_INTERNAL_H

#include "base/arena.h"
#include "unwind/objects.h"
#include "unwind/unwind.h"

struct unwinder {
	const struct core *core;
	struct objects *objects;
	const struct unwind_machine *machine;
	size_t core_index[UNWIND_REGISTERS]; /* of each DWARF register in a core_thread; SIZE_MAX: none */
	uint64_t code_mask;
	bool symbols;
	struct arena arena; /* texts of *why */
};

struct unwind_state { /* a frame before it is stored */
	uint64_t pc, cfa;
	uint64_t registers[UNWIND_REGISTERS];
	uint64_t known;
	bool exact, heuristic, signal;
};

enum step { STEP_CALLER, STEP_BOTTOM, STEP_STUCK };

static inline bool state_knows(const struct unwind_state *s, unsigned number)
{
	return number < UNWIND_REGISTERS && (s->known >> number & 1) != 0;
}

static inline void state_set(struct unwind_state *s, unsigned number, uint64_t value)
{
	s->registers[number] = value;
	s->known |= UINT64_C(1) << number;
}

/* The caller by call-frame information. STEP_STUCK: *problem is a static text, or NULL when there simply is no
 * information for pc. Sets cfa and signal of the callee where they are known. */
enum step step_by_rules(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller, const char **problem);

/* guess.c; each false when it does not apply. */
bool step_trampoline(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller);
bool step_bad_call(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller);
/* x86-64: the top of the stack is a return address, as in PLT stubs and at a function's first instruction. */
bool step_leaf(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller);
bool step_frame_pointer(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller);
bool step_scan(struct unwinder *u, struct unwind_state *s, struct unwind_state *caller);

#endif

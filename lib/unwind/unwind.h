/* unwind.h - native stacks of a core's threads, by call-frame information, over the core's memory. x86-64 and
 * aarch64. Rules: DWARF 5 section 6.4, the psABIs, notes on cores section 9.
 *
 *   - The first frame uses its pc as it is; a caller uses pc - 1 to choose FDE and symbol, since a call can be the
 *     last instruction of a function; what a signal interrupted uses its pc again.
 *   - An undefined return address, or one of 0, is the bottom: the stack is complete.
 *   - A register that a call preserves and no rule speaks of is unchanged; others are unknown above frame 0.
 *   - A bad pointer that was called: one word is popped (aarch64: the link register is the return address).
 *   - A signal trampoline without call-frame information is known by its code.
 *   - Where call-frame information is missing or fails, the frame is guessed: by a return address on top of the
 *     stack (PLT stubs of lld have no information), the frame pointer chain, or, first where the code is missing too,
 *     the nearest word of the stack that is a return address in code with call-frame information that leads on.
 *     Such a frame is `heuristic`, and what follows rests on it.
 *
 * Ownership: borrows core and objects. Frames are the caller's; what they point to lives as long as the objects.
 * One thread at a time. Never fails: a broken stack gives the frames up to the break, and why. */
#ifndef HANSEI_UNWIND_UNWIND_H
#define HANSEI_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/machine.h"

struct core;
struct core_thread;
struct object;
struct objects;
struct strbuf;
struct unwinder;

enum { UNWIND_FRAMES = 64 }; /* ordinary cap of a stack */

struct unwind_frame {
	uint64_t pc;  /* without authentication code */
	uint64_t sp;  /* stack pointer at pc; of a caller: as the call will leave it */
	uint64_t cfa; /* canonical frame address: the caller's sp; 0: not known (bottom, or no step was made) */
	struct object *object;  /* see objects.h; NULL: in none */
	const char *symbol;     /* mangled; NULL: none covers pc */
	uint64_t symbol_offset; /* pc less the symbol's address */
	bool heuristic;         /* this frame was guessed */
	bool signal;            /* a signal trampoline; the next frame is what the signal interrupted */
	bool exact;             /* pc is the instruction itself (frame 0, or interrupted), not a return address */
	uint64_t known;         /* bit per DWARF register number that has a value */
	uint64_t registers[UNWIND_REGISTERS];
};

struct unwinder *unwinder_open(const struct core *core, struct objects *objects);
void unwinder_close(struct unwinder *unwinder); /* NULL is fine */

/* Does frames get symbols? Yes at first. Without them a walk does not touch symbol tables; frame_symbolize adds
 * them to one frame. */
void unwinder_set_symbols(struct unwinder *unwinder, bool wanted);
void frame_symbolize(struct unwinder *unwinder, struct unwind_frame *frame);

/* Walks the stack of one thread: at most max (1 or more) frames, innermost first. *why is NULL when the bottom was
 * reached, else one line that says why the stack is cut; it lives as long as the unwinder. */
void unwind_thread(struct unwinder *unwinder, const struct core_thread *thread, struct unwind_frame *frames, size_t max,
                   size_t *count, const char **why);

/* A register of a frame by its name ("rbx", "x19"); false when it is not known there. */
bool frame_register(const struct unwinder *unwinder, const struct unwind_frame *frame, const char *name,
                    uint64_t *value);
/* Appends the demangled name, or "<no symbol>". */
void frame_name(struct strbuf *out, const struct unwind_frame *frame);

#endif

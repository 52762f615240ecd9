/* machine.h - what a stack walk has to know of a processor: DWARF's register numbers, which registers a call
 * preserves, what a call and a signal trampoline look like. Sources: System V psABI AMD64 (figures 3.4, 3.36),
 * AAPCS64 and "DWARF for the Arm 64-bit Architecture", the kernel's struct rt_sigframe of both. */
#ifndef HANSEI_UNWIND_MACHINE_H
#define HANSEI_UNWIND_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	UNWIND_REGISTERS = 33, /* DWARF numbers 0 .. 32; vector registers beyond are not followed */
	UNWIND_NO_REGISTER = 255,
	TRAMPOLINE_CODE_MAX = 9,
};

struct unwind_machine {
	uint16_t machine;          /* EM_X86_64, EM_AARCH64 */
	uint8_t count;             /* DWARF numbers below it have names */
	uint8_t sp, fp;            /* DWARF numbers */
	uint8_t pc;                /* stands for pc in expressions (x86-64's PLT uses it), or UNWIND_NO_REGISTER */
	uint8_t link;              /* holds the return address of a leaf; UNWIND_NO_REGISTER: it is on the stack */
	uint64_t preserved;        /* bit per DWARF number: callee-saved */
	const char *names[UNWIND_REGISTERS]; /* as in core_register_names; NULL: no register of the core */
	/* rt_sigreturn's trampoline, and where from sp the interrupted registers are. */
	unsigned char trampoline[TRAMPOLINE_CODE_MAX];
	uint8_t trampoline_size;
	uint16_t saved[UNWIND_REGISTERS]; /* byte offset of each DWARF register */
	uint16_t saved_pc;
};

const struct unwind_machine *unwind_machine(uint16_t machine); /* NULL: not one of the two */

enum { CALL_CODE_MAX = 7 };

/* Do the `size` (at most CALL_CODE_MAX) code bytes in front of a return address end in a call instruction? */
bool code_ends_in_call(const struct unwind_machine *m, const unsigned char *code, size_t size);

#endif

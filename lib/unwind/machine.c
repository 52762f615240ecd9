#include "unwind/machine.h"

#include <elf.h>

#include "base/cursor.h"

/* x86-64: rt_sigframe is { pretcode; ucontext; … }, and pretcode has been popped in the trampoline: the registers
 * of sigcontext are at ucontext + 40. aarch64: siginfo (128), then ucontext with sigcontext at 176: fault_address,
 * regs[31], sp, pc. */
#define SIGCONTEXT_X86(index) (40 + 8 * (index))
#define SIGCONTEXT_ARM(index) (128 + 176 + 8 + 8 * (index))

static const struct unwind_machine MACHINES[] = {
	{
		.machine = EM_X86_64,
		.count = 17,
		.sp = 7,
		.fp = 6,
		.pc = 16,
		.link = UNWIND_NO_REGISTER,
		.preserved = 1U << 3 | 1U << 6 | 0xfU << 12, /* rbx, rbp, r12 .. r15 */
		.names = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
		           "r14", "r15", "rip" },
		/* mov $15, %rax (__NR_rt_sigreturn); syscall */
		.trampoline = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 },
		.trampoline_size = 9,
		.saved = { SIGCONTEXT_X86(13), SIGCONTEXT_X86(12), SIGCONTEXT_X86(14), SIGCONTEXT_X86(11), SIGCONTEXT_X86(9),
		           SIGCONTEXT_X86(8), SIGCONTEXT_X86(10), SIGCONTEXT_X86(15), SIGCONTEXT_X86(0), SIGCONTEXT_X86(1),
		           SIGCONTEXT_X86(2), SIGCONTEXT_X86(3), SIGCONTEXT_X86(4), SIGCONTEXT_X86(5), SIGCONTEXT_X86(6),
		           SIGCONTEXT_X86(7), SIGCONTEXT_X86(16) },
		.saved_pc = SIGCONTEXT_X86(16),
	},
	{
		.machine = EM_AARCH64,
		.count = 32,
		.sp = 31,
		.fp = 29,
		.pc = UNWIND_NO_REGISTER,
		.link = 30,
		.preserved = 0x7ffU << 19, /* x19 .. x29 */
		.names = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
		           "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",
		           "x29", "x30", "sp" },
		/* mov x8, #139 (__NR_rt_sigreturn); svc #0 */
		.trampoline = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 },
		.trampoline_size = 8,
		.saved = { SIGCONTEXT_ARM(0), SIGCONTEXT_ARM(1), SIGCONTEXT_ARM(2), SIGCONTEXT_ARM(3), SIGCONTEXT_ARM(4),
		           SIGCONTEXT_ARM(5), SIGCONTEXT_ARM(6), SIGCONTEXT_ARM(7), SIGCONTEXT_ARM(8), SIGCONTEXT_ARM(9),
		           SIGCONTEXT_ARM(10), SIGCONTEXT_ARM(11), SIGCONTEXT_ARM(12), SIGCONTEXT_ARM(13), SIGCONTEXT_ARM(14),
		           SIGCONTEXT_ARM(15), SIGCONTEXT_ARM(16), SIGCONTEXT_ARM(17), SIGCONTEXT_ARM(18), SIGCONTEXT_ARM(19),
		           SIGCONTEXT_ARM(20), SIGCONTEXT_ARM(21), SIGCONTEXT_ARM(22), SIGCONTEXT_ARM(23), SIGCONTEXT_ARM(24),
		           SIGCONTEXT_ARM(25), SIGCONTEXT_ARM(26), SIGCONTEXT_ARM(27), SIGCONTEXT_ARM(28), SIGCONTEXT_ARM(29),
		           SIGCONTEXT_ARM(30), SIGCONTEXT_ARM(31) },
		.saved_pc = SIGCONTEXT_ARM(32),
	},
};

const struct unwind_machine *unwind_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof MACHINES / sizeof MACHINES[0]; i++)
		if (MACHINES[i].machine == machine)
			return &MACHINES[i];
	return NULL;
}

/* Indirect calls are ff /2: opcode, ModRM with 010 in the middle, perhaps SIB, and a displacement of 0, 1 or 4
 * bytes, 2 to 7 bytes in all (Intel SDM volume 2, table 2-2). */
static bool x86_indirect_call(const unsigned char *code, size_t length)
{
	unsigned modrm = code[1], mode = modrm >> 6, rm = modrm & 7;
	if (code[0] != 0xff || (modrm >> 3 & 7) != 2)
		return false;
	size_t need = 2 + (size_t)(mode != 3 && rm == 4);
	if (mode == 1)
		need += 1;
	else if (mode == 2 || (mode == 0 && rm == 5) || (mode == 0 && rm == 4 && length > 2 && (code[2] & 7) == 5))
		need += 4;
	return need == length;
}

bool code_ends_in_call(const struct unwind_machine *m, const unsigned char *code, size_t size)
{
	const unsigned char *end = code + size;
	if (m->machine == EM_AARCH64) {
		if (size < 4)
			return false;
		uint32_t word = (uint32_t)load_uint(end - 4, 4);
		return (word & 0xfc000000) == 0x94000000 ||  /* bl */
		       (word & 0xfffffc1f) == 0xd63f0000 ||  /* blr */
		       (word & 0xfefff800) == 0xd63f0800;    /* blraa, blrab and their z forms */
	}
	if (size >= 5 && end[-5] == 0xe8)
		return true;
	for (size_t length = 2; length <= size && length <= 7; length++)
		if (x86_indirect_call(end - length, length))
			return true;
	return false;
}

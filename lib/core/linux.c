/* linux.c - the notes of a Linux core (kernel fs/binfmt_elf.c and include/linux/elfcore.h; gdb's gcore writes the
 * same ones in another order).
 *
 * A kernel core: PRSTATUS of the dumping thread, PRPSINFO, SIGINFO, AUXV, FILE, its other register sets, then the
 * other threads. gcore: PRPSINFO first, a SIGINFO behind each thread, AUXV and FILE last, and a note of owner
 * "GDB". So nothing depends on the order but this: notes of a thread follow its PRSTATUS. */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "core/core_internal.h"

/* struct user_regs_struct, arch/x86/include/asm/user_64.h */
static const char *const X86_64_NAMES[] = {
	"r15", "r14", "r13", "r12", "rbp",      "rbx", "r11", "r10",    "r9",  "r8", "rax",     "rcx",     "rdx", "rsi",
	"rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss",  "fs_base", "gs_base", "ds", "es", "fs", "gs",
};

/* struct user_pt_regs, arch/arm64/include/uapi/asm/ptrace.h */
static const char *const AARCH64_NAMES[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16",
	"x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",  "pc",  "pstate",
};

/* struct elf_prstatus: the registers begin at 112 on both, their number makes its size. */
static const struct machine_row {
	uint16_t machine;
	const char *const *names;
	size_t count, prstatus_size;
	size_t pc, sp, tls; /* indices; tls past the last: in a note of its own */
} MACHINES[] = {
	{ EM_X86_64, X86_64_NAMES, 27, 336, 16, 19, 21 },
	{ EM_AARCH64, AARCH64_NAMES, 34, 392, 32, 31, 34 },
};

enum {
	PRSTATUS_SIGNAL = 12, /* pr_cursig */
	PRSTATUS_PID = 32,
	PRSTATUS_REGISTERS = 112,
	PSINFO_FNAME_SIZE = 16,
	PSINFO_ARGS_SIZE = 80,
	SIGINFO_CODE_KERNEL = 0x80, /* SI_KERNEL: no address (a general protection fault, say) */
	NOTE_ARM_TLS = 0x401,
	NOTE_ARM_PAC_MASK = 0x406,
};

struct reader {
	struct core *core;
	const struct machine_row *machine;
	size_t thread_capacity, auxv_capacity, mapping_capacity; /* the arrays are the heap's until reader_finish */
	bool from_gdb, siginfo_seen, psinfo_seen, auxv_seen, file_seen;
	int siginfo_number, siginfo_code;
	uint64_t siginfo_address;
};

static const struct machine_row *machine_find(uint16_t machine)
{
	for (size_t i = 0; i < sizeof MACHINES / sizeof MACHINES[0]; i++)
		if (MACHINES[i].machine == machine)
			return &MACHINES[i];
	return &MACHINES[0]; /* core.c lets no other in */
}

static void prstatus_read(struct reader *r, const struct note *note)
{
	struct core *core = r->core;
	const struct machine_row *m = r->machine;
	/* Another size is another system's or ABI's (x32) structure: its fields would be nonsense at our offsets. */
	if (note->size != m->prstatus_size || note->cut) {
		core_warn(core, "a thread's status note has %zu bytes instead of %zu%s; the thread is left out", note->size,
		          m->prstatus_size, note->cut ? " (cut)" : "");
		return;
	}
	uint64_t *registers = arena_array(&core->arena, m->count, sizeof *registers);
	for (size_t i = 0; i < m->count; i++)
		registers[i] = load_uint(note->bytes + PRSTATUS_REGISTERS + 8 * i, 8);
	core->threads = array_reserve(core->threads, &r->thread_capacity, core->thread_count, 1, sizeof *core->threads);
	core->threads[core->thread_count++] = (struct core_thread){
		.lwp = (uint32_t)load_uint(note->bytes + PRSTATUS_PID, 4),
		.signal = (int)(int16_t)load_uint(note->bytes + PRSTATUS_SIGNAL, 2),
		.tls_base = m->tls < m->count ? registers[m->tls] : 0,
		.pc = registers[m->pc],
		.sp = registers[m->sp],
		.registers = registers,
		.register_count = m->count,
	};
}

/* NUL-terminated or full; psinfo pads arguments with blanks where the process had NULs. */
static const char *text_copy(struct core *core, const char *text, size_t size)
{
	const char *nul = memchr(text, 0, size);
	size_t length = nul != NULL ? (size_t)(nul - text) : size;
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return arena_strndup(&core->arena, text, length);
}

/* struct elf_prpsinfo, 136 bytes; shorter ones give what they have. */
static void prpsinfo_read(struct reader *r, const struct note *note)
{
	struct core_process *p = &r->core->process;
	if (r->psinfo_seen)
		return;
	r->psinfo_seen = true;
	struct cursor c = cursor_over(note->bytes, note->size);
	cursor_bytes(&c, 16); /* state, sname, zombie, nice; flags */
	p->uid = cursor_u32(&c);
	p->gid = cursor_u32(&c);
	p->pid = cursor_u32(&c);
	p->ppid = cursor_u32(&c);
	cursor_bytes(&c, 8); /* pgrp, sid */
	const char *command = cursor_bytes(&c, PSINFO_FNAME_SIZE);
	size_t left = cursor_left(&c);
	if (command != NULL) {
		p->command = text_copy(r->core, command, PSINFO_FNAME_SIZE);
		size_t size = left < PSINFO_ARGS_SIZE ? left : PSINFO_ARGS_SIZE;
		p->arguments = text_copy(r->core, size != 0 ? cursor_bytes(&c, size) : "", size);
	} else {
		core_warn(r->core, "the process note has only %zu bytes", note->size);
	}
}

/* siginfo_t: signo, errno, code; for faults the address at 16. The first one is the dumping thread's, in a kernel
 * core as in gcore's, which writes the thread it stopped for first. */
static void siginfo_read(struct reader *r, const struct note *note)
{
	if (r->siginfo_seen)
		return;
	struct cursor c = cursor_over(note->bytes, note->size);
	int number = (int)cursor_u32(&c);
	(void)cursor_u32(&c);
	int code = (int)cursor_u32(&c);
	(void)cursor_u32(&c);
	uint64_t address = cursor_u64(&c);
	if (c.bad)
		return;
	r->siginfo_seen = true;
	r->siginfo_number = number;
	r->siginfo_code = code;
	r->siginfo_address = address;
}

static void auxv_read(struct reader *r, const struct note *note)
{
	struct core *core = r->core;
	if (r->auxv_seen)
		return;
	r->auxv_seen = true;
	struct cursor c = cursor_over(note->bytes, note->size);
	while (cursor_left(&c) >= 16) {
		struct auxv_entry entry;
		entry.type = cursor_u64(&c);
		entry.value = cursor_u64(&c);
		if (entry.type == AT_NULL)
			break;
		core->auxv = array_reserve(core->auxv, &r->auxv_capacity, core->auxv_count, 1, sizeof *core->auxv);
		core->auxv[core->auxv_count++] = entry;
	}
}

/* u64 count, u64 page size, count of (start, end, offset in pages), then as many paths (fs/binfmt_elf.c,
 * fill_files_note). A cut note loses paths from the end. */
static void file_read(struct reader *r, const struct note *note)
{
	struct core *core = r->core;
	if (r->file_seen)
		return;
	r->file_seen = true;
	struct cursor c = cursor_over(note->bytes, note->size);
	uint64_t count = cursor_u64(&c), page = cursor_u64(&c);
	if (c.bad || count > cursor_left(&c) / 24) {
		core_warn(core, "the note of mapped files claims %" PRIu64 " entries in %zu bytes%s; it is not used", count,
		          note->size, note->cut ? " (cut)" : "");
		return;
	}
	struct cursor paths = c;
	cursor_bytes(&paths, (size_t)count * 24);
	uint64_t bad = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct core_mapping m;
		m.start = cursor_u64(&c);
		m.end = cursor_u64(&c);
		uint64_t pages = cursor_u64(&c);
		m.path = cursor_string(&paths);
		if (m.path == NULL) {
			bad += count - i;
			break;
		}
		if (m.start >= m.end || page == 0 || pages > UINT64_MAX / page) {
			bad++;
			continue;
		}
		m.file_offset = pages * page;
		core->mappings = array_reserve(core->mappings, &r->mapping_capacity, core->mapping_count, 1,
		                               sizeof *core->mappings);
		core->mappings[core->mapping_count++] = m;
	}
	if (bad != 0)
		core_warn(core, "%" PRIu64 " of %" PRIu64 " entries of the note of mapped files are unusable%s", bad, count,
		          note->cut ? " (it is cut)" : "");
}

/* user_pac_mask: data_mask, insn_mask (arch/arm64/include/uapi/asm/ptrace.h); one for the process. */
static void pac_mask_read(struct reader *r, const struct note *note)
{
	if (note->size >= 16 && r->core->code_mask == 0)
		r->core->code_mask = load_uint(note->bytes + 8, 8);
}

static void arm_tls_read(struct reader *r, const struct note *note)
{
	struct core *core = r->core;
	if (core->thread_count != 0 && note->size >= 8)
		core->threads[core->thread_count - 1].tls_base = load_uint(note->bytes, 8);
}

static const struct note_row {
	const char *owner;
	uint32_t type;
	uint16_t machine; /* 0: any */
	void (*read)(struct reader *r, const struct note *note);
} NOTES[] = {
	{ "CORE", NT_PRSTATUS, 0, prstatus_read },
	{ "CORE", NT_PRPSINFO, 0, prpsinfo_read },
	{ "CORE", NT_SIGINFO, 0, siginfo_read },
	{ "CORE", NT_AUXV, 0, auxv_read },
	{ "CORE", NT_FILE, 0, file_read },
	{ "LINUX", NOTE_ARM_TLS, EM_AARCH64, arm_tls_read },
	{ "LINUX", NOTE_ARM_PAC_MASK, EM_AARCH64, pac_mask_read },
};

static void note_read(struct reader *r, const struct note *note)
{
	if (note_owner_is(note, "GDB"))
		r->from_gdb = true;
	for (size_t i = 0; i < sizeof NOTES / sizeof NOTES[0]; i++)
		if (NOTES[i].type == note->type && note_owner_is(note, NOTES[i].owner) &&
		    (NOTES[i].machine == 0 || NOTES[i].machine == r->core->machine))
			NOTES[i].read(r, note);
}

/* Linux's numbers, not the host's: signal(7), x86 and arm. */
enum { QUIT = 3, ILL = 4, TRAP = 5, ABRT = 6, BUS = 7, FPE = 8, SEGV = 11, XCPU = 24, XFSZ = 25, SYS = 31 };

/* Whether gdb's core may tell of a death: gcore stops the process by itself (SIGSTOP, SIGTRAP, nothing), and only
 * these end a process with a core (signal(7)). */
static bool is_fatal(int signal)
{
	static const int fatal[] = { QUIT, ILL, ABRT, BUS, FPE, SEGV, XCPU, XFSZ, SYS };
	for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
		if (fatal[i] == signal)
			return true;
	return false;
}

static bool has_address(int signal)
{
	return signal == SEGV || signal == BUS || signal == ILL || signal == FPE || signal == TRAP;
}

static void signal_decide(struct reader *r)
{
	struct core_process *p = &r->core->process;
	int signal = r->siginfo_seen ? r->siginfo_number : 0;
	if (signal == 0 && r->core->thread_count != 0)
		signal = r->core->threads[0].signal; /* the dumping thread's */
	if (signal <= 0 || (r->from_gdb && !is_fatal(signal)))
		return;
	p->has_signal = true;
	p->signal = signal;
	if (!r->siginfo_seen || r->siginfo_number != signal)
		return;
	p->signal_code = r->siginfo_code;
	/* Codes above 0 are the kernel's; 0 and below mean that a process sent it, and the field is its pid. */
	if (has_address(signal) && r->siginfo_code > 0 && r->siginfo_code != SIGINFO_CODE_KERNEL) {
		p->has_fault_address = true;
		p->fault_address = r->siginfo_address;
	}
}

static int mapping_order(const void *left, const void *right)
{
	const struct core_mapping *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

struct lwp_index {
	uint32_t lwp, index;
};

static int lwp_order(const void *left, const void *right)
{
	const struct lwp_index *a = left, *b = right;
	if (a->lwp != b->lwp)
		return a->lwp < b->lwp ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void threads_index(struct core *core)
{
	size_t count = core->thread_count;
	struct lwp_index *order = arena_array(&core->arena, count, sizeof *order);
	for (size_t i = 0; i < count; i++)
		order[i] = (struct lwp_index){ core->threads[i].lwp, (uint32_t)i };
	qsort(order, count, sizeof *order, lwp_order);
	core->by_lwp = arena_array(&core->arena, count, sizeof *core->by_lwp);
	for (size_t i = 0; i < count; i++)
		core->by_lwp[i] = order[i].index;
}

/* Moves an array that grew on the heap into the arena. */
static void *settle(struct core *core, void *items, size_t count, size_t size)
{
	void *copy = items == NULL ? NULL : arena_copy(&core->arena, items, count * size);
	free(items);
	return copy;
}

static void reader_finish(struct reader *r)
{
	struct core *core = r->core;
	if (core->mapping_count > 1)
		qsort(core->mappings, core->mapping_count, sizeof *core->mappings, mapping_order);
	core->threads = settle(core, core->threads, core->thread_count, sizeof *core->threads);
	core->auxv = settle(core, core->auxv, core->auxv_count, sizeof *core->auxv);
	core->mappings = settle(core, core->mappings, core->mapping_count, sizeof *core->mappings);
	threads_index(core);
	if (core->thread_count == 0)
		core_warn(core, "no thread is recorded in it");
}

void linux_notes_read(struct core *core)
{
	struct reader r = { .core = core, .machine = machine_find(core->machine) };
	core->register_names = r.machine->names;
	core->register_count = r.machine->count;
	for (size_t i = 0; i < core->note_count; i++) {
		struct cursor c = core->notes[i];
		struct note note;
		while (note_next(&c, &note)) {
			if (note.cut)
				core_warn(core, "note of type 0x%" PRIx32 " is cut after %zu bytes", note.type, note.size);
			note_read(&r, &note);
		}
	}
	signal_decide(&r);
	reader_finish(&r);
}

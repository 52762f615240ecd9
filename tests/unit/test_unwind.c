/* Walks over synthetic cores: an object of the core's own memory with call-frame information made by hand, and a
 * stack. Called with arguments it prints the stacks of a core instead (unwind_frames.h). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cfi_build.h"
#include "core/core.h"
#include "core_build.h"
#include "unwind/objects.h"
#include "unwind/unwind.h"
#include "unwind_frames.h"

enum {
	IMAGE = 0x400000,
	HEADER_AT = 0x400, /* offsets in the image, which are its addresses without bias */
	FRAMES_AT = 0x600,
	CODE_AT = 0x1000,
	IMAGE_SIZE = 0x2000,
	STACK = 0x70000000,
	STACK_WORDS = 512,
	RAX = 10, RBX = 5, RBP = 4, RIP = 16, RSP = 19, /* of the core's x86-64 registers */
	FRAMES = 16,
	FIRST_LWP = 100,
};

/* Functions, 0x100 bytes each; a call ends at AFTER in each. */
enum { LEAF, FRAME, POINTER, BOTTOM, SIGNAL, BARE, BARE_SIGNAL, ITSELF, BACK, NO_RULE, FUNCTIONS, AFTER = 0x10 };

#define IN(function) (IMAGE + CODE_AT + 0x100 * (uint64_t)(function) + 0x40)
#define RETURN(function) (IMAGE + CODE_AT + 0x100 * (uint64_t)(function) + AFTER)

struct world {
	uint16_t machine;
	unsigned char image[IMAGE_SIZE];
	uint64_t stack[STACK_WORDS];
	uint64_t registers[3][34];
	size_t threads;
	uint64_t code_mask; /* aarch64 */
};

static char path[300]; /* of the core */

static uint64_t stack_at(size_t word)
{
	return STACK + 8 * word;
}

static void cfi_x86(struct cfi_build *b)
{
	static const unsigned char initial[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };
	static const unsigned char frame[] = { DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 3, 2 }; /* rbx */
	static const unsigned char pointer[] = { DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2 };
	static const unsigned char bottom[] = { DW_CFA_undefined, 16 };
	/* as in glibc: the interrupted registers are in the ucontext at rsp */
	static const unsigned char signal[] = {
		DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 1, DW_OP_deref, DW_CFA_expression, 6, 3, DW_OP_breg7, 0xf8, 0,
		DW_CFA_expression, 0, 3, DW_OP_breg7, 0x90, 1, DW_CFA_expression, 16, 3, DW_OP_breg7, 0xa8, 1,
	};
	/* the return address is this function, the frame is empty */
	static const unsigned char itself[] = {
		DW_CFA_def_cfa, 7, 0, DW_CFA_val_expression, 16, 9, DW_OP_addr, 0x10, 0x17, 0x40, 0, 0, 0, 0, 0,
	};
	static const unsigned char back[] = { DW_CFA_def_cfa_sf, 7, 8 };
	cfi_build_cie(b, "zR", 0x1b, 16, initial, sizeof initial);
	cfi_build_fde(b, RETURN(LEAF) - AFTER, 0x100, NULL, 0);
	cfi_build_fde(b, RETURN(FRAME) - AFTER, 0x100, frame, sizeof frame);
	cfi_build_fde(b, RETURN(POINTER) - AFTER, 0x100, pointer, sizeof pointer);
	cfi_build_fde(b, RETURN(BOTTOM) - AFTER, 0x100, bottom, sizeof bottom);
	cfi_build_fde(b, RETURN(ITSELF) - AFTER, 0x100, itself, sizeof itself);
	cfi_build_fde(b, RETURN(BACK) - AFTER, 0x100, back, sizeof back);
	cfi_build_cie(b, "zRS", 0x1b, 16, NULL, 0);
	cfi_build_fde(b, RETURN(SIGNAL) - AFTER - 1, 0x101, signal, sizeof signal);
	cfi_build_cie(b, "zR", 0x1b, 16, initial, 3);
	cfi_build_fde(b, RETURN(NO_RULE) - AFTER, 0x100, NULL, 0);
}

static void cfi_arm(struct cfi_build *b)
{
	static const unsigned char initial[] = { DW_CFA_def_cfa, 31, 0 };
	static const unsigned char frame[] = { DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4, DW_CFA_offset | 30, 3 };
	static const unsigned char bottom[] = { DW_CFA_undefined, 30 };
	static const unsigned char is_signed[] = { DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 30, 3, 0x2d };
	cfi_build_cie(b, "zR", 0x1b, 30, initial, sizeof initial);
	cfi_build_fde(b, RETURN(LEAF) - AFTER, 0x100, NULL, 0);
	cfi_build_fde(b, RETURN(FRAME) - AFTER, 0x100, frame, sizeof frame);
	cfi_build_fde(b, RETURN(BOTTOM) - AFTER, 0x100, bottom, sizeof bottom);
	cfi_build_fde(b, RETURN(POINTER) - AFTER, 0x100, is_signed, sizeof is_signed);
}

static void code_fill(struct world *w)
{
	static const unsigned char x86_signal[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const unsigned char arm_signal[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
	bool arm = w->machine == EM_AARCH64;
	for (size_t f = 0; f < FUNCTIONS; f++) {
		unsigned char *at = w->image + CODE_AT + 0x100 * f + AFTER;
		if (arm)
			memcpy(at - 4, (const unsigned char[]){ 4, 0, 0, 0x94 }, 4);
		else
			at[-5] = 0xe8;
	}
	unsigned char *at = w->image + CODE_AT + 0x100 * BARE_SIGNAL + 0x40;
	if (arm)
		memcpy(at, arm_signal, sizeof arm_signal);
	else
		memcpy(at, x86_signal, sizeof x86_signal);
}

static struct world *world_new(uint16_t machine)
{
	struct world *w = calloc(1, sizeof *w);
	struct cfi_build cfi;
	assert_non_null(w);
	w->machine = machine;
	w->threads = 1;
	cfi_build_init(&cfi, IMAGE + FRAMES_AT);
	if (machine == EM_X86_64)
		cfi_x86(&cfi);
	else
		cfi_arm(&cfi);
	cfi_build_end(&cfi);
	/* the search table has to be in order */
	for (size_t i = 0; i < cfi.fde_count; i++)
		for (size_t k = i + 1; k < cfi.fde_count; k++)
			if (cfi.fdes[k].start < cfi.fdes[i].start) {
				uint64_t start = cfi.fdes[i].start, address = cfi.fdes[i].address;
				cfi.fdes[i] = cfi.fdes[k];
				cfi.fdes[k].start = start;
				cfi.fdes[k].address = address;
			}
	cfi_build_header(&cfi, IMAGE + HEADER_AT, 4);
	struct core_build *elf = core_build_new(ET_DYN, machine, 2);
	core_build_phdr(elf, PT_LOAD, PF_R | PF_X, 0, 0, IMAGE_SIZE, IMAGE_SIZE);
	core_build_phdr(elf, PT_GNU_EH_FRAME, PF_R, HEADER_AT, HEADER_AT, cfi.header_size, cfi.header_size);
	core_build_finish(elf);
	assert_true(elf->size < HEADER_AT && cfi.header_size < FRAMES_AT - HEADER_AT && cfi.size < CODE_AT - FRAMES_AT);
	memcpy(w->image, elf->image, elf->size);
	core_build_free(elf);
	memcpy(w->image + HEADER_AT, cfi.header, cfi.header_size);
	memcpy(w->image + FRAMES_AT, cfi.frames, cfi.size);
	code_fill(w);
	return w;
}

static struct core_build *world_build(const struct world *w)
{
	uint64_t auxv[][2] = { { AT_PHDR, IMAGE + 64 }, { AT_PHNUM, 2 }, { AT_PHENT, 56 } };
	uint64_t masks[2] = { w->code_mask, w->code_mask };
	struct core_build *b = core_build_new(ET_CORE, w->machine, 4);
	for (size_t i = 0; i < w->threads; i++) {
		core_build_prstatus(b, FIRST_LWP + (uint32_t)i, 0, w->registers[i]);
		if (w->machine == EM_AARCH64)
			core_build_note(b, "LINUX", 0x406, masks, sizeof masks);
	}
	core_build_auxv(b, (const uint64_t(*)[2])auxv, 3);
	core_build_notes_end(b);
	core_build_load(b, IMAGE, w->image, IMAGE_SIZE, IMAGE_SIZE, PF_R | PF_X);
	core_build_load(b, STACK, w->stack, sizeof w->stack, sizeof w->stack, PF_R | PF_W);
	return b;
}

struct walk {
	struct core *core;
	struct objects *objects;
	struct unwinder *unwinder;
	struct unwind_frame frames[FRAMES];
	size_t count;
	const char *why;
};

static void walk_thread(struct walk *k, size_t thread, size_t max)
{
	k->count = 0;
	unwind_thread(k->unwinder, core_thread_by_lwp(k->core, FIRST_LWP + (uint32_t)thread), k->frames, max, &k->count,
	              &k->why);
}

static bool walk_open(struct walk *k)
{
	struct error *err = core_open(&k->core, path);
	if (err != NULL) {
		error_free(err);
		return false;
	}
	k->objects = objects_open(k->core, NULL, NULL);
	k->unwinder = unwinder_open(k->core, k->objects);
	return true;
}

static void walk_close(struct walk *k)
{
	unwinder_close(k->unwinder);
	objects_close(k->objects);
	core_close(k->core);
}

static void walk_start(struct walk *k, const struct world *w)
{
	struct core_build *b = world_build(w);
	core_build_write(b, path);
	core_build_free(b);
	assert_true(walk_open(k));
	walk_thread(k, 0, FRAMES);
}

/* pcs end with 0, but for the first, which may be one; why NULL: complete. */
static void check_walk(const struct walk *k, const uint64_t *pcs, const char *why)
{
	size_t i;
	for (i = 0; i < k->count && (pcs[i] != 0 || i == 0); i++)
		if (k->frames[i].pc != pcs[i])
			fail_msg("frame %zu: 0x%" PRIx64 " instead of 0x%" PRIx64, i, k->frames[i].pc, pcs[i]);
	if (i < k->count || (i != 0 && pcs[i] != 0))
		fail_msg("%zu frames, why %s", k->count, k->why != NULL ? k->why : "-");
	if (why == NULL ? k->why != NULL : k->why == NULL || strstr(k->why, why) == NULL)
		fail_msg("why: %s", k->why != NULL ? k->why : "-");
}

#define PCS(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

static void test_rules(void **state)
{
	struct walk k;
	uint64_t value;
	(void)state;
	struct world *w = world_new(EM_X86_64);
	uint64_t *r = w->registers[0];
	r[RIP] = IN(LEAF);
	r[RSP] = stack_at(10);
	r[RBX] = 1;
	r[RBP] = stack_at(20);
	r[RAX] = 77;
	w->stack[10] = RETURN(FRAME); /* of the leaf; then a frame of 32 bytes with rbx */
	w->stack[14] = RETURN(POINTER);
	w->stack[20] = 0xb; /* of the function with a frame pointer */
	w->stack[21] = RETURN(BOTTOM);
	w->stack[13] = 0xbbb;
	walk_start(&k, w);
	/* FRAME: sp is 11, CFA 15, return address at 14, rbx at 13 */
	check_walk(&k, PCS(IN(LEAF), RETURN(FRAME), RETURN(POINTER), RETURN(BOTTOM)), NULL);
	assert_int_equal(k.frames[0].cfa, stack_at(11));
	assert_int_equal(k.frames[1].sp, stack_at(11));
	assert_int_equal(k.frames[2].sp, stack_at(15));
	assert_int_equal(k.frames[3].sp, stack_at(22));
	assert_int_equal(k.frames[3].cfa, 0);
	assert_true(k.frames[0].exact && !k.frames[1].exact);
	assert_true(frame_register(k.unwinder, &k.frames[1], "rbx", &value) && value == 1);
	assert_true(frame_register(k.unwinder, &k.frames[2], "rbx", &value) && value == 0xbbb);
	assert_true(frame_register(k.unwinder, &k.frames[3], "rbp", &value) && value == 0xb);
	assert_true(frame_register(k.unwinder, &k.frames[0], "rax", &value) && value == 77);
	assert_true(frame_register(k.unwinder, &k.frames[3], "rip", &value) && value == RETURN(BOTTOM));
	assert_false(frame_register(k.unwinder, &k.frames[1], "rax", &value));
	assert_false(frame_register(k.unwinder, &k.frames[1], "nonsense", &value));
	assert_int_equal(k.frames[0].object->kind, OBJECT_EXECUTABLE);
	struct strbuf name = STRBUF_INIT;
	frame_name(&name, &k.frames[0]);
	assert_string_equal(name.text, "<no symbol>");
	strbuf_release(&name);
	walk_thread(&k, 0, 2);
	check_walk(&k, PCS(IN(LEAF), RETURN(FRAME)), "only the first 2 frames");
	walk_close(&k);
	free(w);
}

/* Of a stack with words at 10 on, in a leaf. */
static void check_leaf(uint64_t pc, const uint64_t *words, size_t count, const uint64_t *pcs, const char *why)
{
	struct walk k;
	struct world *w = world_new(EM_X86_64);
	w->registers[0][RIP] = pc;
	w->registers[0][RSP] = stack_at(10);
	memcpy(&w->stack[10], words, count * sizeof *words);
	walk_start(&k, w);
	check_walk(&k, pcs, why);
	walk_close(&k);
	free(w);
}

#define WORDS(...) (const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8

static void test_ends(void **state)
{
	(void)state;
	check_leaf(IN(LEAF), WORDS(0), PCS(IN(LEAF)), NULL);
	check_leaf(IN(LEAF), WORDS(STACK), PCS(IN(LEAF)), "frame 0: the return address 0x70000000 is not in code");
	check_leaf(IN(LEAF), WORDS(RETURN(ITSELF)), PCS(IN(LEAF), RETURN(ITSELF)), "its caller would be itself");
	check_leaf(IN(NO_RULE), WORDS(0), PCS(IN(NO_RULE)), "does not say where the return address is");
	/* a call through a bad pointer: null, data, nowhere */
	check_leaf(0, WORDS(RETURN(BOTTOM)), PCS(0, RETURN(BOTTOM)), NULL);
	check_leaf(STACK, WORDS(RETURN(BOTTOM)), PCS(STACK, RETURN(BOTTOM)), NULL);
	check_leaf(0x123456789, WORDS(RETURN(LEAF), RETURN(BOTTOM)), PCS(0x123456789, RETURN(LEAF), RETURN(BOTTOM)), NULL);
	check_leaf(0x123456789, WORDS(5), PCS(0x123456789), "0x123456789 is in no object");
	/* a stack that is not there */
	struct walk k;
	struct world *w = world_new(EM_X86_64);
	w->registers[0][RIP] = IN(LEAF);
	w->registers[0][RSP] = 0x5000;
	w->threads = 2; /* costs the others nothing */
	w->registers[1][RIP] = IN(LEAF);
	w->registers[1][RSP] = stack_at(0);
	w->stack[0] = RETURN(BOTTOM);
	walk_start(&k, w);
	check_walk(&k, PCS(IN(LEAF)), "frame 0: the memory of the stack is not in the core");
	walk_thread(&k, 1, FRAMES);
	check_walk(&k, PCS(IN(LEAF), RETURN(BOTTOM)), NULL);
	walk_close(&k);
	/* a caller that would be lower on the stack */
	w->registers[0][RSP] = stack_at(10);
	w->stack[10] = RETURN(BACK);
	w->stack[2] = RETURN(LEAF);
	walk_start(&k, w);
	check_walk(&k, PCS(IN(LEAF), RETURN(BACK)), "frame 1: the stack turns back, from 0x70000058 to 0x70000018");
	walk_close(&k);
	free(w);
}

static void test_signals(void **state)
{
	static const uint64_t trampolines[] = { RETURN(SIGNAL) - AFTER, IN(BARE_SIGNAL) };
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct walk k;
		uint64_t value;
		struct world *w = world_new(EM_X86_64);
		w->registers[0][RIP] = IN(LEAF);
		w->registers[0][RSP] = stack_at(10);
		w->stack[10] = trampolines[i];
		w->stack[11 + 160 / 8] = stack_at(5); /* lower: the handler has a stack of its own */
		w->stack[11 + 168 / 8] = RETURN(FRAME) - AFTER; /* interrupted at its first instruction: not the one before */
		w->stack[11 + 120 / 8] = 0x66;
		w->stack[11 + 144 / 8] = 0xaa;
		w->stack[5 + 3] = RETURN(BOTTOM);
		walk_start(&k, w);
		check_walk(&k, PCS(IN(LEAF), trampolines[i], RETURN(FRAME) - AFTER, RETURN(BOTTOM)), NULL);
		assert_true(k.frames[1].signal && !k.frames[1].exact && !k.frames[1].heuristic);
		assert_true(k.frames[2].exact && !k.frames[2].signal);
		assert_false(k.frames[3].exact);
		assert_int_equal(k.frames[1].cfa, stack_at(5));
		assert_true(frame_register(k.unwinder, &k.frames[2], "rax", &value) && value == 0xaa);
		assert_true(frame_register(k.unwinder, &k.frames[3], "rbp", &value) && value == 0x66);
		walk_close(&k);
		free(w);
	}
}

static void test_guesses(void **state)
{
	struct walk k;
	(void)state;
	struct world *w = world_new(EM_X86_64);
	uint64_t *r = w->registers[0];
	r[RIP] = IN(BARE);
	r[RSP] = stack_at(10);
	r[RBP] = stack_at(20);
	w->stack[20] = stack_at(30);
	w->stack[21] = RETURN(BARE);
	w->stack[30] = 0;
	w->stack[31] = RETURN(BOTTOM);
	walk_start(&k, w); /* frame pointers */
	check_walk(&k, PCS(IN(BARE), RETURN(BARE), RETURN(BOTTOM)), NULL);
	assert_true(!k.frames[0].heuristic && k.frames[1].heuristic && k.frames[2].heuristic);
	assert_int_equal(k.frames[1].sp, stack_at(22));
	walk_close(&k);

	w->stack[31] = IN(BARE); /* no call in front of it */
	walk_start(&k, w);
	check_walk(&k, PCS(IN(BARE), RETURN(BARE)), "no call-frame information for 0x401510 in");
	walk_close(&k);

	w->stack[10] = RETURN(BOTTOM); /* on top of the stack: code that has made no frame */
	walk_start(&k, w);
	check_walk(&k, PCS(IN(BARE), RETURN(BOTTOM)), NULL);
	assert_true(k.frames[1].heuristic);
	walk_close(&k);

	/* Looked for: what only looks like a return address, one that leads nowhere, and one that leads on. */
	w->stack[10] = 1;
	w->stack[21] = 2;
	w->stack[22] = IN(LEAF);
	w->stack[23] = RETURN(LEAF);
	w->stack[24] = 3;
	w->stack[25] = RETURN(FRAME);
	w->stack[29] = RETURN(BOTTOM);
	walk_start(&k, w);
	check_walk(&k, PCS(IN(BARE), RETURN(FRAME), RETURN(BOTTOM)), NULL);
	assert_true(k.frames[1].heuristic && !k.frames[2].heuristic);
	walk_close(&k);

	r[RBP] = 0; /* the outermost frame by the ABI, above frame 0 only */
	memset(w->stack, 0, sizeof w->stack);
	w->stack[10] = RETURN(LEAF);
	w->stack[11] = RETURN(BARE);
	walk_start(&k, w);
	check_walk(&k, PCS(IN(BARE), RETURN(LEAF), RETURN(BARE)), NULL);
	walk_close(&k);
	free(w);
}

static void test_arm(void **state)
{
	const uint64_t code = UINT64_C(0x7f) << 48;
	(void)state;
	for (int masked = 0; masked < 2; masked++) {
		struct walk k;
		uint64_t value;
		struct world *w = world_new(EM_AARCH64);
		uint64_t *r = w->registers[0];
		w->code_mask = masked != 0 ? code : 0;
		r[32] = IN(LEAF);
		r[31] = stack_at(10);
		r[30] = RETURN(FRAME) | (masked != 0 ? code : 0);
		r[19] = 19;
		w->stack[10] = 0x29;
		w->stack[11] = RETURN(POINTER) | (masked != 0 ? code : 0); /* in there the state says that it is signed */
		w->stack[15] = RETURN(BOTTOM) | code;
		walk_start(&k, w);
		check_walk(&k, PCS(IN(LEAF), RETURN(FRAME), RETURN(POINTER), RETURN(BOTTOM)), NULL);
		assert_true(frame_register(k.unwinder, &k.frames[3], "x19", &value) && value == 19);
		assert_true(frame_register(k.unwinder, &k.frames[2], "x29", &value) && value == 0x29);
		assert_false(frame_register(k.unwinder, &k.frames[1], "x0", &value));
		walk_close(&k);

		r[32] = 0; /* a bad pointer */
		walk_start(&k, w);
		assert_int_equal(k.count, 4);
		assert_int_equal(k.frames[1].pc, RETURN(FRAME));
		walk_close(&k);

		r[32] = IN(BARE_SIGNAL); /* siginfo, ucontext, sigcontext */
		memset(w->stack, 0, sizeof w->stack);
		w->stack[10 + 312 / 8 + 30] = RETURN(BOTTOM);
		w->stack[10 + 312 / 8 + 31] = stack_at(200);
		w->stack[10 + 312 / 8 + 32] = RETURN(LEAF) - AFTER;
		walk_start(&k, w);
		check_walk(&k, PCS(IN(BARE_SIGNAL), RETURN(LEAF) - AFTER, RETURN(BOTTOM)), NULL);
		assert_true(k.frames[0].signal && k.frames[1].exact);
		walk_close(&k);

		r[32] = IN(BARE); /* frame records */
		r[29] = stack_at(20);
		w->stack[20] = stack_at(30);
		w->stack[21] = RETURN(BARE);
		w->stack[31] = RETURN(BOTTOM);
		walk_start(&k, w);
		check_walk(&k, PCS(IN(BARE), RETURN(BARE), RETURN(BOTTOM)), NULL);
		walk_close(&k);
		free(w);
	}
}

/* Cut and damaged cores: no crash, no more frames than asked for, no hang. */
static void test_damage(void **state)
{
	struct walk k;
	(void)state;
	struct world *w = world_new(EM_X86_64);
	w->registers[0][RIP] = IN(LEAF);
	w->registers[0][RSP] = stack_at(10);
	w->registers[0][RBP] = stack_at(20);
	w->stack[10] = RETURN(FRAME);
	w->stack[14] = RETURN(SIGNAL) - AFTER;
	w->stack[15 + 160 / 8] = stack_at(20);
	w->stack[15 + 168 / 8] = IN(BARE);
	w->stack[40] = RETURN(BOTTOM);
	struct core_build *b = world_build(w);
	core_build_finish(b);
	for (size_t size = 64; size < b->size; size += 97) {
		file_write(path, b->image, size);
		if (walk_open(&k)) {
			size_t threads;
			if (core_threads(k.core, &threads) != NULL && threads != 0)
				walk_thread(&k, 0, FRAMES);
			walk_close(&k);
		}
	}
	size_t start = b->phdrs[1].p_offset;
	for (size_t byte = start; byte < start + FRAMES_AT + 0x200; byte++) {
		for (unsigned bit = (unsigned)(byte % 3); bit < 8; bit += 3) { /* all bits take minutes under AddressSanitizer */
			b->image[byte] ^= (unsigned char)(1U << bit);
			file_write(path, b->image, b->size);
			if (walk_open(&k)) {
				walk_thread(&k, 0, FRAMES);
				assert_true(k.count >= 1 && k.count <= FRAMES);
				walk_close(&k);
			}
			b->image[byte] ^= (unsigned char)(1U << bit);
		}
	}
	core_build_free(b);
	free(w);
}

int main(int argc, char **argv)
{
	char directory[200];
	if (argc > 1)
		return unwind_frames_main(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),   cmocka_unit_test(test_ends), cmocka_unit_test(test_signals),
		cmocka_unit_test(test_guesses), cmocka_unit_test(test_arm),  cmocka_unit_test(test_damage),
	};
	temporary_directory(directory, sizeof directory);
	snprintf(path, sizeof path, "%s/core", directory);
	int status = cmocka_run_group_tests(tests, NULL, NULL);
	directory_remove(directory);
	return status;
}

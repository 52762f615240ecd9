/* Call-frame information made by hand: expressions, FDE search, rows; then the same bytes cut and with flipped bits,
 * in allocations of their very size, so that AddressSanitizer sees every byte too far. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "cfi_build.h"
#include "unwind/cfi.h"
#include "unwind/expression.h"

enum { BASE = 0x400000, HEADER = 0x3ff000, CODE = 0x410000 };

/* Memory of the expressions: at address a, for 0x1000 <= a < 0x2000, the word is a * 3. */
static bool read_thrice(const void *target, uint64_t address, size_t width, uint64_t *value)
{
	(void)target;
	if (address < 0x1000 || address >= 0x2000)
		return false;
	*value = address * 3;
	if (width < 8)
		*value &= (UINT64_C(1) << (8 * width)) - 1;
	return true;
}

static const uint64_t REGISTERS[UNWIND_REGISTERS] = { [3] = 0x1100, [7] = 0x1000, [16] = 0x401bcb };

static const char *evaluate(const unsigned char *bytes, size_t length, const uint64_t *initial, uint64_t *value)
{
	struct expression_context x = { REGISTERS, 1U << 3 | 1U << 7 | 1U << 16, UNWIND_REGISTERS, 0x10000, read_thrice, NULL };
	unsigned char *copy = malloc(length + 1); /* of that very size but for length 0 */
	copy = realloc(copy, length != 0 ? length : 1);
	memcpy(copy, bytes, length);
	const char *problem = expression_evaluate(&x, copy, length, initial, value);
	free(copy);
	return problem;
}

#define E(...) { __VA_ARGS__ }, sizeof((unsigned char[]){ __VA_ARGS__ })

static const struct expression_row {
	unsigned char bytes[24];
	size_t length;
	uint64_t value;
	const char *problem; /* a part of it; NULL: there is a value */
} EXPRESSIONS[] = {
	{ E(DW_OP_lit31), 31, NULL },
	{ E(DW_OP_addr, 1, 2, 0, 0, 0, 0, 0, 0), 0x10201, NULL },
	{ E(DW_OP_const1u, 0xff), 0xff, NULL },
	{ E(DW_OP_const1s, 0xff), UINT64_MAX, NULL },
	{ E(DW_OP_const2u, 0, 0x80), 0x8000, NULL },
	{ E(DW_OP_const2s, 0, 0x80), UINT64_C(0xffffffffffff8000), NULL },
	{ E(DW_OP_const4u, 0, 0, 0, 0x80), 0x80000000, NULL },
	{ E(DW_OP_const4s, 0, 0, 0, 0x80), UINT64_C(0xffffffff80000000), NULL },
	{ E(DW_OP_const8u, 1, 0, 0, 0, 0, 0, 0, 0x80), UINT64_C(0x8000000000000001), NULL },
	{ E(DW_OP_constu, 0x80, 1), 128, NULL },
	{ E(DW_OP_consts, 0x7f), UINT64_MAX, NULL },
	{ E(DW_OP_breg7, 8), 0x1008, NULL },
	{ E(DW_OP_bregx, 3, 0x78), 0x10f8, NULL },
	{ E(DW_OP_breg7, 8, DW_OP_deref), 0x3018, NULL },
	{ E(DW_OP_breg7, 8, DW_OP_deref_size, 1), 0x18, NULL },
	/* x86-64's PLT: two pushes, the second from byte 11 of each 16 on */
	{ E(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus),
	  0x1010, NULL },
	{ E(DW_OP_lit5, DW_OP_dup, DW_OP_mul), 25, NULL },
	{ E(DW_OP_lit1, DW_OP_lit2, DW_OP_drop), 1, NULL },
	{ E(DW_OP_lit1, DW_OP_lit2, DW_OP_over), 1, NULL },
	{ E(DW_OP_lit9, DW_OP_lit2, DW_OP_lit3, DW_OP_pick, 2), 9, NULL },
	{ E(DW_OP_lit7, DW_OP_lit2, DW_OP_swap, DW_OP_minus), UINT64_C(0) - 5, NULL },
	{ E(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_lit10, DW_OP_mul, DW_OP_plus), 21, NULL },
	{ E(DW_OP_lit17, DW_OP_neg, DW_OP_lit5, DW_OP_div), UINT64_C(0) - 3, NULL },
	{ E(DW_OP_lit17, DW_OP_lit5, DW_OP_mod), 2, NULL },
	{ E(DW_OP_lit17, DW_OP_neg, DW_OP_abs), 17, NULL },
	{ E(DW_OP_lit0, DW_OP_not), UINT64_MAX, NULL },
	{ E(DW_OP_lit6, DW_OP_lit3, DW_OP_xor), 5, NULL },
	{ E(DW_OP_lit6, DW_OP_lit3, DW_OP_or), 7, NULL },
	{ E(DW_OP_lit1, DW_OP_const1u, 64, DW_OP_shl), 0, NULL },
	{ E(DW_OP_lit8, DW_OP_neg, DW_OP_lit2, DW_OP_shra), UINT64_C(0) - 2, NULL },
	{ E(DW_OP_lit8, DW_OP_neg, DW_OP_const1u, 99, DW_OP_shra), UINT64_MAX, NULL },
	{ E(DW_OP_lit8, DW_OP_neg, DW_OP_const1u, 60, DW_OP_shr), 15, NULL },
	{ E(DW_OP_lit1, DW_OP_neg, DW_OP_lit1, DW_OP_lt), 1, NULL },
	{ E(DW_OP_lit1, DW_OP_lit1, DW_OP_ne), 0, NULL },
	{ E(DW_OP_lit5, DW_OP_plus_uconst, 0x80, 1, DW_OP_nop), 133, NULL },
	{ E(DW_OP_lit7, DW_OP_skip, 1, 0, DW_OP_deref), 7, NULL },
	{ E(DW_OP_lit7, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_drop), 7, NULL },
	/* counts down from 5 */
	{ E(DW_OP_lit5, DW_OP_lit1, DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xfa, 0xff), 0, NULL },
	{ E(DW_OP_const8u, 0, 0, 0, 0, 0, 0, 0, 0x80, DW_OP_lit1, DW_OP_neg, DW_OP_div), UINT64_C(1) << 63, NULL },
	{ E(DW_OP_drop), 0, "operands" },
	{ E(DW_OP_lit1, DW_OP_drop), 0, "operands" },
	{ E(DW_OP_plus), 0, "operands" },
	{ E(DW_OP_lit1, DW_OP_swap), 0, "operands" },
	{ E(DW_OP_lit1, DW_OP_lit2, DW_OP_rot), 0, "operands" },
	{ E(DW_OP_lit1, DW_OP_pick, 1), 0, "operands" },
	{ E(DW_OP_lit1, DW_OP_skip, 0xfc, 0xff), 0, "operands" }, /* pushes for ever: the stack ends first */
	{ E(DW_OP_skip, 0xfd, 0xff), 0, "does not end" },
	{ E(DW_OP_skip, 0xfc, 0xff), 0, "jumps out" },
	{ E(DW_OP_skip, 1, 0), 0, "jumps out" },
	{ E(DW_OP_lit1, DW_OP_lit0, DW_OP_div), 0, "divides" },
	{ E(DW_OP_lit1, DW_OP_lit0, DW_OP_mod), 0, "divides" },
	{ E(DW_OP_breg0, 0), 0, "not known" },
	{ E(DW_OP_bregx, 0xff, 0x7f, 0), 0, "not known" },
	{ E(DW_OP_lit0, DW_OP_deref), 0, "not in the core" },
	{ E(DW_OP_breg7, 0, DW_OP_deref_size, 9), 0, "odd number" },
	{ E(DW_OP_call_frame_cfa), 0, "not allowed" },
	{ E(0xff), 0, "not allowed" },
};

static void test_expressions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof EXPRESSIONS / sizeof EXPRESSIONS[0]; i++) {
		const struct expression_row *row = &EXPRESSIONS[i];
		uint64_t value = 0;
		const char *problem = evaluate(row->bytes, row->length, NULL, &value);
		if (row->problem == NULL && (problem != NULL || value != row->value))
			fail_msg("expression %zu: %s, 0x%llx", i, problem != NULL ? problem : "", (unsigned long long)value);
		if (row->problem != NULL && (problem == NULL || strstr(problem, row->problem) == NULL))
			fail_msg("expression %zu: %s", i, problem != NULL ? problem : "no problem");
		for (size_t length = 0; length < row->length; length++) /* any outcome, within bounds */
			evaluate(row->bytes, length, NULL, &value);
		for (size_t bit = 0; bit < 8 * row->length; bit++) {
			unsigned char flipped[sizeof row->bytes];
			memcpy(flipped, row->bytes, sizeof flipped);
			flipped[bit / 8] ^= (unsigned char)(1 << bit % 8);
			evaluate(flipped, row->length, NULL, &value);
		}
	}
	uint64_t value, cfa = 0x1230;
	assert_null(evaluate((const unsigned char[]){ DW_OP_plus_uconst, 8 }, 2, &cfa, &value));
	assert_int_equal(value, 0x1238);
	assert_null(evaluate((const unsigned char[]){ 0 }, 0, &cfa, &value));
	assert_int_equal(value, cfa);
}

/* DW_CFA_def_cfa rsp 8; return address at CFA - 8 */
static const unsigned char INITIAL[] = { DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1 };

static bool table_open(struct cfi_table *table, const struct cfi_build *b, uint64_t header_address)
{
	uint64_t frames = BASE;
	memset(table, 0, sizeof *table);
	if (b->header_size != 0 &&
	    !cfi_header_read(table, (struct cfi_bytes){ b->header, b->header_size, header_address }, &frames))
		return false;
	assert_int_equal(frames, BASE);
	cfi_frames_set(table, (struct cfi_bytes){ b->frames, b->size, BASE });
	return true;
}

static void test_find(void **state)
{
	static const uint8_t encodings[] = { 0x00, 0x03, 0x04, 0x0b, 0x0c, 0x10, 0x1b, 0x1c, 0x14 };
	static const char *const augmentations[] = { "zR", "zPLR", "zRS", "zRB", "zLPR" };
	(void)state;
	for (size_t i = 0; i < sizeof encodings; i++)
		for (size_t k = 0; k < sizeof augmentations / sizeof augmentations[0]; k++)
			for (unsigned width = 0; width <= 12; width += 4) { /* 12: not even a header */
				struct cfi_build b;
				struct cfi_table table;
				struct cfi_fde fde;
				cfi_build_init(&b, BASE);
				cfi_build_cie(&b, augmentations[k], encodings[i], 16, INITIAL, sizeof INITIAL);
				for (uint64_t f = 0; f < 10; f++)
					cfi_build_fde(&b, CODE + 0x100 * f, 0x80 + f, NULL, 0);
				cfi_build_end(&b);
				if (width != 12)
					cfi_build_header(&b, HEADER, width);
				assert_true(table_open(&table, &b, HEADER));
				assert_int_equal(table.index_count, width == 4 || width == 8 ? 0 : 10);
				for (uint64_t f = 0; f < 10; f++) {
					assert_true(cfi_find(&table, CODE + 0x100 * f, &fde));
					assert_int_equal(fde.start, CODE + 0x100 * f);
					assert_true(cfi_find(&table, CODE + 0x100 * f + 0x7f + f, &fde));
					assert_int_equal(fde.end, CODE + 0x100 * f + 0x80 + f);
					assert_int_equal(fde.signal, strchr(augmentations[k], 'S') != NULL);
					assert_int_equal(fde.return_register, 16);
					assert_false(cfi_find(&table, CODE + 0x100 * f + 0x80 + f, &fde));
				}
				assert_false(cfi_find(&table, CODE - 1, &fde));
				cfi_release(&table);
			}
}

static void test_find_bias(void **state)
{
	struct cfi_build b;
	struct cfi_table table = { .bias = 0x1000000 }; /* absolute addresses of a file */
	struct cfi_fde fde;
	(void)state;
	cfi_build_init(&b, BASE);
	cfi_build_cie(&b, "", 0, 16, INITIAL, sizeof INITIAL);
	cfi_build_fde(&b, CODE, 16, NULL, 0);
	cfi_frames_set(&table, (struct cfi_bytes){ b.frames, b.size, BASE });
	assert_true(cfi_find(&table, 0x1000000 + CODE, &fde));
	assert_false(cfi_find(&table, CODE, &fde));
	cfi_release(&table);
}

static const unsigned char PROGRAM[] = {
	DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,            /* 1 */
	DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6,                                 /* 4 */
	DW_CFA_advance_loc1, 6, DW_CFA_remember_state, DW_CFA_def_cfa, 7, 8,                /* 10 */
	DW_CFA_restore | 6,
	DW_CFA_advance_loc2, 10, 0, DW_CFA_restore_state,                                   /* 20 */
	DW_CFA_advance_loc4, 10, 0, 0, 0, DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x70, DW_OP_deref, /* 30 */
	DW_CFA_offset_extended, 12, 4, DW_CFA_offset_extended_sf, 13, 0x7b, DW_CFA_undefined, 0, DW_CFA_same_value, 14,
	DW_CFA_register, 3, 0,
	DW_CFA_advance_loc | 10, DW_CFA_expression, 15, 2, DW_OP_breg7, 8, DW_CFA_val_expression, 12, 1, DW_OP_lit7, /* 40 */
	DW_CFA_val_offset, 13, 2, DW_CFA_val_offset_sf, 14, 0x7e, 0x2e, 16, 0x2f, 3, 1,
	DW_CFA_offset_extended, 60, 9, DW_CFA_expression, 60, 1, DW_OP_lit0,                /* a vector register */
	DW_CFA_advance_loc | 10, DW_CFA_def_cfa_sf, 7, 0x7d, DW_CFA_restore_extended, 12,   /* 50 */
	DW_CFA_advance_loc | 10, DW_CFA_def_cfa_offset_sf, 0x7c,                            /* 60 */
};

static struct cfi_row row_at(const struct cfi_table *table, uint64_t offset)
{
	struct cfi_fde fde;
	struct cfi_row row;
	assert_true(cfi_find(table, CODE + offset, &fde));
	const char *problem = cfi_row_at(&fde, unwind_machine(EM_X86_64), CODE + offset, &row);
	if (problem != NULL)
		fail_msg("at %d: %s", (int)offset, problem);
	return row;
}

static void check_rule(const struct cfi_row *row, unsigned number, enum cfi_rule_kind kind, int64_t value)
{
	if (row->registers[number].kind != kind || row->registers[number].number != value)
		fail_msg("register %u: rule %d, %d", number, (int)row->registers[number].kind, (int)row->registers[number].number);
}

static void check_cfa(const struct cfi_row *row, int64_t number, int64_t offset)
{
	assert_int_equal(row->cfa.kind, RULE_REGISTER);
	assert_int_equal(row->cfa.number, number);
	assert_int_equal(row->cfa.offset, offset);
}

static void test_rows(void **state)
{
	struct cfi_build b;
	struct cfi_table table;
	(void)state;
	cfi_build_init(&b, BASE);
	cfi_build_cie(&b, "zR", 0x1b, 16, INITIAL, sizeof INITIAL);
	cfi_build_fde(&b, CODE, 100, PROGRAM, sizeof PROGRAM);
	cfi_build_header(&b, HEADER, 4);
	assert_true(table_open(&table, &b, HEADER));
	struct cfi_row row = row_at(&table, 0);
	check_cfa(&row, 7, 8);
	check_rule(&row, 16, RULE_OFFSET, -8);
	check_rule(&row, 6, RULE_NONE, 0);
	row = row_at(&table, 3);
	check_cfa(&row, 7, 16);
	check_rule(&row, 6, RULE_OFFSET, -16);
	row = row_at(&table, 4);
	check_cfa(&row, 6, 16);
	row = row_at(&table, 10);
	check_cfa(&row, 7, 8);
	check_rule(&row, 6, RULE_NONE, 0);
	row = row_at(&table, 29);
	check_cfa(&row, 6, 16);
	check_rule(&row, 6, RULE_OFFSET, -16);
	row = row_at(&table, 30);
	assert_int_equal(row.cfa.kind, RULE_VAL_EXPRESSION);
	assert_int_equal(row.cfa.length, 3);
	check_rule(&row, 12, RULE_OFFSET, -32);
	check_rule(&row, 13, RULE_OFFSET, 40);
	check_rule(&row, 0, RULE_UNDEFINED, 0);
	check_rule(&row, 14, RULE_SAME, 0);
	check_rule(&row, 3, RULE_REGISTER, 0);
	row = row_at(&table, 40);
	assert_int_equal(row.registers[15].kind, RULE_EXPRESSION);
	assert_int_equal(row.registers[12].kind, RULE_VAL_EXPRESSION);
	check_rule(&row, 13, RULE_VAL_OFFSET, -16);
	check_rule(&row, 14, RULE_VAL_OFFSET, 16);
	check_rule(&row, 3, RULE_OFFSET, 8);
	row = row_at(&table, 55);
	check_cfa(&row, 7, 24);
	check_rule(&row, 12, RULE_NONE, 0);
	row = row_at(&table, 99);
	check_cfa(&row, 7, 32);
}

static void test_row_problems(void **state)
{
	static const struct {
		unsigned char bytes[8];
		size_t length;
		const char *problem;
	} rows[] = {
		{ E(0x3f), "unknown instruction" },
		{ E(0x2d), "unknown instruction" }, /* aarch64's */
		{ E(DW_CFA_restore_state), "not remembered" },
		{ E(DW_CFA_def_cfa, 40, 8), "does not exist" },
		{ E(DW_CFA_def_cfa_expression, 90, 1), "cut" },
		{ E(DW_CFA_def_cfa_expression, 1, DW_OP_lit0, DW_CFA_def_cfa_offset, 8), "has not set" },
		{ E(DW_CFA_set_loc, 0, 0, 0, 0), "absolute location" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct cfi_build b;
		struct cfi_table table;
		struct cfi_fde fde;
		struct cfi_row row;
		cfi_build_init(&b, BASE);
		cfi_build_cie(&b, "zR", 0x1b, 16, INITIAL, sizeof INITIAL);
		cfi_build_fde(&b, CODE, 100, rows[i].bytes, rows[i].length);
		assert_true(table_open(&table, &b, HEADER));
		assert_true(cfi_find(&table, CODE, &fde));
		const char *problem = cfi_row_at(&fde, unwind_machine(EM_X86_64), CODE, &row);
		if (problem == NULL || strstr(problem, rows[i].problem) == NULL)
			fail_msg("%zu: %s", i, problem != NULL ? problem : "no problem");
		cfi_release(&table);
	}
}

static void test_arm_signed(void **state)
{
	static const unsigned char program[] = { 0x2d, DW_CFA_advance_loc | 4, 0x2d };
	struct cfi_build b;
	struct cfi_table table;
	struct cfi_fde fde;
	struct cfi_row row;
	(void)state;
	cfi_build_init(&b, BASE);
	cfi_build_cie(&b, "zRB", 0x1b, 30, (const unsigned char[]){ DW_CFA_def_cfa, 31, 0 }, 3);
	cfi_build_fde(&b, CODE, 100, program, sizeof program);
	assert_true(table_open(&table, &b, HEADER));
	assert_true(cfi_find(&table, CODE, &fde));
	assert_null(cfi_row_at(&fde, unwind_machine(EM_AARCH64), CODE, &row));
	assert_true(row.return_signed);
	assert_null(cfi_row_at(&fde, unwind_machine(EM_AARCH64), CODE + 4, &row));
	assert_false(row.return_signed);
	cfi_release(&table);
}

/* Every byte too far is one past an allocation. Whatever comes out is fine. */
static void probe(const unsigned char *frames, size_t frames_size, const unsigned char *header, size_t header_size)
{
	unsigned char *f = malloc(frames_size != 0 ? frames_size : 1), *h = malloc(header_size != 0 ? header_size : 1);
	struct cfi_table table = { .search_width = 0 };
	uint64_t address;
	memcpy(f, frames, frames_size);
	memcpy(h, header, header_size);
	cfi_header_read(&table, (struct cfi_bytes){ header_size != 0 ? h : NULL, header_size, HEADER }, &address);
	cfi_frames_set(&table, (struct cfi_bytes){ frames_size != 0 ? f : NULL, frames_size, BASE });
	for (uint64_t pc = CODE; table.frames.at != NULL && pc < CODE + 0x300; pc += 16) {
		struct cfi_fde fde;
		struct cfi_row row;
		if (cfi_find(&table, pc, &fde))
			cfi_row_at(&fde, unwind_machine(EM_X86_64), pc, &row);
	}
	cfi_release(&table);
	free(f);
	free(h);
}

static void test_damage(void **state)
{
	(void)state;
	for (unsigned width = 0; width <= 8; width += 4) {
		struct cfi_build b;
		cfi_build_init(&b, BASE);
		cfi_build_cie(&b, "zPLR", 0x1b, 16, INITIAL, sizeof INITIAL);
		cfi_build_fde(&b, CODE, 100, PROGRAM, sizeof PROGRAM);
		cfi_build_fde(&b, CODE + 0x100, 100, PROGRAM, sizeof PROGRAM);
		cfi_build_cie(&b, "zRS", 0x10, 16, PROGRAM, sizeof PROGRAM);
		cfi_build_fde(&b, CODE + 0x200, 100, PROGRAM, sizeof PROGRAM);
		cfi_build_end(&b);
		cfi_build_header(&b, HEADER, width);
		for (size_t size = 0; size <= b.size; size++)
			probe(b.frames, size, b.header, b.header_size);
		for (size_t size = 0; size <= b.header_size; size++)
			probe(b.frames, b.size, b.header, size);
		for (size_t bit = 0; bit < 8 * b.size; bit++) {
			b.frames[bit / 8] ^= (unsigned char)(1 << bit % 8);
			probe(b.frames, b.size, b.header, b.header_size);
			b.frames[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		for (size_t bit = 0; bit < 8 * b.header_size; bit++) {
			b.header[bit / 8] ^= (unsigned char)(1 << bit % 8);
			probe(b.frames, b.size, b.header, b.header_size);
			b.header[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
	}
}

static void test_calls(void **state)
{
	static const struct {
		unsigned char bytes[8];
		size_t length;
		bool is_call;
	} rows[] = {
		{ E(0xe8, 1, 2, 3, 4), true },       { E(0xff, 0xd0), true },
		{ E(0x41, 0xff, 0xd4), true },       { E(0xff, 0x10), true },
		{ E(0xff, 0x50, 8), true },          { E(0xff, 0x54, 0x24, 8), true },
		{ E(0xff, 0x15, 1, 2, 3, 4), true }, { E(0xff, 0x94, 0x24, 1, 2, 3, 4), true },
		{ E(0xff, 0x14, 0x25, 1, 2, 3, 4), true }, { E(0xff, 0x14, 0xc8), true },
		{ E(0xff, 0xe0), false },            { E(0x90, 0x90), false },
		{ E(0xe9, 1, 2, 3, 4), false },      { E(0xff, 0x25, 1, 2, 3, 4), false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(code_ends_in_call(unwind_machine(EM_X86_64), rows[i].bytes, rows[i].length), rows[i].is_call);
	const struct unwind_machine *arm = unwind_machine(EM_AARCH64);
	assert_true(code_ends_in_call(arm, (const unsigned char[]){ 0x10, 0, 0, 0x94 }, 4));
	assert_true(code_ends_in_call(arm, (const unsigned char[]){ 0x60, 0x02, 0x3f, 0xd6 }, 4));
	assert_false(code_ends_in_call(arm, (const unsigned char[]){ 0x10, 0, 0, 0x14 }, 4));
	assert_false(code_ends_in_call(arm, (const unsigned char[]){ 0x94 }, 1));
	assert_null(unwind_machine(EM_386));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions), cmocka_unit_test(test_find),         cmocka_unit_test(test_find_bias),
		cmocka_unit_test(test_rows),        cmocka_unit_test(test_row_problems), cmocka_unit_test(test_arm_signed),
		cmocka_unit_test(test_damage),      cmocka_unit_test(test_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

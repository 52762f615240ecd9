/* Hand-made DIEs: every form in every format, every attribute, what is not a number and what is not there. What is
 * expected comes from the builder's input. Units, abbreviations and file tables are in test_dwarf_units.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <dwarf.h>
#include <string.h>

#include "core_build.h"
#include "dwarf/dwarf.h"
#include "dwarf_build.h"

static char directory[256], path[300];

static int setup(void **state)
{
	(void)state;
	temporary_directory(directory, sizeof directory);
	snprintf(path, sizeof path, "%s/file", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	directory_remove(directory);
	return 0;
}

enum what { IS_NUMBER, IS_TEXT, IS_REFERENCE, IS_ADDRESS, IS_BLOCK, IS_OPAQUE };

static const unsigned char BYTES[300] = { 0x91, 0x82, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xf6, 17 };

static const struct form_row {
	uint16_t form;
	uint8_t from, width; /* first version; of a number */
	enum what what;
	uint64_t number, high;
	bool is_signed;
} FORMS[] = {
	{ DW_FORM_data1, 2, 1, IS_NUMBER, 0xff, 0, false },
	{ DW_FORM_data2, 2, 2, IS_NUMBER, 0xfffe, 0, false },
	{ DW_FORM_data4, 2, 4, IS_NUMBER, 0x80000001, 0, false },
	{ DW_FORM_data8, 2, 8, IS_NUMBER, 0x8000000000000003, 0, false },
	{ DW_FORM_data16, 5, 16, IS_NUMBER, 0x1122334455667788, 0x99aabbccddeeff00, false },
	{ DW_FORM_udata, 2, 0, IS_NUMBER, 0, 0, false },
	{ DW_FORM_udata, 2, 0, IS_NUMBER, 127, 0, false },
	{ DW_FORM_udata, 2, 0, IS_NUMBER, 128, 0, false },
	{ DW_FORM_udata, 2, 0, IS_NUMBER, UINT64_MAX, 0, false },
	{ DW_FORM_sdata, 2, 0, IS_NUMBER, 63, 0, true },
	{ DW_FORM_sdata, 2, 0, IS_NUMBER, 64, 0, true },
	{ DW_FORM_sdata, 2, 0, IS_NUMBER, (uint64_t)-1, UINT64_MAX, true },
	{ DW_FORM_sdata, 2, 0, IS_NUMBER, (uint64_t)-64, UINT64_MAX, true },
	{ DW_FORM_sdata, 2, 0, IS_NUMBER, (uint64_t)INT64_MIN, UINT64_MAX, true },
	{ DW_FORM_sdata, 2, 0, IS_NUMBER, INT64_MAX, 0, true },
	{ DW_FORM_implicit_const, 5, 0, IS_NUMBER, (uint64_t)-300, UINT64_MAX, true },
	{ DW_FORM_implicit_const, 5, 0, IS_NUMBER, 300, 0, true },
	{ DW_FORM_flag, 2, 1, IS_NUMBER, 1, 0, false },
	{ DW_FORM_flag_present, 4, 0, IS_NUMBER, 1, 0, false },
	{ DW_FORM_rnglistx, 5, 0, IS_NUMBER, 300, 0, false },
	{ DW_FORM_loclistx, 5, 0, IS_NUMBER, 3, 0, false },
	{ DW_FORM_string, 2, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_strp, 2, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_line_strp, 5, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_strx, 5, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_strx1, 5, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_strx2, 5, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_strx3, 5, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_strx4, 5, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_GNU_str_index, 5, 0, IS_TEXT, 0, 0, false },
	{ DW_FORM_ref1, 2, 0, IS_REFERENCE, 0, 0, false },
	{ DW_FORM_ref2, 2, 0, IS_REFERENCE, 0, 0, false },
	{ DW_FORM_ref4, 2, 0, IS_REFERENCE, 0, 0, false },
	{ DW_FORM_ref8, 2, 0, IS_REFERENCE, 0, 0, false },
	{ DW_FORM_ref_udata, 2, 0, IS_REFERENCE, 0, 0, false },
	{ DW_FORM_ref_addr, 2, 0, IS_REFERENCE, 0, 0, false },
	{ DW_FORM_addr, 2, 0, IS_ADDRESS, 0x12345678, 0, false },
	{ DW_FORM_addrx, 5, 0, IS_ADDRESS, 0x23456789, 0, false },
	{ DW_FORM_addrx1, 5, 0, IS_ADDRESS, 0x3456789a, 0, false },
	{ DW_FORM_addrx2, 5, 0, IS_ADDRESS, 0x456789ab, 0, false },
	{ DW_FORM_addrx3, 5, 0, IS_ADDRESS, 0x56789abc, 0, false },
	{ DW_FORM_addrx4, 5, 0, IS_ADDRESS, 0x6789abcd, 0, false },
	{ DW_FORM_GNU_addr_index, 5, 0, IS_ADDRESS, 0x789abcde, 0, false },
	{ DW_FORM_block1, 2, 0, IS_BLOCK, 16, 0, false }, /* rustc's 128-bit discriminants */
	{ DW_FORM_block1, 2, 0, IS_BLOCK, 1, 0, false },
	{ DW_FORM_block1, 2, 0, IS_BLOCK, 9, 0, false },
	{ DW_FORM_block1, 2, 0, IS_BLOCK, 17, 0, false }, /* too long for a number */
	{ DW_FORM_block1, 2, 0, IS_BLOCK, 0, 0, false },
	{ DW_FORM_block2, 2, 0, IS_BLOCK, 300, 0, false },
	{ DW_FORM_block4, 2, 0, IS_BLOCK, 3, 0, false },
	{ DW_FORM_block, 2, 0, IS_BLOCK, 130, 0, false },
	{ DW_FORM_exprloc, 4, 0, IS_BLOCK, 8, 0, false },
	{ DW_FORM_ref_sig8, 4, 0, IS_OPAQUE, 0, 0, false },
	{ DW_FORM_ref_sup4, 5, 0, IS_OPAQUE, 0, 0, false },
	{ DW_FORM_ref_sup8, 5, 0, IS_OPAQUE, 0, 0, false },
	{ DW_FORM_strp_sup, 5, 0, IS_OPAQUE, 0, 0, false },
	{ DW_FORM_GNU_ref_alt, 4, 0, IS_OPAQUE, 0, 0, false },
	{ DW_FORM_GNU_strp_alt, 4, 0, IS_OPAQUE, 0, 0, false },
};
enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0], LINE = 0x1234 };

static bool row_applies(const struct dwarf_build *b, const struct form_row *row, bool is_indirect)
{
	return b->version >= row->from && !(is_indirect && row->form == DW_FORM_implicit_const);
}

/* Writes the attributes that show the row's value, and behind them a line, which shows that its end was found. */
static void build_row(struct dwarf_build *b, const struct form_row *row, bool is_indirect, uint64_t target)
{
	static const uint16_t NAMES[] = { [IS_NUMBER] = DW_AT_const_value, [IS_TEXT] = DW_AT_name,
		                          [IS_REFERENCE] = DW_AT_type, [IS_ADDRESS] = DW_AT_low_pc,
		                          [IS_BLOCK] = DW_AT_location, [IS_OPAQUE] = DW_AT_const_value };
	struct build_attr value = { .name = NAMES[row->what], .form = row->form, .number = row->number,
		                    .high = row->high, .text = "a text", .bytes = BYTES };
	if (row->what == IS_REFERENCE)
		value.number = target;
	if (is_indirect) {
		value.actual = row->form;
		value.form = DW_FORM_indirect;
	}
	struct build_attr attrs[4] = { { .name = DW_AT_sibling, .form = DW_FORM_udata, .number = 300 }, value, value,
		                       { .name = DW_AT_decl_line, .form = DW_FORM_data2, .number = LINE } };
	attrs[2].name = row->what == IS_BLOCK ? DW_AT_discr_value : DW_AT_decl_column;
	dwarf_build_die(b, DW_TAG_variable, false, attrs, 4);
}

static void check_block(const struct form_row *row, const struct die_values *v)
{
	bool is_number = row->number >= 1 && row->number <= 16;
	assert_int_equal(v->has, DIE_LINE | DIE_LOCATION | (is_number ? DIE_DISCR_VALUE : 0));
	assert_int_equal(v->location_length, row->number);
	assert_memory_equal(v->location, BYTES, (size_t)row->number);
	uint64_t words[2] = { 0, 0 };
	memcpy(words, BYTES, is_number ? (size_t)row->number : 0);
	assert_int_equal(v->discr_value.low, words[0]);
	assert_int_equal(v->discr_value.high, words[1]);
	assert_int_equal(v->discr_value.width, is_number ? row->number : 0);
	assert_false(v->discr_value.is_signed);
}

static void check_row(struct built_file *o, const struct form_row *row, const struct die *die, uint64_t target)
{
	struct die_values v;
	assert_true(die_read(o->dw, die, &v));
	assert_int_equal(v.line, LINE);
	switch (row->what) {
	case IS_NUMBER:
		assert_int_equal(v.has, DIE_LINE | DIE_CONST);
		assert_int_equal(v.const_value.low, row->number);
		assert_int_equal(v.const_value.high, row->high);
		assert_int_equal(v.const_value.width, row->width);
		assert_int_equal(v.const_value.is_signed, row->is_signed);
		break;
	case IS_TEXT:
		assert_int_equal(v.has, DIE_LINE | DIE_NAME);
		assert_string_equal(v.name, "a text");
		assert_string_equal(die_name(o->dw, die), "a text");
		break;
	case IS_REFERENCE:
		assert_int_equal(v.has, DIE_LINE | DIE_TYPE);
		assert_int_equal(v.type, target);
		break;
	case IS_ADDRESS:
		assert_int_equal(v.has, DIE_LINE | DIE_LOW_PC);
		assert_int_equal(v.low_pc, row->number);
		break;
	case IS_BLOCK:
		check_block(row, &v);
		break;
	case IS_OPAQUE: /* a reference or string of another file is no constant */
		assert_int_equal(v.has, DIE_LINE);
		break;
	}
}

static uint64_t build_bases(struct dwarf_build *b)
{
	const struct build_attr attrs[] = {
		{ .name = DW_AT_name, .form = b->version < 5 ? DW_FORM_strp : DW_FORM_strx, .text = "unit" },
		{ .name = DW_AT_comp_dir, .form = DW_FORM_string, .text = "/work" },
		{ .name = DW_AT_low_pc, .form = b->version < 5 ? DW_FORM_addr : DW_FORM_addrx2, .number = 0x4000 },
		/* The bases come after the values that need them. */
		{ .name = DW_AT_str_offsets_base, .form = DW_FORM_sec_offset, .number = b->str_base },
		{ .name = DW_AT_addr_base, .form = DW_FORM_sec_offset, .number = b->addr_base },
	};
	dwarf_build_die(b, DW_TAG_compile_unit, true, attrs, b->version < 5 ? 3 : 5);
	return dwarf_build_named(b, DW_TAG_base_type, false, "target");
}

static void forms_of_unit(struct built_file *o, const struct dwarf_unit *unit, const struct dwarf_build *b,
                          bool is_indirect)
{
	struct die die, root;
	assert_int_equal(unit->version, b->version);
	assert_string_equal(unit->name, "unit");
	assert_string_equal(unit->comp_dir, "/work");
	assert_int_equal(unit->low_pc, 0x4000);
	assert_true(die_at(o->dw, unit->first_die, &root));
	assert_true(die_child(o->dw, &root, &die));
	assert_false(die_child(o->dw, &die, &root));
	uint64_t target = die.offset;
	for (size_t i = 0; i < FORM_COUNT; i++) {
		if (!row_applies(b, &FORMS[i], is_indirect))
			continue;
		assert_true(die_next(o->dw, &die, &die));
		check_row(o, &FORMS[i], &die, target);
	}
	assert_false(die_next(o->dw, &die, &die));
}

static void every_form(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 32; run++) {
		struct dwarf_build *b = dwarf_build_new();
		struct built_file o;
		b->version = (uint16_t)(2 + run % 4);
		b->offset_size = run & 4 ? 8 : 4;
		b->address_size = run & 8 ? 4 : 8;
		bool is_indirect = (run & 16) != 0;
		for (int units = 0; units < 2; units++) { /* the second with bases and offsets other than the first's */
			dwarf_build_unit(b);
			uint64_t target = build_bases(b);
			for (size_t i = 0; i < FORM_COUNT; i++)
				if (row_applies(b, &FORMS[i], is_indirect))
					build_row(b, &FORMS[i], is_indirect, target);
			dwarf_build_null(b);
			dwarf_build_unit_end(b);
		}
		o = built_file_open(b, path);
		assert_null(dwarf_damage(o.dw));
		assert_int_equal(o.unit_count, 2);
		forms_of_unit(&o, &o.units[0], b, is_indirect);
		forms_of_unit(&o, &o.units[1], b, is_indirect);
		built_file_close(&o);
		dwarf_build_free(b);
	}
}

/* Builds one DIE of these attributes and reads it. */
static struct die_values read_one(struct built_file *o, struct dwarf_build **b, uint16_t version,
                                  const struct build_attr *attrs, size_t count)
{
	struct die root, die;
	struct die_values v;
	*b = dwarf_build_new();
	(*b)->version = version;
	dwarf_build_unit(*b);
	build_bases(*b);
	dwarf_build_die(*b, DW_TAG_variable, false, attrs, count);
	dwarf_build_null(*b);
	dwarf_build_unit_end(*b);
	*o = built_file_open(*b, path);
	assert_true(die_at(o->dw, o->units[0].first_die, &root));
	assert_true(die_child(o->dw, &root, &die) && die_next(o->dw, &die, &die));
	assert_true(die_read(o->dw, &die, &v));
	return v;
}

static void done(struct built_file *o, struct dwarf_build *b)
{
	built_file_close(o);
	dwarf_build_free(b);
}

static void every_attribute(void **state)
{
	(void)state;
	static const unsigned char expression[] = { DW_OP_addr, 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct build_attr attrs[] = {
		{ .name = DW_AT_name, .form = DW_FORM_string, .text = "n" },
		{ .name = DW_AT_MIPS_linkage_name, .form = DW_FORM_strp, .text = "_n" },
		{ .name = DW_AT_type, .form = DW_FORM_ref4, .number = 11 },
		{ .name = DW_AT_specification, .form = DW_FORM_ref_addr, .number = 12 },
		{ .name = DW_AT_abstract_origin, .form = DW_FORM_ref_udata, .number = 13 },
		{ .name = DW_AT_discr, .form = DW_FORM_ref1, .number = 14 },
		{ .name = DW_AT_containing_type, .form = DW_FORM_ref8, .number = 15 },
		{ .name = DW_AT_byte_size, .form = DW_FORM_data1, .number = 16 },
		{ .name = DW_AT_data_member_location, .form = DW_FORM_udata, .number = 17 },
		{ .name = DW_AT_decl_file, .form = DW_FORM_data1, .number = 18 },
		{ .name = DW_AT_decl_line, .form = DW_FORM_data2, .number = 19 },
		{ .name = DW_AT_count, .form = DW_FORM_data8, .number = 20 },
		{ .name = DW_AT_upper_bound, .form = DW_FORM_sdata, .number = (uint64_t)-1 },
		{ .name = DW_AT_alignment, .form = DW_FORM_udata, .number = 22 },
		{ .name = DW_AT_encoding, .form = DW_FORM_data1, .number = DW_ATE_UTF },
		{ .name = DW_AT_low_pc, .form = DW_FORM_addr, .number = 0x1000 },
		{ .name = DW_AT_high_pc, .form = DW_FORM_data4, .number = 0x20 },
		{ .name = DW_AT_discr_value, .form = DW_FORM_data2, .number = 0xffff },
		{ .name = DW_AT_const_value, .form = DW_FORM_sdata, .number = (uint64_t)-5 },
		{ .name = DW_AT_declaration, .form = DW_FORM_flag_present },
		{ .name = DW_AT_artificial, .form = DW_FORM_flag, .number = 1 },
		{ .name = DW_AT_inline, .form = DW_FORM_data1, .number = 1 },
		{ .name = DW_AT_ranges, .form = DW_FORM_sec_offset, .number = 0x777 },
		{ .name = DW_AT_location, .form = DW_FORM_exprloc, .number = sizeof expression, .bytes = expression },
		{ .name = DW_AT_frame_base, .form = DW_FORM_exprloc, .number = 1, .bytes = expression },
	};
	struct built_file o;
	struct dwarf_build *b;
	struct die_values v = read_one(&o, &b, 4, attrs, sizeof attrs / sizeof attrs[0]);
	assert_int_equal(v.has, (1u << 25) - 1);
	assert_string_equal(v.name, "n");
	assert_string_equal(v.linkage_name, "_n");
	const uint64_t numbers[] = { v.type, v.specification, v.origin, v.discr, v.containing, v.size, v.member_offset,
		                     v.file, v.line, v.count, v.upper + 22, v.alignment };
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		assert_int_equal(numbers[i], 11 + i);
	assert_int_equal(v.encoding, DW_ATE_UTF);
	assert_int_equal(v.low_pc, 0x1000);
	assert_int_equal(v.high_pc, 0x1020);
	assert_int_equal(v.discr_value.low, 0xffff);
	assert_int_equal(v.const_value.low, (uint64_t)-5);
	assert_int_equal(v.ranges, 0x777);
	assert_int_equal(v.location_length, sizeof expression);
	assert_memory_equal(v.location, expression, sizeof expression);
	assert_int_equal(v.frame_base_length, 1);
	done(&o, b);
}

/* high_pc is an address or a distance by its form, also when that is indirect or the low_pc comes later. */
static void high_pc(void **state)
{
	(void)state;
	static const struct { uint16_t form, actual; bool is_distance; } ROWS[] = {
		{ DW_FORM_addr, 0, false }, { DW_FORM_addrx, 0, false }, { DW_FORM_addrx1, 0, false },
		{ DW_FORM_data1, 0, true }, { DW_FORM_data8, 0, true }, { DW_FORM_udata, 0, true },
		{ DW_FORM_implicit_const, 0, true }, { DW_FORM_indirect, DW_FORM_addr, false },
		{ DW_FORM_indirect, DW_FORM_addrx4, false }, { DW_FORM_indirect, DW_FORM_data4, true },
	};
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		const struct build_attr attrs[] = {
			{ .name = DW_AT_high_pc, .form = ROWS[i].form, .actual = ROWS[i].actual,
			  .number = ROWS[i].is_distance ? 0x40 : 0x10040 },
			{ .name = DW_AT_low_pc, .form = DW_FORM_addrx2, .number = 0x10000 },
		};
		struct built_file o;
		struct dwarf_build *b;
		struct die_values v = read_one(&o, &b, 5, attrs, 2);
		assert_int_equal(v.has, DIE_LOW_PC | DIE_HIGH_PC);
		assert_int_equal(v.high_pc, 0x10040);
		done(&o, b);
	}
}

static void not_a_number_and_not_there(void **state)
{
	(void)state;
	static const unsigned char plus[] = { DW_OP_plus_uconst, 0x80, 1 }, other[] = { DW_OP_plus_uconst, 1, DW_OP_deref };
#define EXPRESSION .form = DW_FORM_exprloc, .number = sizeof other, .bytes = other
	const struct build_attr attrs[] = {
		{ .name = DW_AT_byte_size, EXPRESSION }, /* section 2.19: expressions and references, too */
		{ .name = DW_AT_count, EXPRESSION },
		{ .name = DW_AT_upper_bound, .form = DW_FORM_ref4, .number = 12 },
		{ .name = DW_AT_alignment, .form = DW_FORM_string, .text = "8" },
		{ .name = DW_AT_data_member_location, EXPRESSION },
		{ .name = DW_AT_const_value, .form = DW_FORM_strp, .text = "a string constant" },
		{ .name = DW_AT_name, .form = DW_FORM_strp, .number = 1 << 20, .is_raw = true },
		{ .name = DW_AT_linkage_name, .form = DW_FORM_strx, .number = UINT64_MAX, .is_raw = true },
		{ .name = DW_AT_type, .form = DW_FORM_ref4, .number = 1 << 20, .is_raw = true },
		{ .name = DW_AT_specification, .form = DW_FORM_ref_addr, .number = UINT32_MAX, .is_raw = true },
		{ .name = DW_AT_abstract_origin, .form = DW_FORM_ref_udata, .number = UINT64_MAX, .is_raw = true },
		{ .name = DW_AT_discr, .form = DW_FORM_ref_sig8, .number = 12 },
		{ .name = DW_AT_containing_type, .form = DW_FORM_data4, .number = 12 },
		{ .name = DW_AT_low_pc, .form = DW_FORM_addrx, .number = UINT64_MAX, .is_raw = true },
		{ .name = DW_AT_location, .form = DW_FORM_loclistx, .number = 1 },
		{ .name = DW_AT_frame_base, .form = DW_FORM_sec_offset, .number = 1 },
		{ .name = DW_AT_declaration, .form = DW_FORM_flag, .number = 0 },
		{ .name = DW_AT_artificial, .form = DW_FORM_flag, .number = 0 },
	};
#undef EXPRESSION
	struct built_file o;
	struct dwarf_build *b;
	struct die_values v = read_one(&o, &b, 5, attrs, sizeof attrs / sizeof attrs[0]);
	assert_int_equal(v.has, 0);
	done(&o, b);
	const struct build_attr member[] = {
		{ .name = DW_AT_data_member_location, .form = DW_FORM_block1, .number = sizeof plus, .bytes = plus },
	};
	v = read_one(&o, &b, 2, member, 1);
	assert_int_equal(v.has, DIE_MEMBER_OFFSET);
	assert_int_equal(v.member_offset, 128);
	done(&o, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form), cmocka_unit_test(every_attribute), cmocka_unit_test(high_pc),
		cmocka_unit_test(not_a_number_and_not_there),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}

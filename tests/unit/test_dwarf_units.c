/* Hand-made units, abbreviation tables and file tables of line programs, whole and damaged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core_build.h"
#include "dwarf/line_files.h"
#include "dwarf_build.h"
#include "elf/elf_file.h"

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

static void done(struct built_file *o, struct dwarf_build *b)
{
	built_file_close(o);
	dwarf_build_free(b);
}

static void expect_damage(const struct dwarf_build *b, const char *text)
{
	struct built_file o;
	o = built_file_open(b, path);
	assert_non_null(dwarf_damage(o.dw));
	if (strstr(dwarf_damage(o.dw), text) == NULL)
		fail_msg("'%s' is not in: %s", text, dwarf_damage(o.dw));
	built_file_close(&o);
}

static void units(void **state)
{
	(void)state;
	static const uint8_t TYPES[] = { DW_UT_compile, DW_UT_type, DW_UT_partial, DW_UT_skeleton, DW_UT_split_compile,
		                         DW_UT_split_type };
	struct dwarf_build *b = dwarf_build_new();
	struct built_file o;
	enum { COUNT = 2 * sizeof TYPES };
	for (size_t i = 0; i < COUNT; i++) {
		b->version = 5;
		b->unit_type = TYPES[i / 2];
		b->offset_size = i % 2 == 0 ? 4 : 8;
		dwarf_build_unit(b);
		const struct build_attr attrs[] = {
			{ .name = DW_AT_name, .form = DW_FORM_strx, .text = "unit" },
			{ .name = DW_AT_low_pc, .form = DW_FORM_addrx, .number = 0x4000 },
			{ .name = DW_AT_str_offsets_base, .form = DW_FORM_sec_offset, .number = b->str_base },
			{ .name = DW_AT_addr_base, .form = DW_FORM_sec_offset, .number = b->addr_base },
		};
		dwarf_build_die(b, DW_TAG_compile_unit, true, attrs, 4);
		dwarf_build_null(b);
		dwarf_build_unit_end(b);
	}
	o = built_file_open(b, path);
	assert_null(dwarf_damage(o.dw));
	assert_int_equal(o.unit_count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		const struct dwarf_unit *unit = &o.units[i];
		struct die die;
		uint8_t type = TYPES[i / 2];
		bool is_split = type == DW_UT_skeleton || type == DW_UT_split_compile;
		assert_true(unit->has_die);
		assert_int_equal(unit->unit_type, type);
		assert_int_equal(unit->offset_size, i % 2 == 0 ? 4 : 8);
		assert_int_equal(unit->dwo_id, is_split ? 0x1122334455667788 : 0);
		assert_string_equal(unit->name, "unit");
		assert_int_equal(unit->low_pc, 0x4000);
		assert_int_equal(unit->offset, i == 0 ? 0 : o.units[i - 1].end);
		assert_ptr_equal(dwarf_unit_of(o.dw, unit->offset), unit);
		assert_ptr_equal(dwarf_unit_of(o.dw, unit->end - 1), unit);
		for (uint64_t at = unit->offset; at < unit->first_die; at++)
			assert_false(die_at(o.dw, at, &die)); /* in the header */
		assert_false(die_at(o.dw, unit->end - 1, &die)); /* the null entry */
	}
	assert_null(dwarf_unit_of(o.dw, dwarf_info(o.dw).size));
	assert_null(dwarf_unit_of(o.dw, UINT64_MAX));
	done(&o, b);
}

static struct dwarf_build *two_units(size_t *second)
{
	struct dwarf_build *b = dwarf_build_new();
	dwarf_build_rust_unit(b);
	dwarf_build_null(b);
	dwarf_build_unit_end(b);
	*second = b->sections[DWARF_INFO].size;
	dwarf_build_rust_unit(b);
	dwarf_build_null(b);
	dwarf_build_unit_end(b);
	return b;
}

static void unit_damage(void **state)
{
	(void)state;
	static const struct { size_t at; uint64_t value; size_t width; const char *text; size_t units; } ROWS[] = {
		{ 0, 0xfffffff0, 4, "reserved length", 0 },
		{ 0, 0x7fffffff, 4, "passes the end", 0 },
		{ 0, 0xffffffff, 4, "passes the end", 0 }, /* 64-bit format with a length of nonsense */
		{ 4, 6, 2, "unknown version", 1 },         /* the other unit is read */
		{ 4, 1, 2, "unknown version", 1 },
		{ 10, 3, 1, "address size", 1 },
		{ 6, 0x10000, 4, "abbreviations", 2 },     /* without its DIE */
		{ 11, 0x7f, 1, "abbreviations", 2 },       /* an undeclared code */
	};
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		size_t second;
		struct built_file o;
		struct dwarf_build *b = two_units(&second);
		build_patch(&b->sections[DWARF_INFO], ROWS[i].at, ROWS[i].value, ROWS[i].width);
		expect_damage(b, ROWS[i].text);
		o = built_file_open(b, path);
		assert_int_equal(o.unit_count, ROWS[i].units);
		if (ROWS[i].units != 0)
			assert_true(o.units[o.unit_count - 1].has_die);
		assert_true(ROWS[i].units != 2 || !o.units[0].has_die);
		done(&o, b);
	}
	struct dwarf_build *none = dwarf_build_new();
	struct elf_file *elf;
	struct dwarf *dw;
	dwarf_build_write(none, path);
	assert_null(elf_open(&elf, path));
	struct error *err = dwarf_open(&dw, elf);
	assert_int_equal(error_code(err), ERROR_NOT_FOUND);
	error_free(err);
	elf_close(elf);
	dwarf_build_free(none);
}

/* The abbreviation table of the second unit as it stands in the first: shared, and then compiled once. */
static void shared_abbreviations(void **state)
{
	(void)state;
	size_t second;
	struct dwarf_build *b = two_units(&second);
	build_patch(&b->sections[DWARF_INFO], second + 6, 0, 4);
	struct built_file o = built_file_open(b, path);
	assert_null(dwarf_damage(o.dw));
	assert_string_equal(o.units[1].name, "src/main.rs");
	assert_non_null(dwarf_abbrevs(o.dw, &o.units[0]));
	assert_ptr_equal(dwarf_abbrevs(o.dw, &o.units[0]), dwarf_abbrevs(o.dw, &o.units[1]));
	done(&o, b);
}

/* A unit whose abbreviation table and DIEs are given byte for byte. */
static struct dwarf_build *raw_unit(const void *abbrevs, size_t abbrevs_size, const void *dies, size_t dies_size)
{
	struct dwarf_build *b = dwarf_build_new();
	dwarf_build_unit(b);
	build_raw(&b->sections[DWARF_ABBREV], abbrevs, abbrevs_size);
	build_raw(&b->sections[DWARF_INFO], dies, dies_size);
	dwarf_build_unit_end(b);
	b->sections[DWARF_ABBREV].size--; /* the end that the builder wrote */
	return b;
}

static void abbreviation_tables(void **state)
{
	(void)state;
	/* Each with a DIE of code 1. Section 7.5.3: code, tag, children, pairs of name and form, 0 0; 0. */
	static const struct { const char *bytes; size_t size; bool good; } ROWS[] = {
#define TABLE(text) text, sizeof text - 1
		{ TABLE("\1\x11\0\0\0\0"), true },
		{ TABLE("\1\x11\0\0\0\2\x24\0\0\0\0"), true },
		{ TABLE("\x81\x80\0\x91\0\0\x80\0\0\0"), true },          /* padded LEB128 */
		{ TABLE("\2\x24\0\0\0\1\x11\0\0\0\0"), true },            /* in any order */
		{ TABLE("\1\x11\0\0\0\x20\x24\0\0\0\0"), true },          /* with gaps */
		{ TABLE("\1\x11\0\0\0\1\x24\0\0\0\0"), false },           /* a code twice */
		{ TABLE("\1\x11\0\0\0"), false },                            /* no end */
		{ TABLE("\1\x11\0\x03"), false },                             /* cut in a pair */
		{ TABLE("\1\x11\0\x03\x7e\0\0\0"), false },                 /* unknown form */
		{ TABLE("\1\x11\0\x03\0\0\0\0"), false },                   /* form 0 */
		{ TABLE("\1\0\0\0\0\0"), false },                             /* tag 0 */
		{ TABLE("\1\x80\x80\4\0\0\0\0"), false },                    /* tag 0x10000 */
		{ TABLE("\1\x11\0\0\0\xff\xff\xff\x7f\x24\0\0\0\0"), false }, /* a huge code */
		{ TABLE("\1\x11\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\x24\0\0\0\0"), false },
		{ TABLE("\1\x11\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x24\0\0\0\0"), false },
		{ TABLE(""), false },
#undef TABLE
	};
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		struct dwarf_build *b = raw_unit(ROWS[i].bytes, ROWS[i].size, "\1", 1);
		struct built_file o = built_file_open(b, path);
		if (o.unit_count != 1 || o.units[0].has_die != ROWS[i].good || (dwarf_damage(o.dw) == NULL) != ROWS[i].good)
			fail_msg("table %zu", i);
		assert_true(!ROWS[i].good || o.units[0].tag == DW_TAG_compile_unit);
		done(&o, b);
	}
}

/* Declarations larger than what 16-bit plans can add up to, with and without a string between. */
static void wide_abbreviations(void **state)
{
	(void)state;
	enum { ATTRS = 9000 };
	for (int with_string = 0; with_string < 2; with_string++) {
		struct build_bytes abbrevs = { 0 }, dies = { 0 };
		build_raw(&abbrevs, "\1\x11\1\0\0\2\x34\0", 8);
		build_uint(&dies, 1, 1);
		for (int die = 0; die < 2; die++) {
			build_uint(&dies, 2, 1);
			for (int i = 0; i < ATTRS; i++) {
				build_uint(&dies, (uint64_t)i, 8);
				if (with_string && i == ATTRS / 2)
					build_text(&dies, "text");
			}
			build_uint(&dies, 0x42, 1);
		}
		build_uint(&dies, 0, 1);
		for (int i = 0; i < ATTRS; i++) {
			build_uleb(&abbrevs, DW_AT_lo_user + 0x1000);
			build_uleb(&abbrevs, DW_FORM_data8);
			if (with_string && i == ATTRS / 2)
				build_raw(&abbrevs, "\x03\x08", 2); /* DW_AT_name, DW_FORM_string */
		}
		build_raw(&abbrevs, "\x3b\x0b\0\0\0", 5); /* DW_AT_decl_line, DW_FORM_data1 */
		struct dwarf_build *b = raw_unit(abbrevs.data, abbrevs.size, dies.data, dies.size);
		struct built_file o = built_file_open(b, path);
		struct die root, die;
		struct die_values v;
		assert_true(die_at(o.dw, o.units[0].first_die, &root) && die_child(o.dw, &root, &die));
		assert_true(die_read(o.dw, &die, &v));
		assert_int_equal(v.line, 0x42);
		assert_true(die_next(o.dw, &die, &die));
		assert_true(die_read(o.dw, &die, &v));
		assert_int_equal(v.line, 0x42);
		assert_int_equal((v.has & DIE_NAME) != 0, with_string);
		assert_false(die_next(o.dw, &die, &die));
		done(&o, b);
		free(abbrevs.data);
		free(dies.data);
	}
}

/* Begins a line program header, section 6.2.4; returns where its header_length stands. */
static size_t line_header(struct build_bytes *s, uint16_t version, uint8_t offset_size)
{
	if (offset_size == 8)
		build_uint(s, 0xffffffff, 4);
	build_uint(s, 0, offset_size);
	build_uint(s, version, 2);
	if (version >= 5)
		build_uint(s, 8, 2); /* address size, segment selector size 0 */
	size_t at = s->size;
	build_uint(s, 0, offset_size);
	if (version >= 4)
		build_uint(s, 1, 1); /* operations an instruction */
	build_raw(s, "\1\1\xfb\x0e", 4);
	build_raw(s, "\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 13);
	return at;
}

static void line_header_end(struct build_bytes *s, size_t start, size_t at, uint8_t offset_size)
{
	size_t length_at = start + (offset_size == 8 ? 4 : 0);
	build_patch(s, at, s->size - at - offset_size, offset_size);
	build_raw(s, "\0\1\1", 3); /* DW_LNE_end_sequence: the program, not to be read */
	build_patch(s, length_at, s->size - length_at - offset_size, offset_size);
}

static void line_program_4(struct build_bytes *s, uint16_t version, uint8_t offset_size)
{
	size_t start = s->size, at = line_header(s, version, offset_size);
	build_text(s, "src");
	build_text(s, "/usr/include");
	build_text(s, "");
	static const struct { const char *name; uint64_t directory; } FILES[] = {
		{ "main.rs", 1 }, { "stdio.h", 2 }, { "here.rs", 0 }, { "/absolute.rs", 1 }, { "lost.rs", 77 } };
	for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
		build_text(s, FILES[i].name);
		build_uleb(s, FILES[i].directory);
		build_uleb(s, 1000); /* time */
		build_uleb(s, 300);  /* length */
	}
	build_text(s, "");
	line_header_end(s, start, at, offset_size);
}

static void line_program_5(struct dwarf_build *b, const char *first_file)
{
	struct build_bytes *s = &b->sections[DWARF_LINE], *line_str = &b->sections[DWARF_LINE_STR];
	size_t start = s->size, at = line_header(s, 5, b->offset_size);
	build_raw(s, "\1\1\x1f\3", 4); /* one format: DW_LNCT_path as DW_FORM_line_strp; 3 directories */
	static const char *const DIRECTORIES[] = { "/work", "src", "/usr/include" };
	for (size_t i = 0; i < 3; i++) {
		build_uint(s, line_str->size, b->offset_size);
		build_text(line_str, DIRECTORIES[i]);
	}
	/* Path as a string, time as a block, MD5 as data16, directory as udata, and one of a vendor as sdata. */
	build_raw(s, "\5\1\x08\3\x09\5\x1e\2\x0f\x80\x40\x0d\6", 13);
	const struct { const char *name; uint64_t directory; } FILES[] = { { first_file, 0 }, { "main.rs", 1 },
		{ "stdio.h", 2 }, { "here.rs", 0 }, { "/absolute.rs", 1 }, { "lost.rs", 77 } };
	for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
		build_text(s, FILES[i].name);
		build_raw(s, "\3abc", 4);
		build_raw(s, "0123456789abcdef", 16);
		build_uleb(s, FILES[i].directory);
		build_sleb(s, -1000);
	}
	line_header_end(s, start, at, b->offset_size);
}

static void line_unit(struct dwarf_build *b, uint64_t program, const char *comp_dir)
{
	const struct build_attr attrs[] = {
		{ .name = DW_AT_stmt_list, .form = b->version < 4 ? DW_FORM_data4 : DW_FORM_sec_offset, .number = program },
		{ .name = DW_AT_comp_dir, .form = DW_FORM_string, .text = comp_dir },
	};
	dwarf_build_unit(b);
	dwarf_build_die(b, DW_TAG_compile_unit, false, attrs, comp_dir != NULL ? 2 : 1);
	dwarf_build_unit_end(b);
}

static void expect_path(struct line_files *files, const struct dwarf_unit *unit, uint64_t index, const char *expected)
{
	const char *got = line_files_path(files, unit, index);
	if (expected == NULL ? got != NULL : got == NULL || strcmp(got, expected) != 0)
		fail_msg("file %d is %s, not %s", (int)index, got != NULL ? got : "NULL", expected != NULL ? expected : "NULL");
	assert_ptr_equal(line_files_path(files, unit, index), got);
}

static void file_tables(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 8; run++) {
		struct dwarf_build *b = dwarf_build_new();
		struct build_bytes *s = &b->sections[DWARF_LINE];
		struct line_files *files;
		b->version = (uint16_t)(2 + run % 4);
		b->offset_size = b->version > 2 && run >= 4 ? 8 : 4;
		uint64_t programs[2] = { 0 };
		for (int i = 0; i < 2; i++) {
			programs[i] = s->size;
			if (b->version < 5)
				line_program_4(s, b->version, b->offset_size);
			else
				line_program_5(b, i == 0 ? "src/main.rs/@/3k1ofy" : "main.rs");
		}
		line_unit(b, programs[0], "/work");
		line_unit(b, programs[1], NULL);
		line_unit(b, programs[0], "/elsewhere");
		line_unit(b, s->size, "/work"); /* a program out of the section */
		struct built_file o = built_file_open(b, path);
		assert_null(line_files_open(&files, o.dw));
		bool is_5 = b->version >= 5; /* directory 0 is in the table */
		expect_path(files, &o.units[0], 0, NULL);
		expect_path(files, &o.units[0], 1, "/work/src/main.rs");
		expect_path(files, &o.units[0], 2, "/usr/include/stdio.h");
		expect_path(files, &o.units[0], 3, "/work/here.rs");
		expect_path(files, &o.units[0], 4, "/absolute.rs");
		expect_path(files, &o.units[0], 5, "/work/lost.rs");
		expect_path(files, &o.units[0], 6, NULL);
		expect_path(files, &o.units[0], UINT64_MAX, NULL);
		expect_path(files, &o.units[1], 0, is_5 ? "/work/main.rs" : NULL);
		expect_path(files, &o.units[1], 1, is_5 ? "/work/src/main.rs" : "src/main.rs");
		expect_path(files, &o.units[2], 1, is_5 ? "/work/src/main.rs" : "/elsewhere/src/main.rs");
		expect_path(files, &o.units[0], 1, "/work/src/main.rs");
		expect_path(files, &o.units[3], 1, NULL);
		line_files_close(files);
		done(&o, b);
	}
}

/* gcc -gdwarf-5 with an old assembler: files are counted as the program's version says, not the unit's. */
static void program_of_another_version(void **state)
{
	(void)state;
	struct dwarf_build *b = dwarf_build_new();
	struct line_files *files;
	b->version = 5;
	line_program_4(&b->sections[DWARF_LINE], 3, 8);
	line_unit(b, 0, "/work");
	struct built_file o = built_file_open(b, path);
	assert_null(line_files_open(&files, o.dw));
	expect_path(files, &o.units[0], 0, NULL);
	expect_path(files, &o.units[0], 1, "/work/src/main.rs");
	expect_path(files, &o.units[0], 6, NULL);
	line_files_close(files);
	done(&o, b);
}

/* A header with any byte changed, or cut anywhere, gives paths or none; entries without bytes must not be counted. */
static void damaged_file_tables(void **state)
{
	(void)state;
	struct dwarf_build *b = dwarf_build_new();
	b->version = 5;
	b->is_compressed = true; /* inflated into memory of just its size: a sanitizer sees what passes its end */
	line_program_5(b, "main.rs");
	line_unit(b, 0, "/work");
	size_t size = b->sections[DWARF_LINE].size;
	for (size_t i = 0; i < 4 * size; i++) {
		static const unsigned char VALUES[] = { 0, 0x7f, 0xff };
		struct line_files *files;
		unsigned char saved = b->sections[DWARF_LINE].data[i % size];
		if (i < 3 * size)
			b->sections[DWARF_LINE].data[i % size] = VALUES[i / size];
		else if ((b->sections[DWARF_LINE].size = i % size) == 0)
			b->sections[DWARF_LINE].size = size;
		struct built_file o = built_file_open(b, path);
		assert_null(line_files_open(&files, o.dw));
		for (uint64_t index = 0; index < 9; index++)
			(void)line_files_path(files, &o.units[0], index);
		line_files_close(files);
		built_file_close(&o);
		b->sections[DWARF_LINE].data[i % size] = saved;
		b->sections[DWARF_LINE].size = size;
	}
	struct build_bytes *s = &b->sections[DWARF_LINE];
	s->size = 0;
	size_t at = line_header(s, 5, 4);
	build_raw(s, "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11); /* no format, 2^64 - 1 directories */
	line_header_end(s, 0, at, 4);
	struct line_files *files;
	struct built_file o = built_file_open(b, path);
	assert_null(line_files_open(&files, o.dw));
	expect_path(files, &o.units[0], 0, NULL);
	line_files_close(files);
	done(&o, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units), cmocka_unit_test(unit_damage), cmocka_unit_test(shared_abbreviations),
		cmocka_unit_test(abbreviation_tables), cmocka_unit_test(wide_abbreviations), cmocka_unit_test(file_tables),
		cmocka_unit_test(program_of_another_version), cmocka_unit_test(damaged_file_tables),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}

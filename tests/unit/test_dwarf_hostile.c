/* Hostile DWARF: cut at every byte, flipped bits, nesting, cycles, overlaps, numbers that overflow. Whatever it says,
 * opening, the sweep, a walk over everything and the file tables must end soon, and touch only what is theirs (run
 * this under ASan and UBSan). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "core_build.h"
#include "dwarf/line_files.h"
#include "dwarf/sweep.h"
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

/* A pass over a few bytes takes microseconds, also under a sanitizer; this is for hangs only. */
enum { PATIENCE = 20 };

struct walk {
	struct dwarf *dw;
	struct line_files *files;
	uint64_t sum; /* of what was read, so that it is read */
	size_t dies;
};

static void follow(struct walk *w, uint64_t offset)
{
	struct die die;
	struct die_values v;
	for (int hops = 0; hops < 20 && offset != DWARF_NO_OFFSET && die_at(w->dw, offset, &die); hops++) {
		die_read(w->dw, &die, &v);
		offset = v.type != 0 ? v.type : v.origin != 0 ? v.origin : v.specification;
	}
}

static void read_die(struct walk *w, const struct die *die)
{
	struct die_values v;
	die_read(w->dw, die, &v);
	w->dies++;
	w->sum += (v.name != NULL ? strlen(v.name) : 0) + (v.linkage_name != NULL ? strlen(v.linkage_name) : 0);
	for (uint64_t i = 0; i < v.location_length; i++)
		w->sum += v.location[i];
	const char *name = die_name(w->dw, die), *file = line_files_path(w->files, die->unit, v.file);
	w->sum += (name != NULL ? strlen(name) : 0) + (file != NULL ? strlen(file) : 0);
	follow(w, die->offset);
}

static void walk(struct walk *w, const struct die *die, unsigned depth)
{
	struct die child;
	read_die(w, die);
	if (depth == 40)
		return;
	for (bool more = die_child(w->dw, die, &child); more; more = die_next(w->dw, &child, &child))
		walk(w, &child, depth + 1);
}

static void looked_up(void *context, uint64_t hash, const struct die *die)
{
	struct walk *w = context;
	w->sum += hash + die->offset;
}

static void sweep(struct walk *w, unsigned threads)
{
	static const char *const wanted[] = { "a", "a::b", "a::b::Type" };
	static const bool below[] = { true, false, false };
	const struct sweep_options options = { wanted, below, 3, threads, NULL };
	struct sweep *s = sweep_run(w->dw, &options);
	struct strbuf text = STRBUF_INIT;
	size_t count;
	const struct sweep_find *finds = sweep_finds(s, &count);
	for (size_t i = 0; i < count; i++, strbuf_reset(&text)) {
		sweep_scope_path(s, finds[i].die, &text);
		w->sum += text.length + sweep_scope_hash(s, finds[i].die);
		assert_true(i == 0 || finds[i].die >= finds[i - 1].die);
	}
	uint64_t hashes[] = { sweep_path_hash(""), sweep_path_hash("a"), sweep_path_hash("a::b") };
	sweep_lookup(s, hashes, 3, looked_up, w);
	strbuf_release(&text);
	sweep_free(s);
}

/* Everything that can be asked of the file at path; returns the number of DIEs walked. */
static size_t exercise(void)
{
	struct elf_file *elf;
	struct walk w = { 0 };
	clock_t start = clock();
	struct error *err = elf_open(&elf, path);
	if (err == NULL && (err = dwarf_open(&w.dw, elf)) != NULL)
		elf_close(elf);
	if (err != NULL) {
		error_free(err);
		return 0;
	}
	assert_null(line_files_open(&w.files, w.dw));
	size_t count;
	const struct dwarf_unit *units = dwarf_units(w.dw, &count);
	for (size_t i = 0; i < count; i++) {
		struct die die;
		assert_true(units[i].offset < units[i].first_die && units[i].first_die <= units[i].end);
		assert_true(i == 0 || units[i].offset >= units[i - 1].end);
		if (die_at(w.dw, units[i].first_die, &die))
			walk(&w, &die, 0);
	}
	sweep(&w, 1);
	sweep(&w, 3);
	line_files_close(w.files);
	dwarf_close(w.dw);
	elf_close(elf);
	if ((clock() - start) / CLOCKS_PER_SEC > PATIENCE)
		fail_msg("took too long");
	return w.dies;
}

static size_t exercise_built(const struct dwarf_build *b)
{
	dwarf_build_write(b, path);
	return exercise();
}

static void all_forms(struct dwarf_build *b, uint64_t target)
{
	static const unsigned char bytes[16] = { 1, 2, 3 };
	struct build_attr attrs[] = {
		{ .name = DW_AT_type, .form = DW_FORM_ref4, .number = target },
		{ .name = DW_AT_specification, .form = DW_FORM_ref_udata, .number = target },
		{ .name = DW_AT_abstract_origin, .form = DW_FORM_ref_addr, .number = target },
		{ .name = DW_AT_byte_size, .form = DW_FORM_udata, .number = 300 },
		{ .name = DW_AT_const_value, .form = DW_FORM_sdata, .number = (uint64_t)-300 },
		{ .name = DW_AT_discr_value, .form = DW_FORM_block1, .number = 16, .bytes = bytes },
		{ .name = DW_AT_location, .form = DW_FORM_exprloc, .number = 3, .bytes = bytes },
		{ .name = DW_AT_decl_file, .form = DW_FORM_indirect, .actual = DW_FORM_data1, .number = 1 },
		{ .name = DW_AT_frame_base, .form = DW_FORM_block2, .number = 2, .bytes = bytes },
		{ .name = DW_AT_linkage_name, .form = DW_FORM_strp, .text = "_ZN" },
		{ .name = DW_AT_name, .form = DW_FORM_strx1, .text = "x" },
		{ .name = DW_AT_low_pc, .form = DW_FORM_addrx, .number = 0x1000 },
		{ .name = DW_AT_count, .form = DW_FORM_implicit_const, .number = 5 },
		{ .name = DW_AT_data_member_location, .form = DW_FORM_block4, .number = 1, .bytes = bytes },
	};
	dwarf_build_die(b, DW_TAG_variable, false, attrs, b->version < 5 ? 10 : 14);
}

static void line_program(struct build_bytes *s)
{
	size_t start = s->size;
	build_uint(s, 0, 4);
	build_raw(s, "\4\0\0\0\0\0\1\1\1\xfb\x0e\1src\0\0main.rs\0\1\0\0\0", 29);
	build_patch(s, start + 6, s->size - start - 10, 4);
	build_patch(s, start, s->size - start - 4, 4);
}

/* Two units, one of each version, of less than 400 bytes. */
static struct dwarf_build *seed(void)
{
	struct dwarf_build *b = dwarf_build_new();
	b->is_compressed = true; /* inflated into memory of just its size, a section has its end under a sanitizer's eye */
	for (uint16_t version = 4; version <= 5; version++) {
		b->version = version;
		dwarf_build_unit(b);
		const struct build_attr attrs[] = {
			{ .name = DW_AT_stmt_list, .form = DW_FORM_sec_offset, .number = b->sections[DWARF_LINE].size },
			{ .name = DW_AT_name, .form = version < 5 ? DW_FORM_strp : DW_FORM_strx, .text = "u" },
			{ .name = DW_AT_language, .form = DW_FORM_data1, .number = DW_LANG_Rust },
			{ .name = DW_AT_str_offsets_base, .form = DW_FORM_sec_offset, .number = b->str_base },
			{ .name = DW_AT_addr_base, .form = DW_FORM_sec_offset, .number = b->addr_base },
		};
		line_program(&b->sections[DWARF_LINE]);
		dwarf_build_die(b, DW_TAG_compile_unit, true, attrs, version < 5 ? 3 : 5);
		dwarf_build_named(b, DW_TAG_namespace, true, "a");
		dwarf_build_named(b, DW_TAG_namespace, true, "b");
		uint64_t target = dwarf_build_named(b, DW_TAG_structure_type, true, "Type<u8>");
		dwarf_build_named(b, DW_TAG_subprogram, false, "poll");
		dwarf_build_null(b);
		all_forms(b, target);
		dwarf_build_null(b);
		dwarf_build_null(b);
		dwarf_build_null(b);
		dwarf_build_unit_end(b);
	}
	return b;
}

static void every_section_cut_anywhere(void **state)
{
	(void)state;
	struct dwarf_build *b = seed();
	assert_int_equal(exercise_built(b), 12);
	for (int id = 0; id < DWARF_SECTION_COUNT; id++) {
		size_t size = b->sections[id].size;
		for (size_t cut = 0; cut < size; cut++) {
			b->sections[id].size = cut;
			exercise_built(b);
		}
		b->sections[id].size = size;
	}
	dwarf_build_free(b);
}

static void the_file_cut_anywhere(void **state)
{
	(void)state;
	struct dwarf_build *b = seed();
	b->is_compressed = false;
	dwarf_build_write(b, path);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	static unsigned char bytes[8192];
	size_t size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	assert_true(size > 0 && size < sizeof bytes);
	for (size_t cut = 0; cut < size; cut++) {
		file_write(path, bytes, cut);
		exercise();
	}
	dwarf_build_free(b);
}

static uint64_t next_random(uint64_t *state) /* xorshift64 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void flipped_bits(void **state)
{
	(void)state;
	static const unsigned char EVIL[] = { 0, 1, 0x7f, 0x80, 0xff };
	uint64_t random = 0x9e3779b97f4a7c15;
	struct dwarf_build *b = seed();
	size_t dies = 0;
	for (int run = 0; run < 6000; run++) {
		struct { int id; size_t at; unsigned char was; } undo[4];
		int changes = 1 + run % 4;
		for (int i = 0; i < changes; i++) {
			do
				undo[i].id = (int)(next_random(&random) % DWARF_SECTION_COUNT);
			while (b->sections[undo[i].id].size == 0);
			struct build_bytes *s = &b->sections[undo[i].id];
			undo[i].at = next_random(&random) % s->size;
			undo[i].was = s->data[undo[i].at];
			uint64_t what = next_random(&random);
			s->data[undo[i].at] = (unsigned char)(what % 3 == 0 ? EVIL[what / 3 % 5]
			                                                     : undo[i].was ^ 1u << (what / 3 % 8));
		}
		dies += exercise_built(b);
		for (int i = changes; i-- > 0;)
			b->sections[undo[i].id].data[undo[i].at] = undo[i].was;
	}
	assert_true(dies > 6000); /* most still have something to read */
	dwarf_build_free(b);
}

static void deep_nesting(void **state)
{
	(void)state;
	static const uint16_t TAGS[] = { DW_TAG_namespace, DW_TAG_lexical_block, DW_TAG_structure_type };
	enum { LEVELS = 100000 };
	for (size_t i = 0; i < sizeof TAGS / sizeof TAGS[0]; i++) {
		struct dwarf_build *b = dwarf_build_new();
		dwarf_build_rust_unit(b);
		for (int level = 0; level < LEVELS; level++)
			dwarf_build_named(b, TAGS[i], true, "n");
		dwarf_build_named(b, DW_TAG_base_type, false, "deepest");
		for (int level = 0; level < LEVELS; level++)
			dwarf_build_null(b);
		uint64_t last = dwarf_build_named(b, DW_TAG_base_type, false, "last");
		dwarf_build_null(b);
		dwarf_build_unit_end(b);
		assert_true(exercise_built(b) > 40);
		struct built_file o = built_file_open(b, path);
		struct die root, die;
		assert_true(die_at(o.dw, o.units[0].first_die, &root) && die_child(o.dw, &root, &die));
		assert_true(die_next(o.dw, &die, &die));
		assert_int_equal(die.offset, last);
		const struct sweep_options options = { NULL, NULL, 0, 1, NULL };
		struct sweep *s = sweep_run(o.dw, &options);
		assert_int_equal(sweep_damaged_units(s), TAGS[i] == DW_TAG_namespace); /* too deep for it, and said so */
		sweep_free(s);
		built_file_close(&o);
		dwarf_build_free(b);
	}
}

static void cycles(void **state)
{
	(void)state;
	struct dwarf_build *b = dwarf_build_new();
	dwarf_build_rust_unit(b);
	uint64_t values[3];
	for (int i = 0; i < 3; i++) {
		struct build_attr attr = { .name = i == 0 ? DW_AT_type : i == 1 ? DW_AT_abstract_origin : DW_AT_specification,
			                   .form = DW_FORM_ref_addr };
		dwarf_build_die(b, DW_TAG_variable, false, &attr, 1);
		values[i] = b->values[0];
	}
	dwarf_build_null(b);
	dwarf_build_unit_end(b);
	for (int i = 0; i < 3; i++) /* to the next one; the code of a DIE is a byte before its only value */
		build_patch(&b->sections[DWARF_INFO], values[i], values[(i + 1) % 3] - 1, 4);
	assert_int_equal(exercise_built(b), 4);
	for (uint64_t to = 0; to < 300; to++) { /* to itself, to the header, to the middle of values, out of the section */
		build_patch(&b->sections[DWARF_INFO], values[to % 3], to / 3, 4);
		exercise_built(b);
	}
	dwarf_build_free(b);
}

/* The first of two units claims every length there is: the second's header is then anywhere. */
static void lengths(void **state)
{
	(void)state;
	struct dwarf_build *b = seed();
	size_t size = b->sections[DWARF_INFO].size;
	for (uint64_t length = 0; length < size + 8; length++) {
		build_patch(&b->sections[DWARF_INFO], 0, length, 4);
		exercise_built(b);
	}
	dwarf_build_free(b);
}

/* Values whose lengths and numbers overflow: bytes of a DIE with one attribute. */
static void overflows(void **state)
{
	(void)state;
	static const struct { uint16_t form; const char *bytes; size_t size; } ROWS[] = {
#define ROW(form, text) form, text, sizeof text - 1
		{ ROW(DW_FORM_udata, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f") },
		{ ROW(DW_FORM_sdata, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x3f") },
		{ ROW(DW_FORM_udata, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80") },
		{ ROW(DW_FORM_block, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
		{ ROW(DW_FORM_exprloc, "\xf6\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
		{ ROW(DW_FORM_exprloc, "\xff\xff\xff\xff\xff\xff\xff\xff\x7f") },
		{ ROW(DW_FORM_block4, "\xff\xff\xff\xff") },
		{ ROW(DW_FORM_block2, "\xff\xff") },
		{ ROW(DW_FORM_block1, "\xff") },
		{ ROW(DW_FORM_string, "no end") },
		{ ROW(DW_FORM_indirect, "\x16\x16\x16\x16") },
		{ ROW(DW_FORM_indirect, "\x21\x21") },
		{ ROW(DW_FORM_indirect, "\xff\xff\xff\x7f\x01") },
		{ ROW(DW_FORM_indirect, "\x80\x80\x04\x01") },
		{ ROW(DW_FORM_strx, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
		{ ROW(DW_FORM_addrx, "\xff\xff\xff\xff\xff\xff\xff\xff\x1f") },
		{ ROW(DW_FORM_ref_udata, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") },
		{ ROW(DW_FORM_ref8, "\xff\xff\xff\xff\xff\xff\xff\xff") },
		{ ROW(DW_FORM_strp, "\xff\xff\xff\xff") },
#undef ROW
	};
	static const uint16_t NAMES[] = { DW_AT_name, DW_AT_type, DW_AT_location, DW_AT_discr_value };
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0] * 4; i++) {
		struct dwarf_build *b = dwarf_build_new();
		b->is_compressed = true;
		dwarf_build_rust_unit(b);
		/* The builder writes the abbreviation of a harmless DIE; its value is cut off and replaced. */
		struct build_attr attr = { .name = NAMES[i % 4], .form = ROWS[i / 4].form, .actual = DW_FORM_data1, .text = "",
			                   .bytes = "", .is_raw = true };
		dwarf_build_die(b, DW_TAG_namespace, true, &attr, 1);
		b->sections[DWARF_INFO].size = b->values[0];
		build_raw(&b->sections[DWARF_INFO], ROWS[i / 4].bytes, ROWS[i / 4].size);
		dwarf_build_unit_end(b);
		exercise_built(b);
		dwarf_build_free(b);
	}
}

/* A version 5 line program header that takes all up to `tail` for its directories, of one byte each. */
static void overlapping_program(struct build_bytes *s, uint64_t tail, uint64_t end)
{
	build_uint(s, end - s->size - 4, 4);
	build_raw(s, "\5\0\x08\0", 4);
	build_uint(s, end - s->size - 4, 4);
	build_raw(s, "\1\1\1\xfb\x0e\1" "\1\2\x0b", 9); /* one format: DW_LNCT_directory_index as DW_FORM_data1 */
	uint64_t count = tail - s->size - 4;
	for (int i = 0; i < 4; i++, count >>= 7)
		build_uint(s, (count & 0x7f) | (i < 3 ? 0x80 : 0), 1);
}

/* Many units whose abbreviation tables and line programs overlap, each well-formed and reaching to the end of its
 * section. Only so many are read that time and memory stay those of a few passes; the rest counts as damaged. */
static void overlapping_tables(void **state)
{
	(void)state;
	enum { UNITS = 2000, PROGRAM = 25, BYTES = 120001, FEW = 32 };
	struct dwarf_build *b = dwarf_build_new();
	const struct build_attr attr = { .name = DW_AT_stmt_list, .form = DW_FORM_sec_offset };
	struct build_bytes *abbrev = &b->sections[DWARF_ABBREV], *line = &b->sections[DWARF_LINE];
	uint64_t offsets[2 * UNITS];
	for (uint64_t i = 0; i < UNITS; i++) { /* the first half: line programs */
		dwarf_build_unit(b);
		dwarf_build_die(b, DW_TAG_compile_unit, false, &attr, 1);
		offsets[i] = b->values[0];
		dwarf_build_unit_end(b);
	}
	for (uint64_t i = 0; i < UNITS; i++) { /* the second half: abbreviations */
		dwarf_build_unit(b);
		offsets[UNITS + i] = b->unit + 6;
		build_uint(&b->sections[DWARF_INFO], 0x19, 1);
		dwarf_build_unit_end(b);
	}
	for (uint64_t i = 0; i < UNITS; i++) {
		build_patch(&b->sections[DWARF_INFO], offsets[i], PROGRAM * i, 4);
		build_patch(&b->sections[DWARF_INFO], offsets[UNITS + i], abbrev->size + 2 * i, 4);
		overlapping_program(line, PROGRAM * UNITS, PROGRAM * UNITS + 10);
	}
	build_raw(line, "\1\1\x08\1main\0\0", 10); /* one format: DW_LNCT_path as DW_FORM_string; one file */
	for (int i = 0; i < BYTES; i++)
		build_uint(abbrev, 0x19, 1); /* code, tag, children, then pairs of DW_AT_0x19 and DW_FORM_flag_present */
	build_uint(abbrev, 0, 3);
	assert_true(exercise_built(b) >= UNITS);
	struct built_file o = built_file_open(b, path);
	struct line_files *files;
	size_t tables = 0, programs = 0;
	assert_null(line_files_open(&files, o.dw));
	for (size_t i = 0; i < UNITS; i++) {
		assert_true(o.units[i].has_die);
		tables += o.units[UNITS + i].has_die;
		programs += line_files_path(files, &o.units[i], 0) != NULL;
	}
	assert_in_range(tables, 1, FEW);
	assert_in_range(programs, 1, FEW);
	line_files_close(files);
	built_file_close(&o);
	dwarf_build_free(b);
}

/* All namespaces of the unit share one name of a megabyte. */
static void long_names(void **state)
{
	(void)state;
	enum { COUNT = 100000, LENGTH = 1 << 20 };
	struct dwarf_build *b = dwarf_build_new();
	uint64_t name = b->sections[DWARF_STR].size;
	for (int i = 0; i < LENGTH; i++)
		build_uint(&b->sections[DWARF_STR], 'x', 1);
	build_uint(&b->sections[DWARF_STR], 0, 1);
	dwarf_build_rust_unit(b);
	struct build_attr attr = { .name = DW_AT_name, .form = DW_FORM_strp, .number = name, .is_raw = true };
	uint64_t last = 0;
	for (int i = 0; i < COUNT; i++) {
		dwarf_build_die(b, DW_TAG_namespace, true, &attr, 1);
		last = dwarf_build_die(b, DW_TAG_structure_type, false, &attr, 1);
		dwarf_build_null(b);
	}
	dwarf_build_null(b);
	dwarf_build_unit_end(b);
	static const char *const wanted[] = { "a::Type" };
	struct built_file o = built_file_open(b, path);
	const struct sweep_options options = { wanted, NULL, 1, 1, NULL };
	clock_t start = clock();
	struct sweep *s = sweep_run(o.dw, &options);
	assert_int_equal(sweep_scope_count(s), COUNT + 1);
	struct strbuf text = STRBUF_INIT;
	sweep_scope_path(s, last, &text);
	assert_true(text.length > 0 && sweep_path_hash(text.text) == sweep_scope_hash(s, last));
	strbuf_release(&text);
	sweep_free(s);
	assert_true((clock() - start) / CLOCKS_PER_SEC <= PATIENCE);
	built_file_close(&o);
	dwarf_build_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_section_cut_anywhere), cmocka_unit_test(the_file_cut_anywhere),
		cmocka_unit_test(flipped_bits), cmocka_unit_test(deep_nesting), cmocka_unit_test(cycles),
		cmocka_unit_test(lengths), cmocka_unit_test(overflows), cmocka_unit_test(overlapping_tables),
		cmocka_unit_test(long_names),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}

/* The layout model and its file. Models are compared as texts that the public accessors give (model_text), so what
 * is compared is what a reader sees. `test_tinfo bench [TYPES]` prints timings instead. Damage: test_tinfo_damage.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tinfo_model.h"
#include "base/error.h"
#include "tinfo/tinfo_build.h"
#include "tinfo/tinfo_internal.h"

static void test_small(void **unused)
{
	(void)unused;
	struct tinfo *ti = model_small(false);
	model_small_check(ti);
	char *before = model_text(ti);
	struct tinfo *again = model_reopened(ti);
	model_small_check(again);
	char *after = model_text(again);
	assert_string_equal(before, after);
	free(before);
	free(after);
	tinfo_free(again);
	tinfo_free(ti);
}

static void test_same_bytes(void **unused)
{
	(void)unused;
	struct tinfo *ti = model_small(false), *turned = model_small(true), *again = model_reopened(ti);
	struct bytes first = model_file_read(model_file);
	model_fine(tinfo_write(again, model_copy));
	struct bytes second = model_file_read(model_copy);
	assert_int_equal(first.length, second.length);
	assert_memory_equal(first.at, second.at, first.length);
	free(second.at);
	/* over the file it is open from */
	model_fine(tinfo_write(again, model_file));
	model_small_check(again);
	model_fine(tinfo_write(turned, model_copy));
	second = model_file_read(model_copy);
	assert_int_equal(first.length, second.length);
	/* neither the order of adding nor repetitions show */
	assert_memory_equal(first.at, second.at, first.length);
	free(first.at);
	free(second.at);
	tinfo_free(ti);
	tinfo_free(turned);
	tinfo_free(again);
}

static void test_out_of_range(void **unused)
{
	(void)unused;
	struct tinfo *small = model_small(false), *ti = model_reopened(small);
	tinfo_free(small);
	assert_int_equal(tinfo_type(ti, SMALL_TYPES).kind, TYPE_OPAQUE);
	assert_non_null(strstr(tinfo_fault(ti), model_file));
	assert_non_null(strstr(tinfo_fault(ti), "section types: there is no record 14, only 14"));
	assert_string_equal(tinfo_member(ti, 1000).name, "");
	assert_non_null(strstr(tinfo_fault(ti), "section types")); /* the first one stays */
	tinfo_free(ti);
}

static void test_dangling_build(void **unused)
{
	(void)unused;
	struct tinfo *ti;
	struct tinfo_build *b = model_small_build(false);
	build_vtable(b, &(struct vtable){ 1, SMALL_TYPES, "", 4 });
	model_refused(tinfo_build_finish(b, &ti), ERROR_DATA, "vtables: record 3 refers to type 14 of 14");
	assert_null(ti);
	tinfo_build_free(model_small_build(true));
	model_fine(tinfo_build_finish(tinfo_build_new(), &ti));
	struct tinfo *empty = model_reopened(ti);
	uint32_t first;
	assert_int_equal(tinfo_types_named(empty, "u64", &first), 0);
	assert_int_equal(tinfo_function_covering(empty, 5), TINFO_NONE);
	assert_null(tinfo_fault(empty));
	tinfo_free(empty);
	tinfo_free(ti);
}

/* Types with generated names: long shared beginnings, lengths around multiples of eight, repeats. */
static char *random_name(uint64_t *state, char *name)
{
	size_t length = model_random(state) % 40;
	for (size_t i = 0; i < length; i++)
		name[i] = i < 24 && model_random(state) % 8 != 0 ? 'a' : (char)(model_random(state) % 2 != 0 ? 'b' : '\xe2');
	name[length] = 0;
	return name;
}

static void test_sorted(void **unused)
{
	(void)unused;
	enum { COUNT = 20000 };
	uint64_t state = 1;
	char name[64], other[72];
	struct tinfo_build *b = tinfo_build_new();
	for (uint32_t i = 0; i < COUNT; i++)
		build_type_define(b, build_type_reserve(b), &(struct type){ .name = random_name(&state, name), .target = TINFO_NONE },
				  NULL, 0, NULL, 0);
	struct tinfo *ti, *again;
	model_fine(tinfo_build_finish(b, &ti));
	again = model_reopened(ti);
	for (uint32_t i = 1; i < COUNT; i++) {
		struct type before = tinfo_type(ti, tinfo_nth_named(ti, i - 1)), after = tinfo_type(ti, tinfo_nth_named(ti, i));
		int order = strcmp(before.name, after.name);
		assert_true(order < 0 || (order == 0 && before.name == after.name && before.id < after.id));
	}
	state = 1;
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t first, same, count;
		random_name(&state, name);
		count = tinfo_types_named(again, name, &first);
		assert_true(count >= 1);
		assert_string_equal(tinfo_type(again, tinfo_nth_named(again, first + count - 1)).name, name);
		assert_true(tinfo_types_prefixed(again, name, &same) >= count);
		assert_int_equal(same, first);
		snprintf(other, sizeof other, "%sc", name);
		assert_int_equal(tinfo_types_named(again, other, &first), 0);
	}
	assert_null(tinfo_fault(again));
	tinfo_free(ti);
	tinfo_free(again);
}

static void test_long_text(void **unused)
{
	(void)unused;
	size_t length = (size_t)3 << 20;
	char *name = malloc(length + 1);
	memset(name, 'x', length);
	memcpy(name + TEXT_MAX - 3, "\xe2\x82\xac", 3); /* ends one byte too late */
	name[length] = 0;
	struct tinfo_build *b = tinfo_build_new();
	build_meta(b, "long", name);
	build_meta(b, "z", "last");
	struct tinfo *ti, *again;
	model_fine(tinfo_build_finish(b, &ti));
	again = model_reopened(ti);
	const char *text = tinfo_meta(again, "long");
	assert_int_equal(strlen(text), TEXT_MAX - 3);
	assert_string_equal(tinfo_meta(again, "z"), "last");
	assert_null(tinfo_fault(again));
	free(name);
	tinfo_free(ti);
	tinfo_free(again);
}

/* --- other versions --- */

static void test_versions(void **unused)
{
	(void)unused;
	struct tinfo *small = model_small(false), *ti;
	model_fine(tinfo_write(small, model_file));
	struct bytes file = model_file_read(model_file);
	store_uint(file.at + 8, 2, 2);
	store_uint(file.at + 10, 5, 2);
	model_file_put(model_file, file.at, file.length); /* whatever a newer version has after its number */
	model_refused(tinfo_open(&ti, model_file), ERROR_UNSUPPORTED,
		     "is of format version 2.5; this program reads version 1 (a newer hansei is needed)");
	store_uint(file.at + 8, 0, 2);
	model_file_put(model_file, file.at, file.length);
	model_refused(tinfo_open(&ti, model_file), ERROR_UNSUPPORTED, "is of format version 0.5; this program reads version 1 (extract");
	store_uint(file.at + 8, 1, 2);
	model_checksums_fix(file);
	model_file_put(model_file, file.at, file.length);
	model_fine(tinfo_open(&ti, model_file));
	model_small_check(ti);
	tinfo_free(ti);
	free(file.at);
	tinfo_free(small);
}

/* What a newer minor version may do: longer entries, a section we do not know, longer records. */
static void test_additions(void **unused)
{
	(void)unused;
	struct tinfo *small = model_small(false), *ti;
	struct section *impls = &small->sections[TABLE_IMPLS];
	unsigned char *wide = calloc(impls->count, 12);
	for (uint32_t i = 0; i < impls->count; i++)
		memcpy(wide + i * 12, impls->data + i * 8, 8);
	free(impls->data);
	impls->data = wide;
	impls->coding.stride = 12;
	impls->size = impls->count * 12;
	model_fine(tinfo_write(small, model_file));
	struct bytes old = model_file_read(model_file);
	enum { WIDER = 8, NEW_WIDTH = ENTRY_SIZE + WIDER, OLD_FRONT = HEADER_SIZE + TABLE_COUNT * ENTRY_SIZE };
	size_t grown = TABLE_COUNT * WIDER + NEW_WIDTH;
	struct bytes new = { calloc(old.length + grown, 1), old.length + grown };
	memcpy(new.at, old.at, HEADER_SIZE);
	store_uint(new.at + 10, 3, 2);
	store_uint(new.at + 12, NEW_WIDTH, 2);
	store_uint(new.at + 14, TABLE_COUNT + 1, 2);
	store_uint(new.at + 16, new.length, 8);
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		unsigned char *entry = new.at + HEADER_SIZE + i * NEW_WIDTH;
		memcpy(entry, old.at + HEADER_SIZE + i * ENTRY_SIZE, ENTRY_SIZE);
		store_uint(entry + 32, get_u64(entry + 32) + grown, 8);
		store_uint(entry + 48, get_u64(entry + 48) + grown, 8);
	}
	memset(new.at + HEADER_SIZE + TABLE_COUNT * NEW_WIDTH, 0x77, NEW_WIDTH); /* section 0x77777777 */
	memcpy(new.at + OLD_FRONT + grown, old.at + OLD_FRONT, old.length - OLD_FRONT);
	model_checksums_fix(new);
	model_file_put(model_file, new.at, new.length);
	model_fine(tinfo_open(&ti, model_file));
	model_small_check(ti);
	tinfo_free(ti);
	/* two sections of one number are not an addition */
	store_uint(new.at + HEADER_SIZE + TABLE_COUNT * NEW_WIDTH, TABLE_IMPLS, 4);
	memcpy(new.at + HEADER_SIZE + TABLE_COUNT * NEW_WIDTH + 4, new.at + HEADER_SIZE + TABLE_IMPLS * NEW_WIDTH + 4,
	       ENTRY_SIZE - 4);
	model_checksums_fix(new);
	model_file_put(model_file, new.at, new.length);
	model_refused(tinfo_open(&ti, model_file), ERROR_DATA, "section impls: there are two of it");
	free(old.at);
	free(new.at);
	tinfo_free(small);
}

static void test_absent(void **unused)
{
	(void)unused;
	for (int table = 0; table < TABLE_COUNT; table++) {
		struct tinfo *small = model_small(false);
		uint64_t state = 5;
		section_release(&small->sections[table]);
		struct tinfo *ti = model_reopened(small);
		assert_false(tinfo_has(ti, (enum tinfo_table)table));
		assert_int_equal(tinfo_count(ti, (enum tinfo_table)table), 0);
		model_probe(ti, &state);
		if (table == TABLE_IMPLS)
			assert_null(tinfo_impl_self(ti, "rt::m::{impl#1}", 15));
		tinfo_free(ti);
		tinfo_free(small);
	}
}

/* --- what is no .tinfo, and what cannot be written --- */

static void test_foreign(void **unused)
{
	(void)unused;
	struct tinfo *ti;
	model_refused(tinfo_open(&ti, model_directory), ERROR_DATA, "is a directory");
	model_refused(tinfo_open(&ti, "/dev/null"), ERROR_DATA, "/dev/null: is not a regular file");
	model_refused(tinfo_open(&ti, "/nonexistent/x.tinfo"), ERROR_IO, "/nonexistent/x.tinfo: No such file or directory");
	model_file_put(model_file, "", 0);
	model_refused(tinfo_open(&ti, model_file), ERROR_DATA, "is empty");
	model_file_put(model_file, "\x7f" "ELF\2\1\1\0\0\0\0\0", 12);
	model_refused(tinfo_open(&ti, model_file), ERROR_DATA, "is not a .tinfo file");
	model_file_put(model_file, "\x89tin", 4);
	model_refused(tinfo_open(&ti, model_file), ERROR_TRUNCATED, "is cut");
	unlink(model_copy);
	assert_int_equal(mkfifo(model_copy, 0600), 0);
	model_refused(tinfo_open(&ti, model_copy), ERROR_DATA, "is not a regular file");
	unlink(model_copy);
	tinfo_free(NULL);
}

static size_t directory_count(void)
{
	size_t count = 0;
	DIR *dir = opendir(model_directory);
	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void test_unwritable(void **unused)
{
	(void)unused;
	struct tinfo *ti = model_small(false);
	model_fine(tinfo_write(ti, model_file));
	size_t before = directory_count();
	model_refused(tinfo_write(ti, model_directory), ERROR_IO, "is a directory");
	model_refused(tinfo_write(ti, "/nonexistent/x.tinfo"), ERROR_IO, "/nonexistent/x.tinfo: No such file or directory");
	if (access("/dev/full", W_OK) == 0)
		model_refused(tinfo_write(ti, "/dev/full"), ERROR_IO, "No space left on device");
	if (geteuid() != 0) { /* root may write anywhere */
		chmod(model_file, 0400);
		model_refused(tinfo_write(ti, model_file), ERROR_IO, "Permission denied");
		chmod(model_file, 0600);
		chmod(model_directory, 0500);
		model_refused(tinfo_write(ti, model_copy), ERROR_IO, "Permission denied");
		chmod(model_directory, 0700);
	}
	assert_int_equal(directory_count(), before);
	/* what an earlier process of our number left behind is in nobody's way; a link is written through */
	char *temporary = tinfo_temporary(model_copy);
	model_file_put(temporary, "x", 1);
	assert_int_equal(symlink(model_file, model_copy), 0);
	model_fine(tinfo_write(ti, model_copy));
	struct stat st;
	assert_int_equal(lstat(model_copy, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(model_copy);
	model_fine(tinfo_write(ti, model_copy));
	assert_int_not_equal(access(temporary, F_OK), 0);
	free(temporary);
	tinfo_free(ti);
}

/* The checksum is XXH64: values of its reference implementation. */
static void test_hash(void **unused)
{
	(void)unused;
	assert_true(tinfo_hash("", 0) == 0xef46db3751d8e999u);
	assert_true(tinfo_hash("a", 1) == 0xd24ec4f1a98c6e5bu);
	assert_true(tinfo_hash("abc", 3) == 0x44bc2cf5ad770999u);
	assert_true(tinfo_hash("The quick brown fox jumps over the lazy dog", 43) == 0x0b242d361fda71bcu);
}

/* The letters of a shape add up to the record it says. */
static void test_shapes(void **unused)
{
	(void)unused;
	for (int table = 0; table < TABLE_COUNT; table++) {
		uint32_t size = 0;
		for (const char *field = TABLE_SHAPES[table].fields; *field != 0; field++)
			size += field_width(*field);
		assert_int_equal(size, TABLE_SHAPES[table].size);
	}
}

/* --- bench --- */

struct clocks {
	double wall, cpu; /* ms */
};

static struct clocks clocks_now(void)
{
	struct timespec wall, cpu;
	clock_gettime(CLOCK_MONOTONIC, &wall);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct clocks){ (double)wall.tv_sec * 1e3 + (double)wall.tv_nsec / 1e6,
				(double)cpu.tv_sec * 1e3 + (double)cpu.tv_nsec / 1e6 };
}

static void lap(const char *what, struct clocks *since)
{
	struct clocks t = clocks_now();
	printf("%-36s %9.3f ms, %9.3f ms of processor\n", what, t.wall - since->wall, t.cpu - since->cpu);
	*since = clocks_now();
}

static int bench(uint32_t types)
{
	struct tinfo *ti, *again;
	uint32_t first;
	struct clocks t = clocks_now();
	struct tinfo_build *b = model_large(types, 5);
	lap("add (names made included)", &t);
	model_fine(tinfo_build_finish(b, &ti));
	lap("finish", &t);
	model_fine(tinfo_write(ti, model_file));
	lap("write", &t);
	model_fine(tinfo_open(&again, model_file));
	lap("open", &t);
	const char *name = tinfo_type(ti, types / 2).name;
	t = clocks_now();
	tinfo_types_named(again, name, &first);
	lap("first look-up by name", &t);
	for (uint32_t i = 1; i <= 1000; i++)
		tinfo_types_named(again, tinfo_type(ti, i * 7919 % types).name, &first);
	lap("1000 look-ups by name", &t);
	char *text = model_text(again);
	lap("everything as text", &t);
	struct stat st;
	stat(model_file, &st);
	printf("%u types, %u members, %u bytes of names, file %lld bytes\n", tinfo_count(ti, TABLE_TYPES),
	       tinfo_count(ti, TABLE_MEMBERS), tinfo_count(ti, TABLE_STRINGS), (long long)st.st_size);
	free(text);
	tinfo_free(again);
	tinfo_free(ti);
	return 0;
}

int main(int argc, char **argv)
{
	if (!model_begin())
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small), cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_out_of_range),
		cmocka_unit_test(test_dangling_build), cmocka_unit_test(test_sorted), cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_versions), cmocka_unit_test(test_additions), cmocka_unit_test(test_absent),
		cmocka_unit_test(test_foreign), cmocka_unit_test(test_unwritable), cmocka_unit_test(test_hash),
		cmocka_unit_test(test_shapes),
	};
	int status = argc > 1 && strcmp(argv[1], "bench") == 0
			     ? bench(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 200000)
			     : cmocka_run_group_tests(tests, NULL, NULL);
	model_end();
	return status;
}

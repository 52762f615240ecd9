/* Cores from core_build, which can lie. Cores of real programs: test_core_real.c. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/core.h"
#include "core_build.h"

static char directory[256];
static char core_file[300], exe_file[300];

static int setup(void **state)
{
	(void)state;
	temporary_directory(directory, sizeof directory);
	snprintf(core_file, sizeof core_file, "%s/core.test", directory);
	snprintf(exe_file, sizeof exe_file, "%s/exe.test", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	directory_remove(directory);
	return 0;
}

static void expect_error(struct error *err, enum error_code code, const char *text)
{
	assert_non_null(err);
	if (strstr(error_message(err), text) == NULL)
		fail_msg("'%s' is not in: %s", text, error_message(err));
	assert_int_equal(error_code(err), code);
	error_free(err);
}

static void expect_ok(struct error *err)
{
	if (err != NULL)
		fail_msg("%s", error_message(err));
}

static void expect_core_error(const void *bytes, size_t size, enum error_code code, const char *text)
{
	char message[600];
	struct core *core;
	file_write(core_file, bytes, size);
	snprintf(message, sizeof message, "%s: %s", core_file, text);
	expect_error(core_open(&core, core_file), code, message);
	assert_null(core);
}

static struct core *open_built(struct core_build *b)
{
	struct core *core;
	core_build_write(b, core_file);
	core_build_free(b);
	expect_ok(core_open(&core, core_file));
	return core;
}

static bool has_warning(const struct core *core, const char *text)
{
	size_t count;
	const char *const *warnings = core_warnings(core, &count);
	for (size_t i = 0; i < count; i++)
		if (strstr(warnings[i], text) != NULL)
			return true;
	return false;
}

/* ---- messages ---- */

static void test_not_a_core(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t size;
		enum error_code code;
		const char *text;
	} rows[] = {
		{ "", 0, ERROR_UNSUPPORTED, "empty file" },
		{ "#!/bin/sh\nexit\n", 15, ERROR_UNSUPPORTED, "a script, not a core dump" },
		{ "MDMP\x93\xa7\0\0", 8, ERROR_UNSUPPORTED, "a minidump" },
		{ "\xcf\xfa\xed\xfe\7\0\0\1", 8, ERROR_UNSUPPORTED, "a Mach-O file, not a core dump" },
		{ "\x28\xb5\x2f\xfd\4X", 6, ERROR_UNSUPPORTED, "compressed core; unpack it with 'zstd -d' first" },
		{ "\x5a\x2a\x4d\x18\1\0\0\0", 8, ERROR_UNSUPPORTED, "compressed core; unpack it with 'zstd -d' first" },
		{ "\x04\x22\x4d\x18xx", 6, ERROR_UNSUPPORTED, "compressed core; unpack it with 'lz4 -d' first" },
		{ "\xfd" "7zXZ\0", 6, ERROR_UNSUPPORTED, "compressed core; unpack it with 'xz -d' first" },
		{ "\x1f\x8b\x08", 3, ERROR_UNSUPPORTED, "compressed core; unpack it with 'gzip -d' first" },
		{ "ProblemType: Crash\n", 19, ERROR_UNSUPPORTED, "an Apport report" },
		{ "hello", 5, ERROR_UNSUPPORTED, "not an ELF file, so not a core dump" },
		{ "\x7f" "E", 2, ERROR_TRUNCATED, "cut inside the ELF header (2 bytes)" },
		{ "\x7f" "ELF\2\1\1", 7, ERROR_TRUNCATED, "cut inside the ELF header (7 bytes)" },
		{ "\x7f" "ELF\1\1\1", 7, ERROR_UNSUPPORTED, "a 32-bit ELF file" },
		{ "\x7f" "ELF\2\2\1", 7, ERROR_UNSUPPORTED, "a big-endian ELF file" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		expect_core_error(rows[i].bytes, rows[i].size, rows[i].code, rows[i].text);
	struct core *core;
	expect_error(core_open(&core, directory), ERROR_UNSUPPORTED, "is a directory");
	expect_error(core_open(&core, "/dev/null"), ERROR_UNSUPPORTED, "/dev/null: not a regular file");
	snprintf(core_file, sizeof core_file, "%s/missing", directory);
	expect_error(core_open(&core, core_file), ERROR_IO, "missing: No such file or directory");
}

static void expect_header_error(uint16_t type, uint16_t machine, enum error_code code, const char *text)
{
	struct core_build *b = core_build_new(type, machine, 1);
	core_build_load(b, 0x1000, "x", 1, 1, PF_R);
	core_build_finish(b);
	expect_core_error(b->image, b->size, code, text);
	core_build_free(b);
}

static void test_wrong_headers(void **state)
{
	(void)state;
	expect_header_error(ET_DYN, EM_X86_64, ERROR_UNSUPPORTED, "a program or shared library, not a core dump");
	expect_header_error(ET_EXEC, EM_X86_64, ERROR_UNSUPPORTED, "a program or shared library, not a core dump");
	expect_header_error(ET_REL, EM_X86_64, ERROR_UNSUPPORTED, "an object file, not a core dump");
	expect_header_error(9, EM_X86_64, ERROR_UNSUPPORTED, "an ELF file of type 9, not a core dump");
	expect_header_error(ET_CORE, EM_RISCV, ERROR_UNSUPPORTED, "for RISC-V; only x86-64 and aarch64 are read");
	expect_header_error(ET_CORE, 4711, ERROR_UNSUPPORTED, "for ELF machine 4711;");
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 1);
	core_build_finish(b);
	expect_core_error(b->image, b->size, ERROR_DATA, "a core dump without program headers");
	b->ehdr.e_phnum = 1;
	b->ehdr.e_phoff = 4096;
	core_build_finish(b);
	expect_core_error(b->image, b->size, ERROR_TRUNCATED, "cut: ends at 120, before its program headers");
	b->ehdr.e_phentsize = 32;
	core_build_finish(b);
	expect_core_error(b->image, b->size, ERROR_DATA, "program headers of 32 bytes instead of 56");
	core_build_free(b);
}

static void expect_note_error(const char *owner, uint32_t type, size_t size, const char *text)
{
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 1);
	core_build_note(b, owner, type, NULL, size);
	core_build_notes_end(b);
	core_build_finish(b);
	expect_core_error(b->image, b->size, ERROR_UNSUPPORTED, text);
	core_build_free(b);
}

static void test_other_systems(void **state)
{
	(void)state;
	expect_note_error("CORE", 10, 1680, "illumos cores are not read yet");
	expect_note_error("CORE", 13, 416, "illumos cores are not read yet");
	expect_note_error("CORE", 16, 1296, "illumos cores are not read yet");
	expect_note_error("CORE", NT_PRSTATUS, 824, "illumos cores are not read yet");
	expect_note_error("FreeBSD", 1, 100, "a FreeBSD core; Linux ones are read");
}

/* ---- a small complete core ---- */

enum { TEXT = 0x401000, HEAP = 0x5000000 };
static const uint64_t STACK = 0x7ffd00000000;

/* order 0: as the kernel writes it; 1: as gcore does. */
static struct core_build *build_small(int order, int signal)
{
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 6);
	static const uint64_t auxv[][2] = { { AT_PAGESZ, 4096 }, { AT_PHDR, 0x400040 }, { AT_ENTRY, TEXT + 16 } };
	static const struct build_file files[] = {
		{ 0x7f0000000000, 0x7f0000002000, 3, "/lib/libc.so.6" },
		{ TEXT, TEXT + 4096, 1, "/opt/a program" },
		{ 0x400000, 0x401000, 0, "/opt/a program" },
	};
	uint64_t registers[27];
	for (size_t i = 0; i < 27; i++)
		registers[i] = 1000 * 77 + i;
	registers[19] = STACK + 0x800;
	unsigned char page[4096];
	for (size_t i = 0; i < sizeof page; i++)
		page[i] = (unsigned char)(i * 7);
	if (order == 1)
		core_build_prpsinfo(b, 77, "a program", "a program --x  ");
	core_build_prstatus(b, 77, signal, registers);
	if (order == 0)
		core_build_prpsinfo(b, 77, "a program", "a program --x  ");
	core_build_siginfo(b, signal, 1, 0xdead);
	if (order == 0) {
		core_build_auxv(b, auxv, 3);
		core_build_file_note(b, files, 3, 4096);
	}
	core_build_note(b, "CORE", NT_FPREGSET, NULL, 512);
	core_build_note(b, "LINUX", 0x202, NULL, 2696);
	core_build_prstatus(b, 12, signal, NULL);
	if (order == 1) {
		core_build_siginfo(b, 0, 0, 0);
		core_build_auxv(b, auxv, 3);
		core_build_file_note(b, files, 3, 4096);
		core_build_note(b, "GDB", 0xff000000, "<target/>", 9);
	}
	core_build_note(b, "XYZ", 0x12345, "?", 1);
	core_build_notes_end(b);
	core_build_load(b, 0x400000, page, 512, 4096, PF_R);
	core_build_load(b, TEXT, NULL, 0, 4096, PF_R | PF_X);
	core_build_load(b, HEAP, page, 1024, 1024, PF_R | PF_W);
	core_build_load(b, HEAP + 1024, page, 1024, 4096, PF_R | PF_W);
	core_build_load(b, STACK, page, 4096, 4096, PF_R | PF_W);
	return b;
}

static void check_threads(const struct core *core)
{
	size_t count;
	const struct core_thread *threads = core_threads(core, &count);
	assert_int_equal(count, 2);
	assert_int_equal(threads[0].lwp, 77);
	assert_int_equal(threads[1].lwp, 12);
	assert_int_equal(threads[0].register_count, 27);
	assert_int_equal(threads[0].pc, 77016);
	assert_int_equal(threads[0].sp, STACK + 0x800);
	assert_int_equal(threads[0].tls_base, 77021);
	assert_int_equal(threads[1].registers[26], 12026);
	assert_ptr_equal(core_thread_by_lwp(core, 77), &threads[0]);
	assert_ptr_equal(core_thread_by_lwp(core, 12), &threads[1]);
	assert_null(core_thread_by_lwp(core, 13));
	const char *const *names = core_register_names(core, &count);
	assert_int_equal(count, 27);
	assert_string_equal(names[0], "r15");
	assert_string_equal(names[16], "rip");
	assert_string_equal(names[21], "fs_base");
	assert_string_equal(names[26], "gs");
}

static void test_both_orders(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct core *core = open_built(build_small(order, 11));
		const struct core_process *p = core_process(core);
		size_t count;
		uint64_t value;
		check_threads(core);
		assert_int_equal(p->pid, 77);
		assert_int_equal(p->ppid, 1);
		assert_int_equal(p->uid, 1001);
		assert_int_equal(p->gid, 1002);
		assert_string_equal(p->command, "a program");
		assert_string_equal(p->arguments, "a program --x");
		assert_true(p->has_signal && p->has_fault_address);
		assert_int_equal(p->signal, 11);
		assert_int_equal(p->signal_code, 1);
		assert_int_equal(p->fault_address, 0xdead);
		const struct core_mapping *m = core_mappings(core, &count);
		assert_int_equal(count, 3);
		assert_int_equal(m[0].start, 0x400000);
		assert_int_equal(m[1].file_offset, 4096);
		assert_string_equal(m[2].path, "/lib/libc.so.6");
		assert_true(core_auxv(core, AT_ENTRY, &value));
		assert_int_equal(value, TEXT + 16);
		assert_false(core_auxv(core, 9999, &value));
		assert_string_equal(core_executable(core)->path, "/opt/a program");
		assert_false(core_executable(core)->bias_known); /* no ELF header there */
		assert_int_equal(core_missing_bytes(core), 0);
		core_warnings(core, &count);
		assert_int_equal(count, 0);
		core_close(core);
	}
}

static void test_gcore_signal(void **state)
{
	(void)state;
	struct core *core = open_built(build_small(1, 19)); /* SIGSTOP: gdb's own doing */
	assert_false(core_process(core)->has_signal);
	core_close(core);
	core = open_built(build_small(0, 6));
	assert_true(core_process(core)->has_signal);
	assert_false(core_process(core)->has_fault_address);
	core_close(core);
}

static void test_reads(void **state)
{
	(void)state;
	struct core *core = open_built(build_small(0, 6));
	unsigned char bytes[8192];
	size_t done = 99;
	uint64_t value;
	expect_ok(core_read(core, HEAP + 1000, bytes, 100, &done)); /* over a seam */
	assert_int_equal(done, 100);
	assert_int_equal(bytes[23], (unsigned char)(1023 * 7));
	assert_int_equal(bytes[24], 0);
	assert_true(core_read_uint(core, HEAP + 1020, 8, &value));
	assert_int_equal(value & 0xff, (1020 * 7) & 0xff);
	assert_int_equal(value >> 40 & 0xff, 7); /* byte 1 of the next segment */
	assert_false(core_read_uint(core, HEAP + 2044, 8, &value));
	assert_false(core_read_uint(core, HEAP, 9, &value));
	expect_error(core_read(core, HEAP + 2000, bytes, 100, &done), ERROR_UNMAPPED, "0x5000800 is mapped, but was left out");
	assert_int_equal(done, 48);
	expect_error(core_read(core, TEXT, bytes, 1, &done), ERROR_UNMAPPED, "left out of the core; it is mapped from /opt/a program");
	expect_error(core_read(core, 16, bytes, 1, &done), ERROR_UNMAPPED, "0x10 is not mapped");
	assert_int_equal(done, 0);
	expect_error(core_read(core, UINT64_MAX - 3, bytes, sizeof bytes, &done), ERROR_UNMAPPED, "is not mapped");
	expect_ok(core_read(core, HEAP, bytes, 0, NULL));
	assert_non_null(core_peek(core, HEAP, 1024));
	assert_non_null(core_peek(core, HEAP, 2048)); /* adjacent in the file too */
	assert_null(core_peek(core, HEAP, 2049));
	assert_null(core_peek(core, HEAP, SIZE_MAX));
	assert_null(core_peek(core, TEXT, 1));
	assert_true(core_is_mapped(core, STACK + 4095));
	assert_false(core_is_mapped(core, STACK + 4096));
	core_close(core);
}

/* Touches everything that a caller could. */
static void exercise(struct core *core)
{
	size_t count, names, done;
	uint64_t value;
	unsigned char bytes[512];
	struct build_id id;
	const struct core_segment *s = core_segments(core, &count);
	for (size_t i = 0; i < count; i++) {
		assert_true(s[i].start < s[i].end);
		assert_true(s[i].file_size <= s[i].end - s[i].start);
		assert_true(s[i].file_size == 0 || s[i].file_offset + s[i].file_size <= core_size(core));
		assert_true(i == 0 || s[i - 1].end <= s[i].start);
		error_free(core_read(core, s[i].end - 256, bytes, sizeof bytes, &done));
		const unsigned char *peek = core_peek(core, s[i].start, (size_t)s[i].file_size);
		if (peek != NULL && s[i].file_size != 0)
			assert_int_equal(peek[s[i].file_size - 1], peek[s[i].file_size - 1]);
		core_build_id_at(core, s[i].start, &id);
	}
	const struct core_thread *t = core_threads(core, &count);
	core_register_names(core, &names);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(t[i].register_count, names);
		assert_int_equal(core_thread_by_lwp(core, t[i].lwp)->lwp, t[i].lwp);
		core_tls_address(core, &t[i], 0x10, 0x100, 16, 8, &value);
	}
	const struct core_mapping *m = core_mappings(core, &count);
	for (size_t i = 0; i < count; i++)
		assert_true(strlen(m[i].path) < core_size(core) && m[i].start < m[i].end);
	const char *const *warnings = core_warnings(core, &count);
	for (size_t i = 0; i < count; i++)
		assert_true(warnings[i][0] != '\0');
	assert_non_null(core_process(core)->command);
	assert_non_null(core_executable(core));
}

static void test_every_prefix(void **state)
{
	(void)state;
	struct core_build *b = build_small(0, 11);
	core_build_finish(b);
	size_t opened = 0;
	for (size_t size = 0; size < b->size; size++) {
		struct core *core;
		file_write(core_file, b->image, size);
		struct error *err = core_open(&core, core_file);
		if (err == NULL) {
			opened++;
			size_t warnings;
			core_warnings(core, &warnings);
			assert_true(warnings > 0);
			assert_true(core_missing_bytes(core) > 0);
			exercise(core);
		} else {
			assert_true(size < 64 + 56);
			assert_null(core);
			assert_int_equal(strncmp(error_message(err), core_file, strlen(core_file)), 0);
		}
		error_free(err);
		core_close(core);
	}
	assert_int_equal(opened, b->size - 64 - 56);
	core_build_free(b);
}

static void test_cut_memory(void **state)
{
	(void)state;
	struct core_build *b = build_small(0, 11);
	core_build_finish(b);
	file_write(core_file, b->image, b->size - 1000);
	core_build_free(b);
	struct core *core;
	unsigned char byte;
	expect_ok(core_open(&core, core_file));
	check_threads(core);
	assert_int_equal(core_missing_bytes(core), 1000);
	assert_true(has_warning(core, "1000 bytes of memory are missing"));
	assert_true(core_is_mapped(core, STACK + 3095));
	expect_error(core_read(core, STACK + 3096, &byte, 1, NULL), ERROR_TRUNCATED, "was cut off");
	core_close(core);
}

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void test_bit_flips(void **state)
{
	(void)state;
	struct core_build *b = build_small(0, 11);
	core_build_finish(b);
	uint32_t seed = 4711;
	size_t notes_end = (size_t)(b->phdrs[0].p_offset + b->phdrs[0].p_filesz), opened = 0;
	unsigned char *copy = malloc(b->size);
	assert_non_null(copy);
	for (int round = 0; round < 6000; round++) {
		memcpy(copy, b->image, b->size);
		unsigned flips = 1 + random_next(&seed) % 6;
		for (unsigned i = 0; i < flips; i++) {
			/* half of them in the headers */
			size_t limit = random_next(&seed) % 2 == 0 ? 64 + 56 * 6 : notes_end;
			size_t at = random_next(&seed) % limit;
			if (random_next(&seed) % 4 == 0)
				copy[at] = 0xff;
			else
				copy[at] ^= (unsigned char)(1u << random_next(&seed) % 8);
		}
		file_write(core_file, copy, b->size);
		struct core *core;
		struct error *err = core_open(&core, core_file);
		if (err == NULL) {
			opened++;
			exercise(core);
		}
		error_free(err);
		core_close(core);
	}
	assert_true(opened > 1000);
	free(copy);
	core_build_free(b);
}

static void test_pn_xnum(void **state)
{
	(void)state;
	enum { LOADS = 70000 };
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, LOADS + 1);
	core_build_prstatus(b, 5, 0, NULL);
	core_build_notes_end(b);
	for (uint64_t i = 0; i < LOADS; i++)
		core_build_phdr(b, PT_LOAD, PF_R, 64, 0x10000 + i * 8192, 8, 4096);
	Elf64_Shdr first = { .sh_info = LOADS + 1 };
	b->ehdr.e_phnum = PN_XNUM;
	b->ehdr.e_shnum = 1;
	b->ehdr.e_shentsize = sizeof first;
	b->ehdr.e_shoff = core_build_bytes(b, &first, sizeof first, 8);
	core_build_write(b, core_file);
	struct core *core;
	size_t count;
	expect_ok(core_open(&core, core_file));
	core_segments(core, &count);
	assert_int_equal(count, LOADS);
	core_close(core);
	/* The section header is cut off: counted from the place of the notes. */
	file_write(core_file, b->image, b->size - 10);
	expect_ok(core_open(&core, core_file));
	core_segments(core, &count);
	assert_int_equal(count, LOADS);
	assert_true(has_warning(core, "counted 70001"));
	core_close(core);
	b->ehdr.e_shoff = 0;
	core_build_finish(b);
	expect_core_error(b->image, b->size, ERROR_DATA, "has 65,535 program headers or more, and no section header");
	core_build_free(b);
}

static void test_overlaps(void **state)
{
	(void)state;
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 6);
	unsigned char a[256], c[256];
	memset(a, 'a', sizeof a);
	memset(c, 'c', sizeof c);
	core_build_load(b, 0x1080, c, 256, 256, PF_R);
	core_build_load(b, 0x1000, a, 256, 256, PF_R);
	core_build_load(b, 0x1000, c, 200, 200, PF_R);               /* swallowed */
	core_build_load(b, 0x2000, a, 256, 128, PF_R);               /* more in the file than in memory */
	core_build_load(b, UINT64_MAX - 10, a, 256, 256, PF_R);      /* past the address space */
	core_build_load(b, 0x3000, a, 256, 0, PF_R);                 /* no memory size */
	struct core *core = open_built(b);
	size_t count;
	const struct core_segment *s = core_segments(core, &count);
	unsigned char bytes[400];
	assert_int_equal(count, 4);
	assert_int_equal(s[1].start, 0x1100);
	assert_int_equal(s[1].end, 0x1180);
	expect_ok(core_read(core, 0x1000, bytes, 0x180, NULL));
	assert_int_equal(bytes[0xff], 'a');
	assert_int_equal(bytes[0x100], 'c');
	assert_int_equal(s[2].end, 0x2080);
	assert_int_equal(s[3].end, 0x3100);
	assert_true(has_warning(core, "2 segments overlap"));
	assert_true(has_warning(core, "more bytes in the file than in memory"));
	assert_true(has_warning(core, "passes the end of the address space"));
	assert_true(has_warning(core, "no thread is recorded"));
	core_close(core);
}

static void file_note_case(uint64_t count, uint64_t page, size_t cut, size_t mappings, const char *warning)
{
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 1);
	static const struct build_file files[] = { { 0x1000, 0x2000, 0, "/a" }, { 0x3000, 0x2000, 0, "/b" },
		                                   { 0x4000, 0x5000, UINT64_MAX / 2, "/c" }, { 0x6000, 0x7000, 9, "/d" } };
	core_build_file_note(b, files, 4, page);
	memcpy(b->notes + 20, &count, sizeof count);
	b->notes_size -= cut;
	core_build_notes_end(b);
	struct core *core = open_built(b);
	size_t found;
	core_mappings(core, &found);
	assert_int_equal(found, mappings);
	assert_true(has_warning(core, warning));
	core_close(core);
}

static void test_file_note(void **state)
{
	(void)state;
	file_note_case(4, 4096, 0, 2, "2 of 4 entries");
	file_note_case(4, 1, 0, 3, "1 of 4 entries"); /* gcore counts in bytes */
	file_note_case(4, 0, 0, 0, "4 of 4 entries");
	file_note_case(UINT64_MAX, 4096, 0, 0, "claims 18446744073709551615 entries");
	file_note_case(UINT64_MAX / 24 + 2, 4096, 0, 0, "it is not used");
	file_note_case(5, 4096, 0, 0, "it is not used");
	file_note_case(4, 4096, 3, 1, "3 of 4 entries of the note of mapped files are unusable (it is cut)");
	file_note_case(4, 4096, 40, 0, "(cut); it is not used");
}

static void test_odd_notes(void **state)
{
	(void)state;
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 3);
	core_build_note(b, "CORE", NT_PRSTATUS, NULL, 300);
	core_build_prstatus(b, 7, 0, NULL);
	core_build_note(b, "CORE", NT_PRPSINFO, NULL, 40);
	core_build_note(b, "", NT_PRSTATUS, NULL, 336);
	core_build_note(b, "CORE", NT_AUXV, NULL, 7);
	core_build_notes_end(b);
	core_build_prstatus(b, 8, 0, NULL);
	core_build_notes_end(b);
	static const uint32_t wild[] = { 0xfffffffd, 4, 1, 0 }; /* a name that does not end */
	uint64_t offset = core_build_bytes(b, wild, sizeof wild, 4);
	core_build_phdr(b, PT_NOTE, 0, offset, 0, sizeof wild, 0);
	struct core *core = open_built(b);
	size_t count;
	const struct core_thread *t = core_threads(core, &count);
	assert_int_equal(count, 2);
	assert_int_equal(t[1].lwp, 8);
	assert_true(has_warning(core, "a thread's status note has 300 bytes instead of 336"));
	assert_true(has_warning(core, "the process note has only 40 bytes"));
	core_close(core);
}

static void test_many_threads(void **state)
{
	(void)state;
	enum { THREADS = 20000 };
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 1);
	for (uint32_t i = 0; i < THREADS; i++)
		core_build_prstatus(b, (i * 7919) % THREADS + 100, 0, NULL);
	for (int i = 0; i < 100; i++)
		core_build_note(b, "CORE", NT_PRSTATUS, NULL, 12);
	core_build_notes_end(b);
	struct core *core = open_built(b);
	size_t count;
	core_threads(core, &count);
	assert_int_equal(count, THREADS);
	for (uint32_t lwp = 100; lwp < THREADS + 100; lwp++)
		assert_int_equal(core_thread_by_lwp(core, lwp)->registers[3], 1000 * (uint64_t)lwp + 3);
	assert_null(core_thread_by_lwp(core, 99));
	assert_true(has_warning(core, "61 further oddities"));
	core_close(core);
}

static void test_aarch64(void **state)
{
	(void)state;
	struct core_build *b = core_build_new(ET_CORE, EM_AARCH64, 1);
	static const uint64_t tls[] = { 0xffff80001000, 0 }, mask[] = { 0x7f000000000000, 0x3f000000000000 };
	core_build_prstatus(b, 93, 6, NULL);
	core_build_note(b, "LINUX", 0x401, tls, sizeof tls);
	core_build_note(b, "LINUX", 0x406, mask, sizeof mask);
	core_build_prstatus(b, 95, 6, NULL);
	core_build_notes_end(b);
	struct core *core = open_built(b);
	size_t count;
	uint64_t address;
	const struct core_thread *t = core_threads(core, &count);
	assert_int_equal(count, 2);
	assert_int_equal(t[0].tls_base, 0xffff80001000);
	assert_int_equal(t[0].sp, 93031);
	assert_int_equal(t[0].pc, 93032);
	assert_int_equal(t[1].tls_base, 0);
	assert_int_equal(core_code_mask(core), 0x3f000000000000);
	assert_string_equal(core_register_names(core, &count)[33], "pstate");
	/* the block follows the 16 bytes of the TCB, congruent to p_vaddr */
	assert_true(core_tls_address(core, &t[0], 0x2000, 0x100, 64, 8, &address));
	assert_int_equal(address, 0xffff80001000 + 64 + 8);
	assert_true(core_tls_address(core, &t[0], 0x2010, 0x100, 16, 0, &address));
	assert_int_equal(address, 0xffff80001010);
	assert_true(core_tls_address(core, &t[0], 0x2008, 0x100, 32, 0, &address));
	assert_int_equal(address, 0xffff80001028);
	assert_false(core_tls_address(core, &t[1], 0x2000, 0x100, 64, 8, &address));
	core_close(core);
}

static void test_tls_variant_two(void **state)
{
	(void)state;
	struct core *core = open_built(build_small(0, 6));
	struct core_thread t = { .tls_base = 0x7f0000001000 };
	uint64_t a;
	assert_true(core_tls_address(core, &t, 0x2000, 0x14, 8, 4, &a));
	assert_int_equal(a, 0x7f0000001000 - 0x18 + 4);
	assert_true(core_tls_address(core, &t, 0x2008, 0x14, 64, 0, &a)); /* start congruent to 8 modulo 64 */
	assert_int_equal(a, 0x7f0000001000 - 0x38);
	assert_true(core_tls_address(core, &t, 0x2000, 0x14, 0, 0, &a));
	assert_int_equal(a, 0x7f0000001000 - 0x14);
	assert_false(core_tls_address(core, &t, 0x2000, 0x14, 24, 0, &a)); /* not a power of two */
	assert_false(core_tls_address(core, &t, 0x2000, 0x14, 8, 0x15, &a));
	assert_false(core_tls_address(core, &t, 0x2000, UINT64_MAX, 8, 0, &a));
	t.tls_base = 0;
	assert_false(core_tls_address(core, &t, 0x2000, 0x14, 8, 0, &a));
	core_close(core);
}

/* ---- the executable behind the core ---- */

enum { EXE_SIZE = 0x4000 };
static const uint64_t BIAS = 0x555555554000;

/* A PIE whose file says 'F' everywhere: headers and rodata at 0, text at 0x1000, data at 0x2000 (0x800 bytes of
 * file, 0x1800 of memory). Bytes of its first page, which the core has too, come out in page. */
static void build_exe(unsigned char page[4096], uint16_t type, uint64_t base)
{
	struct core_build *b = core_build_new(type, EM_X86_64, 5);
	static const unsigned char id[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xca, 0xfe, 0xba, 0xbe };
	unsigned char fill[EXE_SIZE];
	memset(fill, 'F', sizeof fill);
	b->ehdr.e_entry = base + 0x1010;
	uint64_t note = core_build_bytes(b, id, sizeof id, 8);
	core_build_bytes(b, fill, EXE_SIZE - b->size, 1);
	core_build_phdr(b, PT_PHDR, PF_R, 64, base + 64, 5 * 56, 5 * 56);
	core_build_phdr(b, PT_LOAD, PF_R, 0, base, 0x1000, 0x1000);
	core_build_phdr(b, PT_LOAD, PF_R | PF_X, 0x1000, base + 0x1000, 0x1000, 0x1000);
	core_build_phdr(b, PT_LOAD, PF_R | PF_W, 0x2000, base + 0x2000, 0x800, 0x1800);
	core_build_phdr(b, PT_NOTE, PF_R, note, base + note, sizeof id, sizeof id);
	core_build_write(b, exe_file);
	if (page != NULL)
		memcpy(page, b->image, 4096);
	core_build_free(b);
}

struct backed {
	const unsigned char *first_page; /* NULL: not dumped */
	bool text_header;                /* the kernel has a PT_LOAD for text, gcore none */
	uint64_t data_bytes;             /* of .data in the core */
	bool stack;                      /* anonymous memory was dumped */
	bool file_note;
};

static struct core_build *build_backed(const struct backed *how)
{
	struct core_build *b = core_build_new(ET_CORE, EM_X86_64, 5);
	const uint64_t auxv[][2] = { { AT_PHDR, BIAS + 64 }, { AT_ENTRY, BIAS + 0x1010 } };
	const struct build_file files[] = { { BIAS, BIAS + 0x1000, 0, "/x" }, { BIAS + 0x1000, BIAS + 0x2000, 1, "/x" },
		                                   { BIAS + 0x2000, BIAS + 0x3000, 2, "/x" } };
	uint64_t registers[27] = { [19] = STACK + 8 };
	unsigned char data[0x2000];
	memset(data, 'C', sizeof data);
	core_build_prstatus(b, 1, 0, registers);
	core_build_auxv(b, auxv, 2);
	if (how->file_note)
		core_build_file_note(b, files, 3, 4096);
	core_build_notes_end(b);
	core_build_load(b, BIAS, how->first_page, how->first_page != NULL ? 4096 : 0, 4096, PF_R);
	if (how->text_header)
		core_build_load(b, BIAS + 0x1000, NULL, 0, 0x1000, PF_R | PF_X);
	core_build_load(b, STACK, data, how->stack ? 64 : 0, 4096, PF_R | PF_W);
	core_build_load(b, BIAS + 0x2000, data, how->data_bytes, 0x2000, PF_R | PF_W);
	return b;
}

static int byte_at(const struct core *core, uint64_t address)
{
	uint64_t value;
	return core_read_uint(core, address, 1, &value) ? (int)value : -1;
}

static void backed_case(const struct backed *how, bool known, int data, int data_tail)
{
	struct core *core = open_built(build_backed(how));
	struct elf_file *elf;
	expect_ok(elf_open(&elf, exe_file));
	const struct core_executable *exe = core_executable(core);
	assert_int_equal(exe->bias_known, known);
	assert_int_equal(exe->build_id.length, known ? 4 : 0);
	if (known)
		assert_true(build_id_equal(&exe->build_id, elf_build_id(elf)));
	assert_int_equal(byte_at(core, BIAS + 0x1000), -1);
	expect_ok(core_back_with_executable(core, elf));
	assert_true(exe->bias_known);
	assert_int_equal(exe->bias, BIAS);
	assert_int_equal(byte_at(core, BIAS), 0x7f);
	assert_int_equal(byte_at(core, BIAS + 0xfff), 'F');
	assert_int_equal(byte_at(core, BIAS + 0x1000), 'F');
	assert_int_equal(byte_at(core, BIAS + 0x1fff), 'F');
	assert_int_equal(byte_at(core, BIAS + 0x2000), data);
	assert_int_equal(byte_at(core, BIAS + 0x27ff), data_tail);
	assert_int_equal(byte_at(core, BIAS + 0x3fff), how->data_bytes == 0x2000 ? 'C' : -1); /* .bss */
	unsigned char bytes[0x2000];
	expect_ok(core_read(core, BIAS, bytes, sizeof bytes, NULL)); /* from core and file */
	assert_non_null(core_peek(core, BIAS + 0x1000, 0x1000));
	core_close(core);
	elf_close(elf);
}

static void test_backing(void **state)
{
	(void)state;
	unsigned char page[4096];
	build_exe(page, ET_DYN, 0);
	backed_case(&(struct backed){ page, true, 0x2000, true, true }, true, 'C', 'C'); /* kernel */
	backed_case(&(struct backed){ page, false, 0x2000, true, true }, true, 'C', 'C'); /* gcore */
	backed_case(&(struct backed){ NULL, true, 0x2000, true, true }, false, 'C', 'C'); /* bias from the file */
	backed_case(&(struct backed){ NULL, true, 0x2000, true, false }, false, 'C', 'C'); /* no NT_FILE: qemu-user */
	backed_case(&(struct backed){ page, true, 0, true, true }, true, 'F', 'F');  /* never written to */
	backed_case(&(struct backed){ page, true, 0, false, true }, true, -1, -1); /* nothing private was dumped */
}

static void test_backing_cut(void **state)
{
	(void)state;
	unsigned char page[4096];
	build_exe(page, ET_DYN, 0);
	struct core_build *b = build_backed(&(struct backed){ page, true, 0x2000, true, true });
	core_build_finish(b);
	file_write(core_file, b->image, b->size - 0x1c00);
	core_build_free(b);
	struct core *core;
	struct elf_file *elf;
	unsigned char byte;
	expect_ok(core_open(&core, core_file));
	expect_ok(elf_open(&elf, exe_file));
	expect_ok(core_back_with_executable(core, elf));
	assert_int_equal(byte_at(core, BIAS + 0x23ff), 'C');
	/* The file has what .data was at the start: not an answer. */
	expect_error(core_read(core, BIAS + 0x2400, &byte, 1, NULL), ERROR_TRUNCATED, "cut off");
	core_close(core);
	elf_close(elf);
}

static void test_backing_errors(void **state)
{
	(void)state;
	struct core *core = open_built(build_backed(&(struct backed){ NULL, true, 0, true, false }));
	struct elf_file *elf;
	build_exe(NULL, ET_DYN, 0x123);
	expect_ok(elf_open(&elf, exe_file));
	expect_error(core_back_with_executable(core, elf), ERROR_MISMATCH, "its load bias would be 0x555555553edd");
	elf_close(elf);
	core_close(core);
	build_exe(NULL, ET_EXEC, 0x400000);
	expect_ok(elf_open(&elf, exe_file));
	struct core_build *b = core_build_new(ET_CORE, EM_AARCH64, 1);
	core_build_load(b, 0x1000, "x", 1, 1, PF_R);
	core = open_built(b);
	expect_error(core_back_with_executable(core, elf), ERROR_MISMATCH, "for another machine");
	core_close(core);
	b = core_build_new(ET_CORE, EM_X86_64, 1);
	core_build_load(b, 0x1000, "x", 1, 1, PF_R);
	core = open_built(b);
	expect_ok(core_back_with_executable(core, elf));
	assert_true(core_executable(core)->bias_known);
	assert_int_equal(core_executable(core)->bias, 0);
	assert_int_equal(byte_at(core, 0x401000), 'F');
	core_close(core);
	elf_close(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_not_a_core, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_headers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_systems, setup, teardown),
		cmocka_unit_test_setup_teardown(test_both_orders, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gcore_signal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_prefix, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bit_flips, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pn_xnum, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overlaps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_file_note, setup, teardown),
		cmocka_unit_test_setup_teardown(test_odd_notes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_aarch64, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tls_variant_two, setup, teardown),
		cmocka_unit_test_setup_teardown(test_backing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_backing_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(test_backing_errors, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ELF files from core_build, which can lie, and files of the system's compiler and objcopy. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "core_build.h"
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

static void expect_ok(struct error *err)
{
	if (err != NULL)
		fail_msg("%s", error_message(err));
}

static void expect_error(struct error *err, enum error_code code, const char *text)
{
	assert_non_null(err);
	if (strstr(error_message(err), text) == NULL || strncmp(error_message(err), path, strlen(path)) != 0)
		fail_msg("'%s: … %s' is not in: %s", path, text, error_message(err));
	assert_int_equal(error_code(err), code);
	error_free(err);
}

static void expect_open_error(const void *bytes, size_t size, enum error_code code, const char *text)
{
	struct elf_file *elf;
	file_write(path, bytes, size);
	expect_error(elf_open(&elf, path), code, text);
	assert_null(elf);
}

static struct elf_file *open_built(struct core_build *b)
{
	struct elf_file *elf;
	core_build_write(b, path);
	core_build_free(b);
	expect_ok(elf_open(&elf, path));
	return elf;
}

static void test_messages(void **state)
{
	(void)state;
	struct elf_file *elf;
	expect_open_error("", 0, ERROR_UNSUPPORTED, "empty file");
	expect_open_error("#!/bin/sh\n", 10, ERROR_UNSUPPORTED, "a script, not a program");
	expect_open_error("!<arch>\nx", 9, ERROR_UNSUPPORTED, "an archive, not a program");
	expect_open_error("\x28\xb5\x2f\xfd", 4, ERROR_UNSUPPORTED, "compressed file; unpack it with 'zstd -d' first");
	expect_open_error("hello", 5, ERROR_UNSUPPORTED, "not an ELF file, so not a program");
	expect_open_error("\x7f" "ELF\2\1\1", 7, ERROR_TRUNCATED, "cut inside the ELF header");
	expect_open_error("\x7f" "ELF\1\1\1", 7, ERROR_UNSUPPORTED, "a 32-bit ELF file; only 64-bit ones are read");
	expect_open_error("\x7f" "ELF\2\2\1", 7, ERROR_UNSUPPORTED, "a big-endian ELF file");
	snprintf(path, sizeof path, "%s", directory);
	expect_error(elf_open(&elf, path), ERROR_UNSUPPORTED, "is a directory");
	snprintf(path, sizeof path, "%s/missing", directory);
	expect_error(elf_open(&elf, path), ERROR_IO, "No such file or directory");
}

static void expect_built_error(struct core_build *b, size_t cut, enum error_code code, const char *text)
{
	core_build_finish(b);
	expect_open_error(b->image, b->size - cut, code, text);
	core_build_free(b);
}

static void test_wrong_tables(void **state)
{
	(void)state;
	expect_built_error(core_build_new(ET_CORE, EM_X86_64, 0), 0, ERROR_UNSUPPORTED, "a core dump, not a program");
	expect_built_error(core_build_new(ET_NONE, EM_X86_64, 0), 0, ERROR_UNSUPPORTED, "an ELF file of type 0, not a program");
	expect_built_error(core_build_new(ET_DYN, EM_386, 0), 0, ERROR_UNSUPPORTED, "for i386; only x86-64 and aarch64");
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 0);
	core_build_section(b, ".text", SHT_PROGBITS, SHF_ALLOC, 0, "x", 1);
	expect_built_error(b, 1, ERROR_TRUNCATED, "cut: the section table of 3 entries at ");
	b = core_build_new(ET_DYN, EM_X86_64, 0);
	core_build_section(b, ".text", SHT_PROGBITS, SHF_ALLOC, 0, "x", 1);
	b->ehdr.e_shoff = UINT64_MAX - 10;
	expect_built_error(b, 0, ERROR_TRUNCATED, "the section table");
	b = core_build_new(ET_DYN, EM_X86_64, 0);
	core_build_section(b, ".text", SHT_PROGBITS, SHF_ALLOC, 0, "x", 1);
	b->ehdr.e_shentsize = 40;
	expect_built_error(b, 0, ERROR_DATA, "entries of the section table are 40 bytes instead of 64");
	b = core_build_new(ET_DYN, EM_X86_64, 1);
	b->ehdr.e_phnum = 2;
	b->ehdr.e_phoff = 64;
	expect_built_error(b, 0, ERROR_TRUNCATED, "cut: the program header table of 2 entries at 64");
}

/* ---- compressed sections ---- */

enum { PLAIN = 300000 };

static unsigned char *plain_text(void)
{
	unsigned char *text = malloc(PLAIN);
	assert_non_null(text);
	for (size_t i = 0; i < PLAIN; i++)
		text[i] = (unsigned char)((i / 3) ^ (i >> 9));
	return text;
}

enum packing { ZLIB, ZSTD, OLD_ZLIB, ZSTD_TWO_FRAMES, ZLIB_TWO_STREAMS };

/* Appends text packed; returns the length. */
static size_t pack(enum packing how, unsigned char *out, size_t room, const unsigned char *text, size_t size)
{
	if (how == ZSTD) {
		size_t packed = ZSTD_compress(out, room, text, size, 1);
		assert_false(ZSTD_isError(packed));
		return packed;
	}
	if (how == ZSTD_TWO_FRAMES || how == ZLIB_TWO_STREAMS) {
		enum packing one = how == ZSTD_TWO_FRAMES ? ZSTD : ZLIB;
		size_t first = pack(one, out, room, text, size / 3);
		return first + pack(one, out + first, room - first, text + size / 3, size - size / 3);
	}
	uLongf packed = (uLongf)room;
	assert_int_equal(compress(out, &packed, text, size), Z_OK);
	return packed;
}

/* A file with one compressed section; claimed: the size in its header; cut: bytes taken off its end. */
static struct elf_file *build_compressed(enum packing how, uint64_t claimed, size_t cut)
{
	size_t room = PLAIN + 10000, header = how == OLD_ZLIB ? 12 : 24;
	unsigned char *text = plain_text(), *packed = calloc(1, room);
	assert_non_null(packed);
	if (how == OLD_ZLIB) {
		memcpy(packed, "ZLIB", 4);
		for (int i = 0; i < 8; i++)
			packed[4 + i] = (unsigned char)(claimed >> (56 - 8 * i));
	} else {
		packed[0] = how == ZSTD || how == ZSTD_TWO_FRAMES ? 2 : 1;
		memcpy(packed + 8, &claimed, sizeof claimed);
	}
	size_t size = header + pack(how, packed + header, room - header, text, PLAIN) - cut;
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 0);
	core_build_section(b, how == OLD_ZLIB ? ".zdebug_info" : ".debug_info", SHT_PROGBITS,
	                   how == OLD_ZLIB ? 0 : SHF_COMPRESSED, 0, packed, size);
	free(text);
	free(packed);
	return open_built(b);
}

static void test_inflate(void **state)
{
	(void)state;
	unsigned char *text = plain_text();
	for (enum packing how = ZLIB; how <= ZLIB_TWO_STREAMS; how++) {
		struct elf_file *elf = build_compressed(how, PLAIN, 0);
		const struct elf_section *s, *again;
		expect_ok(elf_section(elf, ".debug_info", &s));
		assert_non_null(s);
		assert_string_equal(s->name, ".debug_info");
		assert_int_equal(s->size, PLAIN);
		assert_int_equal(s->flags, 0);
		assert_memory_equal(s->data, text, PLAIN);
		expect_ok(elf_section(elf, ".debug_info", &again));
		assert_ptr_equal(s, again);
		expect_ok(elf_section(elf, ".debug_line", &s));
		assert_null(s);
		size_t count;
		const struct elf_section *all = elf_sections(elf, &count);
		assert_int_equal(count, 3);
		assert_true(all[1].size < PLAIN); /* raw there */
		elf_close(elf);
	}
	free(text);
}

static void expect_inflate_error(enum packing how, uint64_t claimed, size_t cut, enum error_code code, const char *text)
{
	struct elf_file *elf = build_compressed(how, claimed, cut);
	const struct elf_section *s;
	expect_error(elf_section(elf, ".debug_info", &s), code, text);
	assert_null(s);
	expect_error(elf_section(elf, ".debug_info", &s), code, "section .debug_info: ");
	elf_close(elf);
}

static void test_inflate_lies(void **state)
{
	(void)state;
	expect_inflate_error(ZLIB, PLAIN + 1, 0, ERROR_TRUNCATED, "inflates to 300000 bytes instead of 300001");
	expect_inflate_error(ZLIB, PLAIN - 1, 0, ERROR_DATA, "does not end after the 299999 bytes of its header");
	expect_inflate_error(ZLIB, 0, 0, ERROR_DATA, "does not end after the 0 bytes");
	expect_inflate_error(OLD_ZLIB, PLAIN - 1, 0, ERROR_DATA, "does not end after");
	expect_inflate_error(ZLIB, PLAIN, 1000, ERROR_TRUNCATED, "bytes instead of 300000");
	expect_inflate_error(ZLIB, (uint64_t)17 << 30, 0, ERROR_DATA, "claims to inflate to 18253611008 bytes; the limit is");
	expect_inflate_error(ZSTD, UINT64_MAX, 0, ERROR_DATA, "the limit is 17179869184");
	expect_inflate_error(ZSTD, PLAIN + 1, 0, ERROR_TRUNCATED, "inflates to 300000 bytes instead of 300001");
	expect_inflate_error(ZSTD, PLAIN - 1, 0, ERROR_DATA, "zstd: Destination buffer is too small");
	expect_inflate_error(ZSTD, PLAIN, 100, ERROR_DATA, "zstd: ");
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 0);
	const struct elf_section *s;
	core_build_section(b, ".debug_abbrev", SHT_PROGBITS, SHF_COMPRESSED, 0, "\1\0\0\0\0\0\0\0", 8);
	core_build_section(b, ".debug_str", SHT_PROGBITS, SHF_COMPRESSED, 0, "\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
	core_build_section(b, ".zdebug_line", SHT_PROGBITS, 0, 0, "ZLIX\0\0\0\0\0\0\0\0\0", 13);
	core_build_section(b, ".gone", SHT_PROGBITS, 0, 0, "x", 1)->sh_size = 1 << 20;
	core_build_section(b, ".bss", SHT_NOBITS, SHF_ALLOC, 0x5000, NULL, 4096);
	struct elf_file *elf = open_built(b);
	expect_error(elf_section(elf, ".debug_abbrev", &s), ERROR_TRUNCATED, "its compression header is cut");
	expect_error(elf_section(elf, ".debug_str", &s), ERROR_UNSUPPORTED, "compression type 7; zlib (1) and zstd (2) are read");
	expect_error(elf_section(elf, ".debug_line", &s), ERROR_DATA, "no ZLIB at its start");
	expect_error(elf_section(elf, ".gone", &s), ERROR_TRUNCATED, "section .gone of 1048576 bytes passes the end");
	expect_ok(elf_section(elf, ".bss", &s));
	assert_null(s->data);
	assert_int_equal(s->size, 4096);
	elf_close(elf);
}

static void *inflate_in_thread(void *elf)
{
	const struct elf_section *s = NULL;
	struct error *err = elf_section(elf, ".debug_info", &s);
	error_free(err);
	return err == NULL ? (void *)(uintptr_t)s->data : NULL;
}

static void test_inflate_threads(void **state)
{
	(void)state;
	struct elf_file *elf = build_compressed(ZSTD, PLAIN, 0);
	pthread_t threads[4];
	void *results[4];
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, inflate_in_thread, elf), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], &results[i]), 0);
	for (int i = 0; i < 4; i++)
		assert_ptr_equal(results[i], results[0]);
	assert_non_null(results[0]);
	elf_close(elf);
}

/* ---- symbols ---- */

struct symbol_row {
	const char *name;
	uint64_t value, size;
	unsigned char type, bind;
	uint16_t section;
};

static void add_symbols(struct core_build *b, const char *section, const struct symbol_row *rows, size_t count)
{
	Elf64_Sym *table = calloc(count + 1, sizeof *table);
	char *names = calloc(1, count * 32 + 1);
	size_t at = 1;
	assert_true(table != NULL && names != NULL);
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(rows[i].name);
		table[i + 1] = (Elf64_Sym){ length == 0 ? 0 : (uint32_t)at,
			                    (unsigned char)(rows[i].bind << 4 | rows[i].type), 0, rows[i].section,
			                    rows[i].value, rows[i].size };
		memcpy(names + at, rows[i].name, length + 1);
		at += length + 1;
	}
	bool dynamic = section[1] == 'd';
	Elf64_Shdr *header =
		core_build_section(b, section, dynamic ? SHT_DYNSYM : SHT_SYMTAB, 0, 0, table, (count + 1) * sizeof *table);
	header->sh_link = (uint32_t)b->shnum; /* the next one */
	core_build_section(b, dynamic ? ".dynstr" : ".strtab", SHT_STRTAB, 0, 0, names, at);
	free(table);
	free(names);
}

static void test_symbols(void **state)
{
	(void)state;
	static const struct symbol_row symtab[] = {
		{ "later", 0x3000, 16, STT_FUNC, STB_GLOBAL, 1 },
		{ "data", 0x2000, 8, STT_OBJECT, STB_LOCAL, 1 },
		{ "__same", 0x1000, 32, STT_FUNC, STB_GLOBAL, 1 },
		{ "same", 0x1000, 32, STT_FUNC, STB_GLOBAL, 1 },
		{ "same_local", 0x1000, 32, STT_FUNC, STB_LOCAL, 1 },
		{ "same_label", 0x1000, 0, STT_NOTYPE, STB_GLOBAL, 1 },
		{ "outer", 0x4000, 0x100, STT_FUNC, STB_GLOBAL, 1 },
		{ "inner", 0x4020, 0x10, STT_FUNC, STB_LOCAL, 1 },
		{ "assembly", 0x5000, 0, STT_NOTYPE, STB_GLOBAL, 1 },
		{ "tls_b", 0x40, 8, STT_TLS, STB_GLOBAL, 1 },
		{ "tls_a", 0, 8, STT_TLS, STB_GLOBAL, 1 },
		{ "import", 0, 0, STT_FUNC, STB_GLOBAL, SHN_UNDEF },
		{ "number", 0x77, 0, STT_NOTYPE, STB_GLOBAL, SHN_ABS },
		{ "", 0x1000, 8, STT_FUNC, STB_GLOBAL, 1 },
		{ "file.c", 0x1, 0, STT_FILE, STB_LOCAL, 1 },
		{ "sect", 0x1, 0, STT_SECTION, STB_LOCAL, 1 },
		{ "zero", 0, 8, STT_FUNC, STB_GLOBAL, 1 },
		{ "chosen_at_load", 0x6000, 8, 10, STB_GLOBAL, 1 },
	};
	static const struct symbol_row dynsym[] = {
		{ "same", 0x1000, 32, STT_FUNC, STB_GLOBAL, 1 },
		{ "only_dynamic", 0x1800, 8, STT_FUNC, STB_WEAK, 1 },
		{ "tls_a", 0, 8, STT_TLS, STB_GLOBAL, 1 },
	};
	static const char *const sorted[] = { "same", "__same", "same_local", "same_label", "only_dynamic", "data",
		                              "later", "outer", "inner", "assembly", "chosen_at_load" };
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 0);
	core_build_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x5000, NULL, 0x100);
	add_symbols(b, ".symtab", symtab, sizeof symtab / sizeof symtab[0]);
	add_symbols(b, ".dynsym", dynsym, sizeof dynsym / sizeof dynsym[0]);
	struct elf_file *elf = open_built(b);
	size_t count;
	uint64_t offset;
	const struct elf_symbol *s = elf_symbols(elf, &count);
	assert_int_equal(count, 11);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(s[i].name, sorted[i]);
	assert_int_equal(s[10].type, STT_FUNC);
	s = elf_tls_symbols(elf, &count);
	assert_int_equal(count, 2);
	assert_string_equal(s[0].name, "tls_a");
	assert_string_equal(s[1].name, "tls_b");
	assert_true(elf_has_symtab(elf));
	assert_string_equal(elf_symbol_at(elf, 0x101f, &offset)->name, "same");
	assert_int_equal(offset, 0x1f);
	assert_null(elf_symbol_at(elf, 0x1020, &offset));
	assert_null(elf_symbol_at(elf, 0xfff, &offset));
	assert_string_equal(elf_symbol_at(elf, 0x4010, &offset)->name, "outer");
	assert_string_equal(elf_symbol_at(elf, 0x402f, &offset)->name, "inner");
	assert_string_equal(elf_symbol_at(elf, 0x4030, &offset)->name, "outer");
	assert_int_equal(offset, 0x30);
	assert_string_equal(elf_symbol_at(elf, 0x50ff, &offset)->name, "assembly");
	assert_null(elf_symbol_at(elf, 0x5100, &offset)); /* past .text */
	s = elf_symbols_at(elf, 0x1000, &count);
	assert_int_equal(count, 4);
	assert_string_equal(s[0].name, "same");
	assert_null(elf_symbols_at(elf, 0x1001, &count));
	assert_int_equal(count, 0);
	elf_close(elf);
}

static void test_symbols_stripped(void **state)
{
	(void)state;
	static const struct symbol_row dynsym[] = { { "f", 0x1000, 32, STT_FUNC, STB_GLOBAL, 1 } };
	struct core_build *b = core_build_new(ET_DYN, EM_AARCH64, 0);
	static const struct symbol_row marks[] = { { "$x", 0x2000, 0, STT_NOTYPE, STB_LOCAL, 1 },
		                                   { "$d.7", 0x2000, 0, STT_NOTYPE, STB_LOCAL, 1 },
		                                   { "$xyz", 0x2000, 0, STT_NOTYPE, STB_LOCAL, 1 } };
	add_symbols(b, ".dynsym", dynsym, 1);
	struct elf_file *elf = open_built(b);
	size_t count;
	elf_symbols(elf, &count);
	assert_int_equal(count, 1);
	assert_false(elf_has_symtab(elf));
	elf_close(elf);
	b = core_build_new(ET_DYN, EM_AARCH64, 0);
	add_symbols(b, ".symtab", marks, 3);
	elf = open_built(b);
	assert_string_equal(elf_symbols(elf, &count)[0].name, "$xyz");
	assert_int_equal(count, 1);
	elf_close(elf);
	elf = open_built(core_build_new(ET_DYN, EM_X86_64, 0));
	elf_symbols(elf, &count);
	assert_int_equal(count, 0);
	elf_tls_symbols(elf, &count);
	assert_int_equal(count, 0);
	assert_null(elf_symbol_at(elf, 0, NULL));
	elf_close(elf);
}

static void test_symbols_many(void **state)
{
	(void)state;
	enum { MANY = 200000 };
	struct symbol_row *rows = calloc(MANY, sizeof *rows);
	char (*names)[12] = calloc(MANY, sizeof *names);
	assert_true(rows != NULL && names != NULL);
	for (uint64_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "s%u", (unsigned)i);
		rows[i] = (struct symbol_row){ names[i], 0x100000000 + (i * 7919 % MANY) * 16, 16, STT_FUNC, STB_GLOBAL, 1 };
	}
	for (uint64_t i = 0; i < MANY / 2; i++) /* and a crowd at one address */
		rows[i].value = 0x55;
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 0);
	add_symbols(b, ".symtab", rows, MANY);
	struct elf_file *elf = open_built(b);
	size_t count;
	const struct elf_symbol *s = elf_symbols(elf, &count);
	assert_int_equal(count, MANY);
	for (size_t i = 1; i < count; i++)
		assert_true(s[i - 1].value <= s[i].value);
	for (size_t i = MANY / 2; i < MANY; i += 97)
		assert_string_equal(elf_symbol_at(elf, rows[i].value + 15, NULL)->name, names[i]);
	elf_symbols_at(elf, 0x55, &count);
	assert_int_equal(count, MANY / 2);
	elf_close(elf);
	free(rows);
	free(names);
}

/* ---- image, relocations, build ids ---- */

static void test_image(void **state)
{
	(void)state;
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 4);
	core_build_load(b, 0x2000, "data", 4, 0x1000, PF_R | PF_W);
	core_build_load(b, 0x1000, "texttext", 8, 8, PF_R | PF_X);
	core_build_load(b, 0x1006, "XXYY", 4, 4, PF_R);           /* overlaps */
	core_build_load(b, 0x9000, "cut", 3, 3, PF_R)->p_offset = 1 << 20;
	struct elf_file *elf = open_built(b);
	uint64_t available;
	const unsigned char *bytes = elf_image(elf, 0x1002, &available);
	assert_int_equal(available, 6);
	assert_memory_equal(bytes, "xttext", 6);
	bytes = elf_image(elf, 0x1008, &available);
	assert_int_equal(available, 2);
	assert_memory_equal(bytes, "YY", 2);
	assert_non_null(elf_image(elf, 0x2003, &available));
	assert_null(elf_image(elf, 0x2004, &available)); /* .bss */
	assert_null(elf_image(elf, 0x9000, &available));
	assert_null(elf_image(elf, 0, &available));
	assert_null(elf_image(elf, UINT64_MAX, &available));
	elf_close(elf);
	b = core_build_new(ET_DYN, EM_X86_64, 1);
	core_build_load(b, 0x1000, "texttext", 8, 8, PF_R | PF_X);
	core_build_section(b, ".text", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 8);
	elf = open_built(b);
	assert_true(elf_is_debug_only(elf));
	assert_null(elf_image(elf, 0x1000, &available));
	elf_close(elf);
}

static struct elf_file *build_relr(const uint64_t *relr, size_t count)
{
	uint64_t words[80];
	for (uint64_t i = 0; i < 80; i++)
		words[i] = 0x7000 + i;
	const Elf64_Rela rela[] = { { 0x3100, R_X86_64_RELATIVE, 5 }, { 0x2000, R_X86_64_64, 6 }, { 0x1f00, R_X86_64_RELATIVE, 7 } };
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 1);
	core_build_load(b, 0x2000, words, sizeof words, sizeof words, PF_R | PF_W);
	core_build_section(b, ".rela.dyn", SHT_RELA, SHF_ALLOC, 0, rela, sizeof rela);
	core_build_section(b, ".rela.debug_info", SHT_RELA, 0, 0, rela, sizeof rela);
	core_build_section(b, ".relr.dyn", 19, SHF_ALLOC, 0, relr, count * 8);
	return open_built(b);
}

static void test_relatives(void **state)
{
	(void)state;
	/* one word; a bitmap over the next 63: words 1, 3 and 63; a second bitmap: word 64 + 1 */
	static const uint64_t relr[] = { 0x2000, 1 | 1u << 1 | 1u << 3 | (uint64_t)1 << 63, 1 | 1u << 2 };
	static const struct elf_relative expected[] = { { 0x1f00, 7 }, { 0x2000, 0x7000 }, { 0x2008, 0x7001 }, { 0x2018, 0x7003 },
		                                        { 0x21f8, 0x703f }, { 0x2208, 0x7041 }, { 0x3100, 5 } };
	struct elf_file *elf = build_relr(relr, 3);
	const struct elf_relative *r;
	size_t count;
	expect_ok(elf_relatives(elf, &r, &count));
	assert_int_equal(count, 7);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(r[i].address, expected[i].address);
		assert_int_equal(r[i].addend, expected[i].addend);
	}
	elf_close(elf);
	static const uint64_t outside[] = { 0x2000, UINT64_MAX, UINT64_MAX };
	elf = build_relr(outside, 3);
	expect_error(elf_relatives(elf, &r, &count), ERROR_DATA, "section .relr.dyn: a RELR relocation at 0x2280 is outside");
	assert_int_equal(count, 0);
	elf_close(elf);
}

static void test_build_ids(void **state)
{
	(void)state;
	static const unsigned char notes[] = { 4, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 'a', 'b', 'c', 0, 1, 0, 0, 0, /* another first */
		                               4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0x0e };
	struct build_id id = { .length = 0 }, none = { .length = 0 };
	char text[2 * BUILD_ID_MAX + 1];
	for (size_t cut = 1; cut <= sizeof notes; cut++)
		assert_false(build_id_from_notes(&id, notes, sizeof notes - cut));
	assert_true(build_id_from_notes(&id, notes, sizeof notes));
	build_id_text(&id, text);
	assert_string_equal(text, "abcd0e");
	build_id_text(&none, text);
	assert_string_equal(text, "none");
	assert_true(build_id_equal(&id, &id));
	assert_false(build_id_equal(&none, &none));
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 1);
	uint64_t offset = core_build_bytes(b, notes, sizeof notes, 4);
	core_build_phdr(b, PT_NOTE, PF_R, offset, 0, sizeof notes, sizeof notes);
	struct elf_file *elf = open_built(b);
	assert_true(build_id_equal(elf_build_id(elf), &id));
	elf_close(elf);
}

/* ---- damage ---- */

static struct core_build *build_full(void)
{
	static const struct symbol_row rows[] = { { "f", 0x1000, 4, STT_FUNC, STB_GLOBAL, 1 }, { "t", 0, 4, STT_TLS, STB_GLOBAL, 1 } };
	static const Elf64_Rela rela[] = { { 0x1000, R_X86_64_RELATIVE, 5 } };
	static const uint64_t relr[] = { 0x1000, 3 };
	struct core_build *b = core_build_new(ET_DYN, EM_X86_64, 2);
	unsigned char packed[200] = { 1, [8] = 100 };
	uLongf size = sizeof packed - 24;
	assert_int_equal(compress(packed + 24, &size, (const Bytef *)b->ehdr.e_ident, 16), Z_OK);
	packed[8] = 16;
	core_build_load(b, 0x1000, "texttexttexttext", 16, 16, PF_R | PF_X);
	core_build_section(b, ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0, packed, 24 + size);
	add_symbols(b, ".symtab", rows, 2);
	core_build_section(b, ".rela.dyn", SHT_RELA, SHF_ALLOC, 0, rela, sizeof rela);
	core_build_section(b, ".relr.dyn", 19, SHF_ALLOC, 0, relr, sizeof relr);
	core_build_finish(b);
	return b;
}

static void exercise(const unsigned char *bytes, size_t size, size_t *opened)
{
	struct elf_file *elf;
	const struct elf_section *s;
	const struct elf_relative *r;
	size_t count;
	uint64_t available;
	file_write(path, bytes, size);
	struct error *err = elf_open(&elf, path);
	if (err != NULL) {
		error_free(err);
		return;
	}
	++*opened;
	error_free(elf_section(elf, ".debug_info", &s));
	error_free(elf_relatives(elf, &r, &count));
	const struct elf_section *all = elf_sections(elf, &count);
	for (size_t i = 0; i < count; i++)
		assert_true(strlen(all[i].name) < size);
	const struct elf_symbol *symbols = elf_symbols(elf, &count);
	for (size_t i = 0; i < count; i++) {
		assert_true(strlen(symbols[i].name) < size);
		elf_symbol_at(elf, symbols[i].value + 1, NULL);
	}
	elf_tls_symbols(elf, &count);
	const unsigned char *image = elf_image(elf, 0x1000, &available);
	assert_true(image == NULL || memchr(image, image[available - 1], available) != NULL);
	elf_close(elf);
}

static void test_damage(void **state)
{
	(void)state;
	struct core_build *b = build_full();
	size_t opened = 0;
	uint32_t seed = 815;
	exercise(b->image, b->size, &opened);
	assert_int_equal(opened, 1);
	for (size_t size = 1; size < b->size; size++)
		exercise(b->image, size, &opened);
	assert_int_equal(opened, 1); /* the section table is at the end */
	unsigned char *copy = malloc(b->size);
	assert_non_null(copy);
	for (int round = 0; round < 6000; round++) {
		memcpy(copy, b->image, b->size);
		for (unsigned i = 0; i < 1 + (unsigned)round % 5; i++) {
			seed = seed * 1664525u + 1013904223u;
			size_t at = (seed >> 8) % b->size;
			/* rather the tables than the rest */
			if (i % 2 == 0)
				at = b->ehdr.e_shoff + at % (b->size - b->ehdr.e_shoff);
			copy[at] ^= (unsigned char)(1u << (seed >> 29));
		}
		exercise(copy, b->size, &opened);
	}
	assert_true(opened > 1000);
	free(copy);
	core_build_free(b);
}

/* ---- files of the real tools ---- */

static bool shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool shell(const char *format, ...)
{
	char command[2000];
	va_list args;
	va_start(args, format);
	vsnprintf(command, sizeof command, format, args);
	va_end(args);
	int status = system(command);
	return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_objcopy(void **state)
{
	(void)state;
	static const char program[] = "int x = 3; int *p = &x; int main(void) { return *p; }\n";
	static const char *const forms[] = { "zlib", "zlib-gnu", "zstd" };
	snprintf(path, sizeof path, "%s/p.c", directory);
	file_write(path, program, sizeof program - 1);
	if (!shell("cd %s && cc -g -pie -fPIE -Wl,--build-id -o plain p.c 2> log", directory)) {
		print_message("skipped: no C compiler\n");
		skip();
	}
	struct elf_file *plain, *elf;
	const struct elf_section *want, *got;
	snprintf(path, sizeof path, "%s/plain", directory);
	expect_ok(elf_open(&plain, path));
	expect_ok(elf_section(plain, ".debug_info", &want));
	for (size_t i = 0; i < 3; i++) {
		if (!shell("cd %s && objcopy --compress-debug-sections=%s plain packed 2> log", directory, forms[i])) {
			print_message("skipped: objcopy does not know %s\n", forms[i]);
			continue;
		}
		snprintf(path, sizeof path, "%s/packed", directory);
		expect_ok(elf_open(&elf, path));
		expect_ok(elf_section(elf, ".debug_info", &got));
		assert_non_null(got);
		assert_int_equal(got->size, want->size);
		assert_memory_equal(got->data, want->data, want->size);
		elf_close(elf);
	}
	const struct elf_relative *r;
	size_t count, found = 0;
	expect_ok(elf_relatives(plain, &r, &count));
	for (size_t i = 0; i < count; i++) {
		const struct elf_symbol *at = elf_symbol_at(plain, r[i].address, NULL), *to = elf_symbol_at(plain, r[i].addend, NULL);
		found += at != NULL && to != NULL && strcmp(at->name, "p") == 0 && strcmp(to->name, "x") == 0;
	}
	assert_int_equal(found, 1);
	if (shell("cd %s && objcopy --only-keep-debug plain debug 2> log", directory)) {
		snprintf(path, sizeof path, "%s/debug", directory);
		expect_ok(elf_open(&elf, path));
		assert_true(elf_is_debug_only(elf) && !elf_is_debug_only(plain));
		assert_true(build_id_equal(elf_build_id(elf), elf_build_id(plain)));
		elf_close(elf);
	}
	elf_close(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_messages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inflate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inflate_lies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inflate_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbols, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbols_stripped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_symbols_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_image, setup, teardown),
		cmocka_unit_test_setup_teardown(test_relatives, setup, teardown),
		cmocka_unit_test_setup_teardown(test_build_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_objcopy, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

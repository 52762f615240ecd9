/* elf_file.h - one executable, shared library or debug file. libelf is used here and nowhere else (a core is
 * read by lib/core itself: libelf refuses the broken ones that people have). Everything handed out is borrowed
 * from the elf_file and lives as long as it does. The file is mapped read-only, never copied; compressed
 * sections are inflated when first asked for. */
#ifndef HANSEI_ELF_ELF_FILE_H
#define HANSEI_ELF_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct elf_file;

struct elf_section {
	const char *name;
	const unsigned char *data; /* NULL for SHT_NOBITS and empty sections; inflated where it was compressed */
	uint64_t size;             /* of data (or of the memory, for SHT_NOBITS) */
	uint64_t address;          /* sh_addr */
	uint64_t flags;            /* sh_flags */
	uint32_t type;             /* sh_type */
};

struct elf_segment { /* a program header */
	uint32_t type, flags;
	uint64_t offset, vaddr, file_size, memory_size, alignment;
};

struct elf_symbol {
	const char *name;
	uint64_t value; /* st_value as in the file: not biased; for STT_TLS an offset into the TLS block */
	uint64_t size;
	uint8_t type; /* STT_FUNC, STT_OBJECT, STT_TLS, STT_NOTYPE */
	uint8_t bind;
};

enum { BUILD_ID_MAX = 64 };

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint32_t length; /* 0: none */
};

bool build_id_equal(const struct build_id *a, const struct build_id *b); /* false when either is missing */
/* Lower-case hex, or "none". */
void build_id_text(const struct build_id *id, char out[2 * BUILD_ID_MAX + 1]);
/* Finds the NT_GNU_BUILD_ID note in the bytes of a note section or segment; cut or odd notes end the search. */
bool build_id_from_notes(struct build_id *out, const unsigned char *notes, size_t length);

/* Opens path. Errors name the path and say what it is instead: not there or unreadable (ERROR_IO), a directory,
 * an empty file, not ELF, ELF of another class or byte order or machine (ERROR_UNSUPPORTED), a core, a
 * truncated section table (ERROR_TRUNCATED). x86-64 and aarch64, 64-bit little-endian only. */
struct error *elf_open(struct elf_file **out, const char *path);
void elf_close(struct elf_file *elf); /* NULL is fine */

const char *elf_path(const struct elf_file *elf);
uint16_t elf_machine(const struct elf_file *elf); /* EM_X86_64, EM_AARCH64 */
uint16_t elf_type(const struct elf_file *elf);    /* ET_EXEC, ET_DYN; ET_REL for .o, .dwo, .dwp */
uint64_t elf_entry(const struct elf_file *elf);
const struct build_id *elf_build_id(const struct elf_file *elf);
/* A file of debug information only (objcopy --only-keep-debug, eu-strip -f): its program headers describe the
 * program's memory, but its code and data are not in it, so that elf_image has nothing. */
bool elf_is_debug_only(const struct elf_file *elf);
/* The whole file as mapped. */
const unsigned char *elf_bytes(const struct elf_file *elf, uint64_t *size);

const struct elf_segment *elf_segments(const struct elf_file *elf, size_t *count);

/* The section of this name, or its compressed twin (SHF_COMPRESSED zlib or zstd, or .zdebug_*), inflated.
 * *out is NULL and the result NULL when there is none. Inflation is bounded by an absolute size (16 GiB) and
 * checked against ch_size, not by a ratio. Thread-safe: two threads may inflate different sections at once. */
struct error *elf_section(struct elf_file *elf, const char *name, const struct elf_section **out);
/* All section headers without inflating anything (data of compressed ones is the raw bytes). */
const struct elf_section *elf_sections(const struct elf_file *elf, size_t *count);

/* Symbols of .symtab and .dynsym as one set without duplicates: functions, objects, TLS and untyped ones with a
 * name; undefined and section/file symbols dropped, so are value-0 ones except STT_TLS. Sorted by value, TLS
 * symbols apart at the end (elf_tls_symbols). Built at the first call of any of these; not thread-safe. */
const struct elf_symbol *elf_symbols(struct elf_file *elf, size_t *count);
const struct elf_symbol *elf_tls_symbols(struct elf_file *elf, size_t *count);
/* The symbol covering an unbiased address, preferring functions, then global, then the longer-lived name (fewer
 * leading underscores); NULL when none covers it. *offset is the distance from its value. */
const struct elf_symbol *elf_symbol_at(struct elf_file *elf, uint64_t address, uint64_t *offset);
/* All symbols that start exactly here: *count of them, adjacent. */
const struct elf_symbol *elf_symbols_at(struct elf_file *elf, uint64_t address, size_t *count);
bool elf_has_symtab(struct elf_file *elf); /* has .symtab (false: stripped, only .dynsym) */

/* The bytes of the file that are mapped at an unbiased address: a pointer to at least one byte and the number of
 * readable bytes from there, or NULL. Relocations are not applied. */
const unsigned char *elf_image(const struct elf_file *elf, uint64_t address, uint64_t *available);

/* R_*_RELATIVE relocations (also DT_RELR), sorted by address: the words that the loader fills in with bias +
 * addend. Needed to find function pointers in a PIE's .data.rel.ro, whose bytes in the file are zero. Built at
 * the first call. */
struct elf_relative {
	uint64_t address, addend; /* both unbiased */
};
struct error *elf_relatives(struct elf_file *elf, const struct elf_relative **out, size_t *count);

#endif

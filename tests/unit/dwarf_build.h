/* dwarf_build.h - a writer of DWARF, version 2 to 5, in 32- and 64-bit format, with every form of section 7.5.5. It
 * shares no code with lib/dwarf but the numbers of sections, and it can lie: sections are plain bytes that a test may
 * patch, cut, or write itself. Fails by abort: it is a test's helper. */
#ifndef HANSEI_TESTS_DWARF_BUILD_H
#define HANSEI_TESTS_DWARF_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf.h"

struct build_bytes {
	unsigned char *data;
	size_t size, capacity;
};

void build_uint(struct build_bytes *b, uint64_t value, size_t width); /* little-endian */
void build_uleb(struct build_bytes *b, uint64_t value);
void build_sleb(struct build_bytes *b, int64_t value);
void build_text(struct build_bytes *b, const char *text); /* with its NUL */
void build_raw(struct build_bytes *b, const void *bytes, size_t size);
void build_patch(struct build_bytes *b, size_t at, uint64_t value, size_t width);

/* A value by its form: `text` for strings (also the indexed ones and those in .debug_line_str), `bytes` and `number`
 * (their length) for blocks, `number` and `high` for data16, `number` for all else: the offset in .debug_info of the
 * DIE for references, the address for addrx. For DW_FORM_indirect `actual` is the form. Set `is_raw` to write number
 * as it is for indexed forms and references. */
struct build_attr {
	uint16_t name, form;
	uint64_t number, high;
	const char *text;
	const void *bytes;
	uint16_t actual;
	bool is_raw;
};

struct build_abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	struct build_attr attrs[40];
	size_t count;
};

struct dwarf_build {
	struct build_bytes sections[DWARF_SECTION_COUNT];
	uint16_t version;
	uint8_t offset_size, address_size, unit_type;
	bool is_compressed;           /* sections in the file */
	uint64_t next_code;           /* of the next abbreviation; a test may set it */
	uint64_t unit, str_base, addr_base;
	uint64_t values[40];          /* where in .debug_info the values of the last DIE begin */
	size_t str_count, addr_count; /* of the unit */
	struct build_abbrev *abbrevs; /* of the unit */
	size_t abbrev_count, abbrev_capacity;
	uint64_t abbrev_offset;
};

struct dwarf_build *dwarf_build_new(void); /* version 4, 32-bit format, 8-byte addresses, DW_UT_compile */
void dwarf_build_free(struct dwarf_build *b);

/* Begins a unit with an abbreviation table of its own; version, sizes and type are those in *b. For version 5 the
 * headers of its string offset and address tables are written, and str_base and addr_base are their bases. */
void dwarf_build_unit(struct dwarf_build *b);
void dwarf_build_unit_end(struct dwarf_build *b); /* lengths, and the end of the abbreviation table */

/* Writes a DIE; returns its offset. Equal shapes share an abbreviation. */
uint64_t dwarf_build_die(struct dwarf_build *b, uint16_t tag, bool has_children, const struct build_attr *attrs,
                         size_t count);
void dwarf_build_null(struct dwarf_build *b); /* ends a list of children */

/* Shorthands: a named DIE (DW_FORM_string; NULL for none), and a unit whose DIE says that it is Rust. */
uint64_t dwarf_build_named(struct dwarf_build *b, uint16_t tag, bool has_children, const char *name);
void dwarf_build_rust_unit(struct dwarf_build *b);

/* An ELF file of the sections that are not empty. */
void dwarf_build_write(const struct dwarf_build *b, const char *path);

/* The same, opened again. */
struct built_file {
	struct elf_file *elf;
	struct dwarf *dw;
	const struct dwarf_unit *units;
	size_t unit_count;
};
struct built_file built_file_open(const struct dwarf_build *b, const char *path);
void built_file_close(struct built_file *file);

/* Binaries with debug information: those of $HANSEI_TEST_BINARIES (separated by colons), or the example and a test
 * program where they have been built. Ends with NULL. */
const char *const *dwarf_test_binaries(void);

#endif

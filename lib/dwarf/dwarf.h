/* dwarf.h - DIEs of DWARF 4 and 5, decoded by us: units, compiled abbreviations, attributes on demand. The sweep
 * over everything is in sweep.h; file tables of line programs are in line_files.h. Section numbers in
 * comments are those of the DWARF 5 standard.
 *
 * Ownership: a dwarf borrows the elf_file's sections; names and expressions handed out point into them. After
 * dwarf_open the object is immutable but for abbreviation tables, which are compiled under a lock when first used:
 * threads may decode at the same time. A DIE is named by its offset in .debug_info. */
#ifndef HANSEI_DWARF_DWARF_H
#define HANSEI_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/abbrev.h"

struct elf_file;
struct error;

struct dwarf_bytes { /* a section; size 0 when absent */
	const unsigned char *data;
	uint64_t size;
};

enum { DWARF_NO_OFFSET = 0 }; /* no DIE has offset 0: a unit header stands there */

struct dwarf_unit {
	uint64_t offset, end;      /* of the unit in .debug_info, header included */
	uint64_t first_die;
	uint64_t abbrev_offset;
	uint16_t version;
	uint8_t offset_size;       /* 4 or 8 */
	uint8_t address_size;
	uint8_t unit_type;         /* DW_UT_*; DW_UT_compile for version 4 */
	uint64_t dwo_id;           /* skeleton and split units */
	/* From the unit's DIE: */
	bool has_die;              /* false: the unit DIE could not be decoded */
	uint16_t tag;
	uint16_t language;         /* DW_LANG_*, 0 unknown */
	bool has_line_program;
	uint64_t line_program;     /* DW_AT_stmt_list */
	uint64_t str_offsets_base, addr_base;
	uint64_t low_pc;
	const char *name, *comp_dir, *producer, *dwo_name; /* NULL when absent */
};

struct dwarf;

/* Opens the debug information of elf: finds and inflates sections, reads every unit header and unit DIE. Errors:
 * no .debug_info (ERROR_NOT_FOUND). A damaged unit header ends the list: see dwarf_damage. */
struct error *dwarf_open(struct dwarf **out, struct elf_file *elf);
void dwarf_close(struct dwarf *dw); /* NULL is fine */

const struct dwarf_unit *dwarf_units(const struct dwarf *dw, size_t *count); /* by offset */
/* The unit containing a DIE offset, or NULL. */
const struct dwarf_unit *dwarf_unit_of(const struct dwarf *dw, uint64_t offset);
/* What was wrong with the unit headers, or NULL. */
const char *dwarf_damage(const struct dwarf *dw);
struct dwarf_bytes dwarf_info(const struct dwarf *dw);

enum dwarf_section_id { DWARF_INFO, DWARF_ABBREV, DWARF_STR, DWARF_LINE, DWARF_LINE_STR, DWARF_STR_OFFSETS, DWARF_ADDR,
	DWARF_RANGES, DWARF_RNGLISTS, DWARF_LOC, DWARF_LOCLISTS, DWARF_SECTION_COUNT };
struct dwarf_bytes dwarf_section(const struct dwarf *dw, enum dwarf_section_id id);
const char *dwarf_section_name(enum dwarf_section_id id); /* ".debug_info" … */

/* The compiled abbreviations of a unit (shared between units that name the same table); NULL when damaged. */
const struct abbrev_table *dwarf_abbrevs(struct dwarf *dw, const struct dwarf_unit *unit);

struct die {
	uint64_t offset;                /* in .debug_info */
	const struct dwarf_unit *unit;
	const struct abbrev_table *abbrevs;
	const struct abbrev *abbrev;    /* NULL: a null entry, the end of a list of children */
	const unsigned char *values;    /* first attribute value */
	const unsigned char *end;       /* end of the unit */
};

/* Decodes code and abbreviation of the DIE at offset. false: out of range, unknown abbreviation. */
bool die_at(struct dwarf *dw, uint64_t offset, struct die *out);
/* First child; false when there is none or the data is damaged. */
bool die_child(struct dwarf *dw, const struct die *die, struct die *out);
/* Next DIE of the same list, stepping over all that is below `die`; false at the end. */
bool die_next(struct dwarf *dw, const struct die *die, struct die *out);

/* The attributes that we read of any DIE, in one decode. `has` says which are there. */
enum die_attr {
	DIE_NAME = 1 << 0, DIE_LINKAGE = 1 << 1, DIE_TYPE = 1 << 2, DIE_SIZE = 1 << 3, DIE_LOCATION = 1 << 4,
	DIE_MEMBER_OFFSET = 1 << 5, DIE_DISCR = 1 << 6, DIE_DISCR_VALUE = 1 << 7, DIE_CONST = 1 << 8,
	DIE_FILE = 1 << 9, DIE_LINE = 1 << 10, DIE_DECLARATION = 1 << 11, DIE_SPECIFICATION = 1 << 12,
	DIE_ORIGIN = 1 << 13, DIE_COUNT = 1 << 14, DIE_UPPER = 1 << 15, DIE_ENCODING = 1 << 16, DIE_LOW_PC = 1 << 17,
	DIE_HIGH_PC = 1 << 18, DIE_CONTAINING = 1 << 19, DIE_ARTIFICIAL = 1 << 20, DIE_INLINE = 1 << 21,
	DIE_ALIGNMENT = 1 << 22, DIE_RANGES = 1 << 23, DIE_FRAME_BASE = 1 << 24,
};

struct die_number { /* a constant as it stands: rustc picks the smallest form, not the type's width */
	uint64_t low, high; /* little-endian words; high only for 16-byte blocks and data16 */
	uint8_t width;      /* bytes in the file: 1, 2, 4, 8, 16; 0 for LEB128 */
	bool is_signed;     /* DW_FORM_sdata: sign-extended to 128 bits already */
};

struct die_values {
	uint32_t has; /* bits of enum die_attr */
	const char *name, *linkage_name;
	uint64_t type, specification, origin, discr, containing; /* DIE offsets */
	uint64_t size, member_offset, file, line, count, upper, alignment;
	uint64_t encoding, low_pc, high_pc; /* high_pc absolute */
	struct die_number discr_value, const_value;
	const unsigned char *location, *frame_base; /* DWARF expression (exprloc and blocks only) */
	uint64_t location_length, frame_base_length;
	uint64_t ranges; /* offset of the range list, when it is a direct offset */
};

/* Decodes all attributes. false: damaged (what was decoded so far is in *out). */
bool die_read(struct dwarf *dw, const struct die *die, struct die_values *out);

/* Text of a string form found in the sweep: name attribute of a DIE, or NULL. */
const char *die_name(struct dwarf *dw, const struct die *die);

/* Address table entry (.debug_addr), section 7.27. */
bool dwarf_address(const struct dwarf *dw, const struct dwarf_unit *unit, uint64_t index, uint64_t *address);

#endif

/* abbrev.h - abbreviation declarations (section 7.5.3), compiled so that a DIE can be stepped over with one
 * addition where all its forms have fixed widths (nine of ten in rustc's output). */
#ifndef HANSEI_DWARF_ABBREV_H
#define HANSEI_DWARF_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct abbrev_attr {
	uint16_t name;       /* DW_AT_* */
	uint16_t form;       /* DW_FORM_* */
	int64_t implicit;    /* DW_FORM_implicit_const */
};

/* What the sweep does with a DIE, decided once per abbreviation. */
enum sweep_kind {
	SWEEP_SKIP,
	SWEEP_NAMESPACE,
	SWEEP_TYPE,        /* struct, union, enum, class: with a definition */
	SWEEP_DECLARATION, /* the same, DW_AT_declaration */
	SWEEP_FUNCTION,
	SWEEP_VARIABLE,
};

enum { ABBREV_VARIABLE = 0xffff, ABBREV_NO_POSITION = 0xffff };

struct abbrev {
	uint16_t tag;            /* DW_TAG_*; 0: this code is not declared */
	uint8_t has_children;
	uint8_t kind;            /* enum sweep_kind */
	uint16_t fixed_size;     /* bytes of all values, or ABBREV_VARIABLE */
	uint16_t name_position;  /* of DW_AT_name's value when everything before it is fixed */
	uint16_t name_form;      /* 0: no DW_AT_name */
	uint16_t attr_count;
	uint32_t first_attr;     /* in table->attrs */
	uint32_t first_step;     /* in table->steps; for ABBREV_VARIABLE */
};

/* What stepping over a DIE needs, four bytes a code, so that the tables of a unit stay in the first cache. */
struct abbrev_skip_entry {
	uint16_t size;           /* fixed_size; ABBREV_VARIABLE also for codes that are not declared */
	uint8_t has_children;
};

/* A skip program for abbreviations with variable forms: widths to add, and one of these. */
enum abbrev_step { STEP_LEB = 0xfff0, STEP_BLOCK, STEP_BLOCK1, STEP_BLOCK2, STEP_BLOCK4, STEP_STRING, STEP_INDIRECT,
	STEP_END = 0xffff };

struct abbrev_table {
	struct abbrev *by_code;  /* dense: code 0 .. code_count - 1 (entry 0 unused) */
	struct abbrev_skip_entry *skips; /* by code as well */
	uint64_t code_count;
	struct abbrev_attr *attrs;
	uint16_t *steps;
	uint8_t offset_size, address_size, version;
};

/* Compiles the table at `offset` of .debug_abbrev. NULL: damaged (a code twice, no end, too sparse codes).
 * *consumed is the number of bytes read of it in either case. */
struct abbrev_table *abbrev_compile(const unsigned char *section, uint64_t section_size, uint64_t offset,
                                    uint8_t offset_size, uint8_t address_size, uint8_t version, uint64_t *consumed);
void abbrev_free(struct abbrev_table *table);

/* Width of a form's value in bytes, or -1 when it varies (LEB128, strings, blocks), or -2 when it is unknown. */
int form_width(uint16_t form, uint8_t offset_size, uint8_t address_size, uint8_t version);

/* Steps over the values of one DIE; NULL when they pass `end`. */
const unsigned char *abbrev_skip_slow(const struct abbrev_table *table, const struct abbrev *abbrev,
                                      const unsigned char *at, const unsigned char *end);
/* Steps over all DIEs up to and including the null entry that ends the list of children beginning at `at`.
 * NULL: damaged. */
const unsigned char *abbrev_skip_children(const struct abbrev_table *table, const unsigned char *at,
                                          const unsigned char *end);
/* Steps over one value of any form. */
const unsigned char *form_skip(uint16_t form, const struct abbrev_table *table, const unsigned char *at,
                               const unsigned char *end);

static inline const unsigned char *abbrev_skip(const struct abbrev_table *table, const struct abbrev *abbrev,
                                               const unsigned char *at, const unsigned char *end)
{
	if (abbrev->fixed_size != ABBREV_VARIABLE)
		return (size_t)(end - at) < abbrev->fixed_size ? NULL : at + abbrev->fixed_size;
	return abbrev_skip_slow(table, abbrev, at, end);
}

/* Reads an abbreviation code: ULEB128, in one or two bytes nearly always. NULL past the end. */
static inline const unsigned char *abbrev_code(const unsigned char *at, const unsigned char *end, uint64_t *code)
{
	if (at >= end)
		return NULL;
	uint64_t value = *at++;
	if (value >= 0x80) {
		value &= 0x7f;
		for (unsigned shift = 7;; shift += 7) {
			if (at >= end || shift > 56)
				return NULL;
			uint8_t byte = *at++;
			value |= (uint64_t)(byte & 0x7fu) << shift;
			if (byte < 0x80)
				break;
		}
	}
	*code = value;
	return at;
}

/* The declared abbreviation of a code, or NULL. */
static inline const struct abbrev *abbrev_of(const struct abbrev_table *table, uint64_t code)
{
	return code < table->code_count && table->by_code[code].tag != 0 ? &table->by_code[code] : NULL;
}

#endif

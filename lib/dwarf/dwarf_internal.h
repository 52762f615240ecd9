/* dwarf_internal.h - shared between the files of lib/dwarf. */
#ifndef HANSEI_DWARF_DWARF_INTERNAL_H
#define HANSEI_DWARF_DWARF_INTERNAL_H

#include <pthread.h>

#include "base/cursor.h"
#include "base/map.h"
#include "dwarf/dwarf.h"

struct dwarf {
	struct dwarf_bytes sections[DWARF_SECTION_COUNT];
	struct dwarf_unit *units;
	size_t unit_count, unit_capacity;
	char *damage; /* what ended the list of units, or NULL */
	pthread_mutex_t lock; /* guards all below */
	struct map tables;    /* hash of (abbrev offset, sizes, version) -> struct abbrev_table * */
	struct abbrev_table **all_tables;
	size_t table_count, table_capacity;
	uint64_t abbrev_budget; /* bytes of .debug_abbrev that may still be compiled, see dwarf_abbrevs */
};

/* A decoded attribute value: a number, a text or a run of bytes; which one depends on the form's class. */
struct form_value {
	struct die_number number;
	const char *text;
	const unsigned char *block;
	uint64_t block_length;
	uint16_t form;     /* the actual one, where the abbreviation says DW_FORM_indirect */
	bool is_reference; /* number.low is a DIE offset in .debug_info */
	bool is_number;    /* a constant, flag, section offset or address; for a block: it is short enough for one */
};

/* Decodes one value at c. false: unknown form; c->bad: past the end. A reference out of the section, a string
 * offset out of its table give 0 and NULL. */
bool form_read(const struct dwarf *dw, const struct dwarf_unit *unit, const struct abbrev_table *table,
               const struct abbrev_attr *attr, struct cursor *c, struct form_value *out);

#endif

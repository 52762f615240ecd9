/* Units: headers (section 7.5.1) and what their DIEs say about the unit. */
#include "dwarf/dwarf.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "dwarf/dwarf_internal.h"
#include "elf/elf_file.h"

static const char *const SECTION_NAMES[DWARF_SECTION_COUNT] = {
	[DWARF_INFO] = ".debug_info", [DWARF_ABBREV] = ".debug_abbrev", [DWARF_STR] = ".debug_str",
	[DWARF_LINE] = ".debug_line", [DWARF_LINE_STR] = ".debug_line_str",
	[DWARF_STR_OFFSETS] = ".debug_str_offsets", [DWARF_ADDR] = ".debug_addr", [DWARF_RANGES] = ".debug_ranges",
	[DWARF_RNGLISTS] = ".debug_rnglists", [DWARF_LOC] = ".debug_loc", [DWARF_LOCLISTS] = ".debug_loclists",
};

const char *dwarf_section_name(enum dwarf_section_id id)
{
	return SECTION_NAMES[id];
}

static void set_damage(struct dwarf *dw, uint64_t offset, const char *what)
{
	if (dw->damage != NULL)
		return;
	char text[128];
	snprintf(text, sizeof text, ".debug_info: unit at 0x%llx: %s", (unsigned long long)offset, what);
	dw->damage = strdup(text);
}

/* Reads the header at *offset and moves *offset to the next unit; false ends the list. */
static bool read_header(struct dwarf *dw, uint64_t *offset, struct dwarf_unit *unit)
{
	struct dwarf_bytes info = dw->sections[DWARF_INFO];
	struct cursor c = cursor_over(info.data + *offset, (size_t)(info.size - *offset));
	*unit = (struct dwarf_unit){ .offset = *offset, .offset_size = 4, .unit_type = DW_UT_compile };
	uint64_t length = cursor_u32(&c);
	if (length == 0xffffffffu) {
		unit->offset_size = 8;
		length = cursor_u64(&c);
	} else if (length >= 0xfffffff0u) {
		set_damage(dw, *offset, "reserved length");
		return false;
	}
	if (c.bad || length > cursor_left(&c)) {
		set_damage(dw, *offset, "its length passes the end of the section");
		return false;
	}
	unit->end = (uint64_t)(c.at - info.data) + length;
	*offset = unit->end;
	unit->version = cursor_u16(&c);
	if (unit->version >= 5) {
		unit->unit_type = cursor_u8(&c);
		unit->address_size = cursor_u8(&c);
		unit->abbrev_offset = cursor_uint(&c, unit->offset_size);
		if (unit->unit_type == DW_UT_skeleton || unit->unit_type == DW_UT_split_compile)
			unit->dwo_id = cursor_u64(&c);
		else if (unit->unit_type == DW_UT_type || unit->unit_type == DW_UT_split_type)
			cursor_bytes(&c, 8u + unit->offset_size);
	} else {
		unit->abbrev_offset = cursor_uint(&c, unit->offset_size);
		unit->address_size = cursor_u8(&c);
	}
	unit->first_die = (uint64_t)(c.at - info.data);
	if (c.bad || unit->first_die > unit->end)
		unit->version = 0;
	return true;
}

static void unit_attribute(struct dwarf_unit *unit, const struct abbrev_attr *attr, const struct form_value *v)
{
	switch (attr->name) {
	case DW_AT_name: unit->name = v->text; break;
	case DW_AT_comp_dir: unit->comp_dir = v->text; break;
	case DW_AT_producer: unit->producer = v->text; break;
	case DW_AT_GNU_dwo_name:
	case DW_AT_dwo_name: unit->dwo_name = v->text; break;
	case DW_AT_GNU_dwo_id: unit->dwo_id = v->number.low; break;
	case DW_AT_language: unit->language = (uint16_t)v->number.low; break;
	case DW_AT_low_pc: unit->low_pc = v->number.low; break;
	case DW_AT_stmt_list:
		unit->line_program = v->number.low;
		unit->has_line_program = true;
		break;
	default: break;
	}
}

/* The bases must be known before any strx or addrx of the same DIE can be read: a pass of their own. */
static bool read_unit_die(struct dwarf *dw, struct dwarf_unit *unit, bool bases)
{
	struct die die;
	const struct abbrev_table *abbrevs = dwarf_abbrevs(dw, unit);
	if (abbrevs == NULL)
		return false;
	const unsigned char *info = dw->sections[DWARF_INFO].data;
	uint64_t code = 0;
	const unsigned char *at = abbrev_code(info + unit->first_die, info + unit->end, &code);
	die.abbrev = at != NULL ? abbrev_of(abbrevs, code) : NULL;
	if (die.abbrev == NULL)
		return false;
	unit->tag = die.abbrev->tag;
	const struct abbrev_attr *attrs = abbrevs->attrs + die.abbrev->first_attr;
	struct cursor c = { at, info + unit->end, false };
	for (unsigned i = 0; i < die.abbrev->attr_count; i++) {
		struct form_value value;
		if (!form_read(dw, unit, abbrevs, &attrs[i], &c, &value) || c.bad)
			return false;
		if (!bases)
			unit_attribute(unit, &attrs[i], &value);
		else if (attrs[i].name == DW_AT_str_offsets_base)
			unit->str_offsets_base = value.number.low;
		else if (attrs[i].name == DW_AT_addr_base || attrs[i].name == DW_AT_GNU_addr_base)
			unit->addr_base = value.number.low;
	}
	return true;
}

static void read_units(struct dwarf *dw)
{
	uint64_t offset = 0;
	struct dwarf_unit unit;
	while (offset < dw->sections[DWARF_INFO].size && read_header(dw, &offset, &unit)) {
		if (unit.version < 2 || unit.version > 5 || (unit.address_size != 8 && unit.address_size != 4)) {
			set_damage(dw, unit.offset, "unknown version or address size");
			continue;
		}
		unit.has_die = read_unit_die(dw, &unit, true) && read_unit_die(dw, &unit, false);
		if (!unit.has_die && unit.first_die < unit.end)
			set_damage(dw, unit.offset, "abbreviations or the unit's own entry cannot be decoded");
		dw->units = array_reserve(dw->units, &dw->unit_capacity, dw->unit_count, 1, sizeof unit);
		dw->units[dw->unit_count++] = unit;
	}
}

struct error *dwarf_open(struct dwarf **out, struct elf_file *elf)
{
	struct dwarf *dw = calloc(1, sizeof *dw);
	if (dw == NULL)
		return error_memory();
	pthread_mutex_init(&dw->lock, NULL);
	for (int i = 0; i < DWARF_SECTION_COUNT; i++) {
		const struct elf_section *section = NULL;
		struct error *err = elf_section(elf, SECTION_NAMES[i], &section);
		if (err != NULL) {
			dwarf_close(dw);
			return err;
		}
		if (section != NULL && section->data != NULL)
			dw->sections[i] = (struct dwarf_bytes){ section->data, section->size };
	}
	if (dw->sections[DWARF_INFO].size == 0) {
		dwarf_close(dw);
		return error_new(ERROR_NOT_FOUND, "%s: has no debug information (.debug_info)", elf_path(elf));
	}
	dw->abbrev_budget = 8 * dw->sections[DWARF_ABBREV].size;
	read_units(dw);
	*out = dw;
	return NULL;
}

void dwarf_close(struct dwarf *dw)
{
	if (dw == NULL)
		return;
	for (size_t i = 0; i < dw->table_count; i++)
		abbrev_free(dw->all_tables[i]);
	free(dw->all_tables);
	map_release(&dw->tables);
	pthread_mutex_destroy(&dw->lock);
	free(dw->units);
	free(dw->damage);
	free(dw);
}

const struct dwarf_unit *dwarf_units(const struct dwarf *dw, size_t *count)
{
	*count = dw->unit_count;
	return dw->units;
}

const struct dwarf_unit *dwarf_unit_of(const struct dwarf *dw, uint64_t offset)
{
	size_t low = 0, high = dw->unit_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (dw->units[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < dw->unit_count && dw->units[low].offset <= offset ? &dw->units[low] : NULL;
}

const char *dwarf_damage(const struct dwarf *dw)
{
	return dw->damage;
}

struct dwarf_bytes dwarf_info(const struct dwarf *dw)
{
	return dw->sections[DWARF_INFO];
}

struct dwarf_bytes dwarf_section(const struct dwarf *dw, enum dwarf_section_id id)
{
	return dw->sections[id];
}

const struct abbrev_table *dwarf_abbrevs(struct dwarf *dw, const struct dwarf_unit *unit)
{
	struct dwarf_bytes s = dw->sections[DWARF_ABBREV];
	if (unit->abbrev_offset >= s.size)
		return NULL;
	/* 12 bits of sizes and version below the offset: no two units share a key without sharing a table. */
	uint64_t key = unit->abbrev_offset << 12 | (uint64_t)unit->offset_size << 8 |
	               (uint64_t)(unit->address_size & 15u) << 4 | (unit->version & 15u);
	uint64_t found = 0;
	pthread_mutex_lock(&dw->lock);
	if (!map_get(&dw->tables, key, &found)) {
		/* Tables of a sane file lie side by side, each compiled once or twice (versions 4 and 5). In a hostile one
		 * they overlap, every byte the start of another; then the budget is used up and the rest is damaged. */
		struct abbrev_table *table = NULL;
		uint64_t consumed = 0;
		if (dw->abbrev_budget != 0)
			table = abbrev_compile(s.data, s.size, unit->abbrev_offset, unit->offset_size, unit->address_size,
			                       (uint8_t)unit->version, &consumed);
		dw->abbrev_budget -= consumed < dw->abbrev_budget ? consumed : dw->abbrev_budget;
		found = (uint64_t)(uintptr_t)table;
		map_set(&dw->tables, key, found);
		dw->all_tables = array_reserve(dw->all_tables, &dw->table_capacity, dw->table_count, 1,
		                               sizeof *dw->all_tables);
		dw->all_tables[dw->table_count++] = table;
	}
	pthread_mutex_unlock(&dw->lock);
	return (const struct abbrev_table *)(uintptr_t)found;
}

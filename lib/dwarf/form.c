/* Values of attribute forms, section 7.5.5. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_internal.h"

static const char *text_at(struct dwarf_bytes section, uint64_t offset)
{
	if (offset >= section.size)
		return NULL;
	const unsigned char *text = section.data + offset;
	if (section.data[section.size - 1] == 0) /* as good as always; then every string ends */
		return (const char *)text;
	return memchr(text, 0, (size_t)(section.size - offset)) != NULL ? (const char *)text : NULL;
}

/* An entry of .debug_str_offsets, section 7.26. */
static const char *indexed_text(const struct dwarf *dw, const struct dwarf_unit *unit, uint64_t index)
{
	struct dwarf_bytes table = dw->sections[DWARF_STR_OFFSETS];
	uint64_t width = unit->offset_size;
	if (unit->str_offsets_base > table.size || index >= (table.size - unit->str_offsets_base) / width)
		return NULL;
	const unsigned char *entry = table.data + unit->str_offsets_base + index * width;
	return text_at(dw->sections[DWARF_STR], load_uint(entry, (size_t)width));
}

bool dwarf_address(const struct dwarf *dw, const struct dwarf_unit *unit, uint64_t index, uint64_t *address)
{
	struct dwarf_bytes table = dw->sections[DWARF_ADDR];
	uint64_t width = unit->address_size;
	if (unit->addr_base > table.size || index >= (table.size - unit->addr_base) / width)
		return false;
	*address = load_uint(table.data + unit->addr_base + index * width, (size_t)width);
	return true;
}

static void read_block(struct cursor *c, uint64_t length, struct form_value *out)
{
	out->block = cursor_bytes(c, (size_t)length);
	out->block_length = out->block != NULL ? length : 0;
	if (out->block == NULL)
		return;
	/* A constant in a block stands in target byte order: rustc's 128-bit discriminants. */
	if (length >= 1 && length <= 16) {
		out->is_number = true;
		out->number.width = (uint8_t)length;
		out->number.low = load_uint(out->block, length < 8 ? (size_t)length : 8);
		out->number.high = length > 8 ? load_uint(out->block + 8, (size_t)length - 8) : 0;
	}
}

static void read_fixed(struct cursor *c, size_t width, struct form_value *out)
{
	out->is_number = true;
	out->number.width = (uint8_t)width;
	out->number.low = cursor_uint(c, width);
}

static void read_reference(const struct dwarf *dw, const struct dwarf_unit *unit, uint64_t offset, bool is_local,
                           struct form_value *out)
{
	out->is_reference = true;
	uint64_t limit = is_local ? unit->end - unit->offset : dw->sections[DWARF_INFO].size;
	out->number.low = offset >= limit ? DWARF_NO_OFFSET : offset + (is_local ? unit->offset : 0);
}

static bool read_class(const struct dwarf *dw, const struct dwarf_unit *unit, uint16_t form, struct cursor *c,
                       struct form_value *out)
{
	switch (form) {
	case DW_FORM_strp:
		out->text = text_at(dw->sections[DWARF_STR], cursor_uint(c, unit->offset_size));
		return true;
	case DW_FORM_line_strp:
		out->text = text_at(dw->sections[DWARF_LINE_STR], cursor_uint(c, unit->offset_size));
		return true;
	case DW_FORM_string:
		out->text = cursor_string(c);
		return true;
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		out->text = indexed_text(dw, unit, cursor_uleb(c));
		return true;
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		out->text = indexed_text(dw, unit, cursor_uint(c, (size_t)form_width(form, 4, 8, 5)));
		return true;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
		read_reference(dw, unit, cursor_uint(c, (size_t)form_width(form, 4, 8, 5)), true, out);
		return true;
	case DW_FORM_ref_udata:
		read_reference(dw, unit, cursor_uleb(c), true, out);
		return true;
	case DW_FORM_ref_addr:
		read_reference(dw, unit, cursor_uint(c, unit->version < 3 ? unit->address_size : unit->offset_size), false,
		               out);
		return true;
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		out->is_number = dwarf_address(dw, unit, cursor_uleb(c), &out->number.low);
		return true;
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		out->is_number = dwarf_address(dw, unit, cursor_uint(c, (size_t)form_width(form, 4, 8, 5)),
		                               &out->number.low);
		return true;
	default:
		return false;
	}
}

bool form_read(const struct dwarf *dw, const struct dwarf_unit *unit, const struct abbrev_table *table,
               const struct abbrev_attr *attr, struct cursor *c, struct form_value *out)
{
	*out = (struct form_value){ 0 };
	uint64_t form = attr->form;
	if (form == DW_FORM_indirect) {
		form = cursor_uleb(c);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX)
			return false;
	}
	out->form = (uint16_t)form;
	if (read_class(dw, unit, (uint16_t)form, c, out))
		return true;
	switch (form) {
	case DW_FORM_flag_present:
		out->is_number = true;
		out->number = (struct die_number){ 1, 0, 0, false };
		return true;
	case DW_FORM_implicit_const:
		out->is_number = true;
		out->number = (struct die_number){ (uint64_t)attr->implicit, attr->implicit < 0 ? UINT64_MAX : 0, 0, true };
		return true;
	case DW_FORM_udata:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		out->is_number = true;
		out->number.low = cursor_uleb(c);
		return true;
	case DW_FORM_sdata: {
		int64_t value = cursor_sleb(c);
		out->is_number = true;
		out->number = (struct die_number){ (uint64_t)value, value < 0 ? UINT64_MAX : 0, 0, true };
		return true;
	}
	case DW_FORM_data16:
		read_block(c, 16, out);
		out->block = NULL;
		return true;
	case DW_FORM_block1:
		read_block(c, cursor_u8(c), out);
		return true;
	case DW_FORM_block2:
		read_block(c, cursor_u16(c), out);
		return true;
	case DW_FORM_block4:
		read_block(c, cursor_u32(c), out);
		return true;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		read_block(c, cursor_uleb(c), out);
		return true;
	case DW_FORM_ref_sig8: /* references to what is not in .debug_info of this file, and strings of another file */
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		cursor_bytes(c, (size_t)form_width((uint16_t)form, table->offset_size, table->address_size, table->version));
		return true;
	default: {
		int width = form_width((uint16_t)form, table->offset_size, table->address_size, table->version);
		if (width < 0 || width > 8)
			return false;
		read_fixed(c, (size_t)width, out);
		return true;
	}
	}
}
